//! What this machine's clocks show.

use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since the epoch.
pub fn now_millis() -> i64 {
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
