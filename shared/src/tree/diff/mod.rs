//! Comparing two profiles.
//!
//! # Algebra
//!
//! - Both sides keep their own values per node; nothing is netted away. Sides are never mixed by a
//!   merge.
//! - `diff(a, b)` mirrored is `diff(b, a)`.
//! - Gain and loss of a node are the sums of what grew and of what shrank among the self values
//!   below it, so `comparison - base = gain - loss` at every node, and a node whose children moved
//!   in opposite ways shows both.
//! - Normalised, the comparison's self values are scaled so that its total equals the base's: the
//!   scaled value of node `i` in preorder is `floor(P(i) * base / comparison) - floor(P(i-1) * base
//!   / comparison)`, `P` being the running sum. Rounding thus never loses or adds a unit over the
//!   whole, and each value is less than one off. This is exact for all values of `i64`, as long as
//!   the scaled ones are such too; those that are not stay at the limit.
//! - No factor above zero takes one total to the other when their signs differ or the comparison's
//!   is zero; its values then stay as they are. A base of zero takes all to zero.
//! - What is new and what is removed is told from the values before scaling: nothing is removed by
//!   rounding.

use std::sync::OnceLock;

use crate::model::profile::Profile;
use crate::tree::call_tree::{NodeId, Tree};
use crate::tree::fold;
use crate::tree::frames::By;
use crate::tree::self_values::SelfValues;

mod normalise;
mod sides;
mod status;

use normalise::normalise;
use status::Presence;
pub use status::{StackChange, Status};

/// How the comparison's values are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As they are.
    Absolute,
    /// Scaled so that both totals are equal: profiles of different length compare by share.
    Normalised,
}

/// A tree of both profiles: side 0 is the base, side 1 the comparison.
#[derive(Clone, Debug)]
pub struct DiffTree {
    /// Its self values tell where stacks end: those that were scaled to zero are still there.
    tree: Tree<2>,
    below: OnceLock<Below>,
}

/// What is at and below each node. Drawing needs none of it, and it takes a third of a comparison's
/// memory and an eighth of its time, so it is summarized when it is first asked for.
#[derive(Clone, Debug)]
struct Below {
    gain: Vec<i64>,
    loss: Vec<i64>,
    presence: Vec<Presence>,
}

/// Compares a value column of each of two profiles.
pub fn diff(
    base: (&Profile, usize),
    comparison: (&Profile, usize),
    by: By,
    scale: Scale,
) -> DiffTree {
    let tree = fold::build([base, comparison], by, |own, _| {
        if scale == Scale::Normalised {
            normalise(own);
        }
    });
    DiffTree {
        tree,
        below: OnceLock::new(),
    }
}

impl DiffTree {
    /// Compares the sides of a tree that was made of a comparison: its callers or its callees.
    pub fn new(mut tree: Tree<2>) -> Self {
        tree.own = tree.own.map(SelfValues::without_zeros);
        Self {
            tree,
            below: OnceLock::new(),
        }
    }

    fn below(&self) -> &Below {
        self.below.get_or_init(|| {
            let nodes = 0..self.tree.shape.len();
            let [base, comparison] = &self.tree.own;
            let changes = || {
                nodes
                    .clone()
                    .map(|i| comparison.get(i).saturating_sub(base.get(i)))
            };
            let mut gain: Vec<i64> = changes().map(|change| change.max(0)).collect();
            let mut loss: Vec<i64> = changes()
                .map(|change| change.min(0).saturating_neg())
                .collect();
            let mut presence: Vec<Presence> = nodes
                .clone()
                .map(|i| Presence::of(&self.tree.own, i))
                .collect();
            for i in (1..gain.len()).rev() {
                let parent = self.tree.shape.parents[i] as usize;
                gain[parent] = gain[parent].saturating_add(gain[i]);
                loss[parent] = loss[parent].saturating_add(loss[i]);
                presence[parent] = presence[parent].and(presence[i]);
            }
            Below {
                gain,
                loss,
                presence,
            }
        })
    }

    /// Both sides' values on one shape.
    pub fn tree(&self) -> &Tree<2> {
        &self.tree
    }

    /// Sum of what grew at and below a node.
    pub fn gain(&self, node: NodeId) -> i64 {
        self.below().gain[node.index()]
    }

    /// Sum of what shrank at and below a node, as a positive number.
    pub fn loss(&self, node: NodeId) -> i64 {
        self.below().loss[node.index()]
    }

    /// What became of a node, all below it included.
    pub fn status(&self, node: NodeId) -> Status {
        let below = self.below();
        below.presence[node.index()].status(self.gain(node) != 0 || self.loss(node) != 0)
    }

    /// What became of the stack that ends at a node.
    pub fn stack_status(&self, node: NodeId) -> Status {
        let [base, comparison] = self.tree.own(node);
        Presence::of(&self.tree.own, node.index()).status(base != comparison)
    }

    /// The stacks that are not the same on both sides, those that changed most first and in
    /// preorder among equals.
    pub fn changes(&self) -> Vec<StackChange> {
        let nodes = (0..self.tree.shape.len() as u32).map(NodeId);
        let changed = nodes.filter(|&node| self.stack_status(node) != Status::Same);
        let mut changes: Vec<StackChange> = changed
            .map(|node| {
                let [base, comparison] = self.tree.own(node);
                StackChange {
                    node,
                    status: self.stack_status(node),
                    base,
                    comparison,
                }
            })
            .collect();
        changes.sort_by_key(|change| std::cmp::Reverse(change.change().unsigned_abs()));
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};

