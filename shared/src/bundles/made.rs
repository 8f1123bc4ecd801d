//! `bundle.json`.

use serde::{Deserialize, Serialize};

use super::error::BundleError;
use crate::base::units::TimeRange;

/// The file that describes a bundle.
pub(super) const DESCRIPTION: &str = "bundle.json";

/// What a bundle was made of. Pages show it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Made {
    /// The selector of a slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// How many files the profiles came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// When the first profile may begin, in milliseconds since the epoch.
    pub from: i64,
    /// Before when the last one begins.
    pub until: i64,
    /// The commit that the profiles are about, as whoever made the bundle says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// When it was made, as whoever made it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Profiles were chosen of which there are only sums; they are not in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

impl Made {
    /// Of what a selector, as it was given, selects from a range. `incomplete` says that of some
    /// there are only sums.
    pub fn slice(selector: &str, range: TimeRange, incomplete: bool) -> Self {
        Self {
            selector: (!selector.is_empty()).then(|| selector.to_owned()),
            from: range.from.millis(),
            until: range.until.millis(),
            incomplete,
            ..Self::default()
        }
    }
}

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Description {
    pub(super) version: u32,
    /// Of the objects.
    pub(super) digest: String,
    /// The names of its catalog.
    pub(super) catalog: Vec<String>,
    pub(super) made: Made,
}

impl Description {
    pub(super) const VERSION: u32 = 1;

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, BundleError> {
        let description: Self = serde_json::from_slice(bytes)
            .map_err(|error| BundleError::Description(error.to_string()))?;
        match description.version {
            Self::VERSION => Ok(description),
            version => Err(BundleError::Description(format!(
                "bundle version {version} is not supported; expected version {}",
                Self::VERSION
            ))),
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("texts and numbers are JSON");
        json.push(b'\n');
        json
    }
}
