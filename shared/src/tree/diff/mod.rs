//! Comparing two profiles.
//!
//! # Algebra
//!
//! - Both sides keep their own values per node; nothing is netted away. Sides are never mixed by a
//!   merge.
//! - `diff(a, b)` mirrored is `diff(b, a)`.
//! - Normalised, the comparison's self values are scaled so that its total equals the base's: the
//!   scaled value of node `i` in preorder is `floor(P(i) * base / comparison) - floor(P(i-1) * base
//!   / comparison)`, `P` being the running sum. Rounding thus never loses or adds a unit over the
//!   whole, and each value is less than one off. This is exact for all values of `i64`, as long as
//!   the scaled ones are such too; those that are not stay at the limit.
//! - No factor above zero takes one total to the other when their signs differ or the comparison's
//!   is zero; its values then stay as they are. A base of zero takes all to zero.

use crate::model::profile::Profile;
use crate::tree::call_tree::Tree;
use crate::tree::fold;
use crate::tree::frames::By;

mod normalise;

use normalise::normalise;

/// The tree of two profiles: side 0 is the base, side 1 the comparison.
pub type DiffTree = Tree<2>;

/// How the comparison's values are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As they are.
    Absolute,
    /// Scaled so that both totals are equal: profiles of different length compare by share.
    Normalised,
}

/// Compares a value column of each of two profiles.
pub fn diff(
    base: (&Profile, usize),
    comparison: (&Profile, usize),
    by: By,
    scale: Scale,
) -> DiffTree {
    fold::build([base, comparison], by, |own, _| {
        if scale == Scale::Normalised {
            normalise(own);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;
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
            draw(&d),
            "total 7,6/0,0\n main 7,6/0,0\n  a 3,5/3,5\n  new 0,1/0,1\n  old 4,0/4,0\n"
        );
    }

    #[test]
    fn normalised_totals_agree() {
        let d = compare("a 10\nb 1", "a 1\nb 1\nc 1", Scale::Normalised);
        assert_eq!(
            draw(&d),
            "total 11,11/0,0\n a 10,3/10,3\n b 1,4/1,4\n c 0,4/0,4\n"
        );
        let empty = compare("a 1", "a 0", Scale::Normalised);
        assert_eq!(draw(&empty), "total 1,0/0,0\n a 1,0/1,0\n");
    }

    #[test]
    fn normalised_keeps_signs_and_zeros() {
        let own =
            |base: &str, comparison: &str| draw(&compare(base, comparison, Scale::Normalised));
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
            draw(&d),
            "total 100,100/0,0\n a 0,25/0,25\n b 0,25/0,25\n c 0,25/0,25\n d 0,25/0,25\n x 100,0/100,0\n"
        );
        let d = compare(
            &format!("x {max}"),
            &format!("a {max}\nb {max}\nc -{max}\nd -{}", max - 1),
            Scale::Normalised,
        );
        // 2^63 - 1 times as much fits no i64.
        assert_eq!(d.own(NodeId(1)), [0, max]);
        let d = compare(
            &format!("x {max}\ny {max}"),
            &format!("x {max}\ny {max}"),
            Scale::Normalised,
        );
        assert_eq!([1, 2].map(|node| d.own(NodeId(node))), [[max; 2]; 2]);
    }

    #[test]
    fn no_node_is_removed_by_rounding() {
        let d = compare("a 1\nb 1", "a 1\nb 1000", Scale::Normalised);
        assert_eq!(draw(&d), "total 2,2/0,0\n a 1,0/1,0\n b 1,2/1,2\n");
    }
}
