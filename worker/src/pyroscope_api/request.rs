//! Requests of `querier.v1` in protobuf's JSON: proto names and lowerCamelCase, 64-bit integers as numbers or text.

use pilotlight_core::{ProfileType, Selector, TimeRange, UnixNanos};
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};

use crate::errors::Problem;
use crate::parameters::checked;
use crate::query;

/// The fields of all calls that are answered; each call reads its own.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Ask {
    #[serde(alias = "profileTypeID", alias = "profileTypeId", rename = "profile_typeID")]
    profile_type_id: String,
    #[serde(alias = "labelSelector")]
    label_selector: String,
    start: Int64,
    end: Int64,
    pub(super) matchers: Vec<String>,
    #[serde(alias = "labelNames")]
    pub(super) label_names: Vec<String>,
    pub(super) name: String,
    #[serde(alias = "maxNodes")]
    pub(super) max_nodes: Int64,
    format: Enum,
    #[serde(alias = "groupBy")]
    pub(super) group_by: Vec<String>,
    pub(super) step: f64,
    pub(super) aggregation: Enum,
    pub(super) limit: Int64,
    #[serde(alias = "stackTraceSelector")]
    stack_trace_selector: StackTraceSelector,
    #[serde(alias = "profileIdSelector")]
    profile_id_selector: Vec<IgnoredAny>,
    #[serde(alias = "traceIdSelector")]
    trace_id_selector: Vec<IgnoredAny>,
    #[serde(alias = "spanSelector")]
    span_selector: Vec<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StackTraceSelector {
    #[serde(alias = "callSite")]
    call_site: Vec<IgnoredAny>,
}

/// A 64-bit integer, which JSON carries as text, since JavaScript's numbers end at 2^53.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Int64(pub(super) i64);

impl<'de> Deserialize<'de> for Int64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(i64),
            Float(f64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(value) => Ok(Self(value)),
            Form::Float(value) if value.fract() == 0.0 => Ok(Self(value as i64)),
            Form::Float(value) => Err(D::Error::custom(format!("{value} is not a whole number"))),
            Form::Text(text) => {
                text.parse().map(Self).map_err(|_| D::Error::custom(format!("{text:?} is not a 64-bit integer")))
            }
        }
    }
}

/// An enum value by name or by number, kept as text.
#[derive(Debug, Default)]
pub(super) struct Enum(pub(super) String);

impl<'de> Deserialize<'de> for Enum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(i64),
            Text(String),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Number(value) => Self(value.to_string()),
            Form::Text(text) => Self(text),
        })
    }
}

impl Ask {
    pub(super) fn parse(body: &[u8]) -> Result<Self, Problem> {
        // An empty message may come as an empty body.
        let body = if body.trim_ascii().is_empty() { b"{}" } else { body };
        serde_json::from_slice(body).map_err(|e| Problem::invalid(format!("request: {e}")))
    }

    /// The range of a call that needs one. Both ends are inside, as Pyroscope has it.
    pub(super) fn range(&self) -> Result<TimeRange, Problem> {
        if self.start.0 == 0 || self.end.0 == 0 {
            return Err(Problem::invalid("missing time range in the query"));
        }
        let (from, until) = (UnixNanos::from_millis(self.start.0), UnixNanos::from_millis(self.end.0.saturating_add(1)));
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
        self.matchers.iter().map(|text| query::selector(text)).collect()
    }

    /// Profile type and selector of a call for profiles.
    pub(super) fn selection(&self) -> Result<(Selector, ProfileType), Problem> {
        let profile_type = self.profile_type_id.parse().map_err(Problem::invalid)?;
        Ok((query::selector(&self.label_selector)?, profile_type))
    }

    /// Refuses what would change the answer and is not understood, rather than to answer something else.
    pub(super) fn refuse_unsupported(&self) -> Result<(), Problem> {
        let refused = [
            (!self.stack_trace_selector.call_site.is_empty(), "stack_trace_selector"),
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
            Some((_, field)) => Err(Problem::unimplemented(format!("{field} is not supported in this form"))),
            None => Ok(()),
        }
    }
}

/// The day up to now, and an hour beyond it for clocks that are ahead.
pub(super) fn day_before(now: UnixNanos) -> TimeRange {
    const HOUR: i64 = 3_600_000_000_000;
    TimeRange { from: now.plus(-24 * HOUR), until: now.plus(HOUR) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Ask {
        Ask::parse(body.as_bytes()).unwrap()
    }

    #[test]
    fn both_spellings_and_both_forms_of_integers() {
        for body in [
            r#"{"profile_typeID":"a:b:c::","label_selector":"{}","start":"1","end":2,"max_nodes":"7","unknown":[1]}"#,
            r#"{"profileTypeID":"a:b:c::","labelSelector":"{}","start":1,"end":"2","maxNodes":7,"format":1}"#,
        ] {
            let ask = parse(body);
            assert_eq!(ask.selection().unwrap().1.to_string(), "a:b:c::");
            let range = ask.range().unwrap();
            assert_eq!((range.from.millis(), range.until.millis(), ask.max_nodes.0), (1, 3, 7));
            assert_eq!(ask.refuse_unsupported(), Ok(()));
        }
        assert_eq!(parse("").matchers.len(), 0);
    }

    #[test]
    fn refusals() {
        let message = |body: &str| Ask::parse(body.as_bytes()).unwrap_err().message;
        assert!(message(r#"{"start":"x"}"#).starts_with("request: \"x\" is not a 64-bit integer at line 1"));
        assert!(message(r#"{"start":1.5}"#).starts_with("request: 1.5 is not a whole number at line 1"));
        assert_eq!(parse("{}").range().unwrap_err().message, "missing time range in the query");
        assert_eq!(parse(r#"{"start":9,"end":5}"#).range().unwrap_err().status, 400);
        assert_eq!(parse(r#"{"profile_typeID":"x"}"#).selection().unwrap_err().status, 400);
        for body in [
            r#"{"format":"PROFILE_FORMAT_TREE"}"#,
            r#"{"stackTraceSelector":{"callSite":[{"name":"main"}]}}"#,
            r#"{"span_selector":["0123456789abcdef"]}"#,
        ] {
            assert_eq!(parse(body).refuse_unsupported().unwrap_err().status, 501, "{body}");
        }
    }
}
