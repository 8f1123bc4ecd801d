//! The clock of a chunk's events, which counts ticks.

use super::header::Header;

const SECOND: u64 = 1_000_000_000;

/// A clock.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// What it showed when the chunk began, and when that was: nanoseconds since the epoch.
    start_ticks: i64,
    start_nanos: i64,
    /// 0 where it is not said: it counts nanoseconds.
    ticks_per_second: u64,
}

impl Clock {
    pub(super) fn of(header: &Header) -> Self {
        Self {
            start_ticks: header.start_ticks,
            start_nanos: header.start_nanos,
            ticks_per_second: header.ticks_per_second,
        }
    }

    /// Ticks as nanoseconds.
    pub(super) fn nanos(self, ticks: i64) -> i64 {
        let Self {
            ticks_per_second, ..
        } = self;
        if ticks_per_second == SECOND || ticks_per_second == 0 {
            return ticks;
        }
        let nanos = i128::from(ticks) * i128::from(SECOND) / i128::from(ticks_per_second);
        i64::try_from(nanos).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX })
    }

    /// When it showed so many ticks: nanoseconds since the epoch.
    pub(super) fn time(self, ticks: i64) -> i64 {
        let since = self.nanos(ticks.saturating_sub(self.start_ticks));
        self.start_nanos.saturating_add(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(ticks_per_second: u64) -> Clock {
        Clock {
            start_ticks: 1_000,
            start_nanos: 5_000_000_000,
            ticks_per_second,
        }
    }

    #[test]
    fn ticks_become_nanoseconds() {
        assert_eq!(clock(SECOND).nanos(7), 7);
        assert_eq!(clock(0).nanos(7), 7);
        assert_eq!(clock(2_800_000_000).nanos(2_800), 1_000);
        assert_eq!(clock(1).nanos(i64::MAX), i64::MAX);
        assert_eq!(clock(1).nanos(i64::MIN), i64::MIN);
    }

    #[test]
    fn ticks_become_times() {
        assert_eq!(clock(1_000_000).time(1_500), 5_000_500_000);
        assert_eq!(clock(1_000_000).time(0), 4_999_000_000);
        assert_eq!(clock(1).time(i64::MAX), i64::MAX);
    }
}
