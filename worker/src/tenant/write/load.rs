//! How busy a shard is, and how long its batches gather.
//!
//! A single push should be answered at once, and a fleet should share its writes. The measure is
//! the number of seconds of the last minute in which a push came. A person who pushes every three
//! seconds, or a hundred profiles at once, stays below [`QUIET_SECONDS`]. One push a second comes
//! close to [`BUSY_SECONDS`] within a minute, wherever in its second it comes.

/// Shortest flush window: 100 ms. An agent sends its profiles within less, and of the 300 ms within which
/// a push into silence is to be answered 200 are left for the write.
const SHORTEST_MILLIS: u32 = 100;

/// Up to so many busy seconds in a minute the flush window is the shortest one: 20, a push every three
/// seconds.
const QUIET_SECONDS: u32 = 20;

/// From so many on it is the longest one: 40. Fifteen processes that push every 15 s at moments of
/// their own fill 38.
const BUSY_SECONDS: u32 = 40;

/// How far back the measure reaches.
const SECONDS: i64 = 60;

/// The seconds of the last minute in which a push came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tenant) struct Load {
    /// The second of the last push, since the epoch.
    latest: i64,
    /// Bit n stands for the second n before [`Self::latest`].
    busy: u64,
}

impl Load {
    /// Counts a push.
    pub(in crate::tenant) fn note(&mut self, now_millis: i64) {
        let second = now_millis.div_euclid(1_000);
        let passed = second.saturating_sub(self.latest);
        self.busy = match passed {
            // Of a clock that was set back the new time counts from now on.
            ..=0 => self.busy,
            1..SECONDS => self.busy << passed & ((1 << SECONDS) - 1),
            _ => 0,
        } | 1;
        self.latest = second;
    }

    /// How long a batch gathers that the last push has opened: at most `longest` milliseconds.
    pub(in crate::tenant) fn flush_window(&self, longest: u32) -> u32 {
        let shortest = SHORTEST_MILLIS.min(longest);
        let above = self
            .busy
            .count_ones()
            .saturating_sub(QUIET_SECONDS)
            .min(BUSY_SECONDS - QUIET_SECONDS);
        shortest + (longest - shortest) * above / (BUSY_SECONDS - QUIET_SECONDS)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LONGEST: u32 = 6_000;

    /// The flush windows of pushes at these times.
    fn windows(times: impl IntoIterator<Item = i64>) -> Vec<u32> {
        let mut load = Load::default();
        let window = |at| {
            load.note(at);
            load.flush_window(LONGEST)
        };
        times.into_iter().map(window).collect()
    }

    fn every(millis: i64, count: i64) -> impl Iterator<Item = i64> {
        (0..count).map(move |n| 1_790_000_000_000 + n * millis)
    }

    #[test]
    fn a_person_is_answered_at_once() {
        assert_eq!(windows(every(3_000, 500)), [SHORTEST_MILLIS; 500]);
        assert_eq!(windows(every(60_000, 50)), [SHORTEST_MILLIS; 50]);
        // A hundred files, one after the other.
        assert_eq!(windows(every(150, 100)), [SHORTEST_MILLIS; 100]);
    }

    #[test]
    fn a_fleet_shares_its_writes() {
        for millis in [20, 150, 500, 1_000] {
            let windows = windows(every(millis, 120_000 / millis));
            let full = windows
                .iter()
                .position(|&window| window == LONGEST)
                .unwrap() as i64
                * millis;
            assert!(
                (39_000..=40_000).contains(&full),
                "{full} ms, a push each {millis} ms"
            );
            assert!(
                windows[(full / millis) as usize..]
                    .iter()
                    .all(|&window| window == LONGEST)
            );
        }
    }

    #[test]
    fn what_was_before_the_last_minute_does_not_count() {
        let day = 86_400_000;
        let then = every(500, 240).chain(every(500, 240).map(|at| at + day));
        let windows = windows(then);
        assert_eq!(
            (windows[239], windows[240], windows[479]),
            (LONGEST, SHORTEST_MILLIS, LONGEST)
        );
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_keep_the_load() {
        let mut load = Load::default();
        every(500, 240).for_each(|at| load.note(at));
        load.note(0);
        assert_eq!(load.flush_window(LONGEST), LONGEST);
        load.note(60_000);
        assert_eq!(load.flush_window(LONGEST), SHORTEST_MILLIS);
    }

    #[test]
    fn a_short_longest_window_is_the_only_one() {
        for longest in [0, 1, 20, 100] {
            let mut load = Load::default();
            every(500, 240).for_each(|at| {
                load.note(at);
                assert_eq!(load.flush_window(longest), longest);
            });
        }
    }

    /// Whatever the times: the flush window is that of the busy seconds of the last minute, counted one
    /// by one.
    #[test]
    fn the_window_follows_the_busy_seconds() {
        let mut state = 1_u64;
        let mut random = |below: i64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % below
        };
        for longest_pause in [200, 1_000, 2_500, 5_000, 100_000] {
            let (mut load, mut times, mut before) =
                (Load::default(), vec![1_790_000_000_000], LONGEST);
            for _ in 0..1_000 {
                let now = times[times.len() - 1] + random(longest_pause);
                times.push(now);
                load.note(now);
                let busy: BTreeSet<i64> = times[1..]
                    .iter()
                    .map(|at| at / 1_000)
                    .filter(|s| now / 1_000 - s < SECONDS)
                    .collect();
                let above = (busy.len() as u32).clamp(QUIET_SECONDS, BUSY_SECONDS) - QUIET_SECONDS;
                let window = load.flush_window(LONGEST);
                assert_eq!(
                    window,
                    SHORTEST_MILLIS + (LONGEST - SHORTEST_MILLIS) * above / 20
                );
                assert!(
                    window <= before + (LONGEST - SHORTEST_MILLIS) / 20,
                    "one push makes no leap"
                );
                before = window;
            }
        }
    }
}
