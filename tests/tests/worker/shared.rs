//! What several files of tests share: a worker for tests without special needs, each with service names of its own; the
//! variables of a worker with an S3 bucket; a time.

use std::path::Path;
use std::sync::{LazyLock, Mutex};

use pilotlight_s3::{ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY};
use pilotlight_tests::client::Client;
use pilotlight_tests::clock::now_millis;
use pilotlight_tests::local::{Local, Place};

/// `Local` holds a channel and is not `Sync`; the mutex makes it so and is never locked.
static WORKER: LazyLock<(Place, Mutex<Local>)> = LazyLock::new(|| {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared");
    let place = Place::fresh(&state, &[("FLUSH_MS", "1".to_owned())]).expect("a place");
    let worker = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    (place, Mutex::new(worker))
});

/// A client of the shared worker, which ends with this process.
pub(crate) fn client() -> Client {
    Client::new(&WORKER.0.url())
}

/// Variables of a worker whose bucket is behind S3.
pub(crate) fn s3_variables(endpoint: String) -> [(&'static str, String); 5] {
    [
        ("BUCKET_BACKEND", "s3".to_owned()),
        ("S3_ENDPOINT", endpoint),
        ("S3_BUCKET", BUCKET.to_owned()),
        ("S3_ACCESS_KEY_ID", ACCESS_KEY_ID.to_owned()),
        ("S3_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY.to_owned()),
    ]
}

/// The start of an hour a week ago, seconds since the epoch: complete, and within every retention.
pub(crate) fn hour_of_last_week() -> u64 {
    hour_a_week_before(now_millis())
}

/// The same for another clock, which shows so many milliseconds since the epoch.
pub(crate) fn hour_a_week_before(now_millis: i64) -> u64 {
    const HOUR: i64 = 3_600;
    (now_millis / 1_000 / HOUR * HOUR - 7 * 24 * HOUR) as u64
}
