//! `deploy.toml`: what the last deployment of each worker was given, so that an upgrade without
//! options changes nothing. It holds no secret.

use super::preset::Preset;
use super::settings::{Settings, bucket, domain};
use crate::proc::{Context, Failure, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// How the file begins.
const HEAD: &str = "# What `cargo xtask deploy` was given, by the worker's name. An upgrade takes it from here. There is no secret in it.\n";

/// Settings by the worker's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recorded(BTreeMap<String, Settings>);

impl Recorded {
    /// Reads the file; without one nothing was deployed.
    pub(super) fn read(path: &Path) -> Result<Self> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).context(path.display()),
        }
    }

    /// Those of a worker, or the defaults.
    pub(super) fn settings(&self, name: &str) -> Settings {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// Writes the file with those of a deployment.
    pub(super) fn remember(mut self, name: &str, settings: &Settings, path: &Path) -> Result<()> {
        self.0.insert(name.to_owned(), settings.clone());
        fs::write(path, self.text()).context(path.display())
    }

    fn parse(text: &str) -> Result<Self> {
        let mut workers = BTreeMap::new();
        let mut worker: Option<&mut Settings> = None;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            let wrong = |cause: String| {
                let cause = format!("deploy.toml, line {number}: {cause}");
                Failure::new(
                    cause,
                    "mend the line, or delete the file and give all options",
                )
            };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let header = line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix(']'));
            if let Some(name) = header {
                worker = Some(workers.entry(name.to_owned()).or_default());
                continue;
            }
            let pair = line.split_once(" = ").and_then(|(key, value)| {
                let value = value.strip_prefix('"')?.strip_suffix('"')?;
                Some((key, value, worker.as_deref_mut()?))
            });
            let Some((key, value, settings)) = pair else {
                return Err(wrong(format!(
                    "{line:?} is not `name = \"value\"` of a worker"
                )));
            };
            let read = match key {
                "preset" => Preset::named(value).map(|preset| settings.preset = preset),
                "bucket" => bucket(value).map(|bucket| settings.bucket = bucket),
                "domain" => domain(value).map(|domain| settings.domain = Some(domain)),
                _ => Err(wrong(format!("there is no setting {key}"))),
            };
            read.map_err(|failure| wrong(failure.cause))?;
        }
        Ok(Self(workers))
    }

    fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (name, settings) in &self.0 {
            let (preset, bucket) = (settings.preset.name(), &settings.bucket);
            let _ = write!(
                text,
                "\n[{name}]\npreset = \"{preset}\"\nbucket = \"{bucket}\"\n"
            );
            if let Some(domain) = &settings.domain {
                let _ = writeln!(text, "domain = \"{domain}\"");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_does_not_read_is_named() {
        let cause = |text: &str| Recorded::parse(text).unwrap_err().cause;
        assert!(cause("[a]\nbucket = files\n").starts_with("deploy.toml, line 2: "));
        assert!(cause("bucket = \"files\"\n").starts_with("deploy.toml, line 1: "));
        assert!(cause("[a]\n\nbucket = \"F\"\n").contains("line 3: "));
        assert!(cause("[a]\npreset = \"huge\"\n").contains("huge"));
        assert!(cause("[a]\nregion = \"eu\"\n").contains("no setting region"));
        assert_eq!(Recorded::parse("# nothing\n").unwrap(), Recorded::default());
    }
}
