//! `cargo xtask load` and `cargo xtask kills`: the built worker under load, and killed during
//! pushes. The programs of these names in tests/src/bin do the work and explain their options.

use crate::build;
use crate::folders::own_dir;
use crate::proc::{Failure, Result, Run};
use crate::setup::{Purpose, setup};

/// Room for an hour of load and the checks after it.
const LIMIT_SECONDS: u64 = 2 * 3600;

/// Builds the worker and runs one of the tests' programs with these options.
pub(crate) fn run(program: &str, options: &[&str]) -> Result<()> {
    let tools = setup(Purpose::Running)?;
    build::release(&tools)?;
    Run::new("cargo")
        .args([
            "run",
            "--quiet",
            "--package",
            "pilotlight-tests",
            "--bin",
            program,
            "--",
            "--state",
        ])
        .arg(own_dir().join(format!("{program}-state")))
        .args(options)
        .limit(LIMIT_SECONDS)
        .show()
        .map_err(|failure| Failure {
            remedy: "see the failures above; use the same seed to repeat them".to_owned(),
            ..failure
        })
}
