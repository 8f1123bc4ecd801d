//! The table of functions, as clients ask for it beside a flame graph: nothing is folded away.
//!
//! Source of the shape: the pull request grafana/pyroscope#5665.

use crate::base::sort::sort_by;
use crate::tree::call_tree::{CallTree, NodeId, Tree};
use crate::tree::table::{FunctionRow, function_table};

/// A function's values over all places where it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionStats {
    /// Its name.
    pub name: String,
    /// With what it calls; a recursive function counts once for each sample.
    pub total: i64,
    /// Without what it calls.
    pub own: i64,
}

/// The functions of a profile with the largest self values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionTable {
    /// The largest self value first, among equals the largest total.
    pub functions: Vec<FunctionStats>,
    /// Value of the whole.
    pub total: i64,
    /// How many functions there are.
    pub total_functions: u64,
}

/// The functions of a tree by name, at most `limit` of them; 0 for all.
pub fn functions(tree: &CallTree, limit: usize) -> FunctionTable {
    let [table] = tables(tree, limit);
    table
}

/// The functions of both sides of a tree: the same ones on both, but those that a side does not
/// have. Those come first whose larger self value is the largest.
pub fn functions_diff(tree: &Tree<2>, limit: usize) -> [FunctionTable; 2] {
    tables(tree, limit)
}

fn tables<const SIDES: usize>(tree: &Tree<SIDES>, limit: usize) -> [FunctionTable; SIDES] {
    let shape = tree.shape();
    let name = |row: &FunctionRow<SIDES>| shape.text(shape.frames()[row.frame].name);
    let mut rows = function_table(tree);
    rows.retain(|row| row.total.iter().any(|&total| total > 0));
    let counts: [u64; SIDES] =
        std::array::from_fn(|side| rows.iter().filter(|row| row.total[side] > 0).count() as u64);
    let largest = |values: [i64; SIDES]| values.into_iter().max();
    sort_by(&mut rows, |a, b| {
        let by = |row: &FunctionRow<SIDES>| (largest(row.own), largest(row.total));
        by(b).cmp(&by(a)).then_with(|| name(a).cmp(name(b)))
    });
    if limit > 0 {
        rows.truncate(limit);
    }
    let whole = tree.totals(NodeId::ROOT);
    std::array::from_fn(|side| FunctionTable {
        functions: rows
            .iter()
            .filter(|row| row.total[side] > 0)
            .map(|row| FunctionStats {
                name: name(row).to_owned(),
                total: row.total[side],
                own: row.own[side],
            })
            .collect(),
        total: whole[side],
        total_functions: counts[side],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;
    use crate::{By, Scale, diff};

    fn rows(table: &FunctionTable) -> Vec<String> {
        let row = |f: &FunctionStats| format!("{} {}/{}", f.name, f.total, f.own);
        table.functions.iter().map(row).collect()
    }

    #[test]
    fn the_largest_self_values_come_first() {
        let tree = CallTree::new(&profile("main;f;g;f 3\nmain;f 2\nmain 1\nz 5"), 0, By::Name);
        let all = functions(&tree, 0);
        assert_eq!(rows(&all), ["f 5/5", "z 5/5", "main 6/1", "g 3/0"]);
        assert_eq!((all.total, all.total_functions), (11, 4));
        let two = functions(&tree, 2);
        assert_eq!(rows(&two), ["f 5/5", "z 5/5"]);
        assert_eq!((two.total, two.total_functions), (11, 4));
    }

    #[test]
    fn both_sides_have_the_same_rows() {
        let (left, right) = (profile("a;b 1\nc 2"), profile("a;b 9\nd 3"));
        let tree = diff((&left, 0), (&right, 0), By::Name, Scale::Absolute);
        let [left, right] = functions_diff(tree.tree(), 2);
        assert_eq!(
            [rows(&left), rows(&right)],
            [vec!["b 1/1"], vec!["b 9/9", "d 3/3"]]
        );
        assert_eq!((left.total, left.total_functions), (3, 3));
        assert_eq!((right.total, right.total_functions), (12, 3));
    }
}
