//! Makes a bundle of profiles that are all there: the objects and the catalog that a bucket would
//! have, for any static host.

mod bundler;

use pilotlight_core::UnixNanos;
use pilotlight_core::plans::BundleFile;
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

/// The files of a bundle.
#[wasm_bindgen]
pub struct Bundle(std::vec::IntoIter<BundleFile>);

/// A file of a bundle.
#[wasm_bindgen]
pub struct BundledFile(BundleFile);

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

    /// The files.
    pub fn finish(self) -> Result<Bundle, JsError> {
        Ok(Bundle(self.0.finish()?.into_iter()))
    }
}

#[wasm_bindgen]
impl Bundle {
    /// The next file, the catalog last.
    #[allow(clippy::should_implement_trait)] // A class of JavaScript.
    pub fn next(&mut self) -> Option<BundledFile> {
        self.0.next().map(BundledFile)
    }
}

#[wasm_bindgen]
impl BundledFile {
    /// Its name.
    #[wasm_bindgen(getter)]
    pub fn key(&self) -> String {
        self.0.key.clone()
    }

    /// What is in it. Takes it out.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0.bytes)
    }
}
