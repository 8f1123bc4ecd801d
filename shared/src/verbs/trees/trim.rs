//! Making a tree smaller, once, at the end.
//!
//! # Algebra
//!
//! - The nodes with the greatest magnitudes stay. The magnitude of a node is the sum of the sizes
//!   of all self values at and below it, both sides together: where no value is negative that is
//!   its total, and in a comparison its weight. Of two nodes of one magnitude the earlier in
//!   preorder stays. As no child outweighs its parent, the parent of a node that stays does too.
//! - What goes below a node that stays becomes one child `(other)` of it, the last of its children.
//!   So every node that stays keeps its self value and its total, on each side.
//! - Trimming again to as many nodes changes nothing: `(other)` is never counted, and never kept
//!   for itself. A function that happens to have that name, and no file, is taken for it.

use crate::model::id::StringId;
use crate::tree::call_tree::{Frame, NodeId, Shape, Tree};

use super::tree_rows::Rows;

/// Name of the node that stands for what was folded away below its parent.
const OTHER: &str = "(other)";

/// A trimmed tree.
#[derive(Clone, Debug)]
pub struct Trimmed<const SIDES: usize> {
    /// The tree. Frames keep their numbers; that of `(other)` comes last where there was none.
    pub tree: Tree<SIDES>,
    /// What is no longer told apart.
    pub folded: Folded<SIDES>,
}

/// What a trim folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folded<const SIDES: usize> {
    /// How many nodes went; those that were `(other)` already do not count.
    pub nodes: u64,
    /// The total of all `(other)` nodes, a side each.
    pub value: [i64; SIDES],
}

/// Keeps the `max_nodes` largest nodes, not counting the root and the `(other)` of each node, of
/// which there are at most as many again and one for the root. Linear but for the order of
/// siblings.
pub fn trim<const SIDES: usize>(tree: &Tree<SIDES>, max_nodes: usize) -> Trimmed<SIDES> {
    let mut shape = tree.shape().clone();
    let other = find_other(&shape);
    let kept = largest(tree, max_nodes, |frame| other == Some(frame));
    let mut folded = Folded {
        nodes: 0,
        value: [0; SIDES],
    };
    if kept.iter().all(|&kept| kept) {
        return Trimmed {
            tree: tree.clone(),
            folded,
        };
    }
    let other = other.unwrap_or_else(|| add_other(&mut shape));
    let mut rows = Rows::new(tree.own(NodeId::ROOT));
    let mut row_of = vec![0u32; shape.len()];
    // The row of each node's `(other)`; 0 for none.
    let mut other_of = vec![0u32; shape.len()];
    let mut i = 1;
    while i < shape.len() {
        let (node, parent) = (NodeId(i as u32), shape.parents[i] as usize);
        if kept[i] {
            row_of[i] = rows.push(row_of[parent], shape.frame_of[i], tree.own(node));
            i += 1;
            continue;
        }
        let totals = tree.totals(node);
        if other_of[parent] == 0 {
            other_of[parent] = rows.push(row_of[parent], other as u32, [0; SIDES]);
        }
        rows.add(other_of[parent], totals);
        for (sum, more) in folded.value.iter_mut().zip(totals) {
            *sum = sum.saturating_add(more);
        }
        let end = shape.ends[i] as usize;
        folded.nodes += (i..end)
            .filter(|&below| shape.frame_of[below] as usize != other)
            .count() as u64;
        i = end;
    }
    Trimmed {
        tree: rows.finish(shape),
        folded,
    }
}

/// Marks the root and the `most` nodes with the greatest magnitudes, earlier ones first among
/// equals. What lies at and below a node whose frame is left out does not compete.
fn largest<const SIDES: usize>(
    tree: &Tree<SIDES>,
    most: usize,
    is_left_out: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let shape = tree.shape();
    let magnitudes = tree.magnitudes();
    let mut candidates = Vec::with_capacity(shape.len());
    let mut i = 1;
    while i < shape.len() {
        if is_left_out(shape.frame_of[i] as usize) {
            i = shape.ends[i] as usize;
        } else {
            candidates.push((std::cmp::Reverse(magnitudes[i]), i as u32));
            i += 1;
        }
    }
    if most < candidates.len() {
        candidates.select_nth_unstable(most);
        candidates.truncate(most);
    }
    let mut kept = vec![false; shape.len()];
    kept[0] = true;
    for (_, node) in candidates {
        kept[node as usize] = true;
    }
    kept
}

fn find_other(shape: &Shape) -> Option<usize> {
    shape
        .frames
        .iter()
        .skip(1)
        .position(|f| f.file.is_empty() && shape.text(f.name) == OTHER)
        .map(|i| i + 1)
}

fn add_other(shape: &mut Shape) -> usize {
    let name = shape.strings.push(OTHER);
    shape.frames.push(Frame {
        name,
        file: StringId::EMPTY,
        module: StringId::EMPTY,
        line: 0,
    });
    shape.frames.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree, diff};

    fn check(stacks: &str, max_nodes: usize, expect: &str, nodes: u64, value: i64) {
        let trimmed = trim(&CallTree::new(&profile(stacks), 0, By::Name), max_nodes);
        assert_eq!(draw(&trimmed.tree), expect);
        assert_eq!(
            trimmed.folded,
            Folded {
                nodes,
                value: [value]
            }
        );
        let again = trim(&trimmed.tree, max_nodes);
        assert_eq!(draw(&again.tree), expect);
        assert_eq!(again.folded.nodes, 0);
    }

    #[test]
    fn keeps_the_largest() {
        let stacks = "main;a;x 1\nmain;a;y 1\nmain;b 5\nmain;c 1\nmain;d 9\n%early 3";
        check(
            stacks,
            3,
            "total 20/0\n main 17/0\n  b 5/5\n  d 9/9\n  (other) 3/3\n (other) 3/3\n",
            5,
            6,
        );
        check(stacks, 0, "total 20/0\n (other) 20/20\n", 8, 20);
        check(
            stacks,
            4,
            "total 20/0\n %early 3/3\n main 17/0\n  b 5/5\n  d 9/9\n  (other) 3/3\n",
            4,
            3,
        );
        let all = "total 20/0\n %early 3/3\n main 17/0\n  a 2/0\n   x 1/1\n   y 1/1\n  b 5/5\n  c 1/1\n  d 9/9\n";
        check(stacks, 8, all, 0, 0);
        check(
            "a 1\nb 1\nc 1\nc;d 0",
            2,
            "total 3/0\n a 1/1\n b 1/1\n (other) 1/1\n",
            1,
            1,
        );
    }

    #[test]
    fn negative_values_count_by_size() {
        check(
            "a;x 5\na;y -5\nb 3",
            1,
            "total 3/0\n a 0/0\n  (other) 0/0\n (other) 3/3\n",
            3,
            3,
        );
    }

    #[test]
    fn two_sides() {
        let (base, comparison) = (profile("a 3\nb 1\nc 2"), profile("a 1\nb 2\nd 4"));
        let d = diff(
            (&base, 0),
            (&comparison, 0),
            By::Name,
            crate::Scale::Absolute,
        );
        let trimmed = trim(d.tree(), 2);
        assert_eq!(
            draw(&trimmed.tree),
            "total 6,7/0,0\n a 3,1/3,1\n d 0,4/0,4\n (other) 3,2/3,2\n"
        );
        assert_eq!(
            trimmed.folded,
            Folded {
                nodes: 2,
                value: [3, 2]
            }
        );
    }
}
