//! `cargo xtask deploy`: from an account at Cloudflare to a running, locked worker. Run again, it
//! upgrades and keeps the token and the data.

mod config;
mod options;
mod preset;
mod recorded;
mod settings;
mod wrangler;

use crate::build;
use crate::folders::{own_dir, root};
use crate::proc::{Context, Failure, Result};
use crate::secret::{self, Token};
use crate::setup::{Purpose, Tools, npm, setup};
use options::{Action, Options};
use recorded::Recorded;
use std::fs;
use std::path::{Path, PathBuf};
use wrangler::{Installed, LOG_IN, Wrangler};

/// What stands at the worker's place after a deployment.
struct Deployed {
    url: String,
    /// That of a worker that had none.
    token: Option<Token>,
}

/// Does what the options ask for.
pub(crate) fn deploy(args: &[&str]) -> Result<()> {
    let record = root().join("deploy.toml");
    let recorded = Recorded::read(&record)?;
    let options = Options::parse(args, &recorded)?;
    match options.action {
        Action::Rollback => {
            crate::step::Steps::new(1).run("wrangler", |step| npm::packages(step, "xtask/npm"))?;
            rollback(&options, &mut Installed)?;
            println!(
                "\n{} runs the version before. What is stored, variables and secrets of later deployments: docs/deploy.md",
                options.name
            );
            Ok(())
        }
        Action::DryRun => {
            build::release(&setup(Purpose::Running)?)?;
            plan(&options);
            dry_run(&options, &folder(), &mut Installed)
        }
        Action::Deploy => {
            let tools = setup(Purpose::Running)?;
            let deployed = run(&options, &folder(), &mut Installed, || release(&tools))?;
            println!(
                "\nPilotlight runs at {} and is locked: every request needs a token.",
                deployed.url
            );
            match deployed.token {
                Some(token) => token.show(&deployed.url),
                None => println!(
                    "This was an upgrade: tokens and data are as before. `cargo xtask deploy --rollback` goes back."
                ),
            }
            recorded.remember(&options.name, &options.settings, &record)
        }
    }
}

/// Has wrangler check and bundle what would be deployed, for each preset. Needs no account.
pub(crate) fn check_presets() -> Result<()> {
    for preset in ["free", "paid"] {
        let options = Options::parse(
            &["--preset", preset, "--name", "checked"],
            &Recorded::default(),
        )?;
        dry_run(&options, &folder(), &mut Installed)?;
    }
    Ok(())
}

fn release(tools: &Tools) -> Result<()> {
    build::release(tools)
}

/// Where the configuration of a deployment is written.
fn folder() -> PathBuf {
    own_dir().join("deploy")
}

/// All that a deployment does. What is there already stays.
fn run(
    options: &Options,
    folder: &Path,
    wrangler: &mut impl Wrangler,
    build: impl FnOnce() -> Result<()>,
) -> Result<Deployed> {
    // First what fails at once; the build takes minutes.
    log_in(wrangler)?;
    build()?;
    let config = configuration(options, folder)?;
    if wrangler
        .run(&["r2", "bucket", "info", &options.settings.bucket])
        .is_err()
    {
        wrangler.run(&["r2", "bucket", "create", &options.settings.bucket])?;
    }
    let token = match has_token(options, &config, wrangler)? && !options.new_token {
        true => None,
        false => Some(Token::make()?),
    };
    let mut deploy = vec!["deploy", "--config", &config];
    // In the same version as the code: there is no moment without it, and a rollback keeps it.
    let secrets = folder.join("secrets.json");
    let secrets_path = secrets.to_string_lossy().into_owned();
    if let Some(token) = &token {
        let text = format!("{{\"{}\": \"{}\"}}\n", secret::VARIABLE, token.digest);
        fs::write(&secrets, text).context(secrets.display())?;
        deploy.extend(["--secrets-file", &secrets_path]);
    }
    let written = wrangler.run(&deploy);
    let _ = fs::remove_file(&secrets);
    if written.is_err() && token.is_some() {
        eprintln!(
            "If the worker was uploaded before this failed, its first token was never shown: deploy again with --new-token."
        );
    }
    Ok(Deployed {
        url: address(options, &written?),
        token,
    })
}

/// wrangler says that nobody is logged in, but ends well.
fn log_in(wrangler: &mut impl Wrangler) -> Result<()> {
    let written = wrangler.run(&["whoami"])?;
    if written.contains("not authenticated") {
        return Err(Failure::new(
            "wrangler is not logged in at Cloudflare",
            LOG_IN,
        ));
    }
    Ok(())
}

/// Whether the worker has an administrator's token already. One that is not there has none; any other
/// failure is one, since a token must not be replaced because Cloudflare did not answer.
fn has_token(options: &Options, config: &str, wrangler: &mut impl Wrangler) -> Result<bool> {
    let name = &options.name;
    match wrangler.run(&["secret", "list", "--name", name, "--config", config]) {
        Ok(written) => Ok(written.contains(secret::VARIABLE)),
        Err(failure)
            if failure
                .cause
                .contains(&format!("Worker \"{name}\" not found")) =>
        {
            Ok(false)
        }
        Err(failure) => Err(failure),
    }
}

/// Back to the version before: code, variables and secrets. What is stored stays.
fn rollback(options: &Options, wrangler: &mut impl Wrangler) -> Result<()> {
    log_in(wrangler)?;
    wrangler
        .run(&[
            "rollback",
            "--name",
            &options.name,
            "--message",
            "cargo xtask deploy --rollback",
            "--yes",
        ])
        .map(drop)
}

fn dry_run(options: &Options, folder: &Path, wrangler: &mut impl Wrangler) -> Result<()> {
    let config = configuration(options, folder)?;
    let out = folder.join("bundle").to_string_lossy().into_owned();
    let written = wrangler.run(&["deploy", "--config", &config, "--dry-run", "--outdir", &out])?;
    println!("{}", written.trim());
    Ok(())
}

/// Says what a deployment would run.
fn plan(options: &Options) {
    println!(
        "\nA deployment runs these commands; the second of a pair where the first finds nothing.\n\
         \x20 wrangler whoami\n\
         \x20 wrangler r2 bucket info {bucket}\n\
         \x20   wrangler r2 bucket create {bucket}\n\
         \x20 wrangler secret list --name {name} --config …\n\
         \x20   (makes the administrator's token and shows it once)\n\
         \x20 wrangler deploy --config … [--secrets-file …]\n\n\
         The last of them, checked without an account:",
        bucket = options.settings.bucket,
        name = options.name,
    );
}

/// Writes the configuration and gives its path.
fn configuration(options: &Options, folder: &Path) -> Result<String> {
    let wrangler = root().join("wrangler.toml");
    let text = fs::read_to_string(&wrangler).context(wrangler.display())?;
    let path = folder.join("wrangler.toml");
    fs::create_dir_all(folder).context(folder.display())?;
    fs::write(&path, config::configure(&text, root(), options)?).context(path.display())?;
    Ok(path.to_string_lossy().into_owned())
}

/// Where the worker answers: at its domain, or where wrangler says.
fn address(options: &Options, written: &str) -> String {
    if let Some(domain) = &options.settings.domain {
        return format!("https://{domain}");
    }
    let found = written
        .split_whitespace()
        .find(|word| word.starts_with("https://") && word.ends_with(".workers.dev"));
    found.map_or_else(
        || format!("https://{}.YOUR-SUBDOMAIN.workers.dev", options.name),
        str::to_owned,
    )
}

#[cfg(test)]
mod tests;
