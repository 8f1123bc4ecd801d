//! Which chunks were written within the retry window, held small.

use std::collections::{HashSet, VecDeque};

use pilotlight_core::plans::RETRY_WINDOW_MILLIS;

/// How long a written chunk is recognised when it comes again.
pub(crate) const WINDOW_MILLIS: i64 = RETRY_WINDOW_MILLIS;

/// Chunks are forgotten a slice at a time: those of one minute. So a chunk is known for ten to
/// eleven minutes.
const SLICE_MILLIS: i64 = 60_000;

/// Most chunks of a slice: as many as fill a hash table of 2^16 buckets, of which 7 in 8 are used.
const SLICE_CHUNKS: usize = 57_344;

/// Most chunks that are recognised: a million, 1,600 pushes a second for the whole window, where a
/// Durable Object takes some 1,000 requests a second. Beyond that an early retry is stored twice.
///
/// Of an id, 8 of its 16 bytes are kept. A new chunk is taken for one of a million others once in
/// 2^64 / 10^6 = 2 * 10^13 chunks: at 1,600 a second, in 360 years. A table has a control byte and
/// 8 bytes a bucket and is at least 7/16 full: at most 9 * 16/7 = 21 bytes a chunk, 21 MB for all.
const WINDOW_CHUNKS: usize = 1_000_000;

/// What tells a chunk from all others.
pub(crate) type Id = [u8; 16];

/// Chunks written of late.
#[derive(Debug, Default)]
pub(in crate::tenant) struct RetryWindow {
    /// Oldest first.
    slices: VecDeque<Slice>,
    chunks: usize,
}

#[derive(Debug)]
struct Slice {
    /// Number of its minute.
    minute: i64,
    ids: HashSet<u64>,
}

impl RetryWindow {
    /// Whether a chunk was written within the window before `now`.
    pub(in crate::tenant) fn contains(&self, id: &Id, now: i64) -> bool {
        let (half, oldest) = (half(id), oldest(now));
        self.slices
            .iter()
            .any(|slice| slice.minute >= oldest && slice.ids.contains(&half))
    }

    /// Adds a chunk that was written at `now`; in the order of writing.
    pub(in crate::tenant) fn insert(&mut self, id: &Id, now: i64) {
        self.forget(now);
        let minute = now.div_euclid(SLICE_MILLIS);
        // A clock that was set back finds the newest slice good enough.
        let open = self
            .slices
            .back_mut()
            .filter(|slice| slice.minute >= minute && slice.ids.len() < SLICE_CHUNKS);
        let slice = match open {
            Some(slice) => slice,
            None => self.slices.push_back_mut(Slice {
                minute,
                ids: HashSet::new(),
            }),
        };
        self.chunks += usize::from(slice.ids.insert(half(id)));
    }

    fn forget(&mut self, now: i64) {
        let oldest = oldest(now);
        while self
            .slices
            .front()
            .is_some_and(|slice| slice.minute < oldest || self.chunks >= WINDOW_CHUNKS)
        {
            self.chunks -= self.slices.pop_front().map_or(0, |slice| slice.ids.len());
        }
    }
}

/// The minute of the oldest chunks that are known at `now`.
fn oldest(now: i64) -> i64 {
    now.saturating_sub(WINDOW_MILLIS).div_euclid(SLICE_MILLIS)
}

fn half(id: &Id) -> u64 {
    let &[a, b, c, d, e, f, g, h, ..] = id;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u64) -> Id {
        // Spread as a hash would be.
        let half = n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        [half, [0; 8]].concat().try_into().unwrap()
    }

    #[test]
    fn known_for_ten_minutes_and_not_for_twelve() {
        let mut window = RetryWindow::default();
        window.insert(&id(1), 59_999);
        assert!(window.contains(&id(1), 59_999 + WINDOW_MILLIS));
        assert!(!window.contains(&id(1), 60_000 + WINDOW_MILLIS));
        window.insert(&id(2), 60_000);
        assert!(window.contains(&id(2), 60_000 + WINDOW_MILLIS + SLICE_MILLIS - 1));
        assert!(!window.contains(&id(2), 60_000 + WINDOW_MILLIS + SLICE_MILLIS));
        window.insert(&id(3), 60_000 + WINDOW_MILLIS);
        assert_eq!(
            (window.slices.len(), window.chunks),
            (2, 2),
            "what has passed is dropped"
        );
        assert!(!window.contains(&id(4), 0));
    }

    #[test]
    fn a_clock_set_back_forgets_nothing() {
        let mut window = RetryWindow::default();
        window.insert(&id(1), 10 * WINDOW_MILLIS);
        window.insert(&id(2), 0);
        assert!(window.contains(&id(1), 0) && window.contains(&id(2), 0));
        assert_eq!(window.slices.len(), 1);
    }

    #[test]
    fn a_million_chunks_in_21_megabytes() {
        let bytes = |window: &RetryWindow| {
            let buckets = |slice: &Slice| (slice.ids.capacity() * 8 / 7).next_power_of_two();
            window
                .slices
                .iter()
                .map(|slice| 9 * buckets(slice))
                .sum::<usize>()
        };
        let (mut window, mut most) = (RetryWindow::default(), 0);
        // Six at each even millisecond make 3,000 a second, twice what the window can hold.
        for n in 0..1_200_000u64 {
            window.insert(&id(n), n as i64 / 3);
            if n % 10_000 == 0 {
                most = most.max(bytes(&window));
                assert!(window.contains(&id(n), n as i64 / 3));
            }
        }
        assert!(
            window.chunks <= WINDOW_CHUNKS && window.chunks > WINDOW_CHUNKS - 2 * SLICE_CHUNKS,
            "{}",
            window.chunks
        );
        assert!(
            window.contains(&id(1_200_000 - 900_000), 400_000) && !window.contains(&id(0), 400_000)
        );
        assert!(most <= 21_000_000, "{most}");
    }
}
