//! Reads the formats that few files have, for the viewer, and writes those that few ask for. It is a
//! WASM of its own, so that the viewer's stays small. What it reads it hands over as pprof and
//! times; what it writes it gets as pprof.

use pilotlight_core::imports::{self, ImportError};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{flamebearer, pprof, speedscope};
use wasm_bindgen::prelude::*;

/// Turns a panic, which is a defect of ours, into a JavaScript error that says where it happened.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("internal error: {info}"))
    }));
}

/// A file that was read.
#[wasm_bindgen]
pub struct Imported {
    format: String,
    pprof: Vec<u8>,
    times: Option<Vec<i64>>,
    warnings: Vec<String>,
}

#[wasm_bindgen]
impl Imported {
    /// The name of its format, for people.
    #[wasm_bindgen(getter)]
    pub fn format(&self) -> String {
        self.format.clone()
    }

    /// The profile as pprof, not compressed. Takes it out.
    pub fn take_pprof(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pprof)
    }

    /// When each sample was taken, if the format says so. Takes them out.
    pub fn take_times(&mut self) -> Option<Vec<i64>> {
        self.times.take()
    }

    /// Oddities that lost nothing that matters.
    #[wasm_bindgen(getter)]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

/// Reads a file. Throws an `Error` whose message is for people and whose name says what they can do
/// about it: `unread` or `damaged`.
#[wasm_bindgen]
pub fn read(bytes: &[u8]) -> Result<Imported, JsValue> {
    let opened = imports::open(bytes, MAX_PROFILE_BYTES).map_err(failure)?;
    let profile = opened.decoded.profile;
    Ok(Imported {
        format: opened.format.unwrap_or_default().to_owned(),
        pprof: pprof::encode(&profile),
        times: profile.samples().times.clone(),
        warnings: opened.decoded.warnings,
    })
}

/// Writes a profile, given as pprof, as JSON of `speedscope`, which shows one sample type first, or
/// of `flamebearer`, which holds one.
#[wasm_bindgen]
pub fn write(format: &str, bytes: &[u8], sample_type: u32) -> Result<Vec<u8>, JsError> {
    let profile = pprof::decode(bytes)?.profile;
    let column = sample_type as usize;
    let text = match format {
        "speedscope" => speedscope::encode(&profile, column, MAX_PROFILE_BYTES)?,
        "flamebearer" if column < profile.sample_types().len() => {
            flamebearer::encode(&profile, column)?
        }
        _ => {
            let problem = format!("sample type {column} can't be exported as {format}");
            return Err(JsError::new(&problem));
        }
    };
    Ok(text.into_bytes())
}

fn failure(error: ImportError) -> JsValue {
    let thrown = js_sys::Error::new(&error.to_string());
    thrown.set_name(match error {
        ImportError::Unsupported(_) => "unread",
        ImportError::Format(error) if error.is_sampleless => "sampleless",
        _ => "damaged",
    });
    thrown.into()
}
