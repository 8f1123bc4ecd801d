//! Points in time and ranges between them.

use serde::{Deserialize, Serialize};

/// A point in time: nanoseconds since 1970-01-01 UTC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct UnixNanos(pub i64);

impl UnixNanos {
    /// From milliseconds since the epoch, saturating.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Whole milliseconds since the epoch, rounded down.
    pub fn millis(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// As `2026-11-22T19:40:50Z`, rounded down to seconds. The date is that of Howard Hinnant's
    /// `civil_from_days`.
    pub fn to_rfc3339(self) -> String {
        let seconds = self.0.div_euclid(1_000_000_000);
        let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let from_march = days + 719_468;
        let (era, of_era) = (
            from_march.div_euclid(146_097),
            from_march.rem_euclid(146_097),
        );
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// This point plus `nanos`, saturating.
    pub fn plus(self, nanos: i64) -> Self {
        Self(self.0.saturating_add(nanos))
    }

    /// The range of `nanos` that begins here; of less than none it is empty.
    pub fn lasting(self, nanos: i64) -> TimeRange {
        TimeRange {
            from: self,
            until: self.plus(nanos.max(0)),
        }
    }
}

/// A half-open span of time: `from <= t < until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRange {
    /// First instant inside.
    pub from: UnixNanos,
    /// First instant outside.
    pub until: UnixNanos,
}

impl TimeRange {
    /// All of time.
    pub const ALL: Self = Self {
        from: UnixNanos(i64::MIN),
        until: UnixNanos(i64::MAX),
    };

    /// Between two points in nanoseconds since the epoch.
    pub const fn of_nanos(from: i64, until: i64) -> Self {
        Self {
            from: UnixNanos(from),
            until: UnixNanos(until),
        }
    }

    /// Between two points in milliseconds since the epoch, saturating.
    pub const fn of_millis(from: i64, until: i64) -> Self {
        Self {
            from: UnixNanos::from_millis(from),
            until: UnixNanos::from_millis(until),
        }
    }

    /// Whether nothing lies inside.
    pub fn is_empty(&self) -> bool {
        self.from >= self.until
    }

    /// Whether `t` lies inside.
    pub fn contains(self, t: UnixNanos) -> bool {
        self.from <= t && t < self.until
    }

    /// Whether a closed span `[first, last]` touches this range.
    pub fn touches(self, first: UnixNanos, last: UnixNanos) -> bool {
        first < self.until && last >= self.from
    }

    /// Length in nanoseconds, zero for an inverted range.
    pub fn nanos(self) -> i64 {
        self.until.0.saturating_sub(self.from.0).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (seconds, expect) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(UnixNanos::from_millis(seconds * 1_000).to_rfc3339(), expect);
        }
    }
}
