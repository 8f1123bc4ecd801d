//! Buckets of time, as Pyroscope's timelines have them.

use pilotlight_core::{TimeRange, UnixNanos, plans::window_of, store::SumWindow};

use crate::platform::errors::Problem;
use crate::platform::limits::ReadRange;

/// Most points of a series: what a request may make the server hold. Pyroscope has the same bound.
const MAX_POINTS: i64 = 11_000;

/// Longest bucket, milliseconds: ten years. Sums of times and steps stay far from the ends of 64
/// bits.
const MAX_STEP: i64 = 3_660 * 86_400_000;

/// Buckets of time: the one named `t` covers `(t - step, t]`, for t = start, start + step … up to
/// `end`. Milliseconds.
///
/// Where the edges are those of sum windows of which blocks hold totals, a bucket covers `[t - step,
/// t)`: a profile that starts at the very instant of an edge counts to the bucket after it, and a
/// month is read in a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Buckets {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) step: i64,
    /// Sum windows whose edges the buckets keep.
    pub(super) window: Option<SumWindow>,
}

impl Buckets {
    pub(super) fn new(range: TimeRange, step_seconds: f64) -> Result<Self, Problem> {
        let step = (step_seconds * 1000.0) as i64;
        if step < 1 {
            return Err(Problem::invalid("step must be >= 1ms"));
        }
        if step > MAX_STEP {
            return Err(Problem::invalid(format!(
                "step must be <= {} seconds",
                MAX_STEP / 1000
            )));
        }
        // `range` ends one millisecond after the last that is inside.
        let (start, end) = (range.from.millis(), range.until.millis() - 1);
        if (end - start) / step >= MAX_POINTS {
            return Err(Problem::invalid(format!(
                "the range has more than {MAX_POINTS} points at this step; choose a longer step"
            )));
        }
        let window = window_of(
            UnixNanos::from_millis(start).0,
            UnixNanos::from_millis(step).0,
        );
        Ok(Self {
            start,
            end,
            step,
            window,
        })
    }

    /// What must be read, so that the first bucket is full, which lies before the start.
    pub(super) fn read(self) -> ReadRange {
        ReadRange {
            range: self.range(),
            lead: self.step * 1_000_000,
        }
    }

    /// What all buckets cover.
    pub(super) fn range(self) -> TimeRange {
        let first = self.start.saturating_sub(self.step);
        let (from, until) = (
            UnixNanos::from_millis(first),
            UnixNanos::from_millis(self.end),
        );
        match self.window {
            Some(_) => TimeRange { from, until },
            None => TimeRange {
                from: from.plus(1),
                until: until.plus(1),
            },
        }
    }

    /// The bucket of a point in time; `None` when it lies before the first or after the last.
    pub(super) fn of(self, time: UnixNanos) -> Option<i64> {
        let index = match self.window {
            Some(_) => (time.millis() - self.start).div_euclid(self.step) + 1,
            None => {
                (time.plus(999_999).millis() - self.start + self.step - 1).div_euclid(self.step)
            }
        };
        let name = self.start + index * self.step;
        (index >= 0 && name <= self.end).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn range(from: i64, last: i64) -> TimeRange {
        TimeRange::of_millis(from, last + 1)
    }

    #[test]
    fn a_bucket_ends_at_its_name() {
        let buckets = Buckets::new(range(1000, 3500), 1.0).unwrap();
        assert_eq!(buckets.range(), TimeRange::of_nanos(1, 3500 * MS + 1));
        let of = |nanos| buckets.of(UnixNanos(nanos));
        assert_eq!(
            [of(0), of(1), of(1000 * MS), of(1000 * MS + 1)],
            [None, Some(1000), Some(1000), Some(2000)]
        );
        assert_eq!([of(3000 * MS), of(3000 * MS + 1)], [Some(3000), None]);
    }

    #[test]
    fn steps_are_checked() {
        let message = |step| {
            Buckets::new(range(0, 20_000_000), step)
                .unwrap_err()
                .message
        };
        assert_eq!(message(0.0), "step must be >= 1ms");
        assert_eq!(message(f64::NAN), "step must be >= 1ms");
        assert_eq!(message(f64::INFINITY), "step must be <= 316224000 seconds");
        assert_eq!(
            message(1.0),
            "the range has more than 11000 points at this step; choose a longer step"
        );
    }
}
