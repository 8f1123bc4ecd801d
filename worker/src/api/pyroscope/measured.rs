//! The part of each method that comes after the store's answer, up to the bytes that are sent, for
//! measurements without a worker around them.

use pilotlight_core::plans::{CatalogObject, QueryAnswer, Timeline};
use pilotlight_core::store::SumWindow;
use pilotlight_core::{Selector, TimeRange};
use serde::Serialize;

use super::buckets::Buckets;
use super::functions::Projection;
use super::series::Aggregation;
use super::{flamegraph, messages, names, series};

/// Bytes of JSON.
fn written(message: &impl Serialize) -> usize {
    serde_json::to_vec(message)
        .expect("an answer as JSON")
        .len()
}

/// Writes an answer about what is selected, and says how long it is.
type Answer = fn(&[CatalogObject], &[Selector], TimeRange) -> usize;

/// Methods about names, each with the bytes of its answer.
pub(crate) const NAMES: [(&str, Answer); 4] = [
    ("ProfileTypes", |objects, selectors, range| {
        written(&names::profile_types(&names::series(
            objects, selectors, range,
        )))
    }),
    ("LabelNames", |objects, selectors, range| {
        written(&names::label_names(
            &names::series(objects, selectors, range),
            true,
        ))
    }),
    ("LabelValues", |objects, selectors, range| {
        written(&names::label_values(
            &names::series(objects, selectors, range),
            "service_name",
        ))
    }),
    ("Series", |objects, selectors, range| {
        written(&names::label_sets(
            &names::series(objects, selectors, range),
            &[],
        ))
    }),
];

/// Bytes of a flame graph.
pub(crate) fn flame_graph(answer: &QueryAnswer, max_nodes: usize) -> usize {
    let graph = flamegraph::flame_graph(answer, max_nodes).expect("a flame graph");
    written(&messages::SelectMergeStacktracesResponse {
        flamegraph: Some(flamegraph::message(graph)),
        ..Default::default()
    })
}

/// Bytes of the table of functions.
pub(crate) fn functions(answer: &QueryAnswer, limit: usize) -> usize {
    let message = Projection::Table(limit).message(answer).expect("a table");
    written(&message)
}

/// Bytes of what `SelectSeries` makes of a range in steps of so many seconds, by service. `read`
/// gives the timeline of what it asks for.
pub(crate) fn select_series(
    range: TimeRange,
    step: f64,
    read: impl FnOnce(TimeRange, Option<SumWindow>) -> Timeline,
) -> usize {
    let buckets = Buckets::new(range, step).expect("few buckets");
    let timeline = read(buckets.range(), buckets.window);
    let by = ["service_name".to_owned()];
    written(&series::answer(
        &timeline,
        buckets,
        &by,
        Aggregation::Sum,
        0,
    ))
}
