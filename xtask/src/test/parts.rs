//! The parts of the tests, in the order in which they run.

use super::fixtures::{Fixtures, SELFHOST};
use super::part::{Outcome, Part};
use super::{programs, quick, rust, times, wrangler};
use crate::folders::{own_dir, root};
use crate::proc::Run;
use crate::{build, deploy, fuzz, selfhost};
use std::fs;

/// All of them, the quickest first.
pub(super) const PARTS: [Part; 11] = [
    FORMAT,
    Part {
        name: "rust build",
        after: &[],
        run: |fixtures| rust_build(fixtures, &["--all-targets"]),
    },
    BUILD,
    Part {
        name: "rust",
        after: &["rust build", "build"],
        run: |fixtures| rust::run(fixtures, &[]),
    },
    Part {
        name: "doc tests",
        after: &["rust build"],
        run: |_| Outcome::counted(programs::doc_tests()),
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
        run: |_| Outcome::one(fuzz::fuzz(&fuzz::Options::default(), fuzz::Seeds::Built)),
    },
];

/// What `--quick` runs.
pub(super) const QUICK: [Part; 6] = [
    FORMAT,
    Part {
        name: "clippy",
        after: &[],
        run: |_| Outcome::one(quick::lint()),
    },
    Part {
        name: "unit tests",
        after: &[],
        run: |_| quick::unit_tests(),
    },
    Part {
        name: "build",
        after: &[],
        run: |fixtures| Outcome::built(build::viewer(&fixtures.tools)),
    },
    SITE_LINT,
    SITE,
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

/// Lints and compiles targets of the workspace.
pub(super) fn rust_build(fixtures: &mut Fixtures, targets: &[&str]) -> Outcome {
    Outcome::built(programs::build(targets).map(|programs| {
        fixtures.programs = programs;
        Vec::new()
    }))
}

/// Tests of the site: of one file, or of all for an empty name.
pub(super) fn site(fixtures: &Fixtures, file: &str) -> Outcome {
    Outcome::counted(
        fixtures
            .provide(npm("test").args(["--", file]))
            .limit(300)
            .tee(),
    )
}

/// Tests in browsers: of one file, or of all for an empty name.
pub(super) fn browser(fixtures: &Fixtures, file: &str) -> Outcome {
    let noted = own_dir().join("browser-times.json");
    let _ = fs::remove_file(&noted);
    let run = Run::new("node").args(["tests/browser/run.mjs", file]);
    let run = fixtures.provide(run).env("PILOTLIGHT_TIMES", &noted);
    let mut outcome = Outcome::counted(run.limit(2400).tee());
    (outcome.files, outcome.tests) = times::read(&noted, "browser");
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
fn release(fixtures: &mut Fixtures) -> Outcome {
    match build::release(&fixtures.tools) {
        Ok(steps) => Outcome {
            steps,
            ..Outcome::one(deploy::check_presets())
        },
        Err(failure) => Outcome::one(Err(failure)),
    }
}
