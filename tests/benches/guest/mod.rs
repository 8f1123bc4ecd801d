//! The core as a WASM module, for benches.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The module that PILOTLIGHT_CORE_WASM names, or one that is built now with the release profile.
pub(crate) fn module() -> PathBuf {
    if let Some(path) = std::env::var_os("PILOTLIGHT_CORE_WASM") {
        return PathBuf::from(path);
    }
    const TARGET: &str = "wasm32-unknown-unknown";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guest");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("guest/module/Cargo.toml");
    let mut build = Command::new(env!("CARGO"));
    build
        .args([
            "build",
            "--release",
            "--quiet",
            "--target",
            TARGET,
            "--manifest-path",
        ])
        .arg(manifest);
    let built = build
        .env("CARGO_TARGET_DIR", &folder)
        .status()
        .expect("cargo is running this");
    assert!(
        built.success(),
        "the guest does not build; name a module in PILOTLIGHT_CORE_WASM"
    );
    folder
        .join(TARGET)
        .join("release/pilotlight_guest_module.wasm")
}
