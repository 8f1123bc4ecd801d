//! The nodes of a flame graph as a list: what a limit leaves, for readers that draw nothing.

use std::cmp::Reverse;

use serde::Serialize;

use super::OTHER;
use super::budget::{Budget, TooLarge};
use super::nodes::TreeNodes;
use super::walk::walk;
use crate::tree::call_tree::CallTree;

/// A node of a flame graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutlineRow {
    /// 0 for what begins stacks.
    pub depth: u32,
    /// Its name; `other` for what a limit folded.
    pub name: String,
    /// Without what it calls.
    #[serde(rename = "self")]
    pub own: i64,
    /// With what it calls.
    pub total: i64,
}

/// The `max_nodes` largest nodes, each before its children, and one `other` for each node of which
/// children are folded; and how many are folded. Of siblings the largest total comes first and
/// `other` last. The root is left out: it has no name. An error when the budget has no room for the
/// names.
pub fn outline(
    tree: &CallTree,
    max_nodes: usize,
    budget: &mut Budget,
) -> Result<(Vec<OutlineRow>, u64), TooLarge> {
    let mut room = Ok(());
    let (mut rows, mut children) = (Vec::new(), Vec::<Vec<usize>>::new());
    // The row of the node that is open at each depth, the root's first.
    let mut open: Vec<usize> = Vec::new();
    let folded = walk(&TreeNodes::new(tree), max_nodes, |node| {
        open.truncate(node.depth);
        let row = rows.len();
        if let Some(&parent) = open.last() {
            children[parent].push(row);
        }
        open.push(row);
        room = room.and_then(|()| budget.name(node.name));
        rows.push(OutlineRow {
            // The root is at depth 0 of the walk.
            depth: (node.depth as u32).saturating_sub(1),
            name: room.map_or_else(|_| String::new(), |()| node.name.to_owned()),
            own: node.own[0],
            total: node.total[0],
        });
        children.push(Vec::new());
    });
    room?;
    for children in &mut children {
        children.sort_by_key(|&row| {
            let OutlineRow { name, total, .. } = &rows[row];
            (name == OTHER, Reverse(*total), name)
        });
    }
    let mut waiting = vec![0];
    let mut order = Vec::with_capacity(rows.len());
    while let Some(row) = waiting.pop() {
        waiting.extend(children[row].iter().rev());
        order.push(row);
    }
    let mut rows: Vec<Option<OutlineRow>> = rows.into_iter().map(Some).collect();
    let in_order = order.into_iter().skip(1).filter_map(|row| rows[row].take());
    Ok((in_order.collect(), folded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;
    use crate::testing::profile;

    fn draw(limit: usize) -> (Vec<String>, u64) {
        let tree = CallTree::new(
            &profile("main;a;x 5\nmain;b 9\nmain;a 2\nmain;c 1\nz 3\nmain;a;y 1"),
            0,
            By::Name,
        );
        let (rows, folded) = outline(&tree, limit, &mut Budget::default()).unwrap();
        let row = |r: &OutlineRow| format!("{} {} {}/{}", r.depth, r.name, r.total, r.own);
        (rows.iter().map(row).collect(), folded)
    }

    #[test]
    fn largest_first_and_parents_before_children() {
        let expect = [
            "0 main 18/0",
            "1 b 9/9",
            "1 a 8/2",
            "2 x 5/5",
            "2 y 1/1",
            "1 c 1/1",
            "0 z 3/3",
        ];
        assert_eq!(draw(0), (expect.map(str::to_owned).to_vec(), 0));
    }

    #[test]
    fn what_is_folded_comes_last() {
        let expect = [
            "0 main 18/0",
            "1 b 9/9",
            "1 a 8/2",
            "2 other 6/6",
            "1 other 1/1",
            "0 other 3/3",
        ];
        assert_eq!(draw(3), (expect.map(str::to_owned).to_vec(), 4));
    }
}
