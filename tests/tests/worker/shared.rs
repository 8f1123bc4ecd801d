//! One worker for the tests that need nothing special of it. Each uses names of its own.

use std::path::Path;
use std::sync::{LazyLock, Mutex};

use pilotlight_tests::client::Client;
use pilotlight_tests::local::{Local, Place};

static WORKER: LazyLock<(Place, Mutex<Local>)> = LazyLock::new(|| {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared");
    let place = Place::fresh(&state, &[("FLUSH_MS", "1".to_owned())]).expect("a place");
    let worker = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    (place, Mutex::new(worker))
});

/// A client of it. It ends with this process.
pub(crate) fn client() -> Client {
    Client::new(&WORKER.0.url())
}
