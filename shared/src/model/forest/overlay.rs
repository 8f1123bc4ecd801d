//! Laying one tree over another.
//!
//! Both are read once, from front to back: what is left of a tree hangs off the way down to the
//! node that was made last. Whichever would hang off it further down comes first, and below the
//! same node that of lower rank.

use super::Preorder;

/// Past the end of a tree. No node has this key: it would be a child of the root and have the
/// highest number as its rank.
const END: u64 = u64::MAX;

/// A tree over which the nodes of another are laid, in preorder.
pub(crate) struct Overlay {
    /// The nodes that are in either.
    both: Preorder,
    under: Under,
}

impl Overlay {
    /// Over a tree, with room for as many nodes of another.
    pub(crate) fn new(under: Preorder, nodes: usize) -> Self {
        Self {
            both: Preorder::with_capacity(nodes.max(under.parents.len())),
            under: Under::new(under),
        }
    }

    /// Adds a node of the other tree, its parent being told by its number here, and gives its
    /// number here.
    #[inline(always)]
    pub(crate) fn add_node(&mut self, parent: u32, rank: u32) -> u32 {
        let key = key(parent, rank);
        self.before(key);
        let node = self.both.push(parent, rank);
        if self.under.key == key {
            self.under.move_next(node);
        }
        node
    }

    /// Adds what is left of the tree below. Gives the nodes of both, and where those of the one
    /// below went.
    pub(crate) fn finish(mut self) -> (Preorder, Vec<u32>) {
        self.before(END);
        (self.both, self.under.nodes)
    }

    /// Adds the nodes of the tree below that come before a node.
    #[inline(always)]
    fn before(&mut self, key: u64) {
        while self.under.key < key {
            let (parent, rank) = (!(self.under.key >> 32) as u32, self.under.key as u32);
            self.under.move_next(self.both.push(parent, rank));
        }
    }
}

/// A tree of which some nodes have been placed.
struct Under {
    /// Where each node went; the parents of those that went nowhere yet.
    nodes: Vec<u32>,
    ranks: Vec<u32>,
    next: usize,
    /// What the next node is told by: where its parent went, turned round, and its rank.
    key: u64,
}

impl Under {
    fn new(tree: Preorder) -> Self {
        let key = key(0, tree.ranks[0]);
        Self {
            nodes: tree.parents,
            ranks: tree.ranks,
            next: 0,
            key,
        }
    }

    /// Says where the next node went.
    #[inline(always)]
    fn move_next(&mut self, node: u32) {
        self.nodes[self.next] = node;
        self.next += 1;
        self.key = match (self.nodes.get(self.next), self.ranks.get(self.next)) {
            (Some(&parent), Some(&rank)) => key(self.nodes[parent as usize], rank),
            _ => END,
        };
    }
}

#[inline(always)]
fn key(parent: u32, rank: u32) -> u64 {
    u64::from(!parent) << 32 | u64::from(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_either_has() {
        // root ─ 1 ─ (2 ─ 5, 4), root ─ 3, and root ─ 1 ─ (2, 3 ─ 4), root ─ (2 ─ 5, 3 ─ 1).
        let one = Preorder {
            parents: vec![0, 0, 1, 2, 1, 0],
            ranks: vec![0, 1, 2, 5, 4, 3],
        };
        let other = Preorder {
            parents: vec![0, 0, 1, 1, 3, 0, 5, 0, 7],
            ranks: vec![0, 1, 2, 3, 4, 2, 5, 3, 1],
        };
        let mut overlay = Overlay::new(one, 9);
        let mut nodes = Vec::new();
        for (&parent, rank) in other.parents.iter().zip(other.ranks) {
            let parent = nodes.get(parent as usize).copied().unwrap_or(0);
            nodes.push(overlay.add_node(parent, rank));
        }
        let (both, under) = overlay.finish();
        assert_eq!(both.parents, [0, 0, 1, 2, 1, 4, 1, 0, 7, 0, 9]);
        assert_eq!(both.ranks, [0, 1, 2, 5, 3, 4, 4, 2, 5, 3, 1]);
        assert_eq!(under, [0, 1, 2, 3, 6, 9]);
        assert_eq!(nodes, [0, 1, 2, 4, 5, 7, 8, 9, 10]);
    }
}
