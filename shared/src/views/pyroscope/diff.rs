//! The flame graph of two profiles.

use super::levels::Levels;
use super::nodes::{Nodes, TreeNodes};
use super::pairs::Pairs;
use super::walk::walk;
use crate::tree::call_tree::CallTree;

/// A flame graph of two sides as `querier.v1.FlameGraphDiff` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameGraphDiff {
    /// Names as in [`super::FlameGraph`].
    pub names: Vec<String>,
    /// For each depth seven numbers a node, from left to right: distance from the end of the node
    /// before, total and self of the left side, the same of the right side, name.
    pub levels: Vec<Vec<i64>>,
    /// Value of both sides together, cut at 2^63 − 1.
    pub total: i64,
    /// Largest self value of either side.
    pub max_self: i64,
    /// Value of the left side.
    pub left_ticks: i64,
    /// Value of the right side.
    pub right_ticks: i64,
    /// How many nodes were folded into `other`. Not part of Pyroscope's answer.
    pub folded: u64,
}

/// Lays out two trees of names on one shape. What one side does not have is zero there. All but the
/// `max_nodes` nodes with the largest total on either side are folded into one `other` for each
/// parent; 0 folds nothing.
pub fn flame_graph_diff(left: &CallTree, right: &CallTree, max_nodes: usize) -> FlameGraphDiff {
    let nodes = Pairs::new([left, right].map(TreeNodes::new));
    // The root has no name here, unlike in the flame graph of one profile.
    let mut levels = Levels::new("");
    let folded = walk(&nodes, max_nodes, |node| levels.push(node));
    let (names, levels, max_self) = levels.finish();
    let [left_ticks, right_ticks] = nodes.total(0);
    FlameGraphDiff {
        names,
        levels,
        total: left_ticks.saturating_add(right_ticks),
        max_self,
        left_ticks,
        right_ticks,
        folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;
    use crate::testing::profile;

    fn diff(left: &str, right: &str, max_nodes: usize) -> FlameGraphDiff {
        let [left, right] = [left, right].map(|text| CallTree::new(&profile(text), 0, By::Name));
        flame_graph_diff(&left, &right, max_nodes)
    }

    #[test]
    fn levels() {
        let d = diff("main;a 3\nmain;b 5\nmain 1", "main;b 4\nmain;c 2\nz 7", 0);
        assert_eq!(d.names, ["total", "z", "main", "c", "b", "a"]);
        assert_eq!(
            d.levels,
            [
                vec![0, 9, 0, 0, 13, 0, 0],
                vec![0, 9, 1, 0, 6, 0, 2, 0, 0, 0, 0, 7, 7, 1],
                vec![
                    1, 3, 3, 0, 0, 0, 5, 0, 5, 5, 0, 4, 4, 4, 0, 0, 0, 0, 2, 2, 3
                ],
            ]
        );
        assert_eq!((d.total, d.max_self), (22, 7));
        assert_eq!((d.left_ticks, d.right_ticks, d.folded), (9, 13, 0));
    }

    #[test]
    fn the_larger_side_decides_what_stays() {
        let d = diff("a 9\nb 2\nc 3", "a 1\nb 5\nc 3\nd 4", 2);
        assert_eq!(d.names, ["total", "other", "b", "a"]);
        assert_eq!(
            d.levels[1],
            [
                0, 9, 9, 0, 1, 1, 3, 0, 2, 2, 0, 5, 5, 2, 0, 3, 3, 0, 7, 7, 1
            ]
        );
        assert_eq!(d.folded, 2);
    }

    #[test]
    fn of_one_side_and_of_none() {
        let d = diff("a 0", "a;total 4", 0);
        // Only an empty name shares that of the root.
        assert_eq!(d.names, ["total", "a", "total"]);
        assert_eq!(d.levels[2], [0, 0, 0, 0, 4, 4, 2]);
        let d = diff("a 0", "a 0", 7);
        assert_eq!(d.levels, [[0; 7]]);
        assert_eq!((d.names.len(), d.total), (1, 0));
    }

    #[test]
    fn deep_stacks() {
        let depth = 4_000;
        let names = vec!["f"; depth].join(";");
        let d = diff(&format!("{names} 1"), &format!("{names};g 1"), 0);
        assert_eq!(d.levels.len(), depth + 2);
        assert_eq!(d.levels[depth + 1], [1, 0, 0, 0, 1, 1, 2]);
    }
}
