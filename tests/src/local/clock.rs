//! The clock of the tests, which `PILOTLIGHT_DAYS_AHEAD` moves by so many days (`tests/local/ahead.mjs`), and this
//! machine's clocks.

use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How far the tests' clock is ahead of this machine's, milliseconds.
static AHEAD: LazyLock<i64> = LazyLock::new(|| {
    let days: f64 = match std::env::var("PILOTLIGHT_DAYS_AHEAD") {
        Ok(days) if !days.is_empty() => days.parse().expect("PILOTLIGHT_DAYS_AHEAD is a number"),
        _ => 0.0,
    };
    (days * 86_400_000.0).round() as i64
});

/// Milliseconds since the epoch, by the clock that tests and workers share.
pub fn now_millis() -> i64 {
    machine_millis() + *AHEAD
}

/// Milliseconds since the epoch, by the clock of programs that are not ours.
pub fn machine_millis() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}

/// CPU time of this thread; none where the system does not tell.
fn thread_cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos = text.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// Fails when `work` takes more CPU time than `limit`; more time where CPU time is unknown.
pub fn assert_cpu_time<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    let (before, began) = (thread_cpu_time(), Instant::now());
    let result = work();
    let used = before
        .zip(thread_cpu_time())
        .map_or_else(|| began.elapsed(), |(before, after)| after - before);
    assert!(used < limit, "{used:?} of CPU time, of at most {limit:?}");
    result
}
