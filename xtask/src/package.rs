//! The npm package of this tree: `cargo xtask package` writes its tarball, `cargo xtask export` runs its command.

use crate::build::{self, Profile};
use crate::folders::root;
use crate::proc::{Context, Result, Run};
use crate::setup::{Purpose, setup};
use crate::step::Steps;

/// Writes the npm package as a tarball and prints its path.
pub(crate) fn tarball() -> Result<()> {
    let tarball = pack()?;
    println!("\n{tarball}\n\nInstall it with: npm install --global {tarball}");
    Ok(())
}

/// Builds the pages and the npm package around them, and returns the path of the tarball.
fn pack() -> Result<String> {
    let tools = setup(Purpose::Running)?;
    println!("Building");
    let mut steps = Steps::new(build::PAGES_STEPS);
    build::pages(&mut steps, &tools, Profile::Release)?;
    let printed = Run::new("node")
        .arg(root().join("site/tools/pack.mjs"))
        .read()?;
    Ok(printed.trim().to_owned())
}

/// Builds the npm package and passes the words after `export` to its command.
pub(crate) fn export(words: &[&str]) -> Result<()> {
    pack()?;
    let here = std::env::current_dir().context("this folder")?;
    Run::new("node")
        .arg(root().join("target/npm/package/pilotlight.mjs"))
        .arg("export")
        .args(words)
        .dir(here)
        .limit(600)
        .show()
}
