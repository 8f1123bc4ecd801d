//! The only place that asks the platform for the time and for randomness.

use pilotlight_core::UnixNanos;
use worker::Date;
use worker::js_sys::{Function, Math, Reflect, Uint8Array, global};
use worker::wasm_bindgen::JsCast;

use crate::platform::errors::Problem;

/// Milliseconds since the epoch. Stands still while code runs without waiting for I/O.
pub(crate) fn now_millis() -> i64 {
    Date::now().as_millis() as i64
}

/// The same as a point in time.
pub(crate) fn now() -> UnixNanos {
    UnixNanos::from_millis(now_millis())
}

/// 64 random bits, to keep the names of objects of one millisecond apart.
pub(crate) fn random() -> u64 {
    let word = || (Math::random() * 2f64.powi(32)) as u64;
    word() << 32 | word()
}

/// Random bytes that nobody can foretell: for secrets.
pub(crate) fn entropy<const N: usize>() -> Result<[u8; N], Problem> {
    let failed = |_| Problem::internal("the platform provided no random bytes");
    let crypto = Reflect::get(&global(), &"crypto".into()).map_err(failed)?;
    let fill = Reflect::get(&crypto, &"getRandomValues".into()).map_err(failed)?;
    let fill: Function = fill.dyn_into().map_err(failed)?;
    let bytes = Uint8Array::new_with_length(N as u32);
    fill.call1(&crypto, &bytes).map_err(failed)?;
    let mut entropy = [0; N];
    bytes.copy_to(&mut entropy);
    Ok(entropy)
}