    fn compare(base: &str, comparison: &str, scale: Scale) -> DiffTree {
        diff(
            (&profile(base), 0),
            (&profile(comparison), 0),
            By::Name,
            scale,
        )
    }

    #[test]
    fn keeps_both_sides() {
        let d = compare(
            "main;a 3\nmain;old 4",
            "main;a 5\nmain;new 1",
            Scale::Absolute,
        );
        assert_eq!(
            draw(d.tree()),
            "total 7,6/0,0\n main 7,6/0,0\n  a 3,5/3,5\n  new 0,1/0,1\n  old 4,0/4,0\n"
        );
        assert_eq!((d.gain(NodeId::ROOT), d.loss(NodeId::ROOT)), (3, 4));
    }

    #[test]
    fn normalised_totals_agree() {
        let d = compare("a 10\nb 1", "a 1\nb 1\nc 1", Scale::Normalised);
        assert_eq!(
            draw(d.tree()),
            "total 11,11/0,0\n a 10,3/10,3\n b 1,4/1,4\n c 0,4/0,4\n"
        );
        let empty = compare("a 1", "a 0", Scale::Normalised);
        assert_eq!(draw(empty.tree()), "total 1,0/0,0\n a 1,0/1,0\n");
    }

    #[test]
    fn normalised_keeps_signs_and_zeros() {
        let own = |base: &str, comparison: &str| {
            draw(compare(base, comparison, Scale::Normalised).tree())
        };
        // Of both signs, and only of the other.
        assert_eq!(
            own("a 10", "a 30\nb -10"),
            "total 10,10/0,0\n a 10,15/10,15\n b 0,-5/0,-5\n"
        );
        assert_eq!(
            own("a -10", "a -30\nb 10"),
            "total -10,-10/0,0\n a -10,-15/-10,-15\n b 0,5/0,5\n"
        );
        assert_eq!(own("a -10", "a 5"), "total -10,5/0,0\n a -10,5/-10,5\n");
        assert_eq!(own("a 0", "a 5"), "total 0,0/0,0\n a 0,0/0,0\n");
        // A total of zero, made of values that are not.
        assert_eq!(
            own("a 7", "a 5\nb -5"),
            "total 7,0/0,0\n a 7,5/7,5\n b 0,-5/0,-5\n"
        );
    }

    #[test]
    fn normalised_beyond_64_bits() {
        let max = i64::MAX;
        let d = compare(
            "x 100",
            &format!("a {max}\nb {max}\nc {max}\nd {max}"),
            Scale::Normalised,
        );
        assert_eq!(
            draw(d.tree()),
            "total 100,100/0,0\n a 0,25/0,25\n b 0,25/0,25\n c 0,25/0,25\n d 0,25/0,25\n x 100,0/100,0\n"
        );
        let d = compare(
            &format!("x {max}"),
            &format!("a {max}\nb {max}\nc -{max}\nd -{}", max - 1),
            Scale::Normalised,
        );
        // 2^63 - 1 times as much fits no i64.
        assert_eq!(d.tree().own(NodeId(1)), [0, max]);
        let d = compare(
            &format!("x {max}\ny {max}"),
            &format!("x {max}\ny {max}"),
            Scale::Normalised,
        );
        assert_eq!((d.gain(NodeId::ROOT), d.loss(NodeId::ROOT)), (0, 0));
    }

    #[test]
    fn tells_what_became_of_stacks() {
        let d = compare(
            "main;a 3\nmain;old 4\nmain;same 2\nsame 1",
            "main;a 5\nmain;new;deep 1\nmain;same 2\nsame 1",
            Scale::Absolute,
        );
        let shape = d.tree().shape();
        let all: Vec<String> = (0..shape.len() as u32)
            .map(|i| {
                format!(
                    "{} {:?}/{:?}",
                    shape.name(NodeId(i)),
                    d.status(NodeId(i)),
                    d.stack_status(NodeId(i))
                )
            })
            .collect();
        let expect = [
            "total Changed/Same",
            "main Changed/Same",
            "a Changed/Changed",
            "new New/Same",
            "deep New/New",
            "old Removed/Removed",
            "same Same/Same",
            "same Same/Same",
        ];
        assert_eq!(all, expect);
        let changes: Vec<(&str, Status, i128)> = d
            .changes()
            .iter()
            .map(|c| (shape.name(c.node), c.status, c.change()))
            .collect();
        assert_eq!(
            changes,
            [
                ("old", Status::Removed, -4),
                ("a", Status::Changed, 2),
                ("deep", Status::New, 1)
            ]
        );
    }

    #[test]
    fn nothing_is_removed_by_rounding() {
        let d = compare("a 1\nb 1", "a 1\nb 1000", Scale::Normalised);
        assert_eq!(draw(d.tree()), "total 2,2/0,0\n a 1,0/1,0\n b 1,2/1,2\n");
        assert_eq!(
            (d.status(NodeId(1)), d.stack_status(NodeId(1))),
            (Status::Changed, Status::Changed)
        );
    }
}
