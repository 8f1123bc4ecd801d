//! Answers in the shapes that Pyroscope's clients read.
//!
//! Source of the shapes: the field tables of Grafana Pyroscope's public API. Ours differ in one
//! way: a node limit is applied once, to the finished answer, so what remains is exact.

use hashbrown::HashMap;

use crate::model::profile_type::ProfileType;
use crate::tree::call_tree::{CallTree, NodeId};
use crate::verbs::largest;

/// Name of the node that stands for siblings that were folded away.
const OTHER: &str = "other";

/// A flame graph as `querier.v1.FlameGraph` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameGraph {
    /// Names; 0 is `total`.
    pub names: Vec<String>,
    /// For each depth four numbers a node, from left to right: distance from the end of the node
    /// before, total, self, name.
    pub levels: Vec<Vec<i64>>,
    /// Value of the whole.
    pub total: i64,
    /// Largest self value.
    pub max_self: i64,
    /// How many nodes were folded into `other`. Not part of Pyroscope's answer.
    pub folded: u64,
}

/// Lays out a tree, folding all but the `max_nodes` largest nodes into one `other` per parent; 0
/// folds nothing. Which nodes those are is what [`crate::verbs::trim`] says. Sums beyond 64 bits
/// are cut there, and so are places in a level.
pub fn flame_graph(tree: &CallTree, max_nodes: usize) -> FlameGraph {
    let kept = Kept::of(tree, max_nodes);
    let mut graph = FlameGraph {
        total: tree.total(),
        ..FlameGraph::default()
    };
    let mut names = Names::default();
    names.index("total", &mut graph.names);
    let mut ends: Vec<i64> = Vec::new();
    // Preorder, so each level is met from left to right.
    let mut open = vec![(Drawn::Node(NodeId::ROOT), 0i64, 0usize)];
    while let Some((drawn, x, depth)) = open.pop() {
        let (name, total, own) = match drawn {
            Drawn::Node(node) => (
                tree.shape().name(node),
                tree.total_value(node),
                tree.self_value(node),
            ),
            Drawn::Other(total) => (OTHER, total, total),
        };
        let name = if depth == 0 {
            0
        } else {
            names.index(name, &mut graph.names)
        };
        if graph.levels.len() == depth {
            graph.levels.push(Vec::new());
            ends.push(0);
        }
        graph.levels[depth].extend([x - ends[depth], total, own, name]);
        ends[depth] = x.saturating_add(total);
        graph.max_self = graph.max_self.max(own);
        let Drawn::Node(node) = drawn else { continue };
        let (children, folded) = kept.children(tree, node);
        graph.folded += folded;
        let mut left = x.saturating_add(own);
        let first = open.len();
        for child in children {
            let total = match child {
                Drawn::Node(node) => tree.total_value(node),
                Drawn::Other(total) => total,
            };
            open.push((child, left, depth + 1));
            left = left.saturating_add(total);
        }
        open[first..].reverse();
    }
    graph
}

#[derive(Clone, Copy)]
enum Drawn {
    Node(NodeId),
    /// Folded siblings and their total.
    Other(i64),
}

/// Which nodes are kept; `None` for all.
struct Kept(Option<Vec<bool>>);

impl Kept {
    fn of(tree: &CallTree, max_nodes: usize) -> Self {
        // Zero means no limit to clients.
        Self((max_nodes > 0).then(|| largest(tree, max_nodes, |_| false)))
    }

    /// What is drawn below a node, `other` last, and how many nodes went into it.
    fn children(&self, tree: &CallTree, node: NodeId) -> (Vec<Drawn>, u64) {
        let shape = tree.shape();
        let (mut drawn, mut other, mut folded) = (Vec::new(), 0i64, 0);
        for child in shape.children(node) {
            let total = tree.total_value(child);
            if self.0.as_ref().is_some_and(|kept| !kept[child.index()]) {
                other = other.saturating_add(total);
                folded += u64::from(shape.end(child).0 - child.0);
            } else if total > 0 {
                drawn.push(Drawn::Node(child));
            }
        }
        if other > 0 {
            drawn.push(Drawn::Other(other));
        }
        (drawn, folded)
    }
}

