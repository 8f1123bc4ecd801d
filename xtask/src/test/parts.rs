//! The parts of the tests.

use super::fixtures::Fixtures;
use crate::folders::root;
use crate::proc::{Result, Run};
use crate::{deploy, fuzz};

/// One part of the tests. It returns its outcome, and its output if that counts tests.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) run: fn(&Fixtures) -> (Result<()>, String),
    pub(super) needs: Needs,
    pub(super) runs: Runs,
}

/// When a part runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    Always,
    /// With `--quick`, which starts no server.
    Quick,
    /// Without it.
    Full,
}

/// What has to be there before a part runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// The viewer's WASM, whose types the site is checked against.
    Viewer,
    /// The worker, the viewer and the site built, and the worker running.
    Server,
}

pub(super) const PARTS: [Part; 9] = [
    Part {
        name: "format",
        run: format,
        needs: Needs::Nothing,
        runs: Runs::Always,
    },
    Part {
        name: "clippy",
        run: clippy,
        needs: Needs::Nothing,
        runs: Runs::Always,
    },
    Part {
        name: "native",
        run: native,
        needs: Needs::Nothing,
        runs: Runs::Quick,
    },
    Part {
        name: "rust",
        run: rust,
        needs: Needs::Server,
        runs: Runs::Full,
    },
    Part {
        name: "site types",
        run: site_types,
        needs: Needs::Viewer,
        runs: Runs::Always,
    },
    Part {
        name: "site",
        run: site,
        needs: Needs::Viewer,
        runs: Runs::Always,
    },
    Part {
        name: "browser",
        run: browser,
        needs: Needs::Server,
        runs: Runs::Full,
    },
    Part {
        name: "deploy",
        run: deploy,
        needs: Needs::Server,
        runs: Runs::Full,
    },
    Part {
        name: "fuzz",
        run: fuzz_briefly,
        needs: Needs::Nothing,
        runs: Runs::Full,
    },
];

fn format(_: &Fixtures) -> (Result<()>, String) {
    let rust = Run::new("cargo")
        .args(["fmt", "--all", "--check"])
        .limit(120)
        .show();
    (rust.and_then(|()| npm("format").show()), String::new())
}

/// `clippy` and `rust` select the same packages: with another selection cargo unites other features
/// and builds half of the dependencies again. The feature adds the tests that need a running worker
/// or the built WASM.
const EVERYTHING: [&str; 3] = ["--workspace", "--features", "pilotlight-tests/e2e"];

fn clippy(_: &Fixtures) -> (Result<()>, String) {
    let strict = ["--all-targets", "--", "-D", "warnings"];
    (
        Run::new("cargo")
            .args(["clippy", "--quiet"])
            .args(EVERYTHING)
            .args(strict)
            .limit(1800)
            .show(),
        String::new(),
    )
}

/// Unit tests, properties and golden files, the core in wasmtime, and requests to the running
/// worker.
fn rust(fixtures: &Fixtures) -> (Result<()>, String) {
    fixtures
        .with_server(
            Run::new("cargo")
                .args(["test", "--quiet", "--no-fail-fast"])
                .args(EVERYTHING),
        )
        .limit(2700)
        .tee()
}

/// Tests of the core and the worker without a server, except those that inject every fault at every
/// place.
fn native(_: &Fixtures) -> (Result<()>, String) {
    let tests = [
        "--package",
        "pilotlight-core",
        "--package",
        "pilotlight-worker",
    ];
    let less = [
        "--",
        "--skip",
        "whatever_fails",
        "--skip",
        "may_fail",
        "--skip",
        "after_any_fault",
    ];
    Run::new("cargo")
        .args(["test", "--quiet", "--no-fail-fast"])
        .args(tests)
        .args(less)
        .limit(1800)
        .tee()
}

/// What the compiler and the lints say of the site, and the lints of the tests that are JavaScript.
fn site_types(_: &Fixtures) -> (Result<()>, String) {
    (
        npm("lint").show().and_then(|()| npm("check").show()),
        String::new(),
    )
}

fn site(fixtures: &Fixtures) -> (Result<()>, String) {
    fixtures.with_server(npm("test")).tee()
}

fn npm(script: &str) -> Run {
    Run::new("npm")
        .args(["run", "--silent", script])
        .dir(root().join("site"))
        .limit(300)
}

fn browser(fixtures: &Fixtures) -> (Result<()>, String) {
    fixtures
        .with_server(Run::new("node").arg("tests/browser/run.mjs"))
        .limit(2400)
        .tee()
}

/// wrangler checks and bundles each preset, as it would for a deployment.
fn deploy(_: &Fixtures) -> (Result<()>, String) {
    (deploy::check_presets(), String::new())
}

fn fuzz_briefly(fixtures: &Fixtures) -> (Result<()>, String) {
    let seeds = if fixtures.programs_are_built {
        fuzz::Seeds::Built
    } else {
        fuzz::Seeds::ToBeBuilt
    };
    (fuzz::fuzz(&fuzz::Options::default(), seeds), String::new())
}
