//! Folding rows that form a tree, some of them equal, into one tree in preorder.
//!
//! The children of a node are the rows below its rows, sorted by rank, equal ones side by side. No row is looked up in a
//! hash table, and no node is moved after it is made. Most rows follow the row they are below: those are in no list.

use std::ops::Range;

mod overlay;

/// Rows to be folded; row 0 is the root.
pub(crate) struct Forest {
    rows: Vec<Row>,
}

/// What a visit needs is side by side: it is a step to somewhere else in memory for every fork.
#[derive(Clone, Copy)]
struct Row {
    /// The place among siblings, with [`FOLLOWS`].
    rank: u32,
    /// The first row below, in the list of those that follow none; they end where the next row's begin.
    start: u32,
    /// The row above; then the next row that goes into the same node, 0 for none; then that node.
    link: u32,
}

/// Set where a row is below the one before.
const FOLLOWS: u32 = 1 << 31;

/// A tree in preorder; node 0 is the root, whose parent is itself.
#[derive(Default)]
pub(crate) struct Preorder {
    /// Parent of each node.
    pub(crate) parents: Vec<u32>,
    /// Rank of each node among its siblings.
    pub(crate) ranks: Vec<u32>,
}

impl Row {
    const ROOT: Self = Self { rank: 0, start: 0, link: 0 };
}

impl Forest {
    /// A root alone, with room for more rows.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let mut forest = Self { rows: Vec::new() };
        forest.clear(rows);
        forest
    }

    /// Adds a row below an earlier one, with its place among siblings, and gives its number.
    #[inline(always)]
    pub(crate) fn push(&mut self, parent: u32, rank: u32) -> u32 {
        let row = u32::try_from(self.rows.len()).expect("rows are fewer than the input's bytes");
        assert!(rank < FOLLOWS, "frames are fewer than the input's bytes");
        let follows = if parent + 1 == row { FOLLOWS } else { 0 };
        self.rows.push(Row { rank: rank | follows, start: 0, link: parent });
        row
    }

    /// Back to a root alone, with the memory kept: fresh memory costs as much as what is done with it.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.rows.clear();
        // One for the root, and one that ends the list of the last row's children.
        self.rows.reserve_exact(rows + 2);
        self.rows.push(Row::ROOT);
    }

    /// Folds rows of equal rank below equal parents. Time is linear but for the sorting of siblings.
    pub(crate) fn fold(&mut self) -> Preorder {
        let rows = &mut self.rows;
        let count = rows.len();
        let below = list(rows);
        let mut tree = Preorder { parents: Vec::with_capacity(count), ranks: Vec::with_capacity(count) };
        let mut family: Vec<u64> = Vec::new();
        let mut open = vec![Open { rank: 0, row: 0, parent: 0 }];
        while let Some(Open { mut rank, mut row, mut parent }) = open.pop() {
            family.clear();
            // Down to where the way forks or ends.
            loop {
                let node = tree.parents.len() as u32;
                tree.parents.push(parent);
                tree.ranks.push(rank);
                parent = node;
                let Visit { next, others, mut same } = visit(rows, row, node);
                if let (0, true, Some(next)) = (same, others.is_empty(), next) {
                    (rank, row) = (next, row + 1);
                    continue;
                }
                family.extend(next.map(|rank| member(rank, row + 1)));
                below[others].iter().for_each(|&other| family.push(other));
                while same != 0 {
                    let visit = visit(rows, same, node);
                    family.extend(visit.next.map(|rank| member(rank, same + 1)));
                    below[visit.others].iter().for_each(|&other| family.push(other));
                    same = visit.same;
                }
                break;
            }
            if family.len() > 1 {
                family.sort_unstable();
            }
            // From the last to the first: what is opened last is visited first.
            let mut before = None;
            for &member in family.iter().rev() {
                let (rank, row) = ((member >> 32) as u32, member as u32);
                match open.last_mut() {
                    Some(same) if before == Some(rank) => {
                        rows[row as usize].link = same.row;
                        same.row = row;
                    }
                    _ => {
                        open.push(Open { rank, row, parent });
                        before = Some(rank);
                    }
                }
            }
        }
        tree
    }

    /// Where a row went when it was folded.
    #[inline(always)]
    pub(crate) fn node_of(&self, row: u32) -> u32 {
        self.rows[row as usize].link
    }
}

/// A node to be made: its rank, its list of rows, and the node above.
struct Open {
    rank: u32,
    row: u32,
    parent: u32,
}

/// What a row leads to.
struct Visit {
    /// Rank of the next row, if it is below this one.
    next: Option<u32>,
    /// The other rows below, where they are listed.
    others: Range<usize>,
    /// The next row that goes into the same node, 0 for none.
    same: u32,
}

/// Puts a row into a node.
#[inline(always)]
fn visit(rows: &mut [Row], row: u32, node: u32) -> Visit {
    let next = rows[row as usize + 1];
    let this = &mut rows[row as usize];
    Visit {
        next: (next.rank & FOLLOWS != 0).then_some(next.rank & !FOLLOWS),
        others: this.start as usize..next.start as usize,
        same: std::mem::replace(&mut this.link, node),
    }
}

/// Lists the rows that follow none by the row above, by counting. Appends a row that ends the last one's.
fn list(rows: &mut Vec<Row>) -> Vec<u64> {
    rows.push(Row::ROOT);
    // The start of row `p + 1` first counts the rows below `p`, then is where the next of them goes, and ends as their end.
    let last = rows.len() - 1;
    for row in 1..last {
        let Row { rank, link: above, .. } = rows[row];
        if rank & FOLLOWS == 0 {
            rows[above as usize + 1].start += 1;
        }
    }
    let mut sum = 0;
    for row in rows.iter_mut() {
        (row.start, sum) = (sum, sum + row.start);
    }
    let mut below = vec![0u64; sum as usize];
    for row in 1..last {
        let Row { rank, link: above, .. } = rows[row];
        rows[row].link = 0;
        if rank & FOLLOWS == 0 {
            let place = &mut rows[above as usize + 1].start;
            below[*place as usize] = member(rank, row as u32);
            *place += 1;
        }
    }
    below
}

/// A row among siblings.
#[inline(always)]
fn member(rank: u32, row: u32) -> u64 {
    u64::from(rank) << 32 | u64::from(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_equal_rows_and_sorts_siblings() {
        // root ─ 2 ─ 1, root ─ 1 ─ 1, root ─ 2 ─ (9, 1)
        let mut forest = Forest::with_capacity(7);
        for (parent, rank) in [(0, 2), (1, 1), (0, 1), (3, 1), (0, 2), (5, 9), (5, 1)] {
            forest.push(parent, rank);
        }
        let tree = forest.fold();
        assert_eq!(tree.parents, [0, 0, 1, 0, 3, 3]);
        assert_eq!(tree.ranks, [0, 1, 1, 2, 1, 9]);
        let nodes: Vec<u32> = (0..8).map(|row| forest.node_of(row)).collect();
        assert_eq!(nodes, [0, 3, 4, 1, 2, 3, 5, 4]);
    }
}
