//! What several files of tests start: a worker for those that need nothing special of it, each with
//! names of its own, and the variables of a worker over S3.

use std::path::Path;
use std::sync::{LazyLock, Mutex};

use pilotlight_s3::{ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY};
use pilotlight_tests::client::Client;
use pilotlight_tests::local::{Local, Place};

/// The mutex is never locked: it lets threads share a worker, which has a channel.
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
