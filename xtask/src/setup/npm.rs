//! Node and the npm packages: wrangler (xtask/npm), the site's (site), the browser tests' (tests).

use crate::folders::{own_dir, root};
use crate::proc::{Context, Failure, Result, Run};
use crate::step::Step;
use std::fs;

/// Vite and wrangler need it; Node 18 is past its end of life.
const OLDEST_NODE: u32 = 20;

pub(crate) fn node(_: &mut Step) -> Result<((), String)> {
    let remedy = format!(
        "install Node {OLDEST_NODE} or later, with npm, from https://nodejs.org or your package manager"
    );
    let version = Run::new("node")
        .args(["--version"])
        .read()
        .map_err(|failure| failure.advise(&remedy))?;
    let version = version.trim();
    let major = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|text| text.parse::<u32>().ok());
    if major.is_none_or(|major| major < OLDEST_NODE) {
        return Err(Failure::new(
            format!("Node is {version}, which is too old"),
            remedy,
        ));
    }
    let npm = Run::new("npm")
        .args(["--version"])
        .read()
        .map_err(|failure| failure.advise(&remedy))?;
    Ok(((), format!("found {version} with npm {}", npm.trim())))
}

/// Installs the packages that `<dir>/package-lock.json` names, unless they are there already.
pub(crate) fn packages(step: &mut Step, dir: &str) -> Result<((), String)> {
    let lock_path = root().join(dir).join("package-lock.json");
    let lock = fs::read_to_string(&lock_path).context(lock_path.display())?;
    let stamp = own_dir().join(format!("npm-{}.lock", dir.replace('/', "-")));
    let installed = root().join(dir).join("node_modules");
    if installed.is_dir() && fs::read_to_string(&stamp).is_ok_and(|noted| noted == lock) {
        return Ok(((), "found".to_owned()));
    }
    step.note(format!("npm ci in {dir}/ (up to 5 minutes)"));
    Run::new("npm")
        // No install scripts: the binaries that we use come inside packages.
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ])
        .args(["--fetch-timeout=30000", "--fetch-retries=2"])
        .dir(root().join(dir))
        .limit(300)
        .read()
        .map_err(|failure| failure.advise("check that npm can reach its registry (`npm ping`)"))?;
    fs::create_dir_all(own_dir()).context(own_dir().display())?;
    fs::write(&stamp, lock).context(stamp.display())?;
    Ok(((), "installed".to_owned()))
}
