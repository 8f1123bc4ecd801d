//! The call tree: all stacks of a profile folded into one tree of frames, with self and total
//! values.
//!
//! Nodes are in preorder with the children of a node ordered by name, so a subtree is a run of node
//! ids, a parent comes before its children, and equal profiles give equal trees.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::model::id::StringId;
use crate::model::strings::Strings;
use crate::tree::self_values::SelfValues;

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root, which stands for the whole profile.
    pub const ROOT: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node shows: a function, or an address without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Name for people.
    pub name: StringId,
    /// Source file, empty when unknown.
    pub file: StringId,
    /// The mapping's file, empty when unknown.
    pub module: StringId,
    /// The function's first line, 0 when unknown.
    pub line: i64,
}

/// Names and arrangement of a tree, without values.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(crate) strings: Strings,
    pub(crate) frames: Vec<Frame>,
    /// Parent of each node; the root's is itself.
    pub(crate) parents: Vec<u32>,
    /// Frame of each node; 0 for the root alone.
    pub(crate) frame_of: Vec<u32>,
    /// One past the last node of each node's subtree.
    pub(crate) ends: Vec<u32>,
}

/// A tree with `SIDES` values a node: one for a profile, two for a comparison.
#[derive(Clone, Debug)]
pub struct Tree<const SIDES: usize> {
    pub(crate) shape: Shape,
    pub(crate) own: [SelfValues; SIDES],
    pub(crate) totals: [Vec<i64>; SIDES],
}

/// The tree of one profile and sample type.
pub type CallTree = Tree<1>;

impl CallTree {
    /// Value of the whole profile.
    pub fn total(&self) -> i64 {
        self.totals[0][0]
    }

    /// Value of a node without its children.
    pub fn self_value(&self, node: NodeId) -> i64 {
        self.own[0].get(node.index())
    }

    /// Value of a node with its children.
    pub fn total_value(&self, node: NodeId) -> i64 {
        self.totals[0][node.index()]
    }
}

impl<const SIDES: usize> Tree<SIDES> {
    /// Names and arrangement.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Values of a node without its children, a side each.
    pub fn own(&self, node: NodeId) -> [i64; SIDES] {
        std::array::from_fn(|side| self.own[side].get(node.index()))
    }

    /// Values of a node with its children, a side each.
    pub fn totals(&self, node: NodeId) -> [i64; SIDES] {
        std::array::from_fn(|side| self.totals[side][node.index()])
    }

    /// How wide a node is drawn: its total, both sides together.
    pub fn weight(&self, node: NodeId) -> i64 {
        self.totals(node)
            .iter()
            .fold(0, |sum: i64, &total| sum.saturating_add(total.max(0)))
    }
}

impl<const SIDES: usize> Tree<SIDES> {
    /// A tree of nodes in preorder, from its self values.
    pub(crate) fn of_preorder(
        strings: Strings,
        frames: Vec<Frame>,
        parents: Vec<u32>,
        frame_of: Vec<u32>,
        own: [SelfValues; SIDES],
    ) -> Self {
        let mut ends: Vec<u32> = (1..=parents.len() as u32).collect();
        let mut totals = own.each_ref().map(|own| own.dense(parents.len()));
        // Of the node after, where that is a child: it stays out of memory, as reading what was
        // just written takes its time.
        let (mut end, mut sums) = (0, [0i64; SIDES]);
        for i in (0..parents.len()).rev() {
            end = end.max(ends[i]);
            ends[i] = end;
            for (total, sum) in totals.iter_mut().zip(&mut sums) {
                *sum = total[i].saturating_add(*sum);
                total[i] = *sum;
            }
            let parent = parents[i] as usize;
            if parent + 1 != i && i > 0 {
                ends[parent] = ends[parent].max(std::mem::take(&mut end));
                for (total, sum) in totals.iter_mut().zip(&mut sums) {
                    total[parent] = total[parent].saturating_add(std::mem::take(sum));
                }
            }
        }
        Self {
            shape: Shape {
                strings,
                frames,
                parents,
                frame_of,
                ends,
            },
            own,
            totals,
        }
    }
}

