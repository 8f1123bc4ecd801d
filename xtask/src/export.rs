//! `cargo xtask export`: what `npx pilotlight export` does, with the pages of this tree.

use crate::build::{self, Profile};
use crate::folders::root;
use crate::proc::{Context, Result, Run};
use crate::setup::{Purpose, setup};
use crate::step::Steps;

/// Builds the npm package and hands it the words after `export`.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let tools = setup(Purpose::Running)?;
    println!("Building");
    let mut steps = Steps::new(build::PAGES_STEPS);
    build::pages(&mut steps, &tools, Profile::Release)?;
    Run::new("node")
        .arg(root().join("site/tools/pack.mjs"))
        .read()?;
    let here = std::env::current_dir().context("this folder")?;
    Run::new("node")
        .arg(root().join("target/npm/package/pilotlight.mjs"))
        .arg("export")
        .args(words)
        .dir(here)
        .limit(600)
        .show()
}