#[derive(Default)]
struct Names(HashMap<String, i64>);

impl Names {
    fn index(&mut self, name: &str, names: &mut Vec<String>) -> i64 {
        if let Some(&index) = self.0.get(name) {
            return index;
        }
        let index = names.len() as i64;
        names.push(name.to_owned());
        self.0.insert(name.to_owned(), index);
        index
    }
}

/// What the JSON of `/pyroscope/render` says about its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Divisor from ticks to seconds.
    pub sample_rate: i64,
    /// Unit that old clients know.
    pub units: String,
    /// The sample type.
    pub name: String,
}

/// The metadata of a profile type.
pub fn metadata(profile_type: &ProfileType) -> Metadata {
    let kind = profile_type.sample_type.as_str();
    let (sample_rate, units) = match kind {
        "cpu" => (1_000_000_000, "samples"),
        "inuse_objects" | "alloc_objects" | "goroutine" | "samples" => (100, "objects"),
        _ => (100, profile_type.sample_unit.as_str()),
    };
    Metadata {
        sample_rate,
        units: units.to_owned(),
        name: kind.to_owned(),
    }
}

/// Step of the timeline in `/pyroscope/render`, in seconds, for a range of so many seconds: a
/// 1,500th of it, at least 15 s, rounded to what reads well.
pub fn timeline_step(range_seconds: i64) -> i64 {
    /// Up to this many seconds (times two, to stay whole) → this step.
    const STEPS: [(i64, i64); 18] = [
        (35, 15),
        (50, 20),
        (90, 30),
        (180, 60),
        (420, 120),
        (900, 300),
        (1_500, 600),
        (2_100, 900),
        (3_000, 1_200),
        (5_400, 1_800),
        (10_800, 3_600),
        (18_000, 7_200),
        (32_400, 10_800),
        (64_800, 21_600),
        (172_800, 43_200),
        (1_209_600, 86_400),
        (3_628_800, 604_800),
        (7_257_600, 2_592_000),
    ];
    let twice = (range_seconds.max(0) * 2 / 1_500).max(30);
    STEPS
        .iter()
        .find(|(limit, _)| twice <= *limit)
        .map_or(31_536_000, |(_, step)| *step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;
    use crate::testing::profile;

    fn graph(text: &str, max_nodes: usize) -> FlameGraph {
        flame_graph(&CallTree::new(&profile(text), 0, By::Name), max_nodes)
    }

    #[test]
    fn levels() {
        let g = graph("main;a 3\nmain;b 5", 0);
        assert_eq!(g.names, ["total", "main", "a", "b"]);
        assert_eq!(
            g.levels,
            [
                vec![0, 8, 0, 0],
                vec![0, 8, 0, 1],
                vec![0, 3, 3, 2, 0, 5, 5, 3]
            ]
        );
        assert_eq!((g.total, g.max_self, g.folded), (8, 5, 0));
        let g = graph("main;a 3\nmain;b 5\nmain 2\nz;c 1", 0);
        assert_eq!(g.levels[2], [2, 3, 3, 2, 0, 5, 5, 3, 0, 1, 1, 5]);
    }

    #[test]
    fn nothing() {
        let g = graph("main 0", 10);
        assert_eq!(
            (g.names, g.levels, g.total),
            (vec!["total".to_owned()], vec![vec![0, 0, 0, 0]], 0)
        );
    }

    #[test]
    fn folds_once_and_keeps_totals() {
        let g = graph("main;a;x 1\nmain;a;y 1\nmain;b 5\nmain;c 1\nmain;d 9", 3);
        assert_eq!(g.names, ["total", "main", "b", "d", "other"]);
        assert_eq!(g.levels[2], [0, 5, 5, 2, 0, 9, 9, 3, 0, 3, 3, 4]);
        assert_eq!((g.total, g.folded), (17, 4));
        for level in &g.levels[..3] {
            assert_eq!(level.chunks(4).map(|node| node[1]).sum::<i64>(), 17);
        }
    }

    #[test]
    fn steps() {
        assert_eq!(timeline_step(3_600), 15);
        assert_eq!(timeline_step(7 * 86_400), 300);
        assert_eq!(timeline_step(30 * 86_400), 1_800);
    }
}
