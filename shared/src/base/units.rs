//! Points in time and ranges between them.

use serde::{Deserialize, Serialize};

/// A point in time: nanoseconds since 1970-01-01 UTC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct UnixNanos(pub i64);

impl UnixNanos {
    /// From milliseconds since the epoch, saturating.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Whole milliseconds since the epoch, rounded down.
    pub fn millis(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// This point plus `nanos`, saturating.
    pub fn plus(self, nanos: i64) -> Self {
        Self(self.0.saturating_add(nanos))
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
