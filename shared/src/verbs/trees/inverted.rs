//! A tree upside down: the leaves first, below each of them its callers ("bottom-up").
//!
//! # Algebra
//!
//! - Each node with a self value gives a chain from itself up to the outermost caller, which
//!   carries that self value. Below the root, a function's total is therefore its self value over
//!   all places where it stands.
//! - The root total stays, and so does what the root has of its own: samples without a stack.
//! - Inverted twice, a tree is what it was, but for nodes that stood for no value.
//!
//! # Cost
//!
//! An inverted tree can be far larger than the tree: a chain of n functions that all have a self
//! value has n²/2 nodes. What is built is held below [`MAX_INVERTED_NODES`] by leaving out the
//! callers beyond a depth, the same for all chains; a chain's value then stays with its last node,
//! and totals with it.

use crate::tree::call_tree::{NodeId, Shape, Tree};
use crate::tree::self_values::SelfValues;

/// Most nodes of an inverted tree: 2^24. With parent, frame, end, and self and total for two sides
/// a node takes at most 3 × 4 + 2 × (2 × 8 + 1/4) = 44.5 bytes, so the largest takes 712 MiB, a
/// sixth of what WASM can address. Profiles of 420,000 samples, 20 frames deep, stay at half of it.
pub(crate) const MAX_INVERTED_NODES: u64 = 1 << 24;

/// A tree upside down.
#[derive(Clone, Debug)]
pub struct Inverted<const SIDES: usize> {
    /// The tree. Frames keep their numbers.
    pub tree: Tree<SIDES>,
    /// The greatest depth, where callers beyond it were left out for want of room; the root has
    /// depth 0.
    pub cut: Option<u32>,
}

/// The whole tree upside down. Time is that of the chains: each node with a self value, times its
/// depth.
pub fn inverted<const SIDES: usize>(tree: &Tree<SIDES>) -> Inverted<SIDES> {
    climb(tree.shape(), &leaves(tree), MAX_INVERTED_NODES)
}

/// Where a chain of callers starts, and what it weighs.
pub(crate) struct Start<const SIDES: usize> {
    pub(crate) node: u32,
    pub(crate) value: [i64; SIDES],
}

/// The nodes with values of their own.
fn leaves<const SIDES: usize>(tree: &Tree<SIDES>) -> Vec<Start<SIDES>> {
    let nodes = 0..tree.shape().len() as u32;
    let starts = nodes.map(|node| Start {
        node,
        value: tree.own(NodeId(node)),
    });
    starts.filter(|start| start.value != [0; SIDES]).collect()
}

/// The tree of the chains of callers from each start, of at most `most` nodes, or one for each
/// start if those are more.
///
/// The chains that share a beginning are a run of `chains`. A run is sorted by who calls next, and
/// each part of it is a child: nothing is kept but where each chain has come to.
pub(crate) fn climb<const SIDES: usize>(
    shape: &Shape,
    starts: &[Start<SIDES>],
    most: u64,
) -> Inverted<SIDES> {
    let cut = deepest(shape, starts, most);
    let limit = cut.unwrap_or(u32::MAX);
    let callers_of = callers_of(shape);
    let mut grown = Grown {
        parents: Vec::new(),
        frames: Vec::new(),
        added: Vec::new(),
    };
    let first_of = |node: u32| Caller {
        node,
        frame: shape.frame_of[node as usize],
    };
    let mut chains: Vec<Chain> = (0..)
        .zip(starts)
        .map(|(start, s)| Chain {
            start,
            next: first_of(s.node),
        })
        .collect();
    let mut scratch = chains.clone();
    let mut callers = Callers {
        found: Vec::new(),
        places: vec![(0, 0); shape.frames.len()],
        current: 0,
    };
    let mut open = vec![Run {
        frame: 0,
        parent: 0,
        depth: 0,
        first: 0,
        end: chains.len(),
    }];
    while let Some(Run {
        frame,
        parent,
        depth,
        first,
        end,
    }) = open.pop()
    {
        let node = grown.push(parent, frame);
        // Deep down most chains are alone: those need no sorting.
        if end - first == 1 {
            let Chain { start, next } = chains[first];
            let chain =
                std::iter::successors(Some(next), |caller| Some(callers_of[caller.node as usize]));
            let left = (limit - depth) as usize;
            let last = grown.push_chain(
                node,
                chain
                    .take_while(|caller| caller.node != 0)
                    .map(|caller| caller.frame)
                    .take(left),
            );
            grown.add(last, starts[start as usize].value);
            continue;
        }
        callers.begin();
        for chain in &chains[first..end] {
            if chain.next.node == 0 || depth == limit {
                grown.add(node, starts[chain.start as usize].value);
            } else {
                callers.count(chain.next.frame);
            }
        }
        if depth == limit {
            continue;
        }
        let mut at = first;
        callers.found.sort_unstable_by_key(|&(frame, _)| frame);
        let opened = open.len();
        for &(frame, count) in &callers.found {
            callers.places[frame as usize].1 = at as u32;
            open.push(Run {
                frame,
                parent: node,
                depth: depth + 1,
                first: at,
                end: at + count as usize,
            });
            at += count as usize;
        }
        // Timing from the end, they come out in order.
        open[opened..].reverse();
        for chain in chains[first..end]
            .iter()
            .filter(|chain| chain.next.node != 0)
        {
            let place = &mut callers.places[chain.next.frame as usize].1;
            scratch[*place as usize] = Chain {
                next: callers_of[chain.next.node as usize],
                ..*chain
            };
            *place += 1;
        }
        chains[first..at].copy_from_slice(&scratch[first..at]);
    }
    let Grown {
        parents,
        frames,
        added,
    } = grown;
    let own = std::array::from_fn(|side| {
        let values = added.iter().map(|&(node, values)| (node, values[side]));
        SelfValues::sum(parents.len(), values.filter(|(_, value)| *value != 0))
    });
    Inverted {
        tree: Tree::of_preorder(
            shape.strings.clone(),
            shape.frames.clone(),
            parents,
            frames,
            own,
        ),
        cut,
    }
}

