//! Comparing two profiles.
//!
//! # Algebra
//!
//! - Both sides keep their own values per node; nothing is netted away. Sides are never mixed by a merge.
//! - `diff(a, b)` mirrored is `diff(b, a)`.
//! - Gain and loss of a node are the sums of what grew and of what shrank among the self values below it, so
//!   `comparison - base = gain - loss` at every node, and a node whose children moved in opposite ways shows both.
//! - Normalised, the comparison's self values are scaled so that its total equals the base's: the scaled value of node
//!   `i` in preorder is `floor(P(i) * base / comparison) - floor(P(i-1) * base / comparison)`, `P` being the running
//!   sum. Rounding thus never loses or adds a unit over the whole.

use crate::profile::Profile;
use crate::tree::{NodeId, Tree};
use crate::tree_builder::{By, TreeBuilder};

/// Which side of a [`DiffTree`] is which.
const BASE: usize = 0;
const COMPARISON: usize = 1;

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
    tree: Tree<2>,
    gain: Vec<i64>,
    loss: Vec<i64>,
}

/// Compares a value column of each of two profiles.
pub fn diff(base: (&Profile, usize), comparison: (&Profile, usize), by: By, scale: Scale) -> DiffTree {
    let mut builder = TreeBuilder::new(by);
    builder.add(base.0, base.1, BASE);
    builder.add(comparison.0, comparison.1, COMPARISON);
    let mut tree: Tree<2> = builder.finish();
    if scale == Scale::Normalised {
        normalise(&mut tree);
    }
    let change = |i: usize| tree.own[COMPARISON][i].saturating_sub(tree.own[BASE][i]);
    let count = tree.shape.len();
    let mut gain: Vec<i64> = (0..count).map(|i| change(i).max(0)).collect();
    let mut loss: Vec<i64> = (0..count).map(|i| change(i).min(0).saturating_neg()).collect();
    sum_up(&tree.shape.parents, &mut gain);
    sum_up(&tree.shape.parents, &mut loss);
    DiffTree { tree, gain, loss }
}

impl DiffTree {
    /// Both sides' values on one shape.
    pub fn tree(&self) -> &Tree<2> {
        &self.tree
    }

    /// Sum of what grew at and below a node.
    pub fn gain(&self, node: NodeId) -> i64 {
        self.gain[node.index()]
    }

    /// Sum of what shrank at and below a node, as a positive number.
    pub fn loss(&self, node: NodeId) -> i64 {
        self.loss[node.index()]
    }
}

/// Adds the values of children to their parents, which come earlier.
fn sum_up(parents: &[u32], values: &mut [i64]) {
    for i in (1..parents.len()).rev() {
        let parent = parents[i] as usize;
        values[parent] = values[parent].saturating_add(values[i]);
    }
}

fn normalise(tree: &mut Tree<2>) {
    let (base, comparison) = (i128::from(tree.totals[BASE][0]), i128::from(tree.totals[COMPARISON][0]));
    if comparison <= 0 || base < 0 {
        return;
    }
    let mut running = 0i128;
    let mut scaled_before = 0i128;
    for own in &mut tree.own[COMPARISON] {
        running += i128::from(*own);
        let scaled = (running * base).div_euclid(comparison);
        // |scaled - scaled_before| is at most own * base / comparison + 1, which fits where the base's total does.
        *own = i64::try_from(scaled - scaled_before).unwrap_or(i64::MAX);
        scaled_before = scaled;
    }
    tree.totals[COMPARISON] = tree.own[COMPARISON].clone();
    sum_up(&tree.shape.parents, &mut tree.totals[COMPARISON]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};

    fn compare(base: &str, comparison: &str, scale: Scale) -> DiffTree {
        diff((&profile(base), 0), (&profile(comparison), 0), By::Name, scale)
    }

    #[test]
    fn keeps_both_sides() {
        let d = compare("main;a 3\nmain;old 4", "main;a 5\nmain;new 1", Scale::Absolute);
        assert_eq!(draw(d.tree()), "total 7,6/0,0\n main 7,6/0,0\n  a 3,5/3,5\n  new 0,1/0,1\n  old 4,0/4,0\n");
        assert_eq!((d.gain(NodeId::ROOT), d.loss(NodeId::ROOT)), (3, 4));
    }

    #[test]
    fn normalised_totals_agree() {
        let d = compare("a 10\nb 1", "a 1\nb 1\nc 1", Scale::Normalised);
        assert_eq!(draw(d.tree()), "total 11,11/0,0\n a 10,3/10,3\n b 1,4/1,4\n c 0,4/0,4\n");
        let empty = compare("a 1", "a 0", Scale::Normalised);
        assert_eq!(draw(empty.tree()), "total 1,0/0,0\n a 1,0/1,0\n");
    }
}
