//! Requests of `querier.v1` in protobuf's JSON: proto names and lowerCamelCase, numbers as numbers
//! or text, enum values by name or number, `null` for a field that is not set. Fields that no call
//! has are ignored.

use std::fmt;

use pilotlight_core::{ProfileType, Selector, TimeRange, UnixNanos};
use serde::de::{Error, IgnoredAny, Visitor};
use serde::{Deserialize, Deserializer};

use crate::api::query;
use crate::http::parameters::checked;
use crate::platform::errors::Problem;

/// Most selectors of a call: 16. Each may hold half a megabyte of compiled expressions, and all are
/// held at once.
const MAX_SELECTORS: usize = 16;

/// The fields of all calls that are answered; each call reads its own.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Fields {
    #[serde(
        alias = "profileTypeID",
        alias = "profileTypeId",
        rename = "profile_typeID",
        deserialize_with = "unset"
    )]
    profile_type_id: String,
    #[serde(alias = "labelSelector", deserialize_with = "unset")]
    label_selector: String,
    #[serde(deserialize_with = "unset")]
    start: Int64,
    #[serde(deserialize_with = "unset")]
    end: Int64,
    #[serde(deserialize_with = "unset")]
    pub(super) matchers: Vec<String>,
    #[serde(alias = "labelNames", deserialize_with = "unset")]
    pub(super) label_names: Vec<String>,
    #[serde(deserialize_with = "unset")]
    pub(super) name: String,
    #[serde(alias = "maxNodes", deserialize_with = "unset")]
    pub(super) max_nodes: Int64,
    #[serde(deserialize_with = "unset")]
    format: Enum,
    #[serde(alias = "groupBy", deserialize_with = "unset")]
    pub(super) group_by: Vec<String>,
    #[serde(deserialize_with = "unset")]
    pub(super) step: Double,
    #[serde(deserialize_with = "unset")]
    pub(super) aggregation: Enum,
    #[serde(deserialize_with = "unset")]
    pub(super) limit: Int64,
    #[serde(alias = "stackTraceSelector", deserialize_with = "unset")]
    stack_trace_selector: StackTraceSelector,
    #[serde(alias = "profileIdSelector", deserialize_with = "unset")]
    profile_id_selector: Vec<IgnoredAny>,
    #[serde(alias = "traceIdSelector", deserialize_with = "unset")]
    trace_id_selector: Vec<IgnoredAny>,
    #[serde(alias = "spanSelector", deserialize_with = "unset")]
    span_selector: Vec<IgnoredAny>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct StackTraceSelector {
    #[serde(alias = "callSite", deserialize_with = "unset")]
    call_site: Vec<IgnoredAny>,
}

/// A field's value, or its default where it is `null`.
fn unset<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A 64-bit integer, which JSON carries as text, since JavaScript's numbers end at 2^53.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Int64(pub(super) i64);

impl<'de> Deserialize<'de> for Int64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(AnyForm)? {
            Form::Whole(value) => Ok(Self(value)),
            Form::Float(value) => whole(value)
                .map(Self)
                .ok_or_else(|| D::Error::custom(format!("{value} is not a whole number"))),
            Form::Text(text) => {
                let value = text.parse().ok().or_else(|| whole(number(&text)?));
                value
                    .map(Self)
                    .ok_or_else(|| D::Error::custom(format!("{text:?} is not a 64-bit integer")))
            }
        }
    }
}

/// `1e3` and `7.0` are integers, too. Powers of two bound them, so that nothing is rounded.
fn whole(value: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (value.fract() == 0.0 && (-END..END).contains(&value)).then_some(value as i64)
}

/// The parser of JSON is there anyway; that of the standard library has a table of 10 kB.
fn number(text: &str) -> Option<f64> {
    serde_json::from_str(text).ok()
}

/// A floating-point number; as text it may be `Infinity`, `-Infinity` or `NaN`, too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Double(pub(super) f64);

impl<'de> Deserialize<'de> for Double {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(AnyForm)? {
            Form::Whole(value) => Ok(Self(value as f64)),
            Form::Float(value) => Ok(Self(value)),
            Form::Text(text) => {
                let value = match text.as_str() {
                    "NaN" => Some(f64::NAN),
                    "Infinity" => Some(f64::INFINITY),
                    "-Infinity" => Some(f64::NEG_INFINITY),
                    text => number(text),
                };
                value
                    .map(Self)
                    .ok_or_else(|| D::Error::custom(format!("{text:?} is not a number")))
            }
        }
    }
}

