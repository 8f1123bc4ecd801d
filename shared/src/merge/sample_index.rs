//! Finding a sample by the hash of its stack and labels, or a stack by that of its caller and
//! location.
//!
//! Open addressing in one column: a slot holds the upper half of the hash and the sample's row, so
//! a look-up touches one cache line. The place of a slot is its hash's uppermost bits; thus growing
//! spreads the slots in order, in one pass.

/// Samples by hash. Equal hashes are told apart by whoever asks.
#[derive(Default)]
pub(crate) struct SampleIndex {
    /// Upper half of the hash, then row + 1; 0 is free. The length is a power of two, or zero.
    slots: Vec<u64>,
    used: usize,
}

impl SampleIndex {
    /// Makes room for `more` samples.
    pub(crate) fn reserve(&mut self, more: usize) {
        // At most three of four slots are taken: 1.5 slots are looked at for a hit then, 8.5 for a
        // miss, side by side.
        let wanted = ((self.used + more) * 4 / 3 + 1).next_power_of_two();
        if wanted <= self.slots.len() {
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![0; wanted]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let at = self.free_from(self.home(slot));
            self.slots[at] = slot;
        }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>()
    }

    /// Has the place where a hash would stand loaded into the cache. Asked for many hashes in a
    /// row, the loads overlap; a look-up on its own waits for memory, which was 40 % of the time of
    /// a merge.
    #[inline(always)]
    pub(crate) fn touch(&self, hash: u64) {
        std::hint::black_box(self.slots.get(self.home(hash)).copied());
    }

    /// The first row with this hash that `is_same` accepts.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, mut is_same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            let row = slot as u32 - 1;
            if slot >> 32 == hash >> 32 && is_same(row) {
                return Some(row);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds a row. Room for it must have been made.
    #[inline(always)]
    pub(crate) fn insert(&mut self, hash: u64, row: u32) {
        let slot = hash >> 32 << 32 | (u64::from(row) + 1);
        let at = self.free_from(self.home(hash));
        self.slots[at] = slot;
        self.used += 1;
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        // The length is below 2^32, so the slot of a hash can be found from the half that is kept.
        // A shift by 64 is avoided: it would be asked for by a length of 1, which has no other
        // place than 0.
        let bits = self.slots.len().trailing_zeros() & 63;
        ((hash >> 1) >> (63 - bits)) as usize
    }

    #[inline(always)]
    fn free_from(&self, mut at: usize) -> usize {
        while self.slots[at] != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_inserted_also_after_growing() {
        let mut index = SampleIndex::default();
        assert_eq!(index.find(7, |_| true), None);
        let hash = |row: u32| u64::from(row / 2).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for row in 0..1000 {
            index.reserve(1);
            index.insert(hash(row), row);
        }
        for row in 0..1000 {
            assert_eq!(
                index.find(hash(row), |found| found == row),
                Some(row),
                "rows with equal hashes"
            );
        }
        assert_eq!(index.find(hash(0), |_| false), None);
        assert_eq!(index.find(1 << 40, |_| true), None);
    }
}
