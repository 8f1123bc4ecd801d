//! Folding rows that form a tree, some of them equal, into one tree in preorder.
//!
//! The children of a node are the rows below its rows, sorted by rank, equal ones side by side. No row is looked up in a
//! hash table, and no node is moved after it is made.

/// Rows to be folded; row 0 is the root.
pub(crate) struct Forest {
    parents: Vec<u32>,
    keys: Vec<u32>,
}

/// A tree in preorder; node 0 is the root, whose parent is itself.
pub(crate) struct Folded {
    /// Parent of each node.
    pub(crate) parents: Vec<u32>,
    /// Rank of each node's key.
    pub(crate) ranks: Vec<u32>,
    places: Vec<Place>,
}

impl Forest {
    /// A root alone.
    pub(crate) fn new() -> Self {
        Self { parents: vec![0], keys: vec![0] }
    }

    /// Makes room for more rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.parents.reserve(rows);
        self.keys.reserve(rows);
    }

    /// Adds a row below an earlier one and gives its number.
    #[inline(always)]
    pub(crate) fn push(&mut self, parent: u32, key: u32) -> u32 {
        let row = u32::try_from(self.parents.len()).expect("rows are fewer than the input's bytes");
        self.parents.push(parent);
        self.keys.push(key);
        row
    }

    /// Folds rows with equal keys below equal parents. `rank` gives the place of each key among siblings. Time is linear
    /// but for the sorting of siblings.
    pub(crate) fn fold(self, rank: impl Fn(u32) -> u32) -> Folded {
        let root = rank(self.keys[0]);
        let Children { mut places, below } = Children::new(&self.parents, &self.keys, rank);
        // Rows become nodes, of which there are no more, so the memory does for both.
        let Self { mut parents, keys: mut ranks } = self;
        parents.clear();
        ranks.clear();
        let mut family: Vec<u64> = Vec::new();
        let mut open = vec![Open { rank: root, row: 0, parent: 0 }];
        while let Some(Open { mut rank, mut row, mut parent }) = open.pop() {
            // Down to where the way forks or ends.
            loop {
                let node = parents.len() as u32;
                parents.push(parent);
                ranks.push(rank);
                parent = node;
                let children = places[row as usize].start as usize..places[row as usize + 1].start as usize;
                let mut other = std::mem::replace(&mut places[row as usize].link, node);
                let children = &below[children];
                if other == 0 && children.len() == 1 {
                    (rank, row) = ((children[0] >> 32) as u32, children[0] as u32);
                    continue;
                }
                family.clear();
                children.iter().for_each(|&child| family.push(child));
                while other != 0 {
                    let children = places[other as usize].start as usize..places[other as usize + 1].start as usize;
                    below[children].iter().for_each(|&child| family.push(child));
                    other = std::mem::replace(&mut places[other as usize].link, node);
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
                        places[row as usize].link = same.row;
                        same.row = row;
                    }
                    _ => {
                        open.push(Open { rank, row, parent });
                        before = Some(rank);
                    }
                }
            }
        }
        Folded { parents, ranks, places }
    }
}

impl Folded {
    /// Where a row went.
    #[inline(always)]
    pub(crate) fn node_of(&self, row: u32) -> u32 {
        self.places[row as usize].link
    }
}

/// A node to be made: the rank of its key, its list of rows, and the node above.
struct Open {
    rank: u32,
    row: u32,
    parent: u32,
}

/// Where a row stands. What a visit needs is side by side: it is a step to somewhere else in memory for every fork.
#[derive(Clone, Copy, Default)]
struct Place {
    /// First row below, in [`Children::below`]; those end where the next row's begin.
    start: u32,
    /// The next row that goes into the same node, 0 for none; then that node.
    link: u32,
}

/// The rows below each row.
struct Children {
    places: Vec<Place>,
    /// Rows by parent, with the ranks of their keys in the upper halves.
    below: Vec<u64>,
}

impl Children {
    /// Sorts rows by parent, by counting.
    fn new(parents: &[u32], keys: &[u32], rank: impl Fn(u32) -> u32) -> Self {
        // The start of row `p + 1` first counts the children of `p`, then is where the next of them goes, and ends as their
        // end.
        let mut places = vec![Place::default(); parents.len() + 2];
        for &parent in &parents[1..] {
            places[parent as usize + 2].start += 1;
        }
        let mut sum = 0;
        for place in &mut places {
            sum += place.start;
            place.start = sum;
        }
        let mut below = vec![0u64; parents.len() - 1];
        for (row, (&parent, &key)) in (0u64..).zip(parents.iter().zip(keys)).skip(1) {
            let place = &mut places[parent as usize + 1].start;
            below[*place as usize] = u64::from(rank(key)) << 32 | row;
            *place += 1;
        }
        Self { places, below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_equal_rows_and_sorts_siblings() {
        // root ─ 2 ─ 1, root ─ 1 ─ 1, root ─ 2 ─ (0, 1); key 0 ranks last.
        let mut forest = Forest::new();
        for (parent, key) in [(0, 2), (1, 1), (0, 1), (3, 1), (0, 2), (5, 0), (5, 1)] {
            forest.push(parent, key);
        }
        let folded = forest.fold(|key| [9, 1, 2][key as usize]);
        assert_eq!(folded.parents, [0, 0, 1, 0, 3, 3]);
        assert_eq!(folded.ranks, [9, 1, 1, 2, 1, 9]);
        let nodes: Vec<u32> = (0..8).map(|row| folded.node_of(row)).collect();
        assert_eq!(nodes, [0, 3, 4, 1, 2, 3, 5, 4]);
    }
}
