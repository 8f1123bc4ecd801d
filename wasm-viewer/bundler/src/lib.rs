//! Makes bundles: of profiles that are all there, or of what a bucket has; and the sites around
//! them.

mod bundler;
mod site;
mod slicer;

use pilotlight_core::UnixNanos;
use pilotlight_core::bundles::{Bundle, Made};
use wasm_bindgen::prelude::*;

pub use bundler::{BundleError, Bundler};

/// Turns a panic, which is a defect of ours, into a JavaScript error that says where it happened.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("internal error: {info}"))
    }));
}

/// Makes a bundle of profiles.
#[wasm_bindgen]
#[derive(Default)]
pub struct BundleMaker(Bundler);

#[wasm_bindgen]
impl BundleMaker {
    /// Of nothing.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a profile that `/ingest` would take, with its query string: `name=app{env=dev}`. `time`,
    /// in milliseconds since the epoch, is that of a profile which has none. Gives what was left
    /// out of it.
    pub fn add(&mut self, query: &str, body: &[u8], time: f64) -> Result<Vec<String>, JsError> {
        let time = UnixNanos::from_millis(time as i64);
        Ok(self.0.add(query, body, time)?)
    }

    /// When the first profile begins, in milliseconds since the epoch, rounded down; nothing
    /// without one.
    #[wasm_bindgen(getter)]
    pub fn from(&self) -> Option<f64> {
        self.0.span().map(|(first, _)| first.millis() as f64)
    }

    /// The millisecond behind the one in which the last profile begins.
    #[wasm_bindgen(getter)]
    pub fn until(&self) -> Option<f64> {
        self.0.span().map(|(_, last)| last.millis() as f64 + 1.0)
    }

    /// The bundle as a zip without pages. `files` is the number of files that the profiles came in;
    /// `commit` and `when` are what its description says of it.
    pub fn finish(
        self,
        files: u32,
        commit: Option<String>,
        when: Option<String>,
    ) -> Result<Vec<u8>, JsError> {
        let made = Made {
            files: Some(files.into()),
            from: self.from().map_or(0, |millis| millis as i64),
            until: self.until().map_or(0, |millis| millis as i64),
            commit,
            when,
            ..Made::default()
        };
        let bundle = Bundle::new(made, self.0.finish()?);
        Ok(bundle.zip(Vec::new())?)
    }
}
