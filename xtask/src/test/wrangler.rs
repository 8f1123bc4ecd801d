//! Tests `wrangler dev`, through which `cargo xtask run` serves: the pages and the worker
//! on one port, variables, and the route that runs the schedule. All other tests run workerd itself.

use super::fixtures::Fixtures;
use crate::folders::own_dir;
use crate::proc::{Result, Run};
use crate::serve::{Pilotlight, free_port};

/// Starts wrangler as `cargo xtask run` does, and runs tests/local/wrangler.test.mjs against it.
pub(super) fn test() -> (Result<()>, String) {
    let state = Fixtures::empty("test-wrangler-state");
    let log = own_dir().join("logs/wrangler.log");
    let vars = ["FLUSH_MS:100".to_owned()];
    let started = free_port().and_then(|port| Pilotlight::start(port, &state, &log, &vars));
    let server = match started {
        Ok(server) => server,
        Err(failure) => return (Err(failure), String::new()),
    };
    Run::new("node")
        .args([
            "--test",
            "--test-reporter=spec",
            "tests/local/wrangler.test.mjs",
        ])
        .env(
            "PILOTLIGHT_URL",
            format!("http://127.0.0.1:{}", server.port()),
        )
        .limit(120)
        .tee()
}
