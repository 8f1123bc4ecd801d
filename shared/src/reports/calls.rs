//! What calls a function and what it calls, with the values of the calls.

use std::collections::BTreeMap;

use serde::Serialize;

use super::share;
use crate::base::sort::sort_by;
use crate::tree::call_tree::{CallTree, NodeId};
use crate::views::pyroscope::{Budget, TooLarge};

/// The value of calls between this function and another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Call {
    /// The other function.
    pub name: String,
    /// With what is called.
    pub value: i64,
    /// As a part of this function's total.
    pub share: f64,
}

/// Values of calls by the frame of the other function. A sample counts once for each, however often a
/// function calls itself.
#[derive(Default)]
pub(super) struct Calls(BTreeMap<usize, Counted>);

/// The value of calls, and the end of the subtree that was counted last.
#[derive(Default)]
struct Counted {
    value: i64,
    end: u32,
}

impl Calls {
    /// Adds a call, unless it is within another one of the same two functions.
    fn add(&mut self, tree: &CallTree, other: usize, call: NodeId) {
        let counted = self.0.entry(other).or_default();
        if call.0 >= counted.end {
            counted.value = counted.value.saturating_add(tree.total_value(call));
            counted.end = tree.shape().end(call).0;
        }
    }

    /// The largest ones, and how many there are.
    pub(super) fn largest(
        self,
        tree: &CallTree,
        total: i64,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<(Vec<Call>, u64), TooLarge> {
        let shape = tree.shape();
        let name = |frame: usize| shape.text(shape.frames()[frame].name);
        let mut calls: Vec<(&str, i64)> = self
            .0
            .into_iter()
            .map(|(frame, counted)| (name(frame), counted.value))
            .collect();
        let count = calls.len() as u64;
        sort_by(&mut calls, |a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        calls.truncate(limit);
        budget.names(calls.iter().map(|(name, _)| *name))?;
        let call = |(name, value): (&str, i64)| Call {
            name: name.to_owned(),
            value,
            share: share(value, total),
        };
        Ok((calls.into_iter().map(call).collect(), count))
    }
}

/// What calls the function of a frame, and what it calls.
pub(super) fn calls(tree: &CallTree, frame: usize) -> [Calls; 2] {
    let shape = tree.shape();
    let [mut callers, mut callees] = [Calls::default(), Calls::default()];
    let mut next = 1;
    while let Some(node) = shape.node(next) {
        next += 1;
        let caller = shape.parent(node);
        if caller == NodeId::ROOT {
            continue;
        }
        let [from, to] = [caller, node].map(|node| shape.frame_index(node));
        if to == frame {
            callers.add(tree, from, node);
        }
        if from == frame {
            callees.add(tree, to, node);
        }
    }
    [callers, callees]
}
