//! What each of equal steps has of several series.

use super::points::{Point, TimelineSeries};
use super::steps::Steps;
use crate::base::sort::sort_by;
use crate::base::units::TimeRange;
use crate::store::longest_gap;

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
            range: steps.range,
            count: steps.count,
            values: vec![0; steps.count + 1],
            counts: vec![0; steps.count],
            whole: vec![0; steps.count + 1],
        };
        if steps.range.is_empty() || steps.count == 0 {
            return sums.finish(vec![0; steps.count], 0);
        }
        for series in series {
            let is_gauge = series.profile_type.is_gauge();
            for point in &series.points {
                sums.add(point, is_gauge);
            }
        }
        let pieces = pieces(series, steps.range);
        let duration = mean_duration(&pieces);
        sums.finish(covered(pieces, steps), duration)
    }
}

/// Sums as they are gathered.
struct Sums {
    range: TimeRange,
    count: usize,
    values: Vec<i128>,
    counts: Vec<u64>,
    /// What each step has more than the one before of values that cover it as a whole.
    whole: Vec<i128>,
}

impl Sums {
    fn add(&mut self, point: &Point, is_gauge: bool) {
        if !self.range.contains(point.time) {
            return;
        }
        let at = step_of(self.range, self.count, point.time.0);
        self.counts[at] = self.counts[at].saturating_add(point.profiles);
        let total = i128::from(point.total);
        let covered = point.covered;
        if is_gauge || covered.is_empty() {
            self.values[at] += total;
            return;
        }
        let length = i128::from(covered.until.0) - i128::from(covered.from.0);
        let from = covered.from.max(self.range.from).0;
        let until = covered.until.min(self.range.until).0;
        if from >= until {
            return;
        }
        let part = |from: i128, until: i128| total * (until - from) / length;
        let (first, last) = (
            step_of(self.range, self.count, from),
            step_of(self.range, self.count, until - 1),
        );
        let inside = part(i128::from(from), i128::from(until));
        if first == last {
            self.values[first] += inside;
            return;
        }
        let begun = part(
            i128::from(from),
            start_of(self.range, self.count, first + 1),
        );
        let step = part(
            start_of(self.range, self.count, first + 1),
            start_of(self.range, self.count, first + 2),
        );
        let between = (last - first - 1) as i128;
        let step = if between == 0 { 0 } else { step };
        self.values[first] += begun;
        self.whole[first + 1] += step;
        self.whole[last] -= step;
        // What rounding leaves is in the last one, so that the sum is exact.
        self.values[last] += inside - begun - step * between;
    }

    fn finish(self, covered: Vec<u64>, duration: u64) -> StepSums {
        let mut whole = 0;
        let values = (0..self.count).map(|at| {
            whole += self.whole[at];
            self.values[at] + whole
        });
        StepSums {
            values: values.collect(),
            counts: self.counts,
            covered,
            duration,
        }
    }
}

/// The times that profiles of all series cover, in order.
fn pieces(series: &[&TimelineSeries], range: TimeRange) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for point in series.iter().flat_map(|series| &series.points) {
        let TimeRange { from, until } = point.covered;
        if range.contains(point.time) && from < until {
            pieces.push(Piece {
                from: from.0,
                until: until.0,
                profiles: point.profiles,
                durations: point.durations,
            });
        }
    }
    sort_by(&mut pieces, |a, b| a.from.cmp(&b.from));
    pieces
}

fn mean_duration(pieces: &[Piece]) -> u64 {
    let nanos: i128 = pieces.iter().map(|piece| i128::from(piece.durations)).sum();
    let profiles: i128 = pieces.iter().map(|piece| i128::from(piece.profiles)).sum();
    (nanos / profiles.max(1) / 1_000_000) as u64
}

/// How much of each step they cover, in milliseconds.
fn covered(pieces: Vec<Piece>, steps: Steps) -> Vec<u64> {
    let Steps { range, count, .. } = steps;
    let mut steps = CoveredSteps {
        range,
        nanos: vec![0; count],
    };
    let mut begun = 0;
    let mut end = i64::MIN;
    for (at, piece) in pieces.iter().enumerate() {
        if at > begun && piece.from.saturating_sub(end) > piece.longest_gap() {
            steps.cover(&pieces[begun..at], end);
            begun = at;
            end = i64::MIN;
        }
        end = end.max(piece.until);
    }
    steps.cover(&pieces[begun..], end);
    let millis = steps.nanos.iter().map(|&nanos| (nanos / 1_000_000) as u64);
    millis.collect()
}

/// A time that profiles cover, of one process or several.
struct Piece {
    from: i64,
    until: i64,
    profiles: u64,
    durations: i64,
}

