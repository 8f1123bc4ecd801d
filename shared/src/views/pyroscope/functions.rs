//! The table of functions, as clients ask for it beside a flame graph: nothing is folded away.
//!
//! Source of the shape: the pull request grafana/pyroscope#5665.

use hashbrown::HashMap;

use crate::base::sort::sort_by;
use crate::tree::call_tree::CallTree;
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

impl FunctionTable {
    /// The names of its functions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(|function| function.name.as_str())
    }
}

/// The functions of a tree by name, at most `limit` of them; 0 for all.
pub fn functions(tree: &CallTree, limit: usize) -> FunctionTable {
    let shape = tree.shape();
    let name = |row: &FunctionRow<1>| shape.text(shape.frames()[row.frame].name);
    let mut rows = function_table(tree);
    rows.retain(|row| row.total[0] > 0);
    let total_functions = rows.len() as u64;
    sort_by(&mut rows, |a, b| {
        let order = (b.own, b.total).cmp(&(a.own, a.total));
        order.then_with(|| name(a).cmp(name(b)))
    });
    if limit > 0 {
        rows.truncate(limit);
    }
    let functions = rows.iter().map(|row| FunctionStats {
        name: name(row).to_owned(),
        total: row.total[0],
        own: row.own[0],
    });
    FunctionTable {
        functions: functions.collect(),
        total: tree.total(),
        total_functions,
    }
}

/// The functions of both sides of a comparison: the same rows on both, with zeros where a side does
/// not have a function. Each side comes with all of its functions. Those come first whose larger self
/// value is the largest, and at most `limit` stay; 0 for all.
pub fn functions_diff(sides: [FunctionTable; 2], limit: usize) -> [FunctionTable; 2] {
    let (pairs, total_functions) = pairs(&sides, limit);
    [0, 1].map(|side| {
        let row = |pair: &Pair| {
            let found = pair.places[side].map(|place| &sides[side].functions[place]);
            FunctionStats {
                name: pair.name.to_owned(),
                total: found.map_or(0, |function| function.total),
                own: found.map_or(0, |function| function.own),
            }
        };
        FunctionTable {
            functions: pairs.iter().map(row).collect(),
            total: sides[side].total,
            total_functions,
        }
    })
}

/// A function of one side or both.
#[derive(Default)]
struct Pair<'a> {
    name: &'a str,
    /// Where it stands in the table of each side.
    places: [Option<usize>; 2],
    /// The larger of its self values, and of its totals; that of a side without it is 0.
    own: i64,
    total: i64,
}

/// The functions of both sides in order, as many as stay, and how many there are.
fn pairs(sides: &[FunctionTable; 2], limit: usize) -> (Vec<Pair<'_>>, u64) {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut of_name: HashMap<&str, usize> = HashMap::new();
    for (side, table) in sides.iter().enumerate() {
        for (place, function) in table.functions.iter().enumerate() {
            let pair = *of_name.entry(&function.name).or_insert_with(|| {
                pairs.push(Pair {
                    name: &function.name,
                    ..Pair::default()
                });
                pairs.len() - 1
            });
            let pair = &mut pairs[pair];
            pair.places[side] = Some(place);
            pair.own = pair.own.max(function.own);
            pair.total = pair.total.max(function.total);
        }
    }
    sort_by(&mut pairs, |a, b| {
        let order = (b.own, b.total).cmp(&(a.own, a.total));
        order.then_with(|| a.name.cmp(b.name))
    });
    let count = pairs.len() as u64;
    if limit > 0 {
        pairs.truncate(limit);
    }
    (pairs, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;
    use crate::testing::profile;

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
        let side = |text| functions(&CallTree::new(&profile(text), 0, By::Name), 0);
        let sides = [side("a;b 1\nc 2"), side("a;b 9\nd 3")];
        let [left, right] = functions_diff(sides.clone(), 2);
        assert_eq!(
            [rows(&left), rows(&right)],
            [vec!["b 1/1", "d 0/0"], vec!["b 9/9", "d 3/3"]]
        );
        assert_eq!((left.total, left.total_functions), (3, 4));
        assert_eq!((right.total, right.total_functions), (12, 4));
        let [left, right] = functions_diff(sides, 0);
        assert_eq!(rows(&left), ["b 1/1", "d 0/0", "c 2/2", "a 1/0"]);
        assert_eq!(rows(&right), ["b 9/9", "d 3/3", "c 0/0", "a 9/0"]);
        let [left, right] = functions_diff([side("a 0"), side("z 1\ny 1")], 1);
        assert_eq!((rows(&left), left.total), (vec!["y 0/0".to_owned()], 0));
        assert_eq!(
            (rows(&right), right.total_functions),
            (vec!["y 1/1".to_owned()], 2)
        );
    }
}
