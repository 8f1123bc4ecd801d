//! A small object that is replaced as a whole, under a condition: who is slower begins again with
//! what the other one wrote.

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::bucket::{Bucket, BucketError, Condition};
use crate::platform::errors::Problem;

/// Most attempts at a change that others get ahead of.
const ATTEMPTS: usize = 5;

/// What such an object holds; by default, where there is none.
pub(crate) trait Record: Default {
    /// Why bytes are not one of these.
    type Error: Display;

    /// Reads what [`Self::encode`] wrote.
    fn decode(bytes: &[u8]) -> Result<Self, Self::Error>;

    /// As it is stored.
    fn encode(&self) -> Result<Vec<u8>, Self::Error>;
}

/// What is kept as JSON that says its version.
pub(crate) trait JsonRecord: Default + Serialize + DeserializeOwned {
    /// What it is, in the plural.
    const WHAT: &'static str;

    /// The only version that is read.
    const VERSION: u32;

    /// Its version.
    fn version(&self) -> u32;
}

/// Why bytes are not such a record.
#[derive(Debug, Error)]
pub(crate) enum JsonRecordError {
    #[error("the {0} can't be read: {1}")]
    Json(&'static str, serde_json::Error),
    #[error("the {0} have version {1}; expected {2}")]
    Version(&'static str, u32, u32),
}

impl<T: JsonRecord> Record for T {
    type Error = JsonRecordError;

    fn decode(bytes: &[u8]) -> Result<Self, JsonRecordError> {
        let record: Self =
            serde_json::from_slice(bytes).map_err(|error| JsonRecordError::Json(T::WHAT, error))?;
        match record.version() {
            version if version == T::VERSION => Ok(record),
            version => Err(JsonRecordError::Version(T::WHAT, version, T::VERSION)),
        }
    }

    fn encode(&self) -> Result<Vec<u8>, JsonRecordError> {
        serde_json::to_vec(self).map_err(|error| JsonRecordError::Json(T::WHAT, error))
    }
}

/// A change that was written.
pub(crate) struct Changed<T, O> {
    pub(crate) value: T,
    pub(crate) outcome: O,
    /// When the write began.
    pub(crate) at: i64,
}

/// Refuses to store a part of a record whose sender saw another generation of it than the stored
/// one, so that nobody overwrites a change without having seen it. A part that isn't stored has 0.
pub(crate) fn check_generation(
    what: &str,
    id: &str,
    stored: Option<i64>,
    given: i64,
) -> Result<(), Problem> {
    let message = match stored {
        Some(generation) if generation != given => format!(
            "the {what} {id} has generation {generation}, not {given}: someone has changed it; read it again"
        ),
        None if given != 0 => {
            format!("the {what} {id} was deleted; to make it again, send generation 0")
        }
        _ => return Ok(()),
    };
    Err(Problem::new(409, "already_exists", message))
}

/// What the object holds.
pub(crate) async fn read<T: Record>(bucket: &impl Bucket, key: &str) -> Result<T, Problem> {
    Ok(read_for_change(bucket, key).await?.0)
}

/// Changes the object as it is in the bucket now, and writes it unless somebody else did meanwhile;
/// then it begins again.
pub(crate) async fn change<T: Record, O>(
    bucket: &impl Bucket,
    key: &str,
    now: impl Fn() -> i64,
    change: impl Fn(&mut T) -> Result<O, Problem>,
) -> Result<Changed<T, O>, Problem> {
    for _ in 0..ATTEMPTS {
        let (mut value, condition) = read_for_change::<T>(bucket, key).await?;
        let outcome = change(&mut value)?;
        let bytes = value.encode().map_err(|error| wrong(key, error))?;
        let at = now();
        match bucket.put(key, bytes, condition).await {
            Ok(_) => return Ok(Changed { value, outcome, at }),
            Err(BucketError::Precondition { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let message = format!("other requests are changing {key}; try again");
    Err(Problem::unavailable(message))
}

/// What the object holds, and under which condition it may be replaced.
async fn read_for_change<T: Record>(
    bucket: &impl Bucket,
    key: &str,
) -> Result<(T, Condition), Problem> {
    match bucket.get(key, None).await? {
        None => Ok((T::default(), Condition::Absent)),
        Some(object) => {
            let value = T::decode(&object.bytes).map_err(|error| wrong(key, error))?;
            Ok((value, Condition::Matches(object.etag)))
        }
    }
}

fn wrong(key: &str, error: impl Display) -> Problem {
    Problem::internal(format!("{key}: {error}"))
}
