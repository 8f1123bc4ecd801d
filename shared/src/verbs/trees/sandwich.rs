//! What a function calls and what calls it, over all places where it stands.
//!
//! # Algebra
//!
//! An occurrence of the function (or of a set of functions) counts when no other one stands above
//! it on the stack: the outermost. So each sample counts once, however often the function stands on
//! its stack.
//!
//! - [`callees`] is what lies at and below the outermost occurrences, put on top of each other.
//!   Recursive calls are there as callees.
//! - [`callers`] is what lies above them, upside down: below the function stand its callers, below
//!   those theirs. The weight of a chain is the total of the occurrence that it leads to. No
//!   recursive call of the function is among its callers, as those are inner occurrences; other
//!   functions recur as they are.
//! - The root total of both is the function's total in [`crate::function_table`].
//!
//! Frames keep their numbers: those of the tree that was asked, whether a node is left of them or
//! not.

use crate::model::forest::Forest;
use crate::tree::call_tree::{NodeId, Shape, Tree};
use crate::tree::self_values::SelfValues;

use super::inverted::{Inverted, MAX_INVERTED_NODES, Start, climb};

/// All that the functions call, merged. `is_asked` is given the index of a frame in
/// [`Shape::frames`]. Below the root stands a node for each function asked for. Linear in the tree.
pub fn callees<const SIDES: usize>(
    tree: &Tree<SIDES>,
    is_asked: impl Fn(usize) -> bool,
) -> Tree<SIDES> {
    let shape = tree.shape();
    let tops: Vec<u32> = outermost(shape, is_asked).collect();
    let nodes = tops.iter().map(|&top| shape.ends[top as usize] - top);
    let count = 1 + nodes.sum::<u32>() as usize;
    let mut forest = Forest::with_capacity(count);
    let mut own = [(); SIDES].map(|()| Vec::with_capacity(count));
    // Row 0 is the root, which has no value of its own.
    own.iter_mut().for_each(|column| column.push(0));
    let mut push = |parent: u32, node: u32| {
        for (column, value) in own.iter_mut().zip(tree.own(NodeId(node))) {
            column.push(value);
        }
        forest.push(parent, shape.frame_of[node as usize])
    };
    for top in tops {
        // A subtree is a run of nodes, so its rows are one too.
        let first = push(0, top);
        for node in top + 1..shape.ends[top as usize] {
            push(first + (shape.parents[node as usize] - top), node);
        }
    }
    // Equal rows below one parent become one node. Frames are in the order of siblings.
    let merged = forest.fold();
    let own = own.map(|rows| {
        let rows = (0..).zip(rows).filter(|(_, value)| *value != 0);
        SelfValues::sum(
            merged.ranks.len(),
            rows.map(|(row, value)| (forest.node_of(row), value)),
        )
    });
    let (strings, frames) = (shape.strings.clone(), shape.frames.clone());
    Tree::of_preorder(strings, frames, merged.parents, merged.ranks, own)
}

/// All that calls the functions, upside down. `is_asked` is given the index of a frame in
/// [`Shape::frames`]. Below the root stands a node for each function asked for. Costs what
/// [`crate::verbs::inverted()`] costs.
pub fn callers<const SIDES: usize>(
    tree: &Tree<SIDES>,
    is_asked: impl Fn(usize) -> bool,
) -> Inverted<SIDES> {
    let tops = outermost(tree.shape(), is_asked);
    let starts: Vec<Start<SIDES>> = tops
        .map(|node| Start {
            node,
            value: tree.totals(NodeId(node)),
        })
        .collect();
    climb(tree.shape(), &starts, MAX_INVERTED_NODES)
}

/// The nodes of the frames asked for that have none of them above, in preorder.
fn outermost(shape: &Shape, is_asked: impl Fn(usize) -> bool) -> impl Iterator<Item = u32> {
    let mut next = 1;
    std::iter::from_fn(move || {
        while next < shape.len() {
            let node = next;
            if is_asked(shape.frame_of[node] as usize) {
                next = shape.ends[node] as usize;
                return Some(node as u32);
            }
            next += 1;
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree, diff};

    fn check(stacks: &str, functions: &[&str], expect_callees: &str, expect_callers: &str) {
        let tree = CallTree::new(&profile(stacks), 0, By::Name);
        let shape = tree.shape();
        let is_asked = |frame: usize| functions.contains(&shape.text(shape.frames()[frame].name));
        assert_eq!(draw(&callees(&tree, is_asked)), expect_callees);
        let callers = callers(&tree, is_asked);
        assert_eq!(
            (draw(&callers.tree).as_str(), callers.cut),
            (expect_callers, None)
        );
    }

    #[test]
    fn merges_all_places() {
        check(
            "main;a;f;x 3\nmain;b;f;x 4\nmain;b;f;y 1\nf 2\nmain;f 7\nmain;x 9",
            &["f"],
            "total 17/0\n f 17/9\n  x 7/7\n  y 1/1\n",
            "total 17/0\n f 17/2\n  a 3/0\n   main 3/3\n  b 5/0\n   main 5/5\n  main 7/7\n",
        );
    }

    #[test]
    fn recursion_counts_once() {
        check(
            "main;f;g;f;x 3\nmain;f 2\ng;f;f 1\ng 5",
            &["f"],
            "total 6/0\n f 6/2\n  f 1/1\n  g 3/0\n   f 3/0\n    x 3/3\n",
            "total 6/0\n f 6/0\n  g 1/1\n  main 5/5\n",
        );
    }

    #[test]
    fn several_functions_at_once() {
        check(
            "main;f;g 3\nmain;g;f 2\ng;g 1",
            &["f", "g"],
            "total 6/0\n f 3/0\n  g 3/3\n g 3/0\n  f 2/2\n  g 1/1\n",
            "total 6/0\n f 3/0\n  main 3/3\n g 3/1\n  main 2/2\n",
        );
        check("main;f 3", &["nothing"], "total 0/0\n", "total 0/0\n");
        check("main;f 3", &["total"], "total 0/0\n", "total 0/0\n");
    }

    #[test]
    fn two_sides() {
        let (base, comparison) = (profile("a;f;x 3\nb;f 1"), profile("a;f;x 1\nc;f;y 2"));
        let d = diff(
            (&base, 0),
            (&comparison, 0),
            By::Name,
            crate::Scale::Absolute,
        );
        let shape = d.shape();
        let is_f = |frame: usize| shape.text(shape.frames()[frame].name) == "f";
        assert_eq!(
            draw(&callees(&d, is_f)),
            "total 4,3/0,0\n f 4,3/1,0\n  x 3,1/3,1\n  y 0,2/0,2\n"
        );
        let expect = "total 4,3/0,0\n f 4,3/0,0\n  a 3,1/3,1\n  b 1,0/1,0\n  c 0,2/0,2\n";
        assert_eq!(draw(&callers(&d, is_f).tree), expect);
    }
}
