//! Folding rows that form a tree, some of them equal, into one tree in preorder.
//!
//! The children of a node are the rows below its rows, sorted by rank, equal ones side by side. No
//! row is looked up in a hash table, and no node is moved after it is made. Most rows follow the
//! row they are below: those are in no list.

mod overlay;

pub(crate) use overlay::Overlay;

/// Rows to be folded; row 0 is the root.
pub(crate) struct Forest {
    /// Of each row, until it is folded, its rank, or the last fork below it with [`FORKED`], and
    /// [`FOLLOWS`]; then its node. Four bytes a row: every fork is a step to somewhere else in
    /// memory, and the fewer lines and pages the rows take, the fewer of those miss.
    rows: Vec<u32>,
    forks: Vec<Fork>,
}

/// The rank of the root.
const ROOT: u32 = 0;

/// Set where a row is below the one before. No node has a number this high.
const FOLLOWS: u32 = 1 << 31;

/// Set where the number is that of a fork in place of a rank.
const FORKED: u32 = 1 << 30;

/// What is left of a row for a rank or the number of a fork.
const NUMBER: u32 = FORKED - 1;

/// A row that is below another than the one before.
#[derive(Clone, Copy)]
struct Fork {
    row: u32,
    /// The fork before, below the same row: from 1, or 0 for none.
    before: u32,
    /// Rank of the row above.
    above: u32,
}

/// A tree in preorder; node 0 is the root, whose parent is itself.
#[derive(Default)]
pub(crate) struct Preorder {
    /// Parent of each node.
    pub(crate) parents: Vec<u32>,
    /// Rank of each node among its siblings.
    pub(crate) ranks: Vec<u32>,
}

impl Preorder {
    /// No node, with room for some.
    fn with_capacity(nodes: usize) -> Self {
        Self {
            parents: Vec::with_capacity(nodes),
            ranks: Vec::with_capacity(nodes),
        }
    }

    /// Adds a node and gives its number.
    #[inline(always)]
    fn push(&mut self, parent: u32, rank: u32) -> u32 {
        let node = self.parents.len() as u32;
        self.parents.push(parent);
        self.ranks.push(rank);
        node
    }
}

