//! Which nodes stay under a limit.

use std::cmp::Reverse;

use super::nodes::Nodes;

/// Which nodes are kept; `None` for all.
pub(super) struct Kept(Option<Vec<bool>>);

impl Kept {
    /// The root and the `max_nodes` largest nodes, by the greater of the totals of both sides; 0,
    /// and as many as there are, keep all. No child is larger than its parent and the earlier of
    /// equal ones stay, so the parent of what stays does, too.
    pub(super) fn new<const SIDES: usize>(nodes: &impl Nodes<SIDES>, max_nodes: usize) -> Self {
        if max_nodes == 0 || nodes.len() - 1 <= max_nodes {
            return Self(None);
        }
        let size = |node: usize| nodes.total(node).into_iter().max().unwrap_or(0);
        if (1..nodes.len()).filter(|&node| size(node) > 0).count() <= max_nodes {
            return Self(None);
        }
        let mut candidates = Vec::with_capacity(nodes.len());
        let mut node = 1;
        while node < nodes.len() {
            if size(node) == 0 || nodes.is_other(node) {
                node = nodes.end(node);
            } else {
                candidates.push((Reverse(size(node)), node as u32));
                node += 1;
            }
        }
        if max_nodes < candidates.len() {
            candidates.select_nth_unstable(max_nodes);
            candidates.truncate(max_nodes);
        }
        let mut kept = vec![false; nodes.len()];
        for (_, node) in candidates {
            kept[node as usize] = true;
        }
        Self(Some(kept))
    }

    /// Whether a node below the root is kept.
    pub(super) fn has(&self, node: usize) -> bool {
        self.0.as_ref().is_none_or(|kept| kept[node])
    }
}
