//! A merged profile as Pyroscope's flame graph, for the RPC and for the older HTTP call.

use pilotlight_core::{By, CallTree, ProfileBuilder, plans::QueryAnswer, pyroscope};

use super::messages::{FlameGraph, FlameGraphDiff, Level};

/// An answer as a tree of names; that of nothing has a root alone.
pub(super) fn tree(answer: &QueryAnswer) -> CallTree {
    if answer.profile.sample_types().is_empty() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("", "");
        return CallTree::new(&builder.finish(), 0, By::Name);
    }
    CallTree::new(&answer.profile, 0, By::Name)
}

/// The flame graph of an answer with at most about `max_nodes` nodes.
pub(super) fn flame_graph(answer: &QueryAnswer, max_nodes: usize) -> pyroscope::FlameGraph {
    pyroscope::flame_graph(&tree(answer), max_nodes)
}

/// A flame graph as the message that clients read.
pub(super) fn message(graph: pyroscope::FlameGraph) -> FlameGraph {
    FlameGraph {
        names: graph.names,
        levels: levels(graph.levels),
        total: graph.total,
        max_self: graph.max_self,
    }
}

/// The same as the message that clients read.
pub(super) fn diff_message(graph: pyroscope::FlameGraphDiff) -> FlameGraphDiff {
    FlameGraphDiff {
        names: graph.names,
        levels: levels(graph.levels),
        total: graph.total,
        max_self: graph.max_self,
        left_ticks: graph.left_ticks,
        right_ticks: graph.right_ticks,
    }
}

fn levels(levels: Vec<Vec<i64>>) -> Vec<Level> {
    levels.into_iter().map(|values| Level { values }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilotlight_core::Profile;
    use serde_json::{Value, json};

    fn message(graph: pyroscope::FlameGraph) -> Value {
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
        let found = message(flame_graph(&answer(builder.finish()), 0));
        let levels = json!([{"values": ["0", "7", "0", "0"]}, {"values": ["0", "7", "0", "1"]}, {"values": ["0", "7", "7", "2"]}]);
        let expect = json!({"names": ["total", "main", "work"], "levels": levels, "total": "7", "maxSelf": "7"});
        assert_eq!(found, expect);

        let found = message(flame_graph(&answer(Profile::default()), 0));
        let expect = json!({"names": ["total"], "levels": [{"values": ["0", "0", "0", "0"]}]});
        assert_eq!(found, expect);
    }
}
