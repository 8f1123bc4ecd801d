//! The walk that all shapes are written in: depth first, of siblings the last one first.

use super::OTHER;
use super::limit::Kept;
use super::nodes::Nodes;

/// A node when the walk comes to it.
pub(super) struct Visited<'a, const SIDES: usize> {
    pub(super) name: &'a str,
    /// Distance from the root.
    pub(super) depth: usize,
    /// Where it begins, a side each.
    pub(super) x: [i64; SIDES],
    pub(super) total: [i64; SIDES],
    pub(super) own: [i64; SIDES],
    /// How many children it has.
    pub(super) children: usize,
}

/// A node that waits for its turn.
struct Waiting<const SIDES: usize> {
    what: What,
    depth: usize,
    x: [i64; SIDES],
    total: [i64; SIDES],
}

#[derive(Clone, Copy)]
enum What {
    Node(usize),
    /// What a limit folded.
    Other,
}

/// Visits the nodes that stay under a limit and the `other` of each; 0 is no limit. Gives how many
/// nodes were folded.
///
/// A child lies within its parent, behind the parent's self value and in order. Sums beyond 64 bits
/// are cut at their largest value, and then there is no room for all children: what has no room is
/// cut, too, or left out, so that no client computes with more than 64 bits.
pub(super) fn walk<'a, const SIDES: usize>(
    nodes: &'a impl Nodes<SIDES>,
    max_nodes: usize,
    mut visit: impl FnMut(Visited<'a, SIDES>),
) -> u64 {
    let kept = Kept::new(nodes, max_nodes);
    let mut folded = 0;
    let mut waiting = vec![Waiting {
        what: What::Node(0),
        depth: 0,
        x: [0; SIDES],
        total: nodes.total(0),
    }];
    let mut siblings = Vec::new();
    while let Some(Waiting {
        what,
        depth,
        x,
        total,
    }) = waiting.pop()
    {
        let What::Node(node) = what else {
            visit(Visited {
                name: OTHER,
                depth,
                x,
                total,
                own: total,
                children: 0,
            });
            continue;
        };
        let own = least(nodes.own(node), total);
        let mut rest = Rest {
            x: each(x, own, |x, own| x + own),
            room: each(total, own, |total, own| total - own),
        };
        let first = waiting.len();
        children(nodes, &kept, node, &mut folded, &mut siblings);
        for (what, size) in siblings.drain(..) {
            let (x, total) = rest.take(size);
            if total != [0; SIDES] {
                waiting.push(Waiting {
                    what,
                    depth: depth + 1,
                    x,
                    total,
                });
            }
        }
        visit(Visited {
            name: nodes.name(node),
            depth,
            x,
            total,
            own,
            children: waiting.len() - first,
        });
    }
    folded
}

/// What is below a node, in order, `other` last, each with its total.
fn children<const SIDES: usize>(
    nodes: &impl Nodes<SIDES>,
    kept: &Kept,
    node: usize,
    folded: &mut u64,
    children: &mut Vec<(What, [i64; SIDES])>,
) {
    let mut last = Vec::new();
    let mut other = [0; SIDES];
    let (mut child, end) = (node + 1, nodes.end(node));
    while child < end {
        let (total, next) = (nodes.total(child), nodes.end(child));
        if !kept.has(child) {
            other = each(other, total, i64::saturating_add);
            // One that has the name already is the same node as before.
            let first = child + usize::from(nodes.is_other(child));
            let counts = |&node: &usize| nodes.total(node) != [0; SIDES];
            *folded += (first..next).filter(counts).count() as u64;
        } else if nodes.is_other(child) {
            last.push((What::Node(child), total));
        } else {
            children.push((What::Node(child), total));
        }
        child = next;
    }
    children.append(&mut last);
    children.push((What::Other, other));
}

/// What is left of a node's width for its children.
struct Rest<const SIDES: usize> {
    x: [i64; SIDES],
    room: [i64; SIDES],
}

impl<const SIDES: usize> Rest<SIDES> {
    /// Place and width of the next child. `x + room` is the parent's end, so nothing overflows.
    fn take(&mut self, size: [i64; SIDES]) -> ([i64; SIDES], [i64; SIDES]) {
        let (x, width) = (self.x, least(size, self.room));
        self.x = each(self.x, width, |x, width| x + width);
        self.room = each(self.room, width, |room, width| room - width);
        (x, width)
    }
}

fn each<const SIDES: usize>(
    a: [i64; SIDES],
    b: [i64; SIDES],
    of: impl Fn(i64, i64) -> i64,
) -> [i64; SIDES] {
    std::array::from_fn(|side| of(a[side], b[side]))
}

fn least<const SIDES: usize>(a: [i64; SIDES], b: [i64; SIDES]) -> [i64; SIDES] {
    each(a, b, i64::min)
}
