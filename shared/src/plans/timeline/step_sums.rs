//! What each of equal steps has of several series.

use super::covered::{Covered, in_order, mean_duration};
use super::points::{Point, TimelineSeries};
use super::steps::Steps;

/// Sums of steps, as many each as there are steps; points outside them are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepSums {
    /// What was measured in each. A value is distributed over the time that its profile covers; of
    /// a gauge, or when that time is unknown, it counts in the step in which the profile starts.
    pub values: Vec<i128>,
    /// How many profiles start in each.
    pub counts: Vec<u64>,
    /// How much of each step profiles cover, in milliseconds; 0 also when that is unknown.
    pub covered: Vec<u64>,
    /// How long a profile is on average, in milliseconds; 0 when unknown.
    pub duration: u64,
}

impl StepSums {
    /// Adds up series of one profile type.
    pub fn of(series: &[&TimelineSeries], steps: Steps) -> Self {
        let mut sums = Sums {
            steps,
            values: vec![0; steps.count],
            counts: vec![0; steps.count],
            unknown: vec![false; steps.count],
            more: vec![0; steps.count + 1],
        };
        if steps.range.is_empty() || steps.count == 0 {
            return Self {
                values: vec![0; steps.count],
                counts: vec![0; steps.count],
                covered: vec![0; steps.count],
                duration: 0,
            };
        }
        for series in series {
            let is_gauge = series.profile_type.is_gauge();
            for point in &series.points {
                sums.add(point, is_gauge);
            }
        }
        let (values, counts, unknown) = sums.finish();
        let points = in_order(series, steps.range);
        let covered = Covered::of(&points, steps).millis(&values, &unknown);
        Self {
            values,
            counts,
            covered,
            duration: mean_duration(&points),
        }
    }
}

/// Parts of a value: a profile of few events over many steps has some in each.
const ONE: i128 = 1 << 20;

/// Sums as they are gathered.
struct Sums {
    steps: Steps,
    /// In parts of [`ONE`].
    values: Vec<i128>,
    counts: Vec<u64>,
    /// Which of them have profiles of unknown length, but of a gauge.
    unknown: Vec<bool>,
    /// How much more each step has than the one before, of values that cover it as a whole.
    more: Vec<i128>,
}

impl Sums {
    fn add(&mut self, point: &Point, is_gauge: bool) {
        let Self { steps, .. } = *self;
        if !steps.range.contains(point.time) {
            return;
        }
        let at = steps.step_of(point.time.0);
        self.counts[at] = self.counts[at].saturating_add(point.profiles);
        let total = i128::from(point.total);
        let covered = point.covered;
        self.unknown[at] |= !is_gauge && covered.is_empty() && point.profiles > 0;
        if is_gauge || covered.is_empty() {
            self.values[at] += total * ONE;
            return;
        }
        let length = i128::from(covered.until.0) - i128::from(covered.from.0);
        let from = covered.from.max(steps.range.from).0;
        let until = covered.until.min(steps.range.until).0;
        if from >= until {
            return;
        }
        let part = |from: i128, until: i128| {
            let product = total * (until - from);
            product / length * ONE + product % length * ONE / length
        };
        let (first, last) = (steps.step_of(from), steps.step_of(until - 1));
        let inside = part(i128::from(from), i128::from(until));
        if first == last {
            self.values[first] += inside;
            return;
        }
        let begun = part(i128::from(from), steps.start_of(first + 1));
        let step = part(steps.start_of(first + 1), steps.start_of(first + 2));
        let between = (last - first - 1) as i128;
        self.values[first] += begun;
        self.more[first + 1] += step;
        self.more[last] -= step;
        // What division leaves is in the last one, so that the sum is exact.
        self.values[last] += inside - begun - step * between;
    }

