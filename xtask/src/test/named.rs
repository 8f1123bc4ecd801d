//! `cargo xtask test NAME`: the files of tests that have a name, of any kind, with what they need.

use super::fixtures::Fixtures;
use super::part::Outcome;
use super::{parts, rust};
use crate::folders::root;
use crate::proc::{Failure, Result};

/// A file of tests.
pub(super) enum Named {
    /// `tests/browser/NAME.test.mjs`.
    Browser(String),
    /// `site/test/NAME.test.ts`.
    Site(String),
    /// A module of `tests/tests/native`.
    Native(String),
    /// A module of `tests/tests/worker`.
    Worker(String),
}

impl Named {
    /// All files of that name, without folder and ending. At least one, or a failure.
    pub(super) fn find(name: &str) -> Result<Vec<Self>> {
        let there = |path: String| root().join(path).exists();
        let module = |program: &str| {
            let folder = format!("tests/tests/{program}/{name}");
            there(format!("{folder}.rs")) || there(folder)
        };
        let owned = || name.to_owned();
        let kinds = [
            there(format!("tests/browser/{name}.test.mjs")).then(|| Self::Browser(owned())),
            there(format!("site/test/{name}.test.ts")).then(|| Self::Site(owned())),
            module("native").then(|| Self::Native(owned())),
            module("worker").then(|| Self::Worker(owned())),
        ];
        let found: Vec<Self> = kinds.into_iter().flatten().collect();
        if found.is_empty() {
            return Err(Failure::new(
                format!("no file of tests is called {name:?}"),
                "give the name of a file in tests/browser, site/test or tests/tests, without its ending; \
                 `cargo test -p pilotlight-core NAME` runs single tests of the core",
            ));
        }
        Ok(found)
    }

    /// What it is called in the summary.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Browser(_) => "browser",
            Self::Site(_) => "site",
            Self::Native(_) => "native",
            Self::Worker(_) => "worker",
        }
    }

    /// Targets of the workspace that the tests are, or that they start.
    pub(super) fn targets(&self) -> &[&str] {
        match self {
            Self::Browser(_) => &["--bin", "demo", "--bin", "identity"],
            Self::Site(_) => &[],
            Self::Native(_) => &["--test", "native"],
            Self::Worker(_) => &["--test", "worker"],
        }
    }

    /// Whether the tests need the modules of WASM.
    pub(super) fn needs_wasm(&self) -> bool {
        !matches!(self, Self::Native(_))
    }

    pub(super) fn run(&self, fixtures: &Fixtures) -> Outcome {
        match self {
            Self::Browser(name) => parts::browser(fixtures, name),
            Self::Site(name) => parts::site(fixtures, name),
            Self::Native(name) | Self::Worker(name) => rust::run(fixtures, &[&format!("{name}::")]),
        }
    }
}
