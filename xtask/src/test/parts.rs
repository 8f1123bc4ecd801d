//! The parts of the tests, in the order in which they run.

use super::fixtures::{Fixtures, SELFHOST};
use super::part::{Outcome, Part};
use super::{quick, rust, times, wrangler};
use crate::folders::{own_dir, root};
use crate::proc::{Result, Run};
use crate::{build, deploy, fuzz, selfhost};
use std::fs;

/// All of them, the quickest first.
pub(super) const PARTS: [Part; 10] = [
    FORMAT,
    Part {
        name: "rust build",
        after: &[],
        run: rust_build,
    },
    BUILD,
    Part {
        name: "rust",
        after: &["rust build", "build"],
        run: |fixtures| rust::run(fixtures.programs(), &[], fixtures),
    },
    SITE_LINT,
    SITE,
    Part {
        name: "browser",
        after: &["rust build", "build"],
        run: |fixtures| browser(fixtures, ""),
    },
    Part {
        name: "wrangler",
        after: &["build"],
        run: |_| Outcome::counted(wrangler::test()),
    },
    Part {
        name: "release",
        after: &[],
        run: release,
    },
    Part {
        name: "fuzz",
        after: &["rust build"],
        run: |_| Outcome::one(fuzz::fuzz(&fuzz::Options::default())),
    },
];

/// What `--quick` runs.
pub(super) const QUICK: [Part; 5] = [
    FORMAT,
    Part {
        name: "clippy",
        after: &[],
        run: |_| Outcome::one(quick::lint()),
    },
    Part {
        name: "unit tests",
        after: &[],
        run: quick::unit_tests,
    },
    Part {
        name: SITE_LINT.name,
        after: &[],
        run: SITE_LINT.run,
    },
    Part {
        name: SITE.name,
        after: &[],
        run: SITE.run,
    },
];

const FORMAT: Part = Part {
    name: "format",
    after: &[],
    run: |_| {
        let rust = Run::new("cargo")
            .args(["fmt", "--all", "--check"])
            .limit(120)
            .show();
        Outcome::one(rust.and_then(|()| npm("format").show()))
    },
};

/// Every module of WASM, the site, and the folder for machines without Cloudflare.
pub(super) const BUILD: Part = Part {
    name: "build",
    after: &[],
    run: |fixtures| {
        Outcome::built(build::for_tests(&fixtures.tools).and_then(|steps| {
            selfhost::folder(&Fixtures::empty(SELFHOST))?;
            Ok(steps)
        }))
    },
};

/// What the compiler and the lints say of the site, and the lints of the tests that are JavaScript.
const SITE_LINT: Part = Part {
    name: "site types",
    after: &["build"],
    run: |_| Outcome::one(npm("lint").show().and_then(|()| npm("check").show())),
};

const SITE: Part = Part {
    name: "site",
    after: &["build"],
    run: |fixtures| site(fixtures, ""),
};

/// Lints and compiles everything, and the programs that tests start.
fn rust_build(fixtures: &Fixtures) -> Outcome {
    Outcome::one(fixtures.build_programs(&["--all-targets"]))
}

/// Tests of the site; those of one file where it is named.
pub(super) fn site(fixtures: &Fixtures, file: &str) -> Outcome {
    javascript(fixtures, "site", npm("test").args(["--", file]))
}

/// Tests in browsers; those of one file where it is named.
pub(super) fn browser(fixtures: &Fixtures, file: &str) -> Outcome {
    let run = Run::new("node").arg("tests/browser/run.mjs");
    let run = if file.is_empty() { run } else { run.arg(file) };
    javascript(fixtures, "browser", run)
}

/// Runs a program that writes the times of its tests to the file that is named.
fn javascript(fixtures: &Fixtures, name: &str, run: Run) -> Outcome {
    let noted = own_dir().join(format!("{name}-times.json"));
    let _ = fs::remove_file(&noted);
    let run = fixtures.provide(run).env("PILOTLIGHT_TIMES", &noted);
    let mut outcome = Outcome::counted(run.limit(2400).tee());
    (outcome.files, outcome.tests) = times::read(&noted, name);
    outcome
}

fn npm(script: &str) -> Run {
    Run::new("npm")
        .args(["run", "--silent", script])
        .dir(root().join("site"))
        .limit(300)
}

/// Builds what is deployed, checks its sizes, and has wrangler check and bundle each preset as it
/// would for a deployment.
fn release(fixtures: &Fixtures) -> Outcome {
    let built: Result<_> = build::release(&fixtures.tools);
    Outcome::built(built.and_then(|steps| {
        deploy::check_presets()?;
        Ok(steps)
    }))
}
