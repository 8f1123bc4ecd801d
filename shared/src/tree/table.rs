//! The table of functions: self and total of each, over all places where it is called.
//!
//! These are the flat and cum of `go tool pprof -top`, to the unit: pprof too counts a recursive
//! function once for each sample there (in its call trees it counts each call). Inlined calls are
//! functions like any other, on both sides. What differs: pprof takes all addresses of a file that
//! have no function for one, and leaves out functions whose flat and cum are both zero; here each
//! address is its own, and every function stays that a sample was in.

use crate::tree::call_tree::{NodeId, Tree};

/// A function's values, a side each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionRow<const SIDES: usize> {
    /// The frame in [`crate::Shape::frames`].
    pub frame: usize,
    /// Without what it calls ("flat").
    pub own: [i64; SIDES],
    /// With what it calls ("cumulative"). A recursive function counts once for each sample, not
    /// once for each frame.
    pub total: [i64; SIDES],
    /// In how many nodes it stands.
    pub nodes: u32,
}

/// What the largest of is on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Self values, both sides together; sizes, so that large losses are on top too.
    Own,
    /// Totals, likewise.
    Total,
    /// How far the self values of two sides are apart; of one side, their size.
    OwnChange,
    /// How far the totals of two sides are apart; of one side, their size.
    TotalChange,
}

/// The functions in order, and what they are shares of.
#[derive(Clone, Debug)]
pub struct Top<const SIDES: usize> {
    /// The largest first; among equals in order of name, then file.
    pub rows: Vec<TopRow<SIDES>>,
    /// What percentages refer to, a side each: the sum of the sizes of all self values. That is the
    /// total where no value is negative.
    pub whole: [u128; SIDES],
}

/// A function's place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopRow<const SIDES: usize> {
    /// The function and its values.
    pub function: FunctionRow<SIDES>,
    /// The self values down to this row, a side each.
    pub sum: [i64; SIDES],
}

impl<const SIDES: usize> Top<SIDES> {
    /// How many hundredths of a side's whole a value is (`flat%` of a self value, `sum%` of a sum,
    /// `cum%` of a total); 0 of nothing. [`crate::verbs::format_percent`] makes words of both.
    pub fn percent(&self, value: i64, side: usize) -> f64 {
        if self.whole[side] == 0 {
            0.0
        } else {
            value as f64 / self.whole[side] as f64 * 100.0
        }
    }
}

/// The table of functions, ordered, with running sums.
pub fn top<const SIDES: usize>(tree: &Tree<SIDES>, order: Order) -> Top<SIDES> {
    let mut functions = function_table(tree);
    functions.sort_unstable_by_key(|row| {
        let size = match order {
            Order::Own => size(row.own),
            Order::Total => size(row.total),
            Order::OwnChange => change(row.own),
            Order::TotalChange => change(row.total),
        };
        (std::cmp::Reverse(size), row.frame)
    });
    let mut sum = [0; SIDES];
    let rows = functions.into_iter().map(|function| {
        add(&mut sum, function.own);
        TopRow { function, sum }
    });
    let whole = std::array::from_fn(|side| {
        tree.own[side]
            .values()
            .iter()
            .map(|value| u128::from(value.unsigned_abs()))
            .sum()
    });
    Top {
        rows: rows.collect(),
        whole,
    }
}

/// How large values are, whatever their signs, all sides together.
pub(crate) fn size<const SIDES: usize>(values: [i64; SIDES]) -> u128 {
    values
        .iter()
        .map(|value| u128::from(value.unsigned_abs()))
        .sum()
}

fn change<const SIDES: usize>(values: [i64; SIDES]) -> u128 {
    let [first, last] =
        [values.first(), values.last()].map(|value| i128::from(value.copied().unwrap_or(0)));
    if SIDES == 1 {
        last.unsigned_abs()
    } else {
        (last - first).unsigned_abs()
    }
}

