//! Where things are, and what WASM is built for.

use std::path::{Path, PathBuf};

/// What the worker and the viewer are built for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The top folder of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask/ has a parent")
}

/// Cargo's target folder: this program runs from `<target>/debug/`, wherever that was put.
pub(crate) fn target_dir() -> PathBuf {
    let exe = std::env::current_exe().expect("the path of the running program");
    let debug = exe
        .ancestors()
        .find(|dir| dir.ends_with("debug"))
        .expect("xtask is built with the dev profile");
    debug
        .parent()
        .expect("<target>/debug has a parent")
        .to_path_buf()
}

/// Where xtask keeps its own files; `rm -r` is always safe.
pub(crate) fn own_dir() -> PathBuf {
    target_dir().join("xtask")
}
