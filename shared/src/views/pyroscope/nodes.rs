//! A tree as Pyroscope has it: values that are not above zero do not count.

use std::borrow::Cow;

use super::OTHER;
use crate::tree::call_tree::{CallTree, NodeId};

/// Nodes in preorder, siblings in order of name. Values are never negative, and a total is the sum
/// of the self values at and below its node.
pub(super) trait Nodes<const SIDES: usize> {
    /// Number of nodes, the root included, which is node 0.
    fn len(&self) -> usize;

    /// One past the last node below a node.
    fn end(&self, node: usize) -> usize;

    fn name(&self, node: usize) -> &str;

    /// Whether a node has the name of what a limit folds.
    fn is_other(&self, node: usize) -> bool;

    fn own(&self, node: usize) -> [i64; SIDES];

    fn total(&self, node: usize) -> [i64; SIDES];
}

/// The nodes of one tree.
pub(super) struct TreeNodes<'a> {
    tree: &'a CallTree,
    totals: Cow<'a, [i64]>,
    /// The frames that are called `other`.
    other: Vec<usize>,
}

impl<'a> TreeNodes<'a> {
    pub(super) fn new(tree: &'a CallTree) -> Self {
        let shape = tree.shape();
        let frames = shape.frames().iter().enumerate();
        let other = frames.filter(|(_, frame)| shape.text(frame.name) == OTHER);
        Self {
            tree,
            totals: totals(tree),
            other: other.map(|(i, _)| i).collect(),
        }
    }

    /// The children of a node.
    pub(super) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let children = self.tree.shape().children(NodeId(node as u32));
        children.map(NodeId::index)
    }
}

/// Totals of the values above zero: those of the tree, unless it has others.
fn totals(tree: &CallTree) -> Cow<'_, [i64]> {
    if tree.own[0].values().iter().all(|&value| value >= 0) {
        return Cow::Borrowed(&tree.totals[0]);
    }
    let mut totals = tree.own[0].dense(tree.shape.len());
    for total in &mut totals {
        *total = (*total).max(0);
    }
    for i in (1..totals.len()).rev() {
        let parent = tree.shape.parents[i] as usize;
        totals[parent] = totals[parent].saturating_add(totals[i]);
    }
    Cow::Owned(totals)
}

impl Nodes<1> for TreeNodes<'_> {
    fn len(&self) -> usize {
        self.totals.len()
    }

    fn end(&self, node: usize) -> usize {
        self.tree.shape.ends[node] as usize
    }

    fn name(&self, node: usize) -> &str {
        self.tree.shape.name(NodeId(node as u32))
    }

    fn is_other(&self, node: usize) -> bool {
        self.other
            .contains(&(self.tree.shape.frame_of[node] as usize))
    }

    fn own(&self, node: usize) -> [i64; 1] {
        [self.tree.self_value(NodeId(node as u32)).max(0)]
    }

    fn total(&self, node: usize) -> [i64; 1] {
        [self.totals[node]]
    }
}
