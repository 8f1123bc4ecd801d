//! Which samples of a profile: those of some spans, or of some traces.

use std::collections::BTreeSet;

use crate::model::trace::{SpanId, TraceId};

/// Selects samples by the trace context that came with them. Samples without any are never
/// selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanSelector {
    /// Samples of these spans.
    Spans(BTreeSet<SpanId>),
    /// Samples of these traces, whatever their spans.
    Traces(BTreeSet<TraceId>),
}

impl SpanSelector {
    /// Whether it selects samples of this trace and span.
    pub fn matches(&self, trace: Option<TraceId>, span: Option<SpanId>) -> bool {
        match self {
            Self::Spans(spans) => span.is_some_and(|span| spans.contains(&span)),
            Self::Traces(traces) => trace.is_some_and(|trace| traces.contains(&trace)),
        }
    }
}
