//! What became of a stack from one profile to the other.

use crate::tree::{NodeId, Tree};

use super::{BASE, COMPARISON};

/// What became of a node or of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Only the comparison has it.
    New,
    /// Only the base has it.
    Removed,
    /// Both have it, with other values.
    Changed,
    /// Both have it, with equal values; or neither does, which is so of a node that is only on the way to others.
    Same,
}

/// A stack that is not the same on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackChange {
    /// The node at the end of the stack.
    pub node: NodeId,
    /// What became of it.
    pub status: Status,
    /// Its value in the base.
    pub base: i64,
    /// Its value in the comparison, scaled where the comparison is.
    pub comparison: i64,
}

impl StackChange {
    /// How much more the comparison has.
    pub fn change(&self) -> i128 {
        i128::from(self.comparison) - i128::from(self.base)
    }
}

/// Which nodes have self values, on which side.
pub(super) struct Presence(Vec<Sides>);

/// On which sides something is.
#[derive(Clone, Copy, Default)]
struct Sides {
    base: bool,
    comparison: bool,
}

impl Presence {
    pub(super) fn of(tree: &Tree<2>) -> Self {
        let sides = tree.own[BASE].iter().zip(&tree.own[COMPARISON]);
        Self(sides.map(|(base, comparison)| Sides { base: *base != 0, comparison: *comparison != 0 }).collect())
    }

    /// The status of each stack.
    pub(super) fn own_statuses(&self, is_changed: impl Fn(usize) -> bool) -> Vec<Status> {
        self.0.iter().enumerate().map(|(i, &sides)| status(sides, is_changed(i))).collect()
    }

    /// The status of each node with all below it.
    pub(super) fn statuses(&self, parents: &[u32], is_changed: impl Fn(usize) -> bool) -> Vec<Status> {
        let mut below = self.0.clone();
        for i in (1..parents.len()).rev() {
            let Sides { base, comparison } = below[i];
            let parent = &mut below[parents[i] as usize];
            parent.base |= base;
            parent.comparison |= comparison;
        }
        below.into_iter().enumerate().map(|(i, sides)| status(sides, is_changed(i))).collect()
    }
}

fn status(sides: Sides, is_changed: bool) -> Status {
    match (sides.base, sides.comparison) {
        (false, true) => Status::New,
        (true, false) => Status::Removed,
        _ if is_changed => Status::Changed,
        _ => Status::Same,
    }
}
