//! What figures are made with: CPU time, sizes, ranges.

use crate::platform::config::Flush;
use pilotlight_core::TimeRange;
use pilotlight_core::plans::CatalogObject;
use rustix::time::{ClockId, clock_gettime};

/// As by default.
pub(super) const FLUSH: Flush = Flush {
    millis: 6_000,
    bytes: 4 << 20,
    pending: 12 << 20,
};

/// What Go's profiler sends.
pub(super) const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

/// WASM takes so many times as long as native code.
pub(super) const WASM: f64 = 1.7;

/// CPU time of this thread, which other processes on the machine do not change.
pub(super) fn cpu_millis() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

pub(super) fn range(from: i64, until: i64) -> TimeRange {
    TimeRange::of_millis(from, until)
}

pub(super) fn kib(bytes: u64) -> String {
    format!("{:.1} kB", bytes as f64 / 1e3)
}

pub(super) fn directory_bytes(objects: &[CatalogObject]) -> u64 {
    objects
        .iter()
        .map(|object| object.directory.encode().unwrap().len() as u64 + object.key.len() as u64)
        .sum()
}
