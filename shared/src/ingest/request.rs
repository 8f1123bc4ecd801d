//! What a push says beside its profile: the query string, and how sample types are to be
//! understood.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::IngestError;
use super::limits::IngestLimits;
use super::origin::{Origin, is_plausible};
use crate::base::parse_time::parse_time;
use crate::base::units::UnixNanos;
use crate::formats::{folded, legacy, speedscope};
use crate::model::labels::parse_name;

/// A request to `/ingest`.
#[derive(Clone, Copy, Debug)]
pub struct Push<'a> {
    /// The query string, still encoded, without the question mark.
    pub query: &'a str,
    /// The `Content-Type` header, empty when there is none.
    pub content_type: &'a str,
    /// The body as it came.
    pub body: &'a [u8],
    /// Whose data this is.
    pub tenant: &'a str,
    /// Address of the sender: tells two replicas that push equal profiles from one that pushes
    /// twice.
    pub client: &'a str,
    /// The current time.
    pub now: UnixNanos,
    /// What the tenant may push.
    pub limits: IngestLimits,
}

/// How an agent wants a sample type to be understood; of all it may say only the name is needed.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SampleTypeConfig {
    #[serde(default, rename = "display-name")]
    pub(super) display_name: String,
}

/// By the name of the sample type.
pub(super) type Config = BTreeMap<String, SampleTypeConfig>;

/// What the query string says.
pub(super) struct Parameters {
    pub(super) origin: Origin,
    /// Time for which a sample of a recording stands, from `sampleRate`.
    pub(super) period_nanos: Option<i64>,
    /// The parameter `name` as it came.
    pub(super) name: String,
    format: String,
}

/// How stacks are written whose values the name of the application explains.
#[derive(Clone, Copy)]
pub(super) enum TextFormat {
    /// Each stack with its value.
    Folded,
    /// A stack a line, which counts once.
    Lines,
    /// Folded stacks as a trie.
    Trie,
    /// A tree of frames.
    Tree,
    /// JSON of speedscope.
    Speedscope,
}

impl Parameters {
    pub(super) fn parse(push: &Push<'_>) -> Result<Self, IngestError> {
        let (mut name, mut spy) = (None, String::new());
        let mut format = format_of(push.content_type).to_owned();
        let (mut from, mut until, mut period_nanos) = (None, None, None);
        for (key, value) in form_urlencoded::parse(push.query.as_bytes()) {
            let time = |parameter| {
                let wrong = || IngestError::Time {
                    parameter,
                    value: value.to_string(),
                };
                let time = parse_time(&value, push.now).or_else(|| short_seconds(&value));
                time.ok_or_else(wrong).map(Some)
            };
            match key.as_ref() {
                "name" => name = Some((parse_name(&value)?, value.into_owned())),
                "spyName" => spy = value.into_owned(),
                "format" if !value.is_empty() => format = value.into_owned(),
                "from" if !value.is_empty() => from = time("from")?,
                "until" if !value.is_empty() => until = time("until")?,
                "sampleRate" => {
                    let rate: Option<i64> = value.parse().ok().filter(|&rate| rate > 0);
                    period_nanos = rate.map(|rate| 1_000_000_000 / rate);
                }
                // Agents send more (units, aggregationType, spyVersion); the profile itself says
                // those.
                _ => {}
            }
        }
        let spy = (!spy.is_empty() && spy != "unknown").then(|| ("pyroscope_spy".to_owned(), spy));
        let (labels, name) = name.ok_or(IngestError::NoName)?;
        let labels = labels.with_defaults(spy)?;
        let duration_nanos = match (from, until) {
            (Some(from), Some(until)) if is_plausible(from) => {
                until.0.saturating_sub(from.0).max(0)
            }
            _ => 0,
        };
        Ok(Self {
            origin: Origin {
                labels,
                from: from.or(until),
                arrival: push.now,
                duration_nanos,
            },
            period_nanos,
            name,
            format,
        })
    }

    /// Whether the sender says that it sends a recording.
    pub(super) fn is_jfr(&self) -> bool {
        self.format == "jfr"
    }

    /// How the body is written, if it is of these: as the sender says, else as it looks.
    pub(super) fn text_format(&self, body: &[u8]) -> Option<TextFormat> {
        match self.format.as_str() {
            "groups" | "folded" => Some(TextFormat::Folded),
            "lines" => Some(TextFormat::Lines),
            "trie" => Some(TextFormat::Trie),
            "tree" => Some(TextFormat::Tree),
            "speedscope" => Some(TextFormat::Speedscope),
            "" if speedscope::sniff(body) => Some(TextFormat::Speedscope),
            // Reports of gperftools and old Go are text too.
            "" if body.is_empty() || folded::sniff(body) && legacy::sniff(body).is_none() => {
                Some(TextFormat::Folded)
            }
            _ => None,
        }
    }

    /// Refuses a body that is not multipart and whose format is not read. One without a format is
    /// told by its content.
    pub(super) fn check_format(&self) -> Result<(), IngestError> {
        match self.format.as_str() {
            "" | "pprof" | "groups" | "folded" | "lines" | "trie" | "tree" | "speedscope" => Ok(()),
            other => Err(IngestError::Format(other.to_owned())),
        }
    }
}

/// Eight digits that are not a date: seconds of a clock that counts from the start of a machine.
fn short_seconds(text: &str) -> Option<UnixNanos> {
    let digits = text.trim();
    let is_number = digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_digit());
    let seconds: i64 = digits.parse().ok().filter(|_| is_number)?;
    Some(UnixNanos(seconds * 1_000_000_000))
}

/// The format that old agents name by the type of the content, or nothing.
fn format_of(content_type: &str) -> &'static str {
    match content_type.split(';').next().map(str::trim) {
        Some("binary/octet-stream+trie") => "trie",
        Some("binary/octet-stream+tree") => "tree",
        _ => "",
    }
}
