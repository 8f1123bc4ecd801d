//! The npm package of this tree: `cargo xtask package` writes its tarball, `cargo xtask export` runs its command.

use crate::build::{self, Profile};
use crate::folders::{own_dir, root};
use crate::proc::{Context, Result, Run};
use crate::selfhost;
use crate::setup::{Purpose, setup};
use crate::step::Steps;

/// Writes the npm package as a tarball and prints its path.
pub(crate) fn tarball() -> Result<()> {
    let tools = setup(Purpose::Running)?;
    build::release(&tools)?;
    let server = own_dir().join("package-server");
    selfhost::server(&server)?;
    let printed = pack().arg("--server").arg(&server).read()?;
    let tarball = printed.trim();
    println!("\n{tarball}\n\nInstall it with: npm install --global {tarball}");
    Ok(())
}

/// Packs what is built: without a server, the viewer and what makes pages.
fn pack() -> Run {
    Run::new("node").arg(root().join("site/tools/pack.mjs"))
}

/// Builds the npm package without its server and passes the words after `export` to its command.
pub(crate) fn export(words: &[&str]) -> Result<()> {
    let tools = setup(Purpose::Running)?;
    println!("Building");
    let mut steps = Steps::new(build::PAGES_STEPS);
    build::pages(&mut steps, &tools, Profile::Release)?;
    pack().read()?;
    let here = std::env::current_dir().context("this folder")?;
    Run::new("node")
        .arg(root().join("target/npm/package/pilotlight.mjs"))
        .arg("export")
        .args(words)
        .dir(here)
        .limit(600)
        .show()
}
