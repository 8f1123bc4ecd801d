//! Which chunks count: one that a client sent again, because it never saw our answer, counts once.
//!
//! A push is compared with the last ten minutes before it is stored (the worker's `RetryWindow`). This does the same
//! for objects that lost their row in the catalog, and for bundles. Plans take rows as they are.

use hashbrown::HashMap;

use crate::store::{ChunkId, Counted};

/// Chunks with the same id that arrive within this time of each other are one push and its retries:
/// ten minutes.
///
/// Clients that retry at all wait at most five minutes between tries (Alloy's longest backoff). An
/// idle service may well push the same bytes again later, and those count.
pub const RETRY_WINDOW_MILLIS: i64 = 10 * 60 * 1000;

/// The chunks that count so far.
#[derive(Clone, Debug, Default)]
pub struct CountedChunks {
    arrivals: HashMap<ChunkId, Vec<i64>>,
}

impl CountedChunks {
    /// Takes in chunks that a block has counted.
    pub fn extend(&mut self, counted: impl IntoIterator<Item = Counted>) {
        for Counted { id, arrival_millis } in counted {
            self.arrivals.entry(id).or_default().push(arrival_millis);
        }
    }

    /// Says for each chunk of a segment whether it counts, and takes in those that do. Give blocks
    /// first, then segments in order of arrival.
    pub fn count(
        &mut self,
        chunks: impl IntoIterator<Item = ChunkId>,
        arrival_millis: i64,
    ) -> Vec<bool> {
        let mut count = |id| {
            let before = self.arrivals.entry(id).or_default();
            let again = before
                .iter()
                .any(|&at| at.abs_diff(arrival_millis) <= RETRY_WINDOW_MILLIS as u64);
            if !again {
                before.push(arrival_millis);
            }
            !again
        };
        chunks.into_iter().map(&mut count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_counts_once() {
        let id = |n: u8| ChunkId([n; 16]);
        let minute = 60_000;
        let mut counted = CountedChunks::default();
        counted.extend([Counted {
            id: id(1),
            arrival_millis: 0,
        }]);
        assert_eq!(
            counted.count([id(1), id(2), id(2)], 10 * minute),
            [false, true, false]
        );
        assert_eq!(
            counted.count([id(1), id(2)], 11 * minute),
            [true, false],
            "ten minutes after the first that counted"
        );
    }
}
