//! Names a profile's addresses with a program that is dropped beside it. It is a WASM of its own, so
//! that the viewer's stays small. Profiles come and go as pprof.

mod breakpad;
mod error;
mod object_file;
mod program;
mod symbolize;
mod table;

pub use error::SymbolsError;
pub use program::{MAX_BINARY_BYTES, MAX_TEXT_BYTES, Symbolized};
pub use symbolize::{symbol_tables, symbolize};

use pilotlight_core::{Profile, pprof};
use wasm_bindgen::prelude::*;

/// Turns a panic, which is a defect of ours, into a JavaScript error that says where it happened.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("internal error: {info}"))
    }));
}

/// What a program did for a profile.
#[wasm_bindgen]
pub struct Named(Symbolized);

#[wasm_bindgen]
impl Named {
    /// The profile with names as pprof, not compressed; none when nothing was named. Takes it out.
    pub fn take_pprof(&mut self) -> Option<Vec<u8>> {
        self.0.profile.take().map(|profile| pprof::encode(&profile))
    }

    /// Whether the program is part of the profile.
    #[wasm_bindgen(getter)]
    pub fn fits(&self) -> bool {
        self.0.fits
    }

    /// Whether it was told by its file's name, for want of a build id.
    #[wasm_bindgen(getter)]
    pub fn by_name(&self) -> bool {
        self.0.by_name
    }

    /// Addresses that were named.
    #[wasm_bindgen(getter)]
    pub fn named(&self) -> u32 {
        self.0.named
    }

    /// Addresses without a name in the modules that the program is.
    #[wasm_bindgen(getter)]
    pub fn addresses(&self) -> u32 {
        self.0.addresses
    }

    /// Build ids of the program, in its own form.
    #[wasm_bindgen(getter)]
    pub fn ids(&self) -> Vec<String> {
        self.0.ids.clone()
    }

    /// Oddities for the person to know.
    #[wasm_bindgen(getter)]
    pub fn warnings(&self) -> Vec<String> {
        self.0.warnings.clone()
    }

    /// The modules that have addresses without names, those with most of them first.
    #[wasm_bindgen(getter)]
    pub fn wanted(&self) -> Vec<String> {
        self.0.wanted.clone()
    }
}

/// Names the addresses of profiles, which are pprof, with a program. Throws an `Error` whose message
/// is for people.
#[wasm_bindgen(js_name = symbolize)]
pub fn symbolize_pprof(
    name: &str,
    binary: &[u8],
    profiles: Vec<js_sys::Uint8Array>,
) -> Result<Vec<Named>, JsError> {
    let profiles = profiles
        .into_iter()
        .map(|bytes| Ok(pprof::decode(&bytes.to_vec())?.profile))
        .collect::<Result<Vec<Profile>, SymbolsError>>()?;
    let named = symbolize(name, binary, &profiles)?;
    Ok(named.into_iter().map(Named).collect())
}

/// What names the addresses of a program, as it is stored: one for each processor. Throws an `Error`
/// whose message is for people.
#[wasm_bindgen(js_name = tables)]
pub fn tables_of(name: &str, binary: &[u8]) -> Result<Vec<js_sys::Uint8Array>, JsError> {
    let tables = symbol_tables(name, binary)?;
    let bytes = tables
        .iter()
        .map(|table| js_sys::Uint8Array::from(&table[..]));
    Ok(bytes.collect())
}