impl Piece {
    fn longest_gap(&self) -> i64 {
        longest_gap(self.durations, self.profiles)
    }

    /// How long a profile is.
    fn duration(&self) -> i64 {
        (2 * self.longest_gap()).min(LONGEST_END)
    }

    /// How many profiles there are at a time, on average.
    fn processes(&self) -> f64 {
        self.durations as f64 / self.until.saturating_sub(self.from).max(1) as f64
    }

    /// How much time processes have between two moments.
    fn busy(&self, from: i64, until: i64) -> f64 {
        let (from, until) = (self.from.max(from), self.until.min(until));
        until.saturating_sub(from).max(0) as f64 * self.processes()
    }
}

/// How long the ends of a time are at most.
const LONGEST_END: i64 = 3_600_000_000_000;

struct CoveredSteps {
    range: TimeRange,
    nanos: Vec<i128>,
}

impl CoveredSteps {
    /// Covers the time of pieces without gaps, up to `end`. Processes don't push at the same time:
    /// where the range begins, some profiles have begun before it, and where it ends now, some have
    /// not arrived. So a profile's length after the begin and before the end counts by how many
    /// processes have one then, of those that run inside.
    fn cover(&mut self, pieces: &[Piece], end: i64) {
        let Some(first) = pieces.first() else {
            return;
        };
        let from = first.from;
        let last = pieces.iter().find(|piece| piece.until == end);
        let (begins, ends) = (first.duration(), last.unwrap_or(first).duration());
        let length = i128::from(end) - i128::from(from);
        let running = |from: i64, until: i64| -> f64 {
            let busy: f64 = pieces.iter().map(|piece| piece.busy(from, until)).sum();
            busy / until.saturating_sub(from).max(1) as f64
        };
        if 2 * i128::from(begins.max(ends)) > length {
            return self.cover_end(pieces, from, end, running(from, end));
        }
        let (inner, outer) = (from + begins, end - ends);
        self.cover_end(pieces, from, inner, running(inner, inner + begins));
        self.cover_end(pieces, inner, outer, 0.0);
        self.cover_end(pieces, outer, end, running(outer - ends, outer));
    }

    /// Covers a time by how many processes have profiles, of so many; of one or none all of it.
    fn cover_end(&mut self, pieces: &[Piece], from: i64, until: i64, processes: f64) {
        let (from, until) = (from.max(self.range.from.0), until.min(self.range.until.0));
        if from >= until {
            return;
        }
        let (range, count) = (self.range, self.nanos.len());
        let first = step_of(range, count, from);
        let edge = |at: usize| start_of(range, count, first + at);
        let steps = step_of(range, count, until - 1) - first + 1;
        let whole = |at: usize| edge(at + 1).min(until.into()) - edge(at).max(from.into());
        let mut busy = vec![0f64; steps];
        // How many more processes than in the step before take all of one.
        let mut more = vec![0f64; steps + 1];
        let several = if processes > 1.0 { pieces } else { &[] };
        for piece in several {
            let (from, until) = (piece.from.max(from), piece.until.min(until));
            if from >= until {
                continue;
            }
            let [begins, ends] = [from, until - 1].map(|time| step_of(range, count, time) - first);
            if begins == ends {
                busy[begins] += piece.busy(from, until);
                continue;
            }
            busy[begins] += piece.busy(from, edge(begins + 1) as i64);
            busy[ends] += piece.busy(edge(ends) as i64, until);
            more[begins + 1] += piece.processes();
            more[ends] -= piece.processes();
        }
        let mut running = 0.0;
        for at in 0..steps {
            running += more[at];
            let busy = busy[at] + running * whole(at) as f64;
            self.nanos[first + at] += match processes > 1.0 {
                true => whole(at).min((busy / processes).round() as i128),
                false => whole(at),
            };
        }
    }
}

/// The number of the step that `time`, a point inside the range, lies in.
fn step_of(range: TimeRange, count: usize, time: i64) -> usize {
    let from = i128::from(range.from.0);
    let length = i128::from(range.until.0) - from;
    ((i128::from(time) - from) * count as i128 / length) as usize
}

/// Where a step begins, or the one before it ends.
fn start_of(range: TimeRange, count: usize, at: usize) -> i128 {
    let from = i128::from(range.from.0);
    let length = i128::from(range.until.0) - from;
    // Rounded up, as points in time are whole and those before lie in the step before.
    from + (at as i128 * length + count as i128 - 1) / count as i128
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::UnixNanos;

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
        assert_eq!(found.values, [15, 30, 30, 26]);
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
