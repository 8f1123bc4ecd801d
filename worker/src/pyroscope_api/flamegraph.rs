//! A merged profile as Pyroscope's flame graph, for the RPC and for the older HTTP call.

use pilotlight_core::{By, CallTree, plans::QueryAnswer, pyroscope};
use serde_json::{Value, json};

/// Nodes when a request does not say: Pyroscope's default.
pub(super) const MAX_NODES: usize = 8_192;

/// The flame graph of an answer with at most about `max_nodes` nodes.
pub(super) fn flame_graph(answer: &QueryAnswer, max_nodes: usize) -> pyroscope::FlameGraph {
    if answer.profile.sample_types().is_empty() {
        let root = vec![0, 0, 0, 0];
        return pyroscope::FlameGraph { names: vec!["total".to_owned()], levels: vec![root], ..Default::default() };
    }
    pyroscope::flame_graph(&CallTree::new(&answer.profile, 0, By::Name), max_nodes)
}

/// `SelectMergeStacktracesResponse`. Integers of 64 bits are text in protobuf's JSON.
pub(super) fn message(graph: &pyroscope::FlameGraph) -> Value {
    let level = |values: &Vec<i64>| json!({ "values": values.iter().map(i64::to_string).collect::<Vec<_>>() });
    json!({ "flamegraph": {
        "names": graph.names,
        "levels": graph.levels.iter().map(level).collect::<Vec<_>>(),
        "total": graph.total.to_string(),
        "maxSelf": graph.max_self.to_string(),
    }})
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilotlight_core::{Profile, ProfileBuilder};

    fn answer(profile: Profile) -> QueryAnswer {
        QueryAnswer { profile, profiles: 1, objects: 1, bytes: 1, saturated: false, rounded: false }
    }

    #[test]
    fn a_graph_and_an_empty_one() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let stack = builder.named_stack(&["main", "work"]);
        builder.sample(stack, None, &[7]);
        let found = message(&flame_graph(&answer(builder.finish()), 0));
        let levels =
            json!([{"values": ["0", "7", "0", "0"]}, {"values": ["0", "7", "0", "1"]}, {"values": ["0", "7", "7", "2"]}]);
        let expect = json!({"names": ["total", "main", "work"], "levels": levels, "total": "7", "maxSelf": "7"});
        assert_eq!(found, json!({ "flamegraph": expect }));

        let found = message(&flame_graph(&answer(Profile::default()), 0));
        let expect = json!({"names": ["total"], "levels": [{"values": ["0", "0", "0", "0"]}], "total": "0", "maxSelf": "0"});
        assert_eq!(found, json!({ "flamegraph": expect }));
    }
}
