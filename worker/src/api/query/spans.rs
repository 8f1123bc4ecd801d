//! `span` and `trace` of a query: the spans or traces whose samples are asked for.

use std::str::FromStr;

use pilotlight_core::SpanSelector;

use crate::http::parameters::Parameters;
use crate::platform::errors::Problem;

/// What the repeated parameters `span` (16 hex digits) or `trace` (32) select; `None` without any.
pub(super) fn selector(parameters: &Parameters) -> Result<Option<SpanSelector>, Problem> {
    let (spans, traces) = (ids(parameters, "span")?, ids(parameters, "trace")?);
    match (spans.is_empty(), traces.is_empty()) {
        (true, true) => Ok(None),
        (false, true) => Ok(Some(SpanSelector::Spans(spans.into_iter().collect()))),
        (true, false) => Ok(Some(SpanSelector::Traces(traces.into_iter().collect()))),
        (false, false) => Err(Problem::invalid(
            "the query parameters span and trace are both given; give one of them",
        )),
    }
}

fn ids<Id: FromStr<Err: std::fmt::Display>>(
    parameters: &Parameters,
    name: &str,
) -> Result<Vec<Id>, Problem> {
    let id = |text: &str| {
        text.parse()
            .map_err(|error| Problem::invalid(format!("{name} is {text:?}: {error}")))
    };
    parameters.all(name).map(id).collect()
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
