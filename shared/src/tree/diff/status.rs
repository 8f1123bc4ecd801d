//! What became of a stack from one profile to the other.

use crate::tree::call_tree::NodeId;
use crate::tree::self_values::SelfValues;

use super::sides::{BASE, COMPARISON};

/// What became of a node or of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Only the comparison has it.
    New,
    /// Only the base has it.
    Removed,
    /// Both have it, with other values.
    Changed,
    /// Both have it, with equal values; or neither does, which is so of a node that is only on the
    /// way to others.
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

/// Which sides have a self value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presence(u8);

const BASE_BIT: u8 = 1;
const COMPARISON_BIT: u8 = 2;

impl Presence {
    /// At a node.
    #[inline(always)]
    pub(super) fn of(own: &[SelfValues; 2], node: usize) -> Self {
        let bit = |side: usize, bit| if own[side].has(node) { bit } else { 0 };
        Self(bit(BASE, BASE_BIT) | bit(COMPARISON, COMPARISON_BIT))
    }

    /// At either of two nodes.
    #[inline(always)]
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What became of what is there.
    pub(super) fn status(self, is_changed: bool) -> Status {
        match (self.0 & BASE_BIT != 0, self.0 & COMPARISON_BIT != 0) {
            (false, true) => Status::New,
            (true, false) => Status::Removed,
            _ if is_changed => Status::Changed,
            _ => Status::Same,
        }
    }
}