impl Shape {
    /// Number of nodes, the root included.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Never true: the root always exists.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The node, if there is one of this number.
    pub fn node(&self, number: u32) -> Option<NodeId> {
        ((number as usize) < self.len()).then_some(NodeId(number))
    }

    /// Text of a string of this tree.
    pub fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }

    /// All frames, in order of name, then file, as children are; [`Self::frame_index`] points into
    /// them. Frame 0 is the root's.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Which frame a node shows.
    pub fn frame_index(&self, node: NodeId) -> usize {
        self.frame_of[node.index()] as usize
    }

    /// What a node shows.
    pub fn frame(&self, node: NodeId) -> &Frame {
        &self.frames[self.frame_index(node)]
    }

    /// Name of a node; `total` for the root.
    pub fn name(&self, node: NodeId) -> &str {
        self.text(self.frame(node).name)
    }

    /// The node above; the root's is itself.
    pub fn parent(&self, node: NodeId) -> NodeId {
        NodeId(self.parents[node.index()])
    }

    /// One past the last node below `node`.
    pub fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.ends[node.index()])
    }

    /// Children in order of name.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let (mut next, end) = (node.0 + 1, self.ends[node.index()]);
        std::iter::from_fn(move || {
            let child = (next < end).then_some(NodeId(next))?;
            next = self.ends[child.index()];
            Some(child)
        })
    }

    /// The nodes from the root to `node`, both included.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        let mut at = node;
        while at != NodeId::ROOT {
            at = self.parent(at);
            path.push(at);
        }
        path.reverse();
        path
    }

    /// Distance from the root.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.path(node).len() as u32 - 1
    }

    /// Depth of each node.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.len()];
        for i in 1..self.len() {
            depths[i] = depths[self.parents[i] as usize] + 1;
        }
        depths
    }

    /// A key of a node that is the same in every profile where the same path of names exists.
    pub fn key(&self, node: NodeId) -> u64 {
        self.path(node)[1..].iter().fold(0, |key, &n| {
            child_key(key, xxh3_64(self.name(n).as_bytes()))
        })
    }

    /// The node of a [`Self::key`].
    pub fn find(&self, key: u64) -> Option<NodeId> {
        // Of equal names beside each other, as they are in the order of frames, one is hashed.
        let mut hashes: Vec<u64> = Vec::with_capacity(self.frames.len());
        for (i, frame) in self.frames.iter().enumerate() {
            let before = i
                .checked_sub(1)
                .filter(|&before| self.frames[before].name == frame.name);
            hashes.push(before.map_or_else(
                || xxh3_64(self.text(frame.name).as_bytes()),
                |before| hashes[before],
            ));
        }
        let mut keys = vec![0; self.len()];
        for i in 1..self.len() {
            keys[i] = child_key(
                keys[self.parents[i] as usize],
                hashes[self.frame_of[i] as usize],
            );
        }
        keys.iter()
            .position(|&k| k == key)
            .map(|i| NodeId(i as u32))
    }
}

fn child_key(parent: u64, name: u64) -> u64 {
    xxh3_64_with_seed(&name.to_le_bytes(), parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::tree::frames::By;

    #[test]
    fn folds_stacks() {
        let tree = CallTree::new(
            &profile("main;a 3\nmain;b 5\nmain 2\nmain;b 1\nz 0"),
            0,
            By::Name,
        );
        assert_eq!(draw(&tree), "total 11/0\n main 11/2\n  a 3/3\n  b 6/6\n");
    }

    #[test]
    fn keys_find_their_nodes() {
        let tree = CallTree::new(&profile("main;a;b 3\nmain;b 5\na;b 1"), 0, By::Name);
        for i in 0..tree.shape().len() as u32 {
            assert_eq!(
                tree.shape().find(tree.shape().key(NodeId(i))),
                Some(NodeId(i))
            );
        }
        assert_eq!(tree.shape().find(1), None);
    }
}
