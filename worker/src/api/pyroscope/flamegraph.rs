//! A merged profile as Pyroscope's flame graph, for the RPC and for the older HTTP call.

use pilotlight_core::pyroscope::{self, Budget, TooLarge};
use pilotlight_core::{By, CallTree, plans::QueryAnswer};

use super::messages::{FlameGraph, FlameGraphDiff, Level};
use crate::platform::errors::Problem;

/// An answer as a tree of names.
pub(super) fn tree(answer: &QueryAnswer) -> Result<CallTree, Problem> {
    Ok(answer.tree(By::Name)?)
}

/// The flame graph of an answer with at most about `max_nodes` nodes.
pub(super) fn flame_graph(
    answer: &QueryAnswer,
    max_nodes: usize,
) -> Result<pyroscope::FlameGraph, Problem> {
    let graph = pyroscope::flame_graph(&tree(answer)?, max_nodes);
    check_names(&graph.names)?;
    Ok(graph)
}

/// The flame graph of two trees.
pub(super) fn diff(
    left: &CallTree,
    right: &CallTree,
    max_nodes: usize,
) -> Result<pyroscope::FlameGraphDiff, Problem> {
    let graph = pyroscope::flame_graph_diff(left, right, max_nodes);
    check_names(&graph.names)?;
    Ok(graph)
}

/// Each name is there once, so there are no more than the tree has; written they may take far more.
pub(super) fn check_names(names: &[String]) -> Result<(), TooLarge> {
    Budget::default().names(names.iter().map(String::as_str))
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
    use crate::api::query::tests::answer_of;
    use pilotlight_core::ProfileBuilder;
    use pilotlight_core::{Function, Line, Profile};
    use serde_json::{Value, json};

    fn message(graph: pyroscope::FlameGraph) -> Value {
        serde_json::to_value(super::message(graph)).unwrap()
    }

    #[test]
    fn a_graph_and_an_empty_one() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let stack = builder.named_stack(&["main", "work"]);
        builder.sample(stack, None, &[7]);
        let found = message(flame_graph(&answer_of(builder.finish()), 0).unwrap());
        let levels = json!([{"values": ["0", "7", "0", "0"]}, {"values": ["0", "7", "0", "1"]}, {"values": ["0", "7", "7", "2"]}]);
        let expect = json!({"names": ["total", "main", "work"], "levels": levels, "total": "7", "maxSelf": "7"});
        assert_eq!(found, expect);

        let found = message(flame_graph(&answer_of(Profile::default()), 0).unwrap());
        let expect = json!({"names": ["total"], "levels": [{"values": ["0", "0", "0", "0"]}]});
        assert_eq!(found, expect);
    }

    #[test]
    fn names_that_take_too_much_when_written_are_refused() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        // Six bytes each in JSON.
        let name = "\u{1}".repeat(1 << 20);
        for i in 0..3 {
            let stack = builder.named_stack(&[&format!("{name}{i}")]);
            builder.sample(stack, None, &[1]);
        }
        let answer = answer_of(builder.finish());
        let problem = flame_graph(&answer, 0).unwrap_err();
        assert_eq!(
            (problem.status, problem.code.as_str()),
            (429, "resource_exhausted")
        );
        assert!(problem.message.contains("16 MiB"), "{}", problem.message);
        assert!(flame_graph(&answer, 2).is_ok());
        let tree = tree(&answer).unwrap();
        assert_eq!(diff(&tree, &tree, 0).unwrap_err(), problem);
    }

    #[test]
    fn inlined_calls_are_unfolded_up_to_a_bound() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let name = builder.string("inlined");
        let function = builder.function(Function::named(name, name));
        let line = Line::of(function, 1);
        let location = builder.location(None, 1, false, &[line; 4_096]);
        let stack = builder.stack_of([location; 1 + (2 << 20) / 4_096]);
        builder.sample(stack, None, &[1]);
        let problem = tree(&answer_of(builder.finish())).unwrap_err();
        assert_eq!(problem.status, 429);
        assert!(
            problem.message.contains("2101248 frames"),
            "{}",
            problem.message
        );
    }
}
