//! The clock of the tests, which `PILOTLIGHT_DAYS_AHEAD` moves by so many days (`tests/local/ahead.mjs`).

use std::time::{Duration, SystemTime};

/// How far it is ahead of this machine's.
pub(crate) fn ahead() -> Duration {
    let days: f64 = match std::env::var("PILOTLIGHT_DAYS_AHEAD") {
        Ok(days) if !days.is_empty() => days.parse().expect("PILOTLIGHT_DAYS_AHEAD is a number"),
        _ => 0.0,
    };
    Duration::from_secs_f64(days * 86_400.0)
}

/// What it shows.
pub(crate) fn now() -> SystemTime {
    SystemTime::now() + ahead()
}
