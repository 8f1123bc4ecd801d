//! What `cargo xtask deploy` is asked for.

use super::preset::Preset;
use super::recorded::Recorded;
use super::settings::{Settings, bucket, domain, label, wrong};
use crate::proc::Result;

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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::folders::own_dir;

    #[test]
    fn an_upgrade_without_options_changes_nothing() {
        let path = own_dir().join(format!("deployed-{}.toml", std::process::id()));
        let parse = |args: &str| {
            let args: Vec<&str> = args.split_whitespace().collect();
            Options::parse(&args, &Recorded::read(&path).unwrap()).unwrap()
        };
        let deploy = |args: &str| {
            let options = parse(args);
            let deployed = Recorded::read(&path).unwrap();
            fs::create_dir_all(own_dir()).unwrap();
            deployed
                .remember(&options.name, &options.settings, &path)
                .unwrap();
            options
        };
        let first = deploy("--preset free --bucket files --domain p.example.com");
        assert_eq!(parse(""), first);
        deploy("--name other --bucket more-files");
        assert_eq!(parse(""), first);
        assert_eq!(parse("--name other").settings.bucket, "more-files");
        assert_eq!(parse("--name third").settings, Settings::default());
        let text = fs::read_to_string(&path).unwrap();
        let expect = "\n[other]\npreset = \"paid\"\nbucket = \"more-files\"\n\
                 \n[pilotlight]\npreset = \"free\"\nbucket = \"files\"\ndomain = \"p.example.com\"\n";
        assert!(text.starts_with('#') && text.ends_with(expect), "{text}");
        assert_eq!(parse("--preset paid").settings.bucket, "files");
        assert_eq!(deploy("--domain none").settings.domain, None);
        assert_eq!(parse("").settings.domain, None);
        fs::remove_file(&path).unwrap();
    }

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
