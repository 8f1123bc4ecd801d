//! Which of several things belong together, directly or through others.

/// Disjoint sets of the numbers below a count. The least number in a set is its name.
pub(super) struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// Each number in a set of its own.
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The set that a number is in.
    pub(super) fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    /// Makes one set of the sets of two numbers.
    pub(super) fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_name_of_its_least() {
        let mut sets = DisjointSets::new(5);
        for (a, b) in [(3, 2), (1, 2), (0, 1)] {
            sets.union(a, b);
        }
        let found: Vec<usize> = (0..5).map(|at| sets.find(at)).collect();
        assert_eq!(found, [0, 0, 0, 0, 4]);
    }
}
