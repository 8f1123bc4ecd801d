//! `cargo xtask load` and `cargo xtask kills`: what the built worker stands. The tests' programs of these names do the work
//! and explain their options.

use crate::proc::{Failure, Result, Run};
use crate::setup::{For, setup};
use crate::{build, own_dir};

/// A longer run is not foreseen: an hour of load, and the checks.
const LIMIT_SECONDS: u64 = 2 * 3600;

/// Builds the worker and runs one of the tests' programs with these options.
pub(crate) fn run(program: &str, options: &[&str]) -> Result<()> {
    let tools = setup(For::Running)?;
    build::build(&tools)?;
    Run::new("cargo")
        .args(["run", "--quiet", "--package", "pilotlight-tests", "--bin", program, "--", "--state"])
        .arg(own_dir().join(format!("{program}-state")))
        .args(options)
        .limit(LIMIT_SECONDS)
        .show()
        .map_err(|failure| Failure { remedy: "what it found is above; the seed repeats it".to_owned(), ..failure })
}
