//! Answers what the pages ask, from the objects of a bucket: services, labels, timelines, merged
//! profiles. It does no I/O. JavaScript gives it the days of the catalog, then what each question
//! wants to read.

mod error;
mod question;

use pilotlight_core::TimeRange;
use pilotlight_core::UnixNanos;
use wasm_bindgen::prelude::*;

pub use error::BucketError;
pub use question::{Answer, Catalog, Question};

/// Turns a panic, which is a defect of ours, into a JavaScript error that says where it happened.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("internal error: {info}"))
    }));
}

/// The catalog, as far as its days have come.
#[wasm_bindgen]
#[derive(Default)]
pub struct Reader(Catalog);

/// What is asked, and has not been answered.
#[wasm_bindgen]
pub struct Asked(Question);

/// An answer: JSON, or a profile as the bytes of a chunk.
#[wasm_bindgen]
pub struct Answered(Answer);

/// Milliseconds since the epoch, whole ones.
fn range(from: f64, until: f64) -> TimeRange {
    let time = |millis: f64| UnixNanos::from_millis(millis as i64);
    TimeRange {
        from: time(from),
        until: time(until),
    }
}

#[wasm_bindgen]
impl Reader {
    /// Of no days.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a day under its name in the bucket, or puts it in place of the one that had this name.
    /// Gives when it was written, in milliseconds since the epoch.
    pub fn add_day(&mut self, name: &str, bytes: &[u8]) -> Result<f64, JsValue> {
        let written = self.0.add_day(name, bytes)?;
        Ok(written.millis() as f64)
    }

    /// Services that have profiles from one time until before another, with their types.
    pub fn services(&self, from: f64, until: f64, points: u32) -> Result<Asked, JsValue> {
        let question = self.0.services(range(from, until), points as usize)?;
        Ok(Asked(question))
    }

    /// Labels of the selected series, and their values, as JSON.
    pub fn labels(&self, query: &str, from: f64, until: f64) -> Result<String, JsValue> {
        Ok(self.0.labels(query, range(from, until))?)
    }

    /// Sums over time of a selector that begins with a type.
    pub fn timeline(
        &self,
        query: &str,
        from: f64,
        until: f64,
        points: u32,
    ) -> Result<Asked, JsValue> {
        let question = self
            .0
            .timeline(query, range(from, until), points as usize)?;
        Ok(Asked(question))
    }

    /// All profiles as one, of a selector that begins with a type.
    pub fn profile(&self, query: &str, from: f64, until: f64) -> Result<Asked, JsValue> {
        Ok(Asked(self.0.profile(query, range(from, until))?))
    }
}

#[wasm_bindgen]
impl Asked {
    /// What is still to be read: `{key, offset, length, size}` each, `size` being the length of the
    /// object. None when the answer is there.
    pub fn wants(&self) -> Result<JsValue, JsValue> {
        Ok(serde_wasm_bindgen::to_value(&self.0.wants())?)
    }

    /// Takes what was wanted, in any order. After an error the question is of no use.
    pub fn provide(
        &mut self,
        key: &str,
        offset: f64,
        length: f64,
        bytes: &[u8],
    ) -> Result<(), JsValue> {
        Ok(self.0.provide(key, offset as u64, length as u64, bytes)?)
    }

    /// The answer, when nothing is wanted any more.
    pub fn finish(self) -> Result<Answered, JsValue> {
        Ok(Answered(self.0.finish()?))
    }
}

#[wasm_bindgen]
impl Answered {
    /// JSON or a chunk. Takes it out.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0.bytes)
    }

    /// How many profiles were added up.
    #[wasm_bindgen(getter)]
    pub fn profiles(&self) -> f64 {
        self.0.profiles as f64
    }

    /// How many bytes of objects it was made from.
    #[wasm_bindgen(getter)]
    pub fn bytes_read(&self) -> f64 {
        self.0.bytes_read as f64
    }

    /// Whether a number is cut at 2^63 − 1.
    #[wasm_bindgen(getter)]
    pub fn saturated(&self) -> bool {
        self.0.saturated
    }

    /// Whether only sums are left at an end of the range.
    #[wasm_bindgen(getter)]
    pub fn rounded(&self) -> bool {
        self.0.rounded
    }
}
