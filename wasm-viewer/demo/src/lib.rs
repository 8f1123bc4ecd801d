//! An hour of four services, made up so that every screen has something to show. The tests use it
//! natively. The npm package and the front page use it as WASM, through [`Demo`].
//!
//! All of it follows from a fixed seed; only the times differ from run to run, and the bytes are
//! the same natively and in WASM. Pushing is up to the caller.

mod code;
mod history;
mod moment;
mod profile;
mod push;
pub mod random;
mod service;

pub use history::history;
pub use moment::{Kind, Moment};
pub use profile::profile;
pub use push::{MARK, push_request};
pub use service::{DEPLOY_SECONDS, HISTORY_SECONDS, SERVICES, Service};

use wasm_bindgen::prelude::*;

/// Turns a panic, which is a defect of ours, into a JavaScript error that says where it happened.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("internal error: {info}"))
    }));
}

/// Profiles of one request: few enough for the CPU time that a request may use on Cloudflare's free
/// plan, and many enough for the six connections that a browser opens to push the hour in seconds.
const PROFILES_A_REQUEST: usize = 10;

/// The hour for JavaScript, as requests to `push.v1` in protobuf, the oldest profiles first. Series
/// have the label [`MARK`].
#[wasm_bindgen]
pub struct Demo {
    moments: Vec<Moment>,
    end: i64,
}

#[wasm_bindgen]
impl Demo {
    /// The hour that ends then, in seconds since the epoch.
    #[wasm_bindgen(constructor)]
    pub fn new(end: f64) -> Self {
        Self {
            moments: history(),
            end: end as i64,
        }
    }

    /// The number of profiles.
    #[wasm_bindgen(getter)]
    pub fn profiles(&self) -> usize {
        self.moments.len()
    }

    /// The number of requests.
    #[wasm_bindgen(getter)]
    pub fn requests(&self) -> usize {
        self.moments.len().div_ceil(PROFILES_A_REQUEST)
    }

    /// The body of a request; nothing behind the last one.
    pub fn request(&self, index: usize) -> Option<Vec<u8>> {
        let moments = self.moments.chunks(PROFILES_A_REQUEST).nth(index)?;
        Some(push_request(moments, self.end))
    }
}
