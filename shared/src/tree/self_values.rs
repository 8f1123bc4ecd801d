//! The self values of a tree's nodes.
//!
//! Most nodes are only on the way to others and have none: a bit a node says which have, and their
//! values stand side by side. For a CPU profile that is a fifth of a value for each node, and fresh
//! memory is what a large tree's time goes to.

/// The self values of one side; those of nodes without one are zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelfValues {
    places: Vec<Places>,
    /// In the order of the nodes.
    values: Vec<i64>,
}

/// Which of 64 nodes have a value, the first in the lowest bit.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    bits: u64,
    /// Values of all nodes before these.
    before: u32,
}

const NODES: usize = u64::BITS as usize;

impl SelfValues {
    /// Sums of the values at each of `nodes` nodes, added up in the order in which they come.
    pub(crate) fn sum(nodes: usize, values: impl Iterator<Item = (u32, i64)> + Clone) -> Self {
        let mut places = vec![Places::default(); nodes.div_ceil(NODES)];
        for (node, _) in values.clone() {
            places[node as usize / NODES].bits |= bit(node as usize);
        }
        let mut count = 0;
        for place in &mut places {
            place.before = count;
            count += place.bits.count_ones();
        }
        let mut sums = Self {
            places,
            values: vec![0; count as usize],
        };
        for (node, value) in values {
            if let Some(at) = sums.value_index(node as usize) {
                sums.values[at] = sums.values[at].saturating_add(value);
            }
        }
        sums
    }

    /// The value of a node.
    #[inline(always)]
    pub(crate) fn get(&self, node: usize) -> i64 {
        self.value_index(node).map_or(0, |at| self.values[at])
    }

    /// Where the value of a node is.
    #[inline(always)]
    fn value_index(&self, node: usize) -> Option<usize> {
        let Places { bits, before } = self.places[node / NODES];
        let earlier = bits & (bit(node) - 1);
        (bits & bit(node) != 0).then(|| before as usize + earlier.count_ones() as usize)
    }

    /// The values of the nodes that have one, in order.
    pub(crate) fn values(&self) -> &[i64] {
        &self.values
    }

    /// The same, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut [i64] {
        &mut self.values
    }

    /// A value for each of `nodes` nodes.
    pub(crate) fn dense(&self, nodes: usize) -> Vec<i64> {
        // Each page is written from front to back and read later: memory that is given out as zeros
        // costs a fault for the first reading, and one more for the first writing.
        let mut dense: Vec<i64> = Vec::with_capacity(self.places.len() * NODES);
        let mut values = self.values.iter();
        for place in &self.places {
            let first = dense.len();
            dense.resize(first + NODES, 0);
            for (node, &value) in ones(place.bits).zip(&mut values) {
                dense[first + node as usize] = value;
            }
        }
        dense.truncate(nodes);
        dense
    }
}

/// The bit of a node among those of its [`Places`].
#[inline(always)]
fn bit(node: usize) -> u64 {
    1 << (node % NODES)
}

/// The numbers of the bits that are set.
#[inline(always)]
fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let one = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(one)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_finds() {
        let values = [
            (70, 5),
            (3, 1),
            (63, i64::MAX),
            (64, 2),
            (3, 2),
            (63, 1),
            (0, 0),
        ];
        let own = SelfValues::sum(71, values.into_iter());
        let expect = [(0, 0), (3, 3), (63, i64::MAX), (64, 2), (70, 5)];
        assert_eq!(own.values(), expect.map(|(_, value)| value));
        let dense = own.dense(71);
        assert_eq!(dense.len(), 71);
        for (node, &value) in dense.iter().enumerate() {
            let given = expect.iter().find(|(at, _)| *at as usize == node);
            assert_eq!(
                (own.get(node), own.value_index(node).is_some()),
                (value, given.is_some())
            );
            assert_eq!(value, given.map_or(0, |(_, value)| *value));
        }
    }
}
