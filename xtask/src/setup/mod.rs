//! Finds or installs everything that the other commands need.

pub(crate) mod agents;
mod debian;
pub(crate) mod npm;
mod system;
mod wasm;

use crate::folders::target_dir;
use crate::proc::{Result, Run};
use crate::step::{Step, StepTime, Steps};
use std::path::PathBuf;
use wasm::Toolchain;

/// Which commands the machine is set up for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Running,
    /// The tests that need neither a server nor a browser.
    Checking,
    Testing,
}

/// What the set-up found or installed.
pub(crate) struct Tools {
    pub(crate) wasm: Toolchain,
    /// pilotlight-bindgen, ready to run.
    pub(crate) bindgen: PathBuf,
    /// Only when set up for testing.
    pub(crate) chromium: Option<PathBuf>,
    /// Only when set up for testing.
    pub(crate) firefox: Option<PathBuf>,
    /// Agents that tests cannot run here; none unless set up for testing.
    pub(crate) missing: Vec<agents::Missing>,
    /// How long each step took.
    pub(crate) steps: Vec<StepTime>,
}

pub(crate) fn setup(purpose: Purpose) -> Result<Tools> {
    let mut steps = Steps::new(match purpose {
        Purpose::Running | Purpose::Checking => 6,
        Purpose::Testing => 11,
    });
    println!("Setting up");
    steps.run("Node", npm::node)?;
    if purpose != Purpose::Checking {
        steps.run("wrangler", |step| npm::packages(step, "xtask/npm"))?;
    }
    steps.run("packages for the site", |step| npm::packages(step, "site"))?;
    steps.run("clang for wasm32", system::clang)?;
    let wasm = steps.run("wasm32 standard library", wasm::find_or_make)?;
    let bindgen = steps.run("wasm-bindgen", bindgen)?;
    let (mut chromium, mut firefox, mut missing) = (None, None, Vec::new());
    if purpose != Purpose::Running {
        steps.run("rustfmt and clippy", lints)?;
    }
    if purpose == Purpose::Testing {
        steps.run("packages for the tests", |step| {
            npm::packages(step, "tests")
        })?;
        chromium = Some(steps.run("browser", system::chromium)?);
        firefox = Some(steps.run("Firefox", system::firefox)?);
        missing = steps.run("profiling agents", agents::set_up)?;
    }
    Ok(Tools {
        wasm,
        bindgen,
        chromium,
        firefox,
        missing,
        steps: steps.into_times(),
    })
}

/// What only `cargo xtask fuzz` needs.
pub(crate) fn for_fuzzing() -> Result<()> {
    println!("Setting up");
    Steps::new(1).run("C++ compiler", system::cpp)
}

/// Built from source, unoptimised: 20 s once, then half a second a module.
fn bindgen(step: &mut Step) -> Result<(PathBuf, String)> {
    let built = target_dir().join("debug/pilotlight-bindgen");
    let found = built.exists();
    if !found {
        step.note("building wasm-bindgen (up to 10 minutes)");
    }
    Run::new("cargo")
        .args(["build", "--quiet", "--package", "pilotlight-bindgen"])
        .limit(600)
        .read()?;
    Ok((built, if found { "found" } else { "built" }.to_owned()))
}

fn lints(step: &mut Step) -> Result<((), String)> {
    let check = || {
        Run::new("cargo").args(["fmt", "--version"]).read()?;
        Run::new("cargo").args(["clippy", "--version"]).read()
    };
    if check().is_ok() {
        return Ok(((), "found".to_owned()));
    }
    step.note("trying `rustup component add rustfmt clippy` (up to 60 s)");
    let added = Run::new("rustup")
        .args(["component", "add", "rustfmt", "clippy"])
        .limit(60)
        .read();
    match added.and_then(|_| check()) {
        Ok(_) => Ok(((), "installed with rustup".to_owned())),
        Err(failure) => Err(failure.advise("add rustfmt and clippy to your Rust toolchain")),
    }
}
