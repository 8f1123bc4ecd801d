//! `span` and `trace` of a query: the spans or traces whose samples are asked for.

use std::collections::BTreeSet;
use std::str::FromStr;

use pilotlight_core::SpanSelector;

use crate::http::parameters::Parameters;
use crate::platform::errors::Problem;

/// What the repeated parameters `span` (16 hex digits) or `trace` (32) select; `None` without any.
pub(super) fn selector(parameters: &Parameters) -> Result<Option<SpanSelector>, Problem> {
    let [spans, traces] = ["span", "trace"].map(|name| (name, parameters.all(name)));
    span_selector(spans, traces)
}

/// The spans or traces of a request, each list with the name of its field; not both.
pub(crate) fn span_selector<'a>(
    (span_field, spans): (&str, impl Iterator<Item = &'a str>),
    (trace_field, traces): (&str, impl Iterator<Item = &'a str>),
) -> Result<Option<SpanSelector>, Problem> {
    let (spans, traces) = (ids(span_field, spans)?, ids(trace_field, traces)?);
    match (spans.is_empty(), traces.is_empty()) {
        (true, true) => Ok(None),
        (false, true) => Ok(Some(SpanSelector::Spans(spans))),
        (true, false) => Ok(Some(SpanSelector::Traces(traces))),
        (false, false) => Err(Problem::invalid(format!(
            "{span_field} can't be combined with {trace_field}"
        ))),
    }
}

fn ids<'a, Id: FromStr<Err: std::fmt::Display> + Ord>(
    name: &str,
    texts: impl Iterator<Item = &'a str>,
) -> Result<BTreeSet<Id>, Problem> {
    let id = |text: &str| {
        text.parse()
            .map_err(|error| Problem::invalid(format!("invalid {name} {text:?}: {error}")))
    };
    texts.map(id).collect()
}

#[cfg(test)]
mod tests {
    use pilotlight_core::UnixNanos;

    use super::*;

    #[test]
    fn spans_or_traces() {
        let found = |query: &str| selector(&Parameters::parse(query, UnixNanos(0)));
        assert_eq!(found("query=x&span=").unwrap(), None);
        let spans = found("span=00f067aa0ba902b7&span=00f067aa0ba902b8").unwrap();
        assert!(matches!(spans, Some(SpanSelector::Spans(ids)) if ids.len() == 2));
        let trace = format!("trace={}", "0af7651916cd43dd8448eb211c80319c");
        let traces = found(&trace).unwrap();
        assert!(matches!(traces, Some(SpanSelector::Traces(ids)) if ids.len() == 1));
        for wrong in [
            "span=1",
            "span=0000000000000000",
            "trace=00f067aa0ba902b7",
            &format!("{trace}&span=00f067aa0ba902b7"),
        ] {
            assert_eq!(found(wrong).unwrap_err().status, 400, "{wrong}");
        }
    }
}
