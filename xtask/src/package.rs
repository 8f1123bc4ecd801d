//! The npm package of this tree: `cargo xtask package` writes its tarball; other commands run those of the package.

use crate::build::{self, Profile};
use crate::folders::root;
use crate::proc::{Context, Result, Run};
use crate::setup::{Purpose, npm, setup};
use crate::step::Steps;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The command of the package, below the root.
const COMMAND: &str = "site/package/pilotlight.mjs";

/// Writes the npm package as a tarball and prints its path.
pub(crate) fn tarball() -> Result<()> {
    let tools = setup(Purpose::Running)?;
    build::release(&tools)?;
    let printed = pack().arg("--server").read()?;
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

/// Makes a folder that runs Pilotlight without Cloudflare, of what is built, or brings it up to date.
pub(crate) fn selfhost(out: &Path) -> Result<()> {
    let here = std::env::current_dir().context("this folder")?;
    server()?;
    Run::new("node")
        .arg(root().join(COMMAND))
        .args(["selfhost", "--out"])
        .arg(out)
        .dir(here)
        .show()
        .map_err(|failure| failure.advise("do what the message above says"))
}

/// Deploys to Cloudflare: builds everything, and has the package's command do the rest.
pub(crate) fn deploy(words: &[&str]) -> Result<ExitCode> {
    let has = |word| words.contains(&word);
    if !has("--help") && !has("-h") {
        if has("--rollback") || has("--check-login") {
            Steps::new(1).run("wrangler", |step| npm::packages(step, "xtask/npm"))?;
        } else {
            let tools = setup(Purpose::Running)?;
            // First what fails at once; the build takes minutes.
            if !has("--dry-run") {
                let check = Run::new("node").args([COMMAND, "deploy", "--check-login"]);
                check
                    .args(words)
                    .show()
                    .map_err(|failure| failure.advise("do what the message above says"))?;
            }
            build::release(&tools)?;
            server()?;
        }
    }
    Ok(command("deploy", words))
}

/// Has wrangler check and bundle what would be deployed, for each preset. Needs no account.
pub(crate) fn check_presets() -> Result<()> {
    server()?;
    for preset in ["free", "paid"] {
        let written = Run::new("node")
            .args([COMMAND, "deploy", "--dry-run"])
            .args(["--name", "checked", "--preset", preset])
            .limit(300)
            .read()?;
        println!("{}", written.trim());
    }
    Ok(())
}

/// Writes what runs the built worker where there is no Rust.
fn server() -> Result<()> {
    Run::new("node").arg("site/tools/server.mjs").show()
}

/// Runs a command of the package that needs nothing built. It says itself what fails, and may ask for a token.
pub(crate) fn command(name: &str, words: &[&str]) -> ExitCode {
    // In the group of this process: another one may not read from the terminal.
    let ended = Command::new("node")
        .args([COMMAND, name])
        .args(words)
        .current_dir(root())
        .status();
    match ended {
        Ok(status) => ExitCode::from(
            status
                .code()
                .and_then(|code| code.try_into().ok())
                .unwrap_or(1),
        ),
        Err(error) => {
            eprintln!("node did not start: {error}. Install Node.js 20.19 or later");
            ExitCode::FAILURE
        }
    }
}
