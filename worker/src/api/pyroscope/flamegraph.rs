//! A merged profile as Pyroscope's flame graph, for the RPC and for the older HTTP call.

use pilotlight_core::{By, CallTree, plans::QueryAnswer, pyroscope};
use serde::{Serialize, Serializer};

use super::message::Int64Text;

/// Nodes when a request does not say: Pyroscope's default.
pub(super) const MAX_NODES: usize = 8_192;

/// The flame graph of an answer with at most about `max_nodes` nodes.
pub(super) fn flame_graph(answer: &QueryAnswer, max_nodes: usize) -> pyroscope::FlameGraph {
    if answer.profile.sample_types().is_empty() {
        let root = vec![0, 0, 0, 0];
        return pyroscope::FlameGraph {
            names: vec!["total".to_owned()],
            levels: vec![root],
            ..Default::default()
        };
    }
    pyroscope::flame_graph(&CallTree::new(&answer.profile, 0, By::Name), max_nodes)
}

/// `SelectMergeStacktracesResponse`.
#[derive(Debug, Serialize)]
pub(super) struct Response<'a> {
    flamegraph: FlameGraph<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FlameGraph<'a> {
    names: &'a [String],
    levels: Vec<Level<'a>>,
    total: Int64Text,
    max_self: Int64Text,
}

#[derive(Debug, Serialize)]
struct Level<'a> {
    #[serde(serialize_with = "texts")]
    values: &'a [i64],
}

fn texts<S: Serializer>(values: &[i64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|&value| Int64Text(value)))
}

/// A flame graph as the message that clients read.
pub(super) fn message(graph: &pyroscope::FlameGraph) -> Response<'_> {
    let levels = graph.levels.iter().map(|values| Level { values }).collect();
    let (total, max_self) = (Int64Text(graph.total), Int64Text(graph.max_self));
    Response {
        flamegraph: FlameGraph {
            names: &graph.names,
            levels,
            total,
            max_self,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilotlight_core::{Profile, ProfileBuilder};
    use serde_json::{Value, json};

    fn message(graph: &pyroscope::FlameGraph) -> Value {
        serde_json::to_value(super::message(graph)).unwrap()
    }

    fn answer(profile: Profile) -> QueryAnswer {
        QueryAnswer {
            profile,
            profiles: 1,
            objects: 1,
            bytes: 1,
            saturated: false,
            rounded: false,
        }
    }

    #[test]
    fn a_graph_and_an_empty_one() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let stack = builder.named_stack(&["main", "work"]);
        builder.sample(stack, None, &[7]);
        let found = message(&flame_graph(&answer(builder.finish()), 0));
        let levels = json!([{"values": ["0", "7", "0", "0"]}, {"values": ["0", "7", "0", "1"]}, {"values": ["0", "7", "7", "2"]}]);
        let expect = json!({"names": ["total", "main", "work"], "levels": levels, "total": "7", "maxSelf": "7"});
        assert_eq!(found, json!({ "flamegraph": expect }));

        let found = message(&flame_graph(&answer(Profile::default()), 0));
        let expect = json!({"names": ["total"], "levels": [{"values": ["0", "0", "0", "0"]}], "total": "0", "maxSelf": "0"});
        assert_eq!(found, json!({ "flamegraph": expect }));
    }
}
