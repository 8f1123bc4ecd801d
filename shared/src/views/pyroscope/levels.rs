//! The levels of a flame graph: for each depth its nodes from left to right, as numbers.

use hashbrown::HashMap;

use super::walk::Visited;

/// Levels that grow while the walk goes on.
pub(super) struct Levels<'a, const SIDES: usize> {
    names: Vec<String>,
    index: HashMap<&'a str, i64>,
    /// Each from right to left until the end.
    levels: Vec<Vec<i64>>,
    max_self: i64,
}

/// Names, levels and the largest self value.
pub(super) type Finished = (Vec<String>, Vec<Vec<i64>>, i64);

impl<'a, const SIDES: usize> Levels<'a, SIDES> {
    /// Numbers of a node: distance, total and self of each side, and the name.
    const WIDTH: usize = 3 * SIDES + 1;

    /// Name 0 is the root's, and that of functions called `root`.
    pub(super) fn new(root: &'a str) -> Self {
        Self {
            names: vec!["total".to_owned()],
            index: HashMap::from([(root, 0)]),
            levels: Vec::new(),
            max_self: 0,
        }
    }

    pub(super) fn push(&mut self, node: Visited<'a, SIDES>) {
        let name = match node.depth {
            0 => 0,
            _ => self.name(node.name),
        };
        // A parent comes before its children, so at most one level is new.
        if node.depth == self.levels.len() {
            self.levels.push(Vec::new());
        }
        let level = &mut self.levels[node.depth];
        for side in 0..SIDES {
            level.extend([node.x[side], node.total[side], node.own[side]]);
            self.max_self = self.max_self.max(node.own[side]);
        }
        level.push(name);
    }

    fn name(&mut self, name: &'a str) -> i64 {
        *self.index.entry(name).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.names.len() as i64 - 1
        })
    }

    /// Turns the levels round and each place into the distance from the end of the node before.
    pub(super) fn finish(mut self) -> Finished {
        for level in &mut self.levels {
            level.reverse();
            let mut ends = [0; SIDES];
            for node in level.chunks_exact_mut(Self::WIDTH) {
                node.reverse();
                for (side, end) in node.chunks_exact_mut(3).zip(&mut ends) {
                    let (x, total) = (side[0], side[1]);
                    side[0] = x - *end;
                    *end = x + total;
                }
            }
        }
        (self.names, self.levels, self.max_self)
    }
}
