//! Folding rows that form a tree, some of them equal, into one tree in preorder.
//!
//! The children of a node are the rows below its rows, told apart by a stamp for each key, then sorted. No row is looked up
//! in a hash table, and no node is moved after it is made.

/// No row.
const NONE: u32 = u32::MAX;

/// A tree in preorder; node 0 is the root, whose parent is itself.
pub(crate) struct Folded {
    /// Parent of each node.
    pub(crate) parents: Vec<u32>,
    /// Key of each node.
    pub(crate) keys: Vec<u32>,
    /// Where each row went.
    pub(crate) node_of: Vec<u32>,
}

/// Folds rows with equal keys below equal parents. Row 0 is the root; the parent of any other is an earlier row. `ranks`
/// gives the place of each key among siblings. Time is linear but for the sorting of siblings.
pub(crate) fn fold(row_parents: &[u32], row_keys: &[u32], ranks: &[u32]) -> Folded {
    let count = row_parents.len();
    let children = Children::new(row_parents);
    let mut folded = Folded { parents: Vec::with_capacity(count), keys: Vec::with_capacity(count), node_of: vec![0; count] };
    // Rows of one node form a list.
    let mut next_row = vec![NONE; count];
    let mut family = Family::new(ranks.len());
    let mut open = vec![Open { key: row_keys[0], rows: 0, parent: 0 }];
    while let Some(Open { key, rows, parent }) = open.pop() {
        let node = folded.parents.len() as u32;
        folded.parents.push(parent);
        folded.keys.push(key);
        family.begin();
        let mut row = rows;
        while row != NONE {
            folded.node_of[row as usize] = node;
            for &child in children.of(row) {
                family.add(row_keys[child as usize], child, &mut next_row);
            }
            row = next_row[row as usize];
        }
        // Taken from the end, they come out in order.
        if family.members.len() > 1 {
            family.members.sort_unstable_by_key(|&(key, _)| std::cmp::Reverse(ranks[key as usize]));
        }
        open.extend(family.members.iter().map(|&(key, rows)| Open { key, rows, parent: node }));
    }
    folded
}

/// A node to be made: its key, its list of rows, and the node above.
struct Open {
    key: u32,
    rows: u32,
    parent: u32,
}

/// The rows below each row.
struct Children {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Children {
    /// Sorts rows by parent, by counting.
    fn new(parents: &[u32]) -> Self {
        // `starts[p + 1]` first counts the children of `p`, then is where the next of them goes, and ends as their end.
        let mut starts = vec![0u32; parents.len() + 2];
        for &parent in &parents[1..] {
            starts[parent as usize + 2] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut rows = vec![0u32; parents.len() - 1];
        for (row, &parent) in parents.iter().enumerate().skip(1) {
            let place = &mut starts[parent as usize + 1];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        Self { starts, rows }
    }

    fn of(&self, row: u32) -> &[u32] {
        &self.rows[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }
}

/// The children of one node while they are gathered: key and list of rows of each.
struct Family {
    members: Vec<(u32, u32)>,
    /// For each key, of which family it was last a member, and at which place.
    stamps: Vec<(u32, u32)>,
    current: u32,
}

impl Family {
    fn new(keys: usize) -> Self {
        Self { members: Vec::new(), stamps: vec![(0, 0); keys], current: 0 }
    }

    fn begin(&mut self) {
        self.members.clear();
        self.current += 1;
    }

    fn add(&mut self, key: u32, row: u32, next_row: &mut [u32]) {
        let stamp = &mut self.stamps[key as usize];
        if stamp.0 == self.current {
            let (_, rows) = &mut self.members[stamp.1 as usize];
            next_row[row as usize] = *rows;
            *rows = row;
        } else {
            *stamp = (self.current, self.members.len() as u32);
            self.members.push((key, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_equal_rows_and_sorts_siblings() {
        // root ─ 2 ─ 1, root ─ 1 ─ 1, root ─ 2 ─ (0, 1); key 0 ranks last.
        let folded = fold(&[0, 0, 1, 0, 3, 0, 5, 5], &[0, 2, 1, 1, 1, 2, 0, 1], &[9, 1, 2]);
        assert_eq!(folded.parents, [0, 0, 1, 0, 3, 3]);
        assert_eq!(folded.keys, [0, 1, 1, 2, 1, 0]);
        assert_eq!(folded.node_of, [0, 3, 4, 1, 2, 3, 5, 4]);
    }
}