/// The caller of each node and its frame, in one place: a chain then reads memory once a step.
fn callers_of(shape: &Shape) -> Vec<Caller> {
    shape
        .parents
        .iter()
        .map(|&node| Caller {
            node,
            frame: shape.frame_of[node as usize],
        })
        .collect()
}

/// The greatest depth that keeps the nodes below `most`; `None` when no chain is longer.
fn deepest<const SIDES: usize>(shape: &Shape, starts: &[Start<SIDES>], most: u64) -> Option<u32> {
    let depths = shape.depths();
    // How many chains have how many frames.
    let mut ending = vec![0u64; depths.iter().max().map_or(0, |&deepest| deepest as usize) + 1];
    for start in starts {
        ending[depths[start.node as usize] as usize] += 1;
    }
    let (mut longer, mut nodes) = (starts.len() as u64, 1);
    for (depth, &ending) in ending.iter().enumerate() {
        // Chains of more frames than `depth` have a node of depth `depth + 1`, one each at worst.
        longer -= ending;
        nodes += longer;
        if nodes > most && longer > 0 && depth > 0 {
            return Some(depth as u32);
        }
    }
    None
}

/// A chain of callers, as far as it is followed.
#[derive(Clone, Copy)]
struct Chain {
    start: u32,
    next: Caller,
}

/// Who calls next; node 0 when no one does.
#[derive(Clone, Copy)]
struct Caller {
    node: u32,
    frame: u32,
}

/// Chains that share a beginning, and the node to be made of it.
struct Run {
    frame: u32,
    parent: u32,
    depth: u32,
    first: usize,
    end: usize,
}

/// The nodes so far, in preorder.
struct Grown<const SIDES: usize> {
    parents: Vec<u32>,
    frames: Vec<u32>,
    /// What was added to self values.
    added: Vec<(u32, [i64; SIDES])>,
}

impl<const SIDES: usize> Grown<SIDES> {
    fn push(&mut self, parent: u32, frame: u32) -> u32 {
        let node = self.parents.len() as u32;
        self.parents.push(parent);
        self.frames.push(frame);
        node
    }

    /// Appends nodes each below the one before, the first below `node`; gives the last.
    fn push_chain(&mut self, node: u32, frames: impl Iterator<Item = u32>) -> u32 {
        self.frames.extend(frames);
        let count = self.frames.len() as u32;
        self.parents.extend(node..count - 1);
        count - 1
    }

    fn add(&mut self, node: u32, value: [i64; SIDES]) {
        self.added.push((node, value));
    }
}

/// Who calls next in a run: frame and number of chains of each.
struct Callers {
    found: Vec<(u32, u32)>,
    /// For each frame, in which run it was last seen, and its place there.
    places: Vec<(u32, u32)>,
    current: u32,
}

impl Callers {
    fn begin(&mut self) {
        self.found.clear();
        self.current += 1;
    }

    fn count(&mut self, frame: u32) {
        let place = &mut self.places[frame as usize];
        if place.0 == self.current {
            self.found[place.1 as usize].1 += 1;
        } else {
            *place = (self.current, self.found.len() as u32);
            self.found.push((frame, 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{draw, profile};
    use crate::{By, CallTree};

    fn tree(stacks: &str) -> CallTree {
        CallTree::new(&profile(stacks), 0, By::Name)
    }

    #[test]
    fn leaves_first() {
        let inverted = inverted(&tree(
            "main;a;f 3\nmain;b;f 4\nmain;b 1\n 5\nf;f 2\nmain;z;a;f 6",
        ));
        let expect = "total 21/5\n b 1/0\n  main 1/1\n f 15/0\n  a 9/0\n   main 3/3\n   z 6/0\n    main 6/6\n  b 4/0\n   main 4/4\n  f 2/2\n";
        assert_eq!(
            (draw(&inverted.tree).as_str(), inverted.cut),
            (expect, None)
        );
        assert_eq!(draw(&super::inverted(&tree("a 0")).tree), "total 0/0\n");
    }

    #[test]
    fn held_by_depth() {
        // All four chains have a second frame, three a third: 1 + 4 + 4 + 3 nodes at worst.
        let tree = tree("a;b;x 1\na;c;x 2\nb;c;x 3\na;d 4");
        let to = |most| {
            let cut = climb(tree.shape(), &leaves(&tree), most);
            assert_eq!(cut.tree.total(), 10);
            (draw(&cut.tree), cut.cut)
        };
        assert_eq!(to(12).1, None);
        let two = "total 10/0\n d 4/0\n  a 4/4\n x 6/0\n  b 1/1\n  c 5/5\n";
        assert_eq!(to(11), (two.to_owned(), Some(2)));
        assert_eq!(to(9), (two.to_owned(), Some(2)));
        let one = "total 10/0\n d 4/4\n x 6/6\n";
        assert_eq!(to(8), (one.to_owned(), Some(1)));
        assert_eq!(to(1), (one.to_owned(), Some(1)));
    }
}
