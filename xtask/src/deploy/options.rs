//! What `cargo xtask deploy` is asked for.

use super::preset::Preset;
use super::recorded::{Recorded, Settings};
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
    /// The worker's name, which is part of its address.
    pub(super) name: String,
    /// What is remembered for its next deployment.
    pub(super) settings: Settings,
    /// Whether the administrator's token is to be replaced.
    pub(super) new_token: bool,
}

impl Options {
    /// What is not given is as in the last deployment of that worker.
    pub(super) fn parse(args: &[&str], recorded: &Recorded) -> Result<Self> {
        let (mut action, mut new_token) = (Action::Deploy, false);
        let mut worker = "pilotlight".to_owned();
        let (mut preset_given, mut bucket_given, mut domain_given) = (None, None, None);
        let mut rest = args.iter();
        while let Some(option) = rest.next() {
            let mut value = || {
                rest.next()
                    .map(|value| (*value).to_owned())
                    .ok_or_else(|| wrong(format!("{option} needs a value")))
            };
            match *option {
                "--dry-run" => action = Action::DryRun,
                "--rollback" => action = Action::Rollback,
                "--new-token" => new_token = true,
                "--preset" => preset_given = Some(Preset::named(&value()?)?),
                "--name" => worker = label(option, &value()?)?,
                "--bucket" => bucket_given = Some(bucket(&value()?)?),
                "--domain" => {
                    let name = value()?;
                    domain_given = Some((name != "none").then(|| domain(&name)).transpose()?);
                }
                _ => return Err(wrong(format!("there is no option {option}"))),
            }
        }
        let before = recorded.settings(&worker);
        Ok(Self {
            action,
            name: worker,
            settings: Settings {
                preset: preset_given.unwrap_or(before.preset),
                bucket: bucket_given.unwrap_or(before.bucket),
                domain: domain_given.unwrap_or(before.domain),
            },
            new_token,
        })
    }
}

/// Names of workers and buckets stand in addresses and in `wrangler.toml`.
fn label(option: &str, name: &str) -> Result<String> {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let ends = name.starts_with('-') || name.ends_with('-');
    if (3..=54).contains(&name.len()) && name.bytes().all(good) && !ends {
        return Ok(name.to_owned());
    }
    Err(wrong(format!(
        "{option}: {name:?} is not 3 to 54 lower-case letters, digits and hyphens"
    )))
}

/// The name of a bucket.
pub(super) fn bucket(name: &str) -> Result<String> {
    label("--bucket", name)
}

/// A host name in a zone of the account.
pub(super) fn domain(name: &str) -> Result<String> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    if name.contains('.') && name.bytes().all(good) {
        return Ok(name.to_owned());
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
        let options = Options::parse(&[], &Recorded::default()).unwrap();
        assert_eq!(
            (options.action, options.settings.preset, options.new_token),
            (Action::Deploy, Preset::Paid, false)
        );
        assert_eq!(
            (options.name.as_str(), options.settings.bucket.as_str()),
            ("pilotlight", "pilotlight")
        );
        let args = "--preset free --name a-b-c --bucket files --domain p.example.com --dry-run";
        let options =
            Options::parse(&args.split(' ').collect::<Vec<_>>(), &Recorded::default()).unwrap();
        assert_eq!(options.settings.domain.as_deref(), Some("p.example.com"));
        assert_eq!(
            (options.action, options.settings.preset),
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
            assert!(
                Options::parse(&args, &Recorded::default()).is_err(),
                "{wrong}"
            );
        }
    }
}
