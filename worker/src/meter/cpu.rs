//! Estimates of CPU time. The platform's clock stands still while code runs, so what a request
//! takes cannot be measured where it is spent; these are fits to measurements of the same code
//! (`docs/performance.md`).

/// Microseconds for a push with a body of so many bytes: a typical one of 30 kB takes 1.2 ms.
pub(crate) fn push_micros(bytes: usize) -> u64 {
    300 + bytes as u64 * 3 / 100
}

/// Microseconds for a query that reads so many bytes: 1.7 MB took 103 ms, 0.94 MB 26 ms.
pub(crate) fn query_micros(bytes: u64) -> u64 {
    500 + bytes * 5 / 100
}

/// Microseconds for a compaction of so many bytes: of a chunk of 23 kB, 1.1 ms over all levels.
pub(crate) fn compaction_micros(bytes: u64) -> u64 {
    1_000 + bytes * 5 / 100
}
