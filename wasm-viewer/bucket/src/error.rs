//! Why a question has no answer.

use pilotlight_core::SelectorError;
use pilotlight_core::plans::PlanError;
use pilotlight_core::store::StoreError;
use thiserror::Error;
use wasm_bindgen::JsValue;

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum BucketError {
    /// A selector that does not parse.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// A selector without a type, where one is needed.
    #[error(
        "the query {0:?} must start with a profile type, such as process_cpu:cpu:nanoseconds:cpu:nanoseconds{{}}"
    )]
    Untyped(String),
    /// A range that runs backwards.
    #[error("the range begins ({0}) after its end ({1})")]
    Backwards(i64, i64),
    /// Stored bytes that do not read as they were written, or too much of them.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An answer that cannot be written.
    #[error("output: {0}")]
    Output(StoreError),
}

/// An `Error` whose message is for people and whose name says what they can do about it: `damaged`
/// where the bucket is not as it was written, `invalid` where the question is.
impl From<BucketError> for JsValue {
    fn from(error: BucketError) -> Self {
        let thrown = js_sys::Error::new(&error.to_string());
        thrown.set_name(match error {
            BucketError::Plan(
                PlanError::TooLarge { .. }
                | PlanError::TooManyReads { .. }
                | PlanError::TooManyServices(_),
            )
            | BucketError::Selector(_)
            | BucketError::Untyped(_)
            | BucketError::Backwards(..) => "invalid",
            BucketError::Plan(_) | BucketError::Output(_) => "damaged",
        });
        thrown.into()
    }
}
