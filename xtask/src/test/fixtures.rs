//! Tools and paths that the parts share.

use super::programs::Program;
use crate::build::{self, Profile};
use crate::folders::{own_dir, root, target_dir};
use crate::proc::Run;
use crate::setup::Tools;
use std::fs;
use std::path::PathBuf;

/// The folder for machines without Cloudflare, below that of xtask.
pub(super) const SELFHOST: &str = "test-selfhost";

/// What the parts share.
pub(super) struct Fixtures {
    pub(super) tools: Tools,
    /// How WASM is compiled: a whole run tests what is deployed, since it builds that anyway; a file
    /// of tests does not wait for it.
    pub(super) profile: Profile,
    /// The programs of Rust tests, once they are built.
    pub(super) programs: Vec<Program>,
    /// The commit since which `--quick` looks for changes.
    pub(super) since: String,
}

impl Fixtures {
    pub(super) fn new(tools: Tools) -> Self {
        Self {
            tools,
            profile: Profile::Release,
            programs: Vec::new(),
            since: "HEAD".to_owned(),
        }
    }

    /// Sets the variables by which tests find browsers and built files, and moves the clock of Node's programs where
    /// `PILOTLIGHT_DAYS_AHEAD` says so.
    pub(super) fn provide(&self, run: Run) -> Run {
        let clock = root().join("tests/local/ahead.mjs");
        let run = match std::env::var_os("PILOTLIGHT_DAYS_AHEAD") {
            Some(_) => run.env("NODE_OPTIONS", format!("--import=\"{}\"", clock.display())),
            None => run,
        };
        let browsers = [
            ("CHROMIUM", &self.tools.chromium),
            ("FIREFOX", &self.tools.firefox),
        ];
        let found = browsers
            .into_iter()
            .filter_map(|(name, path)| Some((name, path.as_ref()?)));
        found
            .fold(run, |run, (name, path)| run.env(name, path))
            .env(
                "PILOTLIGHT_CORE_WASM",
                build::guest(&self.tools, self.profile),
            )
            .env("PILOTLIGHT_SELFHOST", own_dir().join(SELFHOST))
            .env("PILOTLIGHT_BINARIES", target_dir().join("debug"))
    }

    /// An empty folder for the state of a server.
    pub(super) fn empty(name: &str) -> PathBuf {
        let folder = own_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        folder
    }
}
