//! Pyroscope's query API: the Connect calls of `querier.v1` and its neighbours, and the older HTTP
//! calls.

pub(crate) mod ad_hoc;
mod buckets;
pub(crate) mod build_info;
pub(crate) mod capabilities;
pub(crate) mod comparison;
mod exemplars;
mod flamegraph;
mod form;
mod functions;
pub(crate) mod heatmap;
pub(crate) mod legacy;
#[cfg(test)]
pub(crate) mod measured;
mod messages;
pub(crate) mod metadata;
mod names;
mod notes;
pub(crate) mod profiles;
pub(crate) mod recording_rules;
mod request;
pub(crate) mod series;
pub(crate) mod settings;
mod stacks;
pub(crate) mod stats;
mod unary;

use serde::Serialize;
use worker::Response;

use crate::platform::errors::Problem;
pub(crate) use settings::settings_key;

fn json(value: &impl Serialize) -> Result<Response, Problem> {
    Ok(Response::from_json(value)?)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::buckets::Buckets;
    use super::series::Aggregation;
    use super::*;
    use crate::platform::limits::DEFAULT_NODES;
    use pilotlight_core::{
        ProfileType, TimeRange,
        plans::{CatalogObject, QueryAnswer, Timeline},
    };

    /// What each call answers, as text: flame graphs of several sizes, timelines of both kinds,
    /// names.
    pub(crate) fn every_answer(
        merged: &QueryAnswer,
        profile_type: &ProfileType,
        timeline: &Timeline,
        objects: &[CatalogObject],
        range: TimeRange,
    ) -> Vec<String> {
        fn text(answer: impl Serialize) -> String {
            serde_json::to_string(&answer).expect("an answer as JSON")
        }
        let mut texts = Vec::new();
        for max_nodes in [0, 1, 2, DEFAULT_NODES] {
            let graph = flamegraph::flame_graph(merged, max_nodes).expect("small");
            texts.push(text(flamegraph::message(graph)));
        }
        texts.extend(legacy::tests::every_answer(
            merged,
            profile_type,
            timeline,
            range,
        ));
        for step in [0.001, 15.0, 86_400.0, 1e9] {
            let Ok(buckets) = Buckets::new(range, step) else {
                continue;
            };
            // What is read for the first bucket.
            assert!(buckets.range().from <= buckets.range().until);
            for (how, by) in [
                (Aggregation::Sum, vec![]),
                (Aggregation::Average, vec!["service_name".to_owned()]),
            ] {
                texts.push(text(series::answer(timeline, buckets, &by, how, 1)));
            }
        }
        let series = names::series(objects, &[], range);
        texts.push(text(names::profile_types(&series)));
        texts.push(text(names::label_names(&series, true)));
        texts.push(text(names::label_values(&series, "service_name")));
        texts.push(text(names::label_sets(&series, &[])));
        texts
    }
}
