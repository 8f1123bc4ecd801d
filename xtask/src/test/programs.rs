//! The programs of Rust tests: one build that lints on the way.

use crate::folders::own_dir;
use crate::proc::{Context, Result, Run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Features are united over the whole workspace, whatever is built of it: with another selection
/// cargo would compile half of the dependencies again.
pub(super) const WORKSPACE: [&str; 3] = ["--workspace", "--features", "pilotlight-tests/e2e"];

/// A program of tests.
pub(super) struct Program {
    /// The folder of its package, and its target where that is not the library: `shared`,
    /// `tests/worker`.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// The folder of its package, in which it runs.
    pub(super) dir: PathBuf,
}

/// Compiles targets of the workspace with Clippy's driver in the compiler's place, so that each
/// crate is read once to be linted and compiled. Returns the programs of tests among them.
pub(super) fn build(targets: &[&str]) -> Result<Vec<Program>> {
    let messages = own_dir().join("cargo-messages.json");
    cargo("test")?
        .arg("--no-run")
        .args(targets)
        .arg("--message-format=json-render-diagnostics")
        .show_errors(&messages)?;
    let text = fs::read_to_string(&messages).context(messages.display())?;
    Ok(text.lines().filter_map(program).collect())
}

/// Builds binaries that tests start. `cargo test --bin` would build only their unit tests.
pub(super) fn build_binaries(names: &[&str]) -> Result<()> {
    cargo("build")?
        .args(names.iter().flat_map(|name| ["--bin", name]))
        .show()
}

/// The examples in the documentation, which are no programs of their own.
pub(super) fn doc_tests() -> (Result<()>, String) {
    match cargo("test") {
        Ok(cargo) => cargo.arg("--doc").tee(),
        Err(failure) => (Err(failure), String::new()),
    }
}

/// A command of cargo for the workspace, with Clippy's driver in the compiler's place.
fn cargo(command: &str) -> Result<Run> {
    // As `cargo clippy -- ARGUMENTS` passes them on.
    let arguments: String = lint_arguments()?
        .iter()
        .map(|argument| format!("{argument}__CLIPPY_HACKERY__"))
        .collect();
    Ok(Run::new("cargo")
        .args([command, "--quiet"])
        .args(WORKSPACE)
        .env("RUSTC_WORKSPACE_WRAPPER", clippy_driver()?)
        .env("CLIPPY_ARGS", arguments)
        .limit(2700))
}

/// The version of Rust that the code is linted with: `rust-version` in `Cargo.toml`.
const LINTED_WITH: &str = env!("CARGO_PKG_RUST_VERSION");

/// What Clippy is told of warnings. They are errors with the version that the code is linted with;
/// a newer one has new lints, which must not fail the tests of everyone who has it.
pub(super) fn lint_arguments() -> Result<&'static [&'static str]> {
    let version = Run::new("rustc").args(["--version"]).read()?;
    Ok(
        match version.starts_with(&format!("rustc {LINTED_WITH}.")) {
            true => &["-D", "warnings"],
            false => &["-A", "warnings"],
        },
    )
}

fn clippy_driver() -> Result<PathBuf> {
    let sysroot = Run::new("rustc").args(["--print", "sysroot"]).read()?;
    let driver = Path::new(sysroot.trim()).join("bin/clippy-driver");
    if driver.exists() {
        return Ok(driver);
    }
    // Where the compiler is the system's, the driver is on PATH.
    Ok(PathBuf::from("clippy-driver"))
}

/// The program that a message of cargo's is about, if it has tests.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let path = message["executable"].as_str()?;
    let target = &message["target"];
    let kind = target["kind"][0].as_str()?;
    // Benches are compiled, and measured by hand.
    if message["profile"]["test"] != true || kind == "bench" {
        return None;
    }
    let dir = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = dir.strip_prefix(crate::folders::root()).unwrap_or(dir);
    let package = package.display();
    Some(Program {
        name: match kind {
            "test" => format!("{package}/{}", target["name"].as_str()?),
            "bin" => format!("{package}/bin/{}", target["name"].as_str()?),
            _ => package.to_string(),
        },
        path: path.into(),
        dir: dir.to_path_buf(),
    })
}
