//! Laying one tree over another.
//!
//! Both are read once, from front to back: what is left of a tree hangs off the way down to the node that was made last.
//! Whichever would hang off it further down comes first, and below the same node that of lower rank.

use super::Preorder;

/// Past the end of a tree. No node has this key: it would be a child of the root and have the highest number as its rank.
const END: u64 = u64::MAX;

impl Preorder {
    /// The nodes that are in either of two trees, and where those of each went.
    pub(crate) fn overlay(self, other: Self) -> (Self, [Vec<u32>; 2]) {
        let nodes = self.parents.len().max(other.parents.len());
        let mut both = Self { parents: Vec::with_capacity(nodes), ranks: Vec::with_capacity(nodes) };
        let mut sides = [Side::new(self), Side::new(other)];
        loop {
            let key = sides[0].key.min(sides[1].key);
            if key == END {
                break;
            }
            let node = both.parents.len() as u32;
            both.parents.push(!(key >> 32) as u32);
            both.ranks.push(key as u32);
            for side in &mut sides {
                if side.key == key {
                    side.place(node);
                }
            }
        }
        (both, sides.map(|side| side.nodes))
    }
}

/// A tree of which some nodes have been placed.
struct Side {
    /// Where each node went; the parents of those that went nowhere yet.
    nodes: Vec<u32>,
    ranks: Vec<u32>,
    next: usize,
    /// What the next node is told by: where its parent went, turned round, and its rank.
    key: u64,
}

impl Side {
    fn new(tree: Preorder) -> Self {
        let key = key(0, tree.ranks[0]);
        Self { nodes: tree.parents, ranks: tree.ranks, next: 0, key }
    }

    #[inline(always)]
    fn place(&mut self, node: u32) {
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
        let one = Preorder { parents: vec![0, 0, 1, 2, 1, 0], ranks: vec![0, 1, 2, 5, 4, 3] };
        let other = Preorder { parents: vec![0, 0, 1, 1, 3, 0, 5, 0, 7], ranks: vec![0, 1, 2, 3, 4, 2, 5, 3, 1] };
        let (both, nodes) = one.overlay(other);
        assert_eq!(both.parents, [0, 0, 1, 2, 1, 4, 1, 0, 7, 0, 9]);
        assert_eq!(both.ranks, [0, 1, 2, 5, 3, 4, 4, 2, 5, 3, 1]);
        assert_eq!(nodes, [vec![0, 1, 2, 3, 6, 9], vec![0, 1, 2, 4, 5, 7, 8, 9, 10]]);
    }
}
