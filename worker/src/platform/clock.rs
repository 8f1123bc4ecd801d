//! The only place that asks the platform for the time and for randomness.

use pilotlight_core::UnixNanos;
use worker::{Date, js_sys::Math};

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
