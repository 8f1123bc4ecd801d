//! `cargo xtask selfhost`: a folder that runs Pilotlight on a machine that has nothing else, under
//! workerd and with an S3 bucket.
//!
//! What it is made of is in `xtask/selfhost/`: files that this command copies belong to it.

mod config;
mod pages;

use crate::build;
use crate::folders::root;
use crate::proc::{Context, Failure, Result};
use crate::secret::{self, Token};
use crate::setup::{Purpose, setup};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the operator's configuration is, in the folder; an upgrade leaves it as it is.
const CONFIGURATION: &str = "pilotlight.env";

/// Whether all is to be built first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    Now,
    /// As `cargo xtask build` left it.
    Done,
}

/// Makes the folder, or brings it up to date.
pub(crate) fn selfhost(out: &str, build: Build) -> Result<()> {
    let out = std::path::absolute(out).context(out)?;
    if build == Build::Now {
        build::release(&setup(Purpose::Running)?)?;
    }
    let token = folder(&out)?;
    println!(
        "\n{} runs Pilotlight on a machine like this one; nothing outside of it is needed.\n\
         Fill in the bucket in {CONFIGURATION}, then start bin/pilotlight. docs/selfhost.md says more.",
        out.display()
    );
    match token {
        Some(token) => token.show("http://localhost:4040"),
        None => println!("{CONFIGURATION} and the databases stay as they were."),
    }
    Ok(())
}

/// Makes the folder of what is built. The token is that of a new configuration.
pub(crate) fn folder(out: &Path) -> Result<Option<Token>> {
    server(out)?;
    empty(&out.join("bin"))?;
    let own = parts();
    for (from, to) in [
        (workerd()?, "bin/workerd"),
        (own.join("pilotlight"), "bin/pilotlight"),
        (own.join("Containerfile"), "Containerfile"),
        (own.join("dockerignore"), ".dockerignore"),
        (own.join("pilotlight.service"), "pilotlight.service"),
        (root().join("LICENSE"), "LICENSE"),
    ] {
        copy(&from, &out.join(to))?;
    }
    let env = out.join(CONFIGURATION);
    if env.exists() {
        return Ok(None);
    }
    let token = Token::make()?;
    let line = |digest: &str| format!("\n{}={digest}\n", secret::VARIABLE);
    let text = read(&own.join(CONFIGURATION))?.replace(&line(""), &line(&token.digest));
    write(&env, &text)?;
    keep_from_others(&env)?;
    Ok(Some(token))
}

/// Writes what workerd runs: the worker, the pages, and the configuration that names them. The rest
/// of the folder stays as it is: the operator's configuration, and what is stored.
pub(crate) fn server(out: &Path) -> Result<()> {
    for made in ["pages", "worker"] {
        empty(&out.join(made))?;
    }
    let own = parts();
    for (from, to) in [
        (own.join("entry.js"), "worker/entry.js"),
        (own.join("environment.js"), "worker/environment.js"),
        (root().join("worker/shim.js"), "worker/shim.js"),
    ] {
        copy(&from, &out.join(to))?;
    }
    let site = files_of(&root().join("site/dist"))?;
    for file in site.iter().filter(|file| *file != "_headers") {
        copy(
            &root().join("site/dist").join(file),
            &out.join("pages").join(file),
        )?;
    }
    write(
        &out.join("worker/pages.js"),
        &pages::table(&root().join("site/dist"), &site)?,
    )?;
    // The first one is what answers.
    let mut modules = ["entry.js", "environment.js", "pages.js", "shim.js"]
        .map(str::to_owned)
        .to_vec();
    for file in files_of(&root().join("worker/build"))? {
        if file.ends_with(".js") || file.ends_with(".wasm") {
            let name = format!("build/{file}");
            copy(
                &root().join("worker").join(&name),
                &out.join("worker").join(&name),
            )?;
            modules.push(name);
        }
    }
    let configuration = config::fill(
        &read(&own.join("pilotlight.capnp"))?,
        &read(&root().join("wrangler.toml"))?,
        &modules,
    )?;
    write(&out.join("pilotlight.capnp"), &configuration)
}

/// The files that the folder is made of, and that are nowhere else.
fn parts() -> PathBuf {
    root().join("xtask/selfhost")
}

/// The program, from the npm package that wrangler comes with.
fn workerd() -> Result<PathBuf> {
    let packages = root().join("xtask/npm/node_modules/@cloudflare");
    let found = fs::read_dir(&packages)
        .context(packages.display())?
        .filter_map(|entry| Some(entry.ok()?.path().join("bin/workerd")))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        Failure::new(
            format!("{} has no workerd for this machine", packages.display()),
            "Cloudflare publishes it for Linux and macOS on x86-64 and ARM",
        )
    })
}

/// All files below a folder, relative to it, in order.
fn files_of(folder: &Path) -> Result<Vec<String>> {
    fn walk(folder: &Path, below: &str, found: &mut Vec<String>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                walk(&entry.path(), &format!("{name}/"), found)?;
            } else {
                found.push(name);
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(folder, "", &mut found)
        .context(folder.display())
        .map_err(|failure| failure.advise("`cargo xtask build` makes it"))?;
    found.sort();
    Ok(found)
}

/// A folder with nothing in it.
fn empty(path: &Path) -> Result<()> {
    if path.exists() {
        fs::remove_dir_all(path).context(path.display())?;
    }
    fs::create_dir_all(path).context(path.display())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).context(folder.display())?;
    }
    fs::copy(from, to).map(drop).context(from.display())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).context(path.display())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).context(path.display())
}

/// A file with secrets.
fn keep_from_others(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).context(path.display())
}