impl Forest {
    /// A root alone, with room for more rows.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let mut forest = Self {
            rows: Vec::new(),
            forks: Vec::new(),
        };
        forest.clear(rows);
        forest
    }

    /// Adds a row below an earlier one, with its place among siblings, and gives its number.
    #[inline(always)]
    pub(crate) fn push(&mut self, parent: u32, rank: u32) -> u32 {
        let row = self.rows.len() as u32;
        assert!(
            self.rows.len() < FOLLOWS as usize,
            "there must be fewer rows than input bytes"
        );
        assert!(rank < FORKED, "frames are fewer than the input's bytes");
        if parent + 1 == row {
            self.rows.push(rank | FOLLOWS);
        } else {
            assert!(
                self.forks.len() < FORKED as usize,
                "there must be fewer rows than input bytes"
            );
            self.rows.push(rank);
            let above = &mut self.rows[parent as usize];
            let number = *above & NUMBER;
            let fork = match *above & FORKED {
                0 => Fork {
                    row,
                    before: 0,
                    above: number,
                },
                _ => Fork {
                    row,
                    before: number + 1,
                    above: self.forks[number as usize].above,
                },
            };
            *above = *above & FOLLOWS | FORKED | self.forks.len() as u32;
            self.forks.push(fork);
        }
        row
    }

    /// Adds a row that is below none, and goes nowhere.
    pub(crate) fn skip(&mut self) {
        self.rows.push(ROOT);
    }

    /// Back to a root alone, with the memory kept: fresh memory costs as much as what is done with
    /// it.
    pub(crate) fn clear(&mut self, rows: usize) {
        self.forks.clear();
        self.rows.clear();
        // One for the root, and one that follows none after the last.
        self.rows.reserve_exact(rows + 2);
        self.rows.push(ROOT);
    }

    /// Number of rows, the root included.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Folds rows of equal rank below equal parents. Time is linear but for the sorting of
    /// siblings.
    pub(crate) fn fold(&mut self) -> Preorder {
        let mut tree = Preorder::with_capacity(self.rows.len());
        self.fold_into(|parent, rank| tree.push(parent, rank));
        tree
    }

    /// Folds into a tree that numbers its nodes itself: `add_node` is told the number of the node
    /// above and the rank of each node, in preorder.
    pub(crate) fn fold_into(&mut self, mut add_node: impl FnMut(u32, u32) -> u32) {
        self.rows.push(ROOT);
        let mut family: Vec<u64> = Vec::new();
        let mut open = vec![Open {
            rank: 0,
            row: 0,
            parent: 0,
            more: 0,
        }];
        // The rows of what is open beyond the first of each.
        let mut more: Vec<u32> = Vec::new();
        while let Some(Open {
            mut rank,
            mut row,
            mut parent,
            more: count,
        }) = open.pop()
        {
            family.clear();
            // Down to where the way forks or ends.
            loop {
                parent = add_node(parent, rank);
                let Visit { next, fork } = self.visit(row, parent);
                match next {
                    Some(next) if fork == 0 && count == 0 => (rank, row) = (next, row + 1),
                    _ => {
                        self.gather(&mut family, row, next, fork);
                        break;
                    }
                }
            }
            for row in more.drain(more.len() - count as usize..) {
                let Visit { next, fork } = self.visit(row, parent);
                self.gather(&mut family, row, next, fork);
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
                        same.more += 1;
                        more.push(row);
                    }
                    _ => {
                        open.push(Open {
                            rank,
                            row,
                            parent,
                            more: 0,
                        });
                        before = Some(rank);
                    }
                }
            }
        }
    }

    /// Puts a row into a node.
    #[inline(always)]
    fn visit(&mut self, row: u32, node: u32) -> Visit {
        let next = self.rows[row as usize + 1];
        let this = std::mem::replace(&mut self.rows[row as usize], node);
        Visit {
            next: (next & FOLLOWS != 0).then(|| self.rank(next)),
            fork: if this & FORKED == 0 {
                0
            } else {
                (this & NUMBER) + 1
            },
        }
    }

    /// Rank of a row that is not folded.
    #[inline(always)]
    fn rank(&self, row: u32) -> u32 {
        let number = row & NUMBER;
        if row & FORKED == 0 {
            number
        } else {
            self.forks[number as usize].above
        }
    }

    /// Adds the rows below a row.
    #[inline(always)]
    fn gather(&self, family: &mut Vec<u64>, row: u32, next: Option<u32>, mut fork: u32) {
        family.extend(next.map(|rank| member(rank, row + 1)));
        while let Some(at) = fork.checked_sub(1) {
            let Fork { row, before, .. } = self.forks[at as usize];
            // It is visited soon: this reads ahead.
            family.push(member(self.rank(self.rows[row as usize]), row));
            fork = before;
        }
    }

    /// Where a row went when it was folded.
    #[inline(always)]
    pub(crate) fn node_of(&self, row: u32) -> u32 {
        self.rows[row as usize]
    }
}

/// A node to be made: its rank, its first row, and the node above.
struct Open {
    rank: u32,
    row: u32,
    parent: u32,
    /// How many rows more it has.
    more: u32,
}

/// What a row leads to.
struct Visit {
    /// Rank of the next row, if it is below this one.
    next: Option<u32>,
    /// The last fork below, as in a [`Row`].
    fork: u32,
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

    #[test]
    fn forks_of_rows_that_follow_and_rows_that_are_skipped() {
        // root ─ 7 ─ 5 ─ (4, 3, 2), and root ─ 7 ─ 5 ─ 1, with rows that go nowhere between.
        let mut forest = Forest::with_capacity(0);
        for (parent, rank) in [(0, 7), (1, 5), (2, 4), (2, 3)] {
            forest.push(parent, rank);
        }
        forest.skip();
        for (parent, rank) in [(2, 2), (0, 7), (7, 5)] {
            forest.push(parent, rank);
        }
        forest.skip();
        forest.push(8, 1);
        let tree = forest.fold();
        assert_eq!(tree.parents, [0, 0, 1, 2, 2, 2, 2]);
        assert_eq!(tree.ranks, [0, 7, 5, 1, 2, 3, 4]);
        let nodes: Vec<u32> = (0..11).map(|row| forest.node_of(row)).collect();
        assert_eq!(nodes, [0, 1, 2, 6, 5, 0, 4, 1, 2, 0, 3]);
    }
}
