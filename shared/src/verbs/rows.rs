//! Growing a tree from parts of another.

use crate::forest::{Folded, fold};
use crate::tree::{Shape, Tree};

/// Rows of a tree to be: row 0 is the root, parents come before children, and equal rows below one parent become one node.
pub(super) struct Rows<const SIDES: usize> {
    parents: Vec<u32>,
    frames: Vec<u32>,
    own: [Vec<i64>; SIDES],
}

impl<const SIDES: usize> Rows<SIDES> {
    /// The root alone, with self values of its own.
    pub(super) fn new(own: [i64; SIDES]) -> Self {
        Self { parents: vec![0], frames: vec![0], own: own.map(|value| vec![value]) }
    }

    /// The number of the next row.
    pub(super) fn next(&self) -> u32 {
        self.parents.len() as u32
    }

    /// Appends a row.
    pub(super) fn push(&mut self, parent: u32, frame: u32, own: [i64; SIDES]) {
        self.parents.push(parent);
        self.frames.push(frame);
        for (column, value) in self.own.iter_mut().zip(own) {
            column.push(value);
        }
    }

    /// Adds to the self values of a row.
    pub(super) fn add(&mut self, row: u32, own: [i64; SIDES]) {
        for (column, value) in self.own.iter_mut().zip(own) {
            let sum = &mut column[row as usize];
            *sum = sum.saturating_add(value);
        }
    }

    /// The tree, its frames being those of `shape`.
    pub(super) fn finish(self, shape: Shape) -> Tree<SIDES> {
        let Folded { parents, keys, node_of } = fold(&self.parents, &self.frames, &shape.ranks());
        let own = self.own.map(|rows| {
            let mut own = vec![0i64; parents.len()];
            for (&node, value) in node_of.iter().zip(rows) {
                let own = &mut own[node as usize];
                *own = own.saturating_add(value);
            }
            own
        });
        Tree::of_preorder(shape.strings, shape.frames, parents, keys, own)
    }
}
