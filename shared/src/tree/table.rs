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

/// How large values are, whatever their signs, all sides together.
pub(crate) fn size<const SIDES: usize>(values: [i64; SIDES]) -> u128 {
    values
        .iter()
        .map(|value| u128::from(value.unsigned_abs()))
        .sum()
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
}
