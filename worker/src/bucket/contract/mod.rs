//! What Pilotlight needs of a bucket, as checks that run against any: in tests, and for an operator
//! against their own.
//!
//! Everything happens under a prefix that is the check's alone, and is deleted in the end.

mod conditions;
mod lists;
mod objects;
mod space;
#[cfg(test)]
mod tests;

use serde::Serialize;

use self::space::Space;
use super::Bucket;

/// A part of the contract. Each but the last takes fewer than the 50 requests over S3 that an
/// invocation has on the platform's free plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Objects,
    Conditions,
    Lists,
    /// A list of more than one page, for which a thousand objects are written.
    Pages,
}

impl Part {
    pub(crate) const ALL: [Self; 4] = [Self::Objects, Self::Conditions, Self::Lists, Self::Pages];

    /// As a request names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Objects => "objects",
            Self::Conditions => "conditions",
            Self::Lists => "lists",
            Self::Pages => "pages",
        }
    }
}

/// What was found, one entry a check.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// Whether all checks passed.
    pub(crate) ok: bool,
    pub(crate) checks: Vec<Check>,
}

/// One property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) ok: bool,
    /// What was seen instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<String>,
}

/// The prefix under which nothing of ours is kept.
const PREFIX: &str = "check/";

/// Tries parts of the contract. `unique` keeps checks at the same time apart.
pub(crate) async fn check(bucket: &impl Bucket, unique: u64, parts: &[Part]) -> Report {
    let space = Space {
        bucket,
        prefix: format!("{PREFIX}{unique:016x}/"),
    };
    let mut checks = Vec::new();
    let mut note = |name, outcome: Result<(), String>| {
        checks.push(Check {
            name,
            ok: outcome.is_ok(),
            seen: outcome.err(),
        })
    };
    for part in parts {
        match part {
            Part::Objects => {
                note("read after write", space.writes().await);
                note("ranges", space.ranges().await);
                note("empty objects", space.empty().await);
                note("bulk deletion", space.deletes().await);
                note("long keys", space.long_keys().await);
                note("large objects", space.large().await);
            }
            Part::Conditions => {
                note(
                    "conditional writes: create only (If-None-Match)",
                    space.absent().await,
                );
                note(
                    "conditional writes: replace a known version (If-Match)",
                    space.matches().await,
                );
                note(
                    "concurrent conditional writes: exactly one succeeds",
                    space.rivals().await,
                );
            }
            Part::Lists => {
                note(
                    "lists: names with any characters, in order",
                    space.lists().await,
                );
                note("lists: grouped by a delimiter", space.delimiters().await);
            }
            Part::Pages => note("lists: pages", space.pages().await),
        }
    }
    note("cleanup", space.clean().await);
    Report {
        ok: checks.iter().all(|check| check.ok),
        checks,
    }
}
