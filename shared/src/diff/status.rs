//! What became of a stack from one profile to the other.

use crate::tree::NodeId;

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

/// Which sides have a self value at each node.
#[derive(Clone, Debug)]
pub(super) struct Presence(Vec<u8>);

const BASE_BIT: u8 = 1;
const COMPARISON_BIT: u8 = 2;

impl Presence {
    /// Of self values.
    pub(super) fn of(own: &[Vec<i64>; 2]) -> Self {
        let sides = |(&base, &comparison): (&i64, &i64)| match (base != 0, comparison != 0) {
            (false, false) => 0,
            (true, false) => BASE_BIT,
            (false, true) => COMPARISON_BIT,
            (true, true) => BASE_BIT | COMPARISON_BIT,
        };
        Self(own[BASE].iter().zip(&own[COMPARISON]).map(sides).collect())
    }

    /// Adds what is at a node to its parent.
    #[inline(always)]
    pub(super) fn add_to(&mut self, node: usize, parent: usize) {
        self.0[parent] |= self.0[node];
    }

    /// What became of what is at a node.
    pub(super) fn status(&self, node: usize, is_changed: bool) -> Status {
        status(self.0[node], is_changed)
    }
}

fn status(sides: u8, is_changed: bool) -> Status {
    match (sides & BASE_BIT != 0, sides & COMPARISON_BIT != 0) {
        (false, true) => Status::New,
        (true, false) => Status::Removed,
        _ if is_changed => Status::Changed,
        _ => Status::Same,
    }
}
