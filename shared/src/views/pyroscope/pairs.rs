//! Two trees on one shape: what has the same path of names is one node.

use std::cmp::Ordering;

use super::nodes::{Nodes, TreeNodes};

/// No node on this side.
const NONE: u32 = u32::MAX;

/// The nodes of two trees.
pub(super) struct Pairs<'a> {
    sides: [TreeNodes<'a>; 2],
    rows: Vec<Row>,
}

/// A node of one tree or both.
struct Row {
    nodes: [u32; 2],
    end: u32,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(sides: [TreeNodes<'a>; 2]) -> Self {
        let mut rows = Vec::with_capacity(sides[0].len().max(sides[1].len()));
        let mut parents: Vec<u32> = Vec::with_capacity(rows.capacity());
        // Stacks may be deep, so what waits is kept here and not on the native stack.
        let mut open = vec![([0, 0], 0)];
        while let Some((nodes, parent)) = open.pop() {
            let row = rows.len() as u32;
            rows.push(Row {
                nodes,
                end: row + 1,
            });
            parents.push(parent);
            let first = open.len();
            open.extend(children(&sides, nodes).map(|nodes| (nodes, row)));
            open[first..].reverse();
        }
        for i in (1..rows.len()).rev() {
            let (parent, end) = (parents[i] as usize, rows[i].end);
            rows[parent].end = rows[parent].end.max(end);
        }
        Self { sides, rows }
    }

    fn of<T>(&self, node: usize, value: impl Fn(&TreeNodes<'a>, usize) -> T, none: T) -> [T; 2]
    where
        T: Copy,
    {
        let nodes = self.rows[node].nodes;
        std::array::from_fn(|side| match nodes[side] {
            NONE => none,
            node => value(&self.sides[side], node as usize),
        })
    }
}

/// The children of both nodes of a row, merged by the bytes of their names.
fn children(sides: &[TreeNodes], nodes: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    let of = |side: usize| {
        let nodes = (nodes[side] != NONE).then(|| sides[side].children(nodes[side] as usize));
        nodes.into_iter().flatten().peekable()
    };
    let (mut left, mut right) = (of(0), of(1));
    std::iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(&l), Some(&r)) => {
                let (l, r) = (sides[0].name(l), sides[1].name(r));
                l.as_bytes().cmp(r.as_bytes())
            }
        };
        let next = |wanted: bool, side: &mut dyn Iterator<Item = usize>| {
            let node = if wanted { side.next() } else { None };
            node.map_or(NONE, |node| node as u32)
        };
        Some([
            next(order != Ordering::Greater, &mut left),
            next(order != Ordering::Less, &mut right),
        ])
    })
}

impl Nodes<2> for Pairs<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn end(&self, node: usize) -> usize {
        self.rows[node].end as usize
    }

    fn name(&self, node: usize) -> &str {
        match self.rows[node].nodes {
            [NONE, right] => self.sides[1].name(right as usize),
            [left, _] => self.sides[0].name(left as usize),
        }
    }

    fn is_other(&self, node: usize) -> bool {
        self.of(node, TreeNodes::is_other, false).contains(&true)
    }

    fn own(&self, node: usize) -> [i64; 2] {
        self.of(node, |side, node| side.own(node)[0], 0)
    }

    fn total(&self, node: usize) -> [i64; 2] {
        self.of(node, |side, node| side.total(node)[0], 0)
    }
}
