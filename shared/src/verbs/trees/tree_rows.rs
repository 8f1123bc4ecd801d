//! Growing a tree from parts of another.

use crate::model::forest::Forest;
use crate::tree::call_tree::{Shape, Tree};
use crate::tree::self_values::SelfValues;

/// Rows of a tree to be: row 0 is the root, parents come before children, and equal rows below one
/// parent become one node.
pub(crate) struct Rows<const SIDES: usize> {
    forest: Forest,
    own: [Vec<i64>; SIDES],
}

impl<const SIDES: usize> Rows<SIDES> {
    /// The root alone, with self values of its own.
    pub(crate) fn new(own: [i64; SIDES]) -> Self {
        Self {
            forest: Forest::with_capacity(0),
            own: own.map(|value| vec![value]),
        }
    }

    /// Appends a row and gives its number.
    pub(crate) fn push(&mut self, parent: u32, frame: u32, own: [i64; SIDES]) -> u32 {
        for (column, value) in self.own.iter_mut().zip(own) {
            column.push(value);
        }
        self.forest.push(parent, frame)
    }

    /// Adds to the self values of a row.
    pub(crate) fn add(&mut self, row: u32, own: [i64; SIDES]) {
        for (column, value) in self.own.iter_mut().zip(own) {
            let sum = &mut column[row as usize];
            *sum = sum.saturating_add(value);
        }
    }

    /// The tree, its frames being those of `shape`.
    pub(crate) fn finish(mut self, shape: Shape) -> Tree<SIDES> {
        // Frames are in the order of siblings.
        let tree = self.forest.fold();
        let own = self.own.map(|rows| {
            let rows = (0..).zip(rows).filter(|(_, value)| *value != 0);
            SelfValues::sum(
                tree.ranks.len(),
                rows.map(|(row, value)| (self.forest.node_of(row), value)),
            )
            .without_zeros()
        });
        Tree::of_preorder(shape.strings, shape.frames, tree.parents, tree.ranks, own)
    }
}