/// One row for each function that has a node, in the order of the frame table.
pub fn function_table<const SIDES: usize>(tree: &Tree<SIDES>) -> Vec<FunctionRow<SIDES>> {
    let shape = tree.shape();
    let blank = |frame| FunctionRow {
        frame,
        own: [0; SIDES],
        total: [0; SIDES],
        nodes: 0,
    };
    let mut rows: Vec<FunctionRow<SIDES>> = (0..shape.frames.len()).map(blank).collect();
    // End of the outermost subtree of each frame that is open now: a node inside it is a recursive
    // call.
    let mut open_until = vec![0u32; rows.len()];
    for i in 1..shape.len() {
        let node = NodeId(i as u32);
        let frame = shape.frame_index(node);
        let row = &mut rows[frame];
        row.nodes += 1;
        add(&mut row.own, tree.own(node));
        if node.0 >= open_until[frame] {
            open_until[frame] = shape.ends[i];
            add(&mut row.total, tree.totals(node));
        }
    }
    // The root, and frames that a tree was made without: those keep their numbers.
    rows.retain(|row| row.nodes > 0);
    rows
}

fn add<const SIDES: usize>(sum: &mut [i64; SIDES], more: [i64; SIDES]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum = sum.saturating_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;
    use crate::{By, CallTree};

    #[test]
    fn recursion_counts_once() {
        let tree = CallTree::new(&profile("main;f;g;f 3\nmain;f 2\ng 1"), 0, By::Name);
        let mut rows: Vec<String> = function_table(&tree)
            .iter()
            .map(|r| {
                let name = tree.shape().text(tree.shape().frames()[r.frame].name);
                format!("{name} {}/{} x{}", r.total[0], r.own[0], r.nodes)
            })
            .collect();
        rows.sort();
        assert_eq!(rows, ["f 5/5 x2", "g 4/1 x2", "main 5/0 x1"]);
    }

    fn check(order: Order, expect: &str) {
        let (base, comparison) = (
            profile("main;f;g;f 3\nmain;f 2\ng 1"),
            profile("main;f 1\nmain;h 6"),
        );
        let diff = crate::diff(
            (&base, 0),
            (&comparison, 0),
            By::Name,
            crate::Scale::Absolute,
        );
        let tree = diff.tree();
        let top = top(tree, order);
        assert_eq!(top.whole, [6, 7]);
        let rows: Vec<String> = top
            .rows
            .iter()
            .map(|TopRow { function: f, sum }| {
                let name = tree.shape().text(tree.shape().frames()[f.frame].name);
                format!("{name} {:?} {sum:?} {:?}", f.own, f.total)
            })
            .collect();
        assert_eq!(rows.join("\n"), expect);
    }

    #[test]
    fn largest_first() {
        check(
            Order::Own,
            "f [5, 1] [5, 1] [5, 1]\nh [0, 6] [5, 7] [0, 6]\ng [1, 0] [6, 7] [4, 0]\nmain [0, 0] [6, 7] [5, 7]",
        );
        check(
            Order::Total,
            "main [0, 0] [0, 0] [5, 7]\nf [5, 1] [5, 1] [5, 1]\nh [0, 6] [5, 7] [0, 6]\ng [1, 0] [6, 7] [4, 0]",
        );
        check(
            Order::OwnChange,
            "h [0, 6] [0, 6] [0, 6]\nf [5, 1] [5, 7] [5, 1]\ng [1, 0] [6, 7] [4, 0]\nmain [0, 0] [6, 7] [5, 7]",
        );
        check(
            Order::TotalChange,
            "h [0, 6] [0, 6] [0, 6]\nf [5, 1] [5, 7] [5, 1]\ng [1, 0] [6, 7] [4, 0]\nmain [0, 0] [6, 7] [5, 7]",
        );
    }

    #[test]
    fn shares() {
        let tree = CallTree::new(&profile("a 3\nb -1"), 0, By::Name);
        let top = top(&tree, Order::Own);
        assert_eq!(
            (top.whole, top.percent(3, 0), top.percent(-1, 0)),
            ([4], 75.0, -25.0)
        );
        assert_eq!(
            super::top(&CallTree::new(&profile("a 0"), 0, By::Name), Order::Own).percent(0, 0),
            0.0
        );
    }
}
