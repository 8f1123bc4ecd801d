//! Equal steps over a range whose edges are edges of windows, so that a timeline can be read from
//! sums.

use crate::base::units::TimeRange;
use crate::store::SumWindow;

const SECOND: i64 = 1_000_000_000;

/// Steps that are easily read off an axis, in seconds: each divides the next round unit. Agents
/// push every 10 or 15 seconds, and a step that is no multiple of that has now more pushes and now
/// fewer.
const SECONDS: [i64; 23] = [
    1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1_200, 1_800, 3_600, 7_200, 10_800, 14_400,
    21_600, 28_800, 43_200, 86_400, 172_800,
];

/// Buckets of equal length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// From the start of the first bucket to the end of the last; covers the range that was asked
    /// for.
    pub range: TimeRange,
    /// How many buckets.
    pub count: usize,
    /// The longest window whose edges the buckets keep: the resolution to ask
    /// [`super::TimelinePlan`] for. `None` when a bucket is shorter than a minute.
    pub window: Option<SumWindow>,
}

impl Steps {
    /// At most `points` buckets (but one at least) that cover `range`, each a round number of
    /// seconds; shorter than that they are `points` equal parts of the range.
    pub fn of(range: TimeRange, points: usize) -> Self {
        let points = points.clamp(1, 1 << 20) as i64;
        let exact = Self {
            range,
            count: points as usize,
            window: None,
        };
        if range.nanos() / points < SECOND {
            return exact;
        }
        let fits = |step: i64| {
            let from = range.from.0.div_euclid(step).checked_mul(step)?;
            let count = (i128::from(range.until.0) - i128::from(from) + i128::from(step) - 1)
                / i128::from(step);
            let until = i64::try_from(i128::from(from) + count * i128::from(step)).ok()?;
            let range = TimeRange::of_nanos(from, until);
            (count <= i128::from(points).max(1)).then_some(Self {
                range,
                count: count as usize,
                window: window_of(from, step),
            })
        };
        let days = (1..=24).map(|doubled| 172_800i64 << doubled);
        let mut steps = SECONDS
            .into_iter()
            .chain(days)
            .filter_map(|seconds| seconds.checked_mul(SECOND));
        // A single bucket may not do for a range that lies across an edge of it; then the parts are
        // unaligned.
        steps.find_map(fits).unwrap_or(exact)
    }

    /// The number of the step that a point in time inside the range lies in.
    pub(super) fn step_of(&self, time: i64) -> usize {
        let from = i128::from(self.range.from.0);
        ((i128::from(time) - from) * self.count as i128 / self.length()) as usize
    }

    /// Where a step begins, or the one before it ends: rounded up, as what lies before is in the one
    /// before.
    pub(super) fn start_of(&self, at: usize) -> i128 {
        let count = self.count as i128;
        i128::from(self.range.from.0) + (at as i128 * self.length() + count - 1) / count
    }

    fn length(&self) -> i128 {
        i128::from(self.range.until.0) - i128::from(self.range.from.0)
    }
}

/// The longest window whose edges are kept by buckets of `step` nanoseconds, one of which begins at
/// `start`.
pub fn window_of(start: i64, step: i64) -> Option<SumWindow> {
    let keeps =
        |window: &SumWindow| step > 0 && start % window.nanos() == 0 && step % window.nanos() == 0;
    SumWindow::ALL.into_iter().rev().find(keeps)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000_000_000;

    fn check(from: i64, until: i64, points: usize, expect: (i64, i64, usize, Option<SumWindow>)) {
        let steps = Steps::of(TimeRange::of_nanos(from, until), points);
        assert_eq!(
            (
                steps.range.from.0,
                steps.range.until.0,
                steps.count,
                steps.window
            ),
            expect
        );
    }

    #[test]
    fn steps_are_round() {
        let day = 1440 * MINUTE;
        check(
            0,
            60 * MINUTE,
            60,
            (0, 60 * MINUTE, 60, Some(SumWindow::Minute)),
        );
        check(
            7,
            60 * MINUTE,
            60,
            (0, 60 * MINUTE, 60, Some(SumWindow::Minute)),
        );
        check(
            20 * SECOND,
            30 * MINUTE + 20 * SECOND,
            61,
            (0, 30 * MINUTE + 30 * SECOND, 61, None),
        );
        check(
            20 * SECOND,
            30 * MINUTE + 20 * SECOND,
            60,
            (0, 31 * MINUTE, 31, Some(SumWindow::Minute)),
        );
        check(3, SECOND, 10, (3, SECOND, 10, None));
        check(
            7,
            60 * MINUTE + 7,
            60,
            (0, 62 * MINUTE, 31, Some(SumWindow::Minute)),
        );
        check(
            5 * MINUTE,
            3 * 60 * MINUTE,
            100,
            (4 * MINUTE, 3 * 60 * MINUTE, 88, Some(SumWindow::Minute)),
        );
        check(
            MINUTE,
            30 * day,
            500,
            (0, 30 * day, 360, Some(SumWindow::Hour)),
        );
        check(
            -MINUTE,
            30 * day,
            20,
            (-2 * day, 30 * day, 16, Some(SumWindow::Day)),
        );
        check(0, 0, 10, (0, 0, 10, None));
        check(-MINUTE, MINUTE, 1, (-MINUTE, MINUTE, 1, None));
        check(i64::MIN, i64::MAX, 10, (i64::MIN, i64::MAX, 10, None));
    }

    #[test]
    fn windows_of_given_steps() {
        assert_eq!(window_of(3 * MINUTE, 5 * MINUTE), Some(SumWindow::Minute));
        assert_eq!(window_of(-60 * MINUTE, 120 * MINUTE), Some(SumWindow::Hour));
        assert_eq!(window_of(0, 1440 * MINUTE), Some(SumWindow::Day));
        assert_eq!(window_of(1, MINUTE), None);
        assert_eq!(window_of(0, 0), None);
    }
}
