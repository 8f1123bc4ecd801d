//! The profile type id, `name:type:unit:period_type:period_unit`, by which Pyroscope's clients name
//! a kind of profile.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::limits::MAX_TYPE_PART;

/// What a stored series measures, such as `process_cpu:cpu:nanoseconds:cpu:nanoseconds`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProfileType {
    /// Group of types that one profiler writes: `process_cpu`, `memory`, `goroutines`.
    pub name: String,
    /// What is counted.
    pub sample_type: String,
    /// In which unit.
    pub sample_unit: String,
    /// What the sampling period is measured in; may be empty.
    pub period_type: String,
    /// In which unit; may be empty.
    pub period_unit: String,
}

/// A text that is not a profile type id.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("profile type {0:?} is not of the form name:type:unit:period_type:period_unit")]
pub struct ProfileTypeError(pub String);

/// Why a profile type cannot be stored: its id could not be asked for.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnusableType {
    /// The sample type or its unit is missing.
    #[error(
        "the profile has a sample type {sample_type:?} with unit {sample_unit:?}; neither can be empty"
    )]
    Empty {
        /// The sample type.
        sample_type: String,
        /// Its unit.
        sample_unit: String,
    },
    /// A character that ends a part of an id.
    #[error(
        "the profile's type contains {character:?} in {part:?}; ':', '{{' and white space are not allowed"
    )]
    Character {
        /// The part of the type.
        part: String,
        /// What was found.
        character: char,
    },
    /// A part that is too long.
    #[error("the profile's type has a part of {0} bytes; at most {MAX_TYPE_PART} are allowed")]
    TooLong(usize),
}

impl ProfileType {
    /// Whether it counts what there is at an instant, such as memory in use, and not what is used
    /// over a time. Nothing in a profile says so; these are the names that profilers give it, as in
    /// `site/src/format/type.ts`.
    pub fn is_gauge(&self) -> bool {
        let sample_type = &*self.sample_type;
        let of_sample = [
            "goroutine",
            "goroutines",
            "goroutineleak",
            "goroutine_leak",
            "thread",
            "threads",
            "live",
        ];
        let of_name = [
            "goroutine",
            "goroutines",
            "goroutineleak",
            "goroutine_leak",
            "threadcreate",
        ];
        sample_type.starts_with("inuse_")
            || of_sample.contains(&sample_type)
            || of_name.contains(&&*self.name)
    }

    /// Of its parts, in the order of an id.
    pub(crate) fn of_parts(parts: [impl Into<String>; 5]) -> Self {
        let [name, sample_type, sample_unit, period_type, period_unit] = parts.map(Into::into);
        Self {
            name,
            sample_type,
            sample_unit,
            period_type,
            period_unit,
        }
    }

    /// Whether its id can be read again, alone and at the head of a selector.
    pub fn check(&self) -> Result<(), UnusableType> {
        let Self {
            name,
            sample_type,
            sample_unit,
            period_type,
            period_unit,
        } = self;
        if name.is_empty() || sample_type.is_empty() || sample_unit.is_empty() {
            let (sample_type, sample_unit) = (sample_type.clone(), sample_unit.clone());
            return Err(UnusableType::Empty {
                sample_type,
                sample_unit,
            });
        }
        for part in [name, sample_type, sample_unit, period_type, period_unit] {
            if part.len() > MAX_TYPE_PART {
                return Err(UnusableType::TooLong(part.len()));
            }
            if let Some(character) = part
                .chars()
                .find(|&c| matches!(c, ':' | '{') || c.is_whitespace())
            {
                return Err(UnusableType::Character {
                    part: part.clone(),
                    character,
                });
            }
        }
        Ok(())
    }
}

impl fmt::Display for ProfileType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            sample_type,
            sample_unit,
            period_type,
            period_unit,
        } = self;
        write!(
            f,
            "{name}:{sample_type}:{sample_unit}:{period_type}:{period_unit}"
        )
    }
}

impl FromStr for ProfileType {
    type Err = ProfileTypeError;

    /// Five parts; a sixth, `delta`, is accepted and ignored as Pyroscope does.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = text.split(':').collect();
        let [
            name,
            sample_type,
            sample_unit,
            period_type,
            period_unit,
            rest @ ..,
        ] = parts.as_slice()
        else {
            return Err(ProfileTypeError(text.to_owned()));
        };
        if !matches!(rest, [] | ["delta"]) || name.is_empty() || sample_type.is_empty() {
            return Err(ProfileTypeError(text.to_owned()));
        }
        let parts = [name, sample_type, sample_unit, period_type, period_unit];
        Ok(Self::of_parts(parts.map(|part| *part)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauges() {
        let is_gauge = |id: &str| id.parse::<ProfileType>().unwrap().is_gauge();
        for id in [
            "memory:inuse_space:bytes:space:bytes",
            "memory:inuse_objects:count:space:bytes",
            "goroutines:goroutine:count:goroutine:count",
            "threadcreate:threadcreate:count:threadcreate:count",
        ] {
            assert!(is_gauge(id), "{id}");
        }
        for id in [
            "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
            "memory:alloc_space:bytes:space:bytes",
            "mutex:contentions:count:contentions:count",
        ] {
            assert!(!is_gauge(id), "{id}");
        }
    }
}
