//! Windows of time over which blocks hold sums, aligned to the epoch.

use crate::base::units::{TimeRange, UnixNanos};

/// A length of window, from short to long; each is a multiple of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SumWindow {
    /// 60 seconds.
    Minute,
    /// 3,600 seconds.
    Hour,
    /// 86,400 seconds.
    Day,
}

/// Whose profiles a sum is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SumScope {
    /// All series of a dataset together.
    All,
    /// Each series by itself.
    Series,
}

impl SumWindow {
    /// All of them, from short to long.
    pub const ALL: [Self; 3] = [Self::Minute, Self::Hour, Self::Day];

    /// Its length.
    pub const fn nanos(self) -> i64 {
        match self {
            Self::Minute => 60_000_000_000,
            Self::Hour => 3_600_000_000_000,
            Self::Day => 86_400_000_000_000,
        }
    }

    /// The number of the window that `time` lies in; number 0 begins at the epoch.
    pub fn index(self, time: UnixNanos) -> i64 {
        time.0.div_euclid(self.nanos())
    }

    /// Where a window begins, saturating.
    pub fn start(self, index: i64) -> UnixNanos {
        UnixNanos(index.saturating_mul(self.nanos()))
    }

    /// The windows that lie wholly inside `range`, as one range; empty ranges end where they begin.
    /// An end at the limits of time is open: nothing lies beyond, so the window that it cuts is
    /// whole.
    pub fn inside(self, range: TimeRange) -> TimeRange {
        let until = match range.until.0 {
            i64::MAX => Some(i64::MAX),
            until => until.div_euclid(self.nanos()).checked_mul(self.nanos()),
        };
        match (self.next_edge(range.from), until) {
            (Some(from), Some(until)) if from < until => TimeRange::of_nanos(from, until),
            _ => TimeRange {
                from: range.from,
                until: range.from,
            },
        }
    }

    /// The windows that begin inside `range`, as one range: what adjacent ranges have of windows
    /// that are cut adds up. Ends at the limits of time are open.
    pub fn rounded(self, range: TimeRange) -> TimeRange {
        let edge = |time| UnixNanos(self.next_edge(time).unwrap_or(i64::MAX));
        TimeRange {
            from: edge(range.from),
            until: edge(range.until),
        }
    }

    /// The first start of a window from `time` on; the limits of time stay as they are.
    fn next_edge(self, time: UnixNanos) -> Option<i64> {
        match time.0 {
            i64::MIN | i64::MAX => Some(time.0),
            time => (time.div_euclid(self.nanos()) + i64::from(time.rem_euclid(self.nanos()) != 0))
                .checked_mul(self.nanos()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_windows_of_a_range() {
        let minute = SumWindow::Minute.nanos();
        let check = |from: i64, until: i64, expect: Option<(i64, i64)>| {
            let inside = SumWindow::Minute.inside(TimeRange::of_nanos(from, until));
            let found = (inside.from < inside.until).then_some((inside.from.0, inside.until.0));
            assert_eq!(found, expect, "{from} to {until}");
        };
        check(0, minute, Some((0, minute)));
        check(1, 2 * minute, Some((minute, 2 * minute)));
        check(0, 2 * minute - 1, Some((0, minute)));
        check(-1, minute, Some((0, minute)));
        check(-minute, 1, Some((-minute, 0)));
        check(1, 2 * minute - 1, None);
        check(5, 5, None);
        check(minute, 0, None);
        check(i64::MIN, 1, Some((i64::MIN, 0)));
        check(1, i64::MAX, Some((minute, i64::MAX)));
        check(i64::MIN, i64::MAX, Some((i64::MIN, i64::MAX)));
        check(i64::MAX - 1, i64::MAX, None);
        check(i64::MIN, i64::MIN + 1, None);
    }

    #[test]
    fn windows_that_begin_in_a_range() {
        let hour = SumWindow::Hour.nanos();
        let check = |from: i64, until: i64, expect: (i64, i64)| {
            let rounded = SumWindow::Hour.rounded(TimeRange::of_nanos(from, until));
            assert_eq!((rounded.from.0, rounded.until.0), expect);
        };
        check(0, hour, (0, hour));
        check(1, hour + 1, (hour, 2 * hour));
        check(-1, 1, (0, hour));
        check(i64::MIN, i64::MAX, (i64::MIN, i64::MAX));
        check(5, i64::MAX - 1, (hour, i64::MAX));
    }

    #[test]
    fn windows_hold_their_times() {
        for window in SumWindow::ALL {
            for time in [i64::MIN, -1, 0, 1, 1_700_000_000_000_000_000, i64::MAX] {
                let start = window.start(window.index(UnixNanos(time)));
                assert!(
                    start.0 <= time && (time - start.0 < window.nanos() || start.0 == i64::MIN),
                    "{window:?} {time}"
                );
            }
        }
    }
}
