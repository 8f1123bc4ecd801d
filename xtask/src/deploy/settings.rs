//! What a worker's deployment is given, and which values may be given.

use super::preset::Preset;
use crate::proc::{Failure, Result};

/// What is kept of a worker's deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) preset: Preset,
    pub(super) bucket: String,
    pub(super) domain: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            preset: Preset::Paid,
            bucket: "pilotlight".to_owned(),
            domain: None,
        }
    }
}

/// Names of workers and buckets stand in addresses and in `wrangler.toml`.
pub(super) fn label(option: &str, name: &str) -> Result<String> {
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

/// An option that cannot be taken.
pub(super) fn wrong(cause: String) -> Failure {
    Failure::new(cause, "run `cargo xtask help`")
}
