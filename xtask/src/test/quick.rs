//! `cargo xtask test --quick`: lints of everything, and native tests of what has changed since a commit.

use super::part::Outcome;
use super::programs::{WORKSPACE, lint_arguments};
use crate::folders::root;
use crate::proc::{Result, Run};
use std::collections::BTreeSet;

/// Folders of packages, the deeper ones first.
const PACKAGES: [(&str, &str); 16] = [
    ("wasm-viewer/bucket/", "pilotlight-bucket"),
    ("wasm-viewer/bundler/", "pilotlight-bundler"),
    // The tests push what it makes.
    ("wasm-viewer/demo/", "pilotlight-tests"),
    ("wasm-viewer/imports/", "pilotlight-imports"),
    ("wasm-viewer/symbols/", "pilotlight-symbols"),
    ("wasm-viewer/", "pilotlight-viewer"),
    // The tests use it most.
    ("tests/fixtures/", "pilotlight-tests"),
    // The tests replay its targets.
    ("tests/fuzz/", "pilotlight-tests"),
    ("tests/guest/module/", "pilotlight-guest-module"),
    ("tests/guest/", "pilotlight-guest"),
    ("tests/s3/", "pilotlight-s3"),
    ("tests/", "pilotlight-tests"),
    ("shared/", "pilotlight-core"),
    ("worker/", "pilotlight-worker"),
    ("xtask/bindgen/", "pilotlight-bindgen"),
    ("xtask/", "xtask"),
];

/// Simulations that let every operation fail in turn take minutes; the whole run has them.
const LONG: [&str; 3] = ["whatever_fails", "may_fail", "after_any_fault"];

/// `cargo clippy` of every target. It only checks, so it answers sooner than the build of a whole
/// run, which lints too.
pub(super) fn lint() -> Result<()> {
    Run::new("cargo")
        .args(["clippy", "--quiet"])
        .args(WORKSPACE)
        .args(["--all-targets", "--"])
        .args(lint_arguments()?)
        .limit(1800)
        .show()
}

/// The core. Optimized, as its tests of the store need it, it takes three minutes to compile.
const CORE: &str = "pilotlight-core";

/// Unit tests of the core, compiled without optimization, where it has changed since a commit.
pub(super) fn core_tests(since: &str) -> Outcome {
    let unoptimized = "profile.dev.package.pilotlight-core.opt-level=0";
    tests_of(
        since,
        |name| name == CORE,
        &["--lib", "--config", unoptimized],
    )
}

/// Native tests of the other packages that have changed since a commit.
pub(super) fn unit_tests(since: &str) -> Outcome {
    tests_of(since, |name| name != CORE, &[])
}

fn tests_of(since: &str, chosen: fn(&str) -> bool, options: &[&str]) -> Outcome {
    let packages = match changed(since) {
        Ok(paths) => packages(&paths),
        Err(failure) => return Outcome::one(Err(failure)),
    };
    let packages: Vec<&str> = packages.into_iter().filter(|name| chosen(name)).collect();
    if packages.is_empty() {
        return Outcome::built(Ok(Vec::new()));
    }
    println!("unit tests of {}", packages.join(", "));
    let run = Run::new("cargo")
        .args(["test", "--quiet", "--no-fail-fast"])
        .args(packages.iter().flat_map(|name| ["--package", name]))
        .args(options)
        .arg("--")
        .args(LONG.iter().flat_map(|name| ["--skip", name]));
    Outcome::counted(run.limit(1800).tee())
}

/// Whether the site's checks need its modules anew: tests of the site use those of the last build otherwise.
pub(super) fn needs_modules(since: &str) -> Result<bool> {
    let built = root().join("site/src/wasm/viewer/pilotlight.js").exists();
    Ok(!built
        || changed(since)?
            .lines()
            .any(|path| path.starts_with("wasm-viewer/")))
}

/// The paths of changed and new files, relative to the top folder.
fn changed(since: &str) -> Result<String> {
    let git = |words: &[&str]| Run::new("git").args(words).dir(root()).read();
    let tracked = git(&["diff", "--name-only", "--merge-base", since, "--"])
        .map_err(|failure| failure.advise("--since must be a commit or branch that git knows"))?;
    let new = git(&["ls-files", "--others", "--exclude-standard"])?;
    Ok(tracked + &new)
}

/// The packages that files are of; the core and the worker where they are of none.
fn packages(paths: &str) -> BTreeSet<&'static str> {
    let package = |path: &str| {
        let found = PACKAGES.iter().find(|(folder, _)| path.starts_with(folder));
        found.map(|(_, package)| *package)
    };
    let found: BTreeSet<&str> = paths.lines().filter_map(package).collect();
    if found.is_empty() {
        return [CORE, "pilotlight-worker"].into();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &str, expect: &[&str]) {
        assert_eq!(Vec::from_iter(packages(paths)), expect, "{paths}");
    }

    #[test]
    fn files_belong_to_packages() {
        check(
            "shared/src/tree/mod.rs\nshared/Cargo.toml\n",
            &["pilotlight-core"],
        );
        check(
            "wasm-viewer/imports/src/lib.rs\nwasm-viewer/src/lib.rs\n",
            &["pilotlight-imports", "pilotlight-viewer"],
        );
        check(
            "README.md\nsite/src/main.ts\n",
            &["pilotlight-core", "pilotlight-worker"],
        );
    }

    #[test]
    fn every_package_of_the_workspace_has_a_folder() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let members = manifest
            .lines()
            .find(|line| line.starts_with("members"))
            .unwrap();
        for member in members.split('"').skip(1).step_by(2) {
            let folder = format!("{member}/");
            assert!(
                PACKAGES.iter().any(|(known, _)| *known == folder),
                "{member}"
            );
        }
    }
}