    /// Values, counts, and which steps have profiles of unknown length. A sum up to a step is rounded
    /// as a whole, so that none is lost.
    fn finish(self) -> (Vec<i128>, Vec<u64>, Vec<bool>) {
        let (mut whole, mut sum, mut told) = (0, 0, 0);
        let values = self.values.iter().zip(&self.more).map(|(value, more)| {
            whole += more;
            sum += value + whole;
            let before = told;
            told = (sum + ONE / 2).div_euclid(ONE);
            told - before
        });
        (values.collect(), self.counts, self.unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::{TimeRange, UnixNanos};

    const SECOND: i64 = 1_000_000_000;

    fn series(of_type: &str, points: &[(i64, i64, i64)]) -> TimelineSeries {
        let points = points.iter().map(|&(start, length, total)| Point {
            time: UnixNanos(start * SECOND),
            total,
            profiles: 1,
            covered: UnixNanos(start * SECOND).lasting(length * SECOND),
            durations: length * SECOND,
        });
        TimelineSeries {
            profile_type: of_type.parse().unwrap(),
            labels: Default::default(),
            points: points.collect(),
        }
    }

    fn sums(series: &[TimelineSeries], seconds: i64, count: usize) -> StepSums {
        let range = TimeRange::of_nanos(0, seconds * SECOND);
        let steps = Steps {
            range,
            count,
            window: None,
        };
        StepSums::of(&series.iter().collect::<Vec<_>>(), steps)
    }

    const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

    #[test]
    fn values_are_distributed() {
        let points: Vec<_> = (0..6).map(|i| (5 + 20 * i, 20, 200)).collect();
        let found = sums(&[series(CPU, &points)], 120, 4);
        assert_eq!(found.values, [250, 300, 300, 300]);
        assert_eq!(found.counts, [2, 1, 2, 1]);
        assert_eq!(found.covered, [25_000, 30_000, 30_000, 30_000]);
        // One profile over several steps, with what rounding leaves in the last.
        let found = sums(&[series(CPU, &[(15, 100, 101)])], 120, 4);
        assert_eq!(found.values, [15, 30, 31, 25]);
        assert_eq!(found.values.iter().sum::<i128>(), 101);
        assert_eq!(found.covered, [15_000, 30_000, 30_000, 25_000]);
        // What lies behind the end is not there.
        let found = sums(&[series(CPU, &[(90, 60, 100)])], 120, 4);
        assert_eq!((found.values[3], found.covered[3]), (50, 30_000));
    }

    #[test]
    fn gauges_and_unknown_times_count_where_they_start() {
        let gauge = "memory:inuse_space:bytes:space:bytes";
        let found = sums(&[series(gauge, &[(25, 20, 7)])], 60, 2);
        assert_eq!(
            (found.values, found.covered),
            (vec![7, 0], vec![5_000, 15_000])
        );
        let found = sums(&[series(CPU, &[(25, 0, 7)])], 60, 2);
        assert_eq!((found.values, found.covered), (vec![7, 0], vec![0, 0]));
    }

    #[test]
    fn several_processes_cover_their_time_once() {
        let all = [
            series(CPU, &[(0, 10, 1), (10, 10, 1), (50, 10, 1)]),
            series(CPU, &[(0, 10, 1), (10, 10, 1)]),
        ];
        assert_eq!(sums(&all, 60, 2).covered, [20_000, 10_000]);
        // A second's rest between two of 14 is none; a minute between two of ten is.
        let rests: Vec<_> = (0..8).map(|i| (15 * i, 14, 1)).collect();
        assert_eq!(
            sums(&[series(CPU, &rests)], 120, 2).covered,
            [60_000, 59_000]
        );
        let seldom = series(CPU, &[(0, 10, 1), (60, 10, 1)]);
        assert_eq!(sums(&[seldom], 120, 2).covered, [10_000, 10_000]);
    }

    #[test]
    fn an_end_counts_by_how_many_processes_have_profiles() {
        let of = |phase: i64| {
            let points: Vec<_> = (0..4).map(|i| (phase + 60 * i, 60, 600)).collect();
            series(CPU, &points)
        };
        let found = sums(&[of(15), of(30), of(45)], 300, 10);
        for (value, covered) in found.values.iter().zip(found.covered) {
            assert!((value - i128::from(covered) * 30 / 1_000).abs() <= 1);
        }
        // One that runs alone for longer than a profile has a load of its own.
        let found = sums(&[of(0), of(180)], 480, 8);
        assert_eq!(found.covered[..7], [60_000; 7]);
    }

    #[test]
    fn extreme_times_and_values() {
        let mut far = series(CPU, &[]);
        far.points.push(Point {
            time: UnixNanos(0),
            total: i64::MIN,
            profiles: u64::MAX,
            covered: TimeRange::of_nanos(i64::MIN, i64::MAX),
            durations: i64::MAX,
        });
        let steps = Steps {
            range: TimeRange::ALL,
            count: 1_000,
            window: None,
        };
        let found = StepSums::of(&[&far], steps);
        assert_eq!(found.values.iter().sum::<i128>(), i128::from(i64::MIN));
        let empty = Steps {
            range: TimeRange::of_nanos(5, 5),
            count: 2,
            window: None,
        };
        assert_eq!(StepSums::of(&[&far], empty).values, [0, 0]);
    }
}
