//! The shape of the JSON, read into columns: a frame of a stack takes two bytes of text, and would
//! take eight times as much as a value of its own.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::base::limits::{MAX_SERIES_A_PUSH, MAX_STACK_DEPTH};
use crate::formats::json::each;
use crate::formats::json::misshapen::Misshapen;
use crate::model::builder::ProfileBuilder;
use crate::model::id::LocationId;
use crate::model::profile::{Function, Line};

/// Most profiles in a file, of which each is a thread or a process: as many as one push may make
/// series.
pub const MAX_PROFILES: usize = MAX_SERIES_A_PUSH;

/// The exporter of what is written here.
pub(super) const EXPORTER: &str = "Pilotlight";

/// The label whose values are profiles of their own in what is written here.
pub(super) const THREAD: &str = "thread";

/// A file.
#[derive(Deserialize)]
pub(super) struct Document {
    #[serde(rename = "$schema", default)]
    pub(super) schema: Option<String>,
    #[serde(default)]
    pub(super) shared: Shared,
    pub(super) profiles: Profiles,
    /// The number of the profile to show first; anything that isn't a number is ignored.
    #[serde(rename = "activeProfileIndex", default)]
    active: Option<Box<RawValue>>,
    /// The program that wrote it.
    #[serde(default)]
    pub(super) exporter: Option<String>,
}

impl Document {
    /// The number of the profile to show first.
    pub(super) fn active(&self) -> Option<usize> {
        self.active.as_ref()?.get().parse().ok()
    }
}

/// What all profiles use.
#[derive(Deserialize, Default)]
pub(super) struct Shared {
    pub(super) frames: Frames,
}

/// The table of frames.
#[derive(Default)]
pub(super) struct Frames {
    pub(super) builder: ProfileBuilder,
    /// By number of the frame.
    pub(super) locations: Vec<LocationId>,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    file: Option<Cow<'a, str>>,
    #[serde(default)]
    line: Option<f64>,
    #[serde(default)]
    col: Option<f64>,
}

/// Profiles, and those that do not have the shape of one.
pub(super) struct Profiles(pub(super) Vec<Result<RawProfile, Misshapen>>);

/// A profile as it is written.
#[derive(Deserialize)]
#[serde(expecting = "a profile")]
pub(super) struct RawProfile {
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) name: Option<String>,
    pub(super) unit: Unit,
    /// Where the first sample begins; anything that isn't a number is ignored.
    #[serde(rename = "startValue", default)]
    start: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) events: Option<Vec<Event>>,
    #[serde(default)]
    pub(super) samples: Option<Stacks>,
    #[serde(default)]
    pub(super) weights: Option<Vec<f64>>,
}

impl RawProfile {
    /// Where the first sample begins.
    pub(super) fn start(&self) -> Option<f64> {
        // Rust's own `parse` would add 15 kB to modules that need it nowhere else.
        let number = serde_json::from_str(self.start.as_ref()?.get());
        number.ok().filter(|number: &f64| number.is_finite())
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Evented,
    Sampled,
}

/// What values are measured in.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    None,
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
    Bytes,
}

#[derive(Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) change: Change,
    pub(super) at: f64,
    pub(super) frame: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Change {
    #[serde(rename = "O")]
    Open,
    #[serde(rename = "C")]
    Close,
}

/// Stacks of frames, the root first.
#[derive(Default)]
pub(super) struct Stacks {
    /// All stacks end to end.
    pub(super) frames: Vec<u32>,
    /// Where each ends.
    pub(super) ends: Vec<u32>,
}

impl Unit {
    /// Type and unit of the column that values of it go to.
    pub(super) fn sample_type(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("samples", "count"),
            Self::Bytes => ("space", "bytes"),
            Self::Nanoseconds | Self::Microseconds | Self::Milliseconds | Self::Seconds => {
                ("time", "nanoseconds")
            }
        }
    }

    /// Whether values are times.
    pub(super) fn is_time(self) -> bool {
        self.sample_type().1 == "nanoseconds"
    }

    /// How many of the column's unit make up one.
    pub(super) fn factor(self) -> f64 {
        match self {
            Self::None | Self::Bytes | Self::Nanoseconds => 1.0,
            Self::Microseconds => 1e3,
            Self::Milliseconds => 1e6,
            Self::Seconds => 1e9,
        }
    }
}

impl<'de> Deserialize<'de> for Frames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut frames = Self::default();
        each(deserializer, "a list of frames", |frame: Frame<'de>| {
            frames.push(&frame);
            Ok(())
        })?;
        Ok(frames)
    }
}

impl Frames {
    fn push(&mut self, frame: &Frame<'_>) {
        let builder = &mut self.builder;
        let name = builder.string(&frame.name);
        let file = builder.string(frame.file.as_deref().unwrap_or(""));
        let function = builder.function(Function::named(name, file));
        let number = |number: Option<f64>| number.unwrap_or(0.0).max(0.0) as i64;
        let line = Line {
            function: Some(function),
            line: number(frame.line),
            column: number(frame.col),
        };
        let location = builder.location(None, 0, false, &[line]);
        self.locations.push(location);
    }
}

impl<'de> Deserialize<'de> for Profiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut profiles = Vec::new();
        each(deserializer, "a list of profiles", |json: &'de RawValue| {
            if profiles.len() >= MAX_PROFILES {
                return Err(format!("there are more than {MAX_PROFILES} profiles"));
            }
            let profile = serde_json::from_slice(json.get().as_bytes());
            profiles.push(profile.map_err(|error| Misshapen::of::<String>(json, &error)));
            Ok(())
        })?;
        Ok(Self(profiles))
    }
}

impl<'de> Deserialize<'de> for Stacks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self::default())
    }
}

impl<'de> Visitor<'de> for Stacks {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of stacks")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut stacks: A) -> Result<Self, A::Error> {
        while stacks
            .next_element_seed(NextStack(&mut self.frames))?
            .is_some()
        {
            // A frame takes a byte at least, and inputs stay below 4 GiB.
            self.ends.push(self.frames.len() as u32);
        }
        Ok(self)
    }
}

/// Reads one stack behind the others.
struct NextStack<'a>(&'a mut Vec<u32>);

impl<'de> DeserializeSeed<'de> for NextStack<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let first = self.0.len();
        each(deserializer, "a list of frames", |frame| {
            if self.0.len() - first >= MAX_STACK_DEPTH {
                return Err(format!("a stack has more than {MAX_STACK_DEPTH} frames"));
            }
            self.0.push(frame);
            Ok(())
        })
    }
}