/// An enum value by name or by number, kept as text.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Enum(pub(super) String);

impl<'de> Deserialize<'de> for Enum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(AnyForm)? {
            Form::Whole(value) => value.to_string(),
            Form::Float(value) => value.to_string(),
            Form::Text(text) => text,
        }))
    }
}

/// The forms in which protobuf's JSON has numbers and enum values.
enum Form {
    Whole(i64),
    Float(f64),
    Text(String),
}

struct AnyForm;

impl Visitor<'_> for AnyForm {
    type Value = Form;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or text")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Form, E> {
        Ok(Form::Whole(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Form, E> {
        i64::try_from(value)
            .map(Form::Whole)
            .map_err(|_| E::custom(format!("{value} is not a 64-bit integer")))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Form, E> {
        Ok(Form::Float(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Form, E> {
        Ok(Form::Text(text.to_owned()))
    }
}

impl Fields {
    pub(super) fn parse(body: &[u8]) -> Result<Self, Problem> {
        // An empty message may come as an empty body.
        let body = if body.trim_ascii().is_empty() {
            b"{}"
        } else {
            body
        };
        serde_json::from_slice(body).map_err(|e| Problem::invalid(format!("request: {e}")))
    }

    /// The range of a call that needs one. Both ends are inside, as Pyroscope has it.
    pub(super) fn range(&self) -> Result<TimeRange, Problem> {
        if self.start.0 == 0 || self.end.0 == 0 {
            return Err(Problem::invalid("missing time range in the query"));
        }
        let (from, until) = (
            UnixNanos::from_millis(self.start.0),
            UnixNanos::from_millis(self.end.0.saturating_add(1)),
        );
        checked(TimeRange { from, until })
    }

    /// The range of a call that may do without: the last day then.
    pub(super) fn range_or_day(&self, now: UnixNanos) -> Result<TimeRange, Problem> {
        if self.start.0 == 0 && self.end.0 == 0 {
            return Ok(day_before(now));
        }
        self.range()
    }

    /// Selectors of which a series needs to match one; without any, every series does.
    pub(super) fn selectors(&self) -> Result<Vec<Selector>, Problem> {
        if self.matchers.len() > MAX_SELECTORS {
            let message = format!(
                "{} matchers are more than the {MAX_SELECTORS} allowed",
                self.matchers.len()
            );
            return Err(Problem::invalid(message));
        }
        self.matchers
            .iter()
            .map(|text| query::selector(text))
            .collect()
    }

    /// Profile type and selector of a call for profiles.
    pub(super) fn selection(&self) -> Result<(Selector, ProfileType), Problem> {
        let profile_type = self.profile_type_id.parse().map_err(Problem::invalid)?;
        Ok((query::selector(&self.label_selector)?, profile_type))
    }

    /// Refuses what would change the answer and is not understood, rather than to answer something
    /// else.
    pub(super) fn refuse_unsupported(&self) -> Result<(), Problem> {
        let refused = [
            (
                !self.stack_trace_selector.call_site.is_empty(),
                "stack_trace_selector",
            ),
            (!self.profile_id_selector.is_empty(), "profile_id_selector"),
            (!self.trace_id_selector.is_empty(), "trace_id_selector"),
            (!self.span_selector.is_empty(), "span_selector"),
            (
                !matches!(
                    self.format.0.as_str(),
                    "" | "0" | "1" | "PROFILE_FORMAT_UNSPECIFIED" | "PROFILE_FORMAT_FLAMEGRAPH"
                ),
                "format",
            ),
        ];
        match refused.iter().find(|(given, _)| *given) {
            Some((_, field)) => Err(Problem::unimplemented(format!(
                "the field {field} is not supported with this value"
            ))),
            None => Ok(()),
        }
    }
}

/// The day up to now, and an hour beyond it for clocks that are ahead.
pub(super) fn day_before(now: UnixNanos) -> TimeRange {
    const HOUR: i64 = 3_600_000_000_000;
    TimeRange {
        from: now.plus(-24 * HOUR),
        until: now.plus(HOUR),
    }
}

#[cfg(test)]
mod tests;
