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
    /// A module of one of the programs in `tests/tests`.
    Module { program: &'static str, name: String },
    /// A program of `tests/` in any package.
    Program(String),
}

/// The programs in `tests/tests`.
const PROGRAMS: [&str; 3] = ["native", "worker", "bounds"];

/// Folders of programs of tests.
const FOLDERS: [&str; 4] = [
    "shared/tests",
    "wasm-viewer/tests",
    "wasm-viewer/symbols/tests",
    "tests/tests",
];

impl Named {
    /// All files of that name, without folder and ending. At least one, or a failure.
    pub(super) fn find(name: &str) -> Result<Vec<Self>> {
        let there = |path: String| root().join(path).exists();
        let owned = || name.to_owned();
        let mut found = Vec::new();
        if there(format!("tests/browser/{name}.test.mjs")) {
            found.push(Self::Browser(owned()));
        }
        if there(format!("site/test/{name}.test.ts")) {
            found.push(Self::Site(owned()));
        }
        for program in PROGRAMS {
            let folder = format!("tests/tests/{program}/{name}");
            if name != "main" && (there(format!("{folder}.rs")) || there(folder)) {
                found.push(Self::Module {
                    program,
                    name: owned(),
                });
            }
        }
        let is_program = |folder: &str| {
            let path = format!("{folder}/{name}");
            there(format!("{path}.rs")) || there(format!("{path}/main.rs"))
        };
        if FOLDERS.into_iter().any(is_program) {
            found.push(Self::Program(owned()));
        }
        if found.is_empty() {
            return Err(Failure::new(
                format!("no test file named {name:?}"),
                "give the name of a file in tests/browser, site/test, tests/tests, shared/tests or wasm-viewer/tests, \
                 without its extension; `cargo test -p pilotlight-core NAME` runs single tests of the core",
            ));
        }
        Ok(found)
    }

    /// What it is called in the summary.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Browser(_) => "browser",
            Self::Site(_) => "site",
            Self::Module { program, .. } => program,
            Self::Program(_) => "rust",
        }
    }

    /// Targets of the workspace that the tests are.
    pub(super) fn targets(&self) -> Vec<&str> {
        match self {
            Self::Browser(_) | Self::Site(_) => Vec::new(),
            Self::Module { program, .. } => vec!["--test", program],
            Self::Program(name) => vec!["--test", name],
        }
    }

    /// Programs of ours that the tests start.
    pub(super) fn binaries(&self) -> &[&str] {
        match self {
            Self::Browser(_) => &["demo", "identity"],
            _ => &[],
        }
    }

    /// Whether the tests need the modules of WASM.
    pub(super) fn needs_wasm(&self) -> bool {
        match self {
            Self::Browser(_) | Self::Site(_) => true,
            Self::Module { program, .. } => *program == "worker",
            Self::Program(name) => name == "worker",
        }
    }

    pub(super) fn run(&self, fixtures: &Fixtures) -> Outcome {
        match self {
            Self::Browser(name) => parts::browser(fixtures, name),
            Self::Site(name) => parts::site(fixtures, name),
            Self::Module { name, .. } => rust::run(fixtures, &[&format!("{name}::")]),
            Self::Program(_) => rust::run(fixtures, &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_kind_are_found() {
        for (name, kinds) in [
            ("labels", &["browser", "site"][..]),
            ("hostile", &["browser", "worker", "rust"]),
            ("selector", &["site", "native"]),
            ("fuzz", &["bounds"]),
            ("otlp", &["worker", "rust"]),
        ] {
            let found = Named::find(name).unwrap_or_default();
            let found: Vec<_> = found.iter().map(Named::kind).collect();
            assert_eq!(found, kinds, "{name}");
        }
        assert!(Named::find("nothing").is_err());
    }
}
