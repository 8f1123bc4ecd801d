//! The flame graph of one profile.

use super::levels::Levels;
use super::nodes::{Nodes, TreeNodes};
use super::walk::walk;
use crate::tree::call_tree::CallTree;

/// A flame graph as `querier.v1.FlameGraph` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameGraph {
    /// Names in the order in which a depth-first walk meets them that visits the last of siblings
    /// first; 0 is `total`.
    pub names: Vec<String>,
    /// For each depth four numbers a node, from left to right: distance from the end of the node
    /// before, total, self, name.
    pub levels: Vec<Vec<i64>>,
    /// Value of the whole.
    pub total: i64,
    /// Largest self value, that of `other` included.
    pub max_self: i64,
    /// How many nodes were folded into `other`. Not part of Pyroscope's answer.
    pub folded: u64,
}

/// Lays out a tree of names, folding all but the `max_nodes` largest nodes into one `other` for
/// each parent; 0 folds nothing. Samples without a stack are the self value of the root.
pub fn flame_graph(tree: &CallTree, max_nodes: usize) -> FlameGraph {
    let nodes = TreeNodes::new(tree);
    let mut levels = Levels::new("total");
    let folded = walk(&nodes, max_nodes, |node| levels.push(node));
    let (names, levels, max_self) = levels.finish();
    FlameGraph {
        names,
        levels,
        total: nodes.total(0)[0],
        max_self,
        folded,
    }
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
        assert_eq!(g.names, ["total", "main", "b", "a"]);
        assert_eq!(
            g.levels,
            [
                vec![0, 8, 0, 0],
                vec![0, 8, 0, 1],
                vec![0, 3, 3, 3, 0, 5, 5, 2]
            ]
        );
        assert_eq!((g.total, g.max_self, g.folded), (8, 5, 0));
        let g = graph("main;a 3\nmain;b 5\nmain 2", 0);
        assert_eq!(
            g.levels,
            [
                vec![0, 10, 0, 0],
                vec![0, 10, 2, 1],
                vec![2, 3, 3, 3, 0, 5, 5, 2]
            ]
        );
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
    fn a_function_called_total_shares_the_name_of_the_root() {
        assert_eq!(graph("a;total 3", 0).levels[2], [0, 3, 3, 0]);
    }

    #[test]
    fn folds_once_and_keeps_totals() {
        let g = graph("main;a;x 1\nmain;a;y 1\nmain;b 5\nmain;c 1\nmain;d 9", 3);
        assert_eq!(g.names, ["total", "main", "other", "d", "b"]);
        assert_eq!(g.levels[2], [0, 5, 5, 4, 0, 9, 9, 3, 0, 3, 3, 2]);
        assert_eq!((g.total, g.folded), (17, 4));
    }

    #[test]
    fn a_function_called_other_joins_what_a_limit_folds() {
        let stacks = "main;other;x 6\nmain;z 9\nmain;a 1";
        let g = graph(stacks, 0);
        assert_eq!(g.names, ["total", "main", "other", "x", "z", "a"]);
        assert_eq!(g.levels[2], [0, 1, 1, 5, 0, 9, 9, 4, 0, 6, 0, 2]);
        let g = graph(stacks, 2);
        assert_eq!(g.names, ["total", "main", "other", "z"]);
        assert_eq!(g.levels[2..], [vec![0, 9, 9, 3, 0, 7, 7, 2]]);
        assert_eq!(g.folded, 2);
    }

    #[test]
    fn negative_values_do_not_count() {
        let g = graph("a;x 5\na;y -5\nb -1\nb;c 2", 0);
        assert_eq!(g.levels[1], [0, 5, 0, 3, 0, 2, 0, 1]);
        assert_eq!((g.total, g.names.len()), (7, 5));
    }

    #[test]
    fn what_is_beyond_64_bits_has_no_room() {
        let max = i64::MAX;
        let g = graph(&format!("a;b {max}\na;c {max}\na 2\nd 1"), 0);
        assert_eq!(
            g.levels,
            [
                vec![0, max, 0, 0],
                vec![0, max, 2, 1],
                vec![2, max - 2, max - 2, 2]
            ]
        );
        assert_eq!(g.names, ["total", "a", "b"]);
    }

    #[test]
    fn deep_stacks() {
        let depth = 4_000;
        let names = vec!["f"; depth];
        let g = graph(&format!("{} 1", names.join(";")), 0);
        assert_eq!(g.levels.len(), depth + 1);
        assert_eq!(g.names, ["total", "f"]);
    }
}
