//! What `cargo xtask deploy` is asked for.

use super::preset::Preset;
use crate::proc::{Failure, Result};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A first deployment, or an upgrade.
    Deploy,
    /// All that can be said without an account.
    DryRun,
    /// Back to the version before.
    Rollback,
}

/// The command's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) action: Action,
    pub(super) preset: Preset,
    /// The worker's name, which is part of its address.
    pub(super) name: String,
    pub(super) bucket: String,
    /// A host name in a zone of the account; else the worker is at workers.dev.
    pub(super) domain: Option<String>,
    /// Whether the administrator's token is to be replaced.
    pub(super) new_token: bool,
}

impl Options {
    pub(super) fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self {
            action: Action::Deploy,
            preset: Preset::Paid,
            name: "pilotlight".to_owned(),
            bucket: "pilotlight".to_owned(),
            domain: None,
            new_token: false,
        };
        let mut rest = args.iter();
        while let Some(option) = rest.next() {
            let mut value = || {
                rest.next()
                    .map(|value| (*value).to_owned())
                    .ok_or_else(|| wrong(format!("{option} needs a value")))
            };
            match *option {
                "--dry-run" => options.action = Action::DryRun,
                "--rollback" => options.action = Action::Rollback,
                "--new-token" => options.new_token = true,
                "--preset" => options.preset = Preset::named(&value()?)?,
                "--name" => options.name = label(option, value()?)?,
                "--bucket" => options.bucket = label(option, value()?)?,
                "--domain" => options.domain = Some(domain(value()?)?),
                _ => return Err(wrong(format!("there is no option {option}"))),
            }
        }
        Ok(options)
    }
}

/// Names of workers and buckets stand in addresses and in `wrangler.toml`.
fn label(option: &str, name: String) -> Result<String> {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let ends = name.starts_with('-') || name.ends_with('-');
    if (3..=54).contains(&name.len()) && name.bytes().all(good) && !ends {
        return Ok(name);
    }
    Err(wrong(format!(
        "{option}: {name:?} is not 3 to 54 lower-case letters, digits and hyphens"
    )))
}

fn domain(name: String) -> Result<String> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    if name.contains('.') && name.bytes().all(good) {
        return Ok(name);
    }
    Err(wrong(format!(
        "--domain: {name:?} is not a host name, like profiles.example.com"
    )))
}

fn wrong(cause: String) -> Failure {
    Failure::new(cause, "run `cargo xtask help`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_their_defaults() {
        let options = Options::parse(&[]).unwrap();
        assert_eq!(
            (options.action, options.preset, options.new_token),
            (Action::Deploy, Preset::Paid, false)
        );
        assert_eq!(
            (options.name.as_str(), options.bucket.as_str()),
            ("pilotlight", "pilotlight")
        );
        let args = "--preset free --name a-b-c --bucket files --domain p.example.com --dry-run";
        let options = Options::parse(&args.split(' ').collect::<Vec<_>>()).unwrap();
        assert_eq!(options.domain.as_deref(), Some("p.example.com"));
        assert_eq!(
            (options.action, options.preset),
            (Action::DryRun, Preset::Free)
        );
        for wrong in [
            "--preset huge",
            "--name",
            "--name A",
            "--name a\"b",
            "--domain localhost",
            "--what",
        ] {
            let args: Vec<&str> = wrong.split(' ').collect();
            assert!(Options::parse(&args).is_err(), "{wrong}");
        }
    }
}
