//! What parts of the tests share: the tools, and where built things are.

use super::programs::{self, Program};
use crate::build;
use crate::folders::{own_dir, target_dir};
use crate::proc::{Result, Run};
use crate::setup::Tools;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The folder for machines without Cloudflare, below that of xtask.
pub(super) const SELFHOST: &str = "test-selfhost";

/// What the parts share.
pub(super) struct Fixtures {
    pub(super) tools: Tools,
    /// The programs of Rust tests, once they are built.
    programs: OnceLock<Vec<Program>>,
}

impl Fixtures {
    pub(super) fn new(tools: Tools) -> Self {
        Self {
            tools,
            programs: OnceLock::new(),
        }
    }

    /// Compiles targets of the workspace and keeps the programs of tests among them.
    pub(super) fn build_programs(&self, targets: &[&str]) -> Result<()> {
        let built = programs::build(targets)?;
        self.programs.get_or_init(|| built);
        Ok(())
    }

    pub(super) fn programs(&self) -> &[Program] {
        self.programs.get().map_or(&[], Vec::as_slice)
    }

    /// Tells a program of tests where the browsers and built things are.
    pub(super) fn provide(&self, run: Run) -> Run {
        let browsers = [
            ("CHROMIUM", &self.tools.chromium),
            ("FIREFOX", &self.tools.firefox),
        ];
        let found = browsers
            .into_iter()
            .filter_map(|(name, path)| Some((name, path.as_ref()?)));
        found
            .fold(run, |run, (name, path)| run.env(name, path))
            .env("PILOTLIGHT_CORE_WASM", build::guest(&self.tools))
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
