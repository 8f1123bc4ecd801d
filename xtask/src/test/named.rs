//! `cargo xtask test NAME`: one file of tests of any kind, with what it needs.

use super::fixtures::Fixtures;
use super::part::{Outcome, Part};
use super::{parts, rust};
use crate::folders::root;
use crate::proc::{Failure, Result};

/// Tests of one name.
pub(super) enum Named {
    /// `tests/browser/NAME.test.mjs`.
    Browser(String),
    /// `site/test/NAME.test.ts`.
    Site(String),
    /// A module of `tests/tests/native` or `tests/tests/worker`.
    Module { program: &'static str, name: String },
}

impl Named {
    /// Looks for the file, by its name without folder and ending.
    pub(super) fn find(name: &str) -> Result<Self> {
        let there = |path: String| root().join(path).exists();
        let owned = || name.to_owned();
        if there(format!("tests/browser/{name}.test.mjs")) {
            return Ok(Self::Browser(owned()));
        }
        if there(format!("site/test/{name}.test.ts")) {
            return Ok(Self::Site(owned()));
        }
        for program in ["native", "worker"] {
            let folder = format!("tests/tests/{program}/{name}");
            if there(format!("{folder}.rs")) || there(folder) {
                return Ok(Self::Module {
                    program,
                    name: owned(),
                });
            }
        }
        Err(Failure::new(
            format!("no file of tests is called {name:?}"),
            "give the name of a file in tests/browser, site/test or tests/tests, without its ending; \
             `cargo test -p pilotlight-core NAME` runs single tests of the core",
        ))
    }

    /// The parts that build what the file needs.
    pub(super) fn builds(&self) -> Vec<Part> {
        match self {
            Self::Browser(_) => vec![PROGRAMS, parts::BUILD],
            Self::Site(_) => vec![parts::BUILD],
            Self::Module {
                program: "native", ..
            } => vec![NATIVE],
            Self::Module { .. } => vec![WORKER, parts::BUILD],
        }
    }

    pub(super) fn run(&self, fixtures: &Fixtures) -> Outcome {
        match self {
            Self::Browser(name) => parts::browser(fixtures, name),
            Self::Site(name) => parts::site(fixtures, name),
            Self::Module { name, .. } => {
                rust::run(fixtures.programs(), &[&format!("{name}::")], fixtures)
            }
        }
    }
}

const NATIVE: Part = Part {
    name: "rust build",
    after: &[],
    run: |fixtures| Outcome::one(fixtures.build_programs(&["--test", "native"])),
};

const WORKER: Part = Part {
    name: "rust build",
    after: &[],
    run: |fixtures| Outcome::one(fixtures.build_programs(&["--test", "worker"])),
};

/// What browser tests start.
const PROGRAMS: Part = Part {
    name: "rust build",
    after: &[],
    run: |fixtures| Outcome::one(fixtures.build_programs(&["--bin", "demo", "--bin", "identity"])),
};
