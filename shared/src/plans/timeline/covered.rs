//! How much of each of equal steps has profiles.

use super::points::{Point, TimelineSeries};
use super::steps::Steps;
use crate::base::sort::sort_by;
use crate::base::units::TimeRange;
use crate::store::longest_gap;

/// The points of all series that cover a time, in the order in which they begin.
pub(super) fn in_order<'a>(series: &[&'a TimelineSeries], range: TimeRange) -> Vec<&'a Point> {
    let points = series.iter().flat_map(|series| &series.points);
    let covering = points.filter(|point| range.contains(point.time) && !point.covered.is_empty());
    let mut covering: Vec<&Point> = covering.collect();
    sort_by(&mut covering, |a, b| a.covered.from.cmp(&b.covered.from));
    covering
}

/// How long a profile is on average, in milliseconds; 0 when no length is known.
pub(super) fn mean_duration(points: &[&Point]) -> u64 {
    let nanos: i128 = points.iter().map(|point| i128::from(point.durations)).sum();
    let profiles: i128 = points.iter().map(|point| i128::from(point.profiles)).sum();
    (nanos / profiles.max(1) / 1_000_000) as u64
}

/// How long the ends of a time are at most.
const LONGEST_END: i64 = 3_600_000_000_000;

impl Point {
    fn gap(&self) -> i64 {
        longest_gap(self.durations, self.profiles)
    }

    /// How long a profile is.
    fn duration(&self) -> i64 {
        let profiles = i64::try_from(self.profiles.max(1)).unwrap_or(i64::MAX);
        (self.durations / profiles).min(LONGEST_END)
    }

    /// How many profiles there are at a time, on average.
    fn processes(&self) -> f64 {
        let TimeRange { from, until } = self.covered;
        self.durations as f64 / until.0.saturating_sub(from.0).max(1) as f64
    }

    /// How much time processes have between two moments.
    fn busy(&self, from: i64, until: i64) -> f64 {
        let (from, until) = (
            self.covered.from.0.max(from),
            self.covered.until.0.min(until),
        );
        until.saturating_sub(from).max(0) as f64 * self.processes()
    }
}

/// How much of each step is covered, in nanoseconds.
pub(super) struct Covered {
    steps: Steps,
    nanos: Vec<i128>,
    /// Where only some of the processes are known.
    ends: Vec<Option<End>>,
}

#[derive(Clone, Copy)]
struct End {
    /// How much less it counts.
    less: i128,
    /// Whether what is known goes on in the next step.
    begins: bool,
}

impl Covered {
    pub(super) fn of(points: &[&Point], steps: Steps) -> Self {
        let mut covered = Self {
            steps,
            nanos: vec![0; steps.count],
            ends: vec![None; steps.count],
        };
        let mut begun = 0;
        let mut end = i64::MIN;
        for (at, point) in points.iter().enumerate() {
            if at > begun && point.covered.from.0.saturating_sub(end) > point.gap() {
                covered.run(&points[begun..at], end);
                begun = at;
                end = i64::MIN;
            }
            end = end.max(point.covered.until.0);
        }
        covered.run(&points[begun..], end);
        covered
    }

    /// Covers the time of points without gaps, up to `end`.
    ///
    /// Processes don't push at the same time: where a range begins, some profiles have begun before
    /// it, and where all stop, the last ones of some have not arrived, or never will. So for as long as
    /// a profile is, a step at an end counts by how many processes have one, of those that run inside.
    fn run(&mut self, points: &[&Point], end: i64) {
        let Some(first) = points.first() else {
            return;
        };
        let from = first.covered.from.0;
        self.cover(from, end);
        let duration = first.duration();
        let inner = from.saturating_add(duration);
        let processes = running(points, inner, inner.saturating_add(duration));
        self.count_by(points, (from, inner), processes, true);
        let last = points.iter().find(|point| point.covered.until.0 == end);
        let duration = last.map_or(0, |point| point.duration());
        let outer = end.saturating_sub(duration);
        let processes = running(points, outer.saturating_sub(duration), outer);
        self.count_by(points, (outer, end), processes, false);
    }

    fn cover(&mut self, from: i64, until: i64) {
        let Some((from, until)) = self.inside(from, until) else {
            return;
        };
        for at in self.steps.step_of(from)..=self.steps.step_of(until - 1) {
            self.nanos[at] += self.part(at, from, until);
        }
    }

    /// The part of a time that lies in the range.
    fn inside(&self, from: i64, until: i64) -> Option<(i64, i64)> {
        let TimeRange {
            from: first,
            until: last,
        } = self.steps.range;
        let (from, until) = (from.max(first.0), until.min(last.0));
        (from < until).then_some((from, until))
    }

    /// How much of a step lies in a time.
    fn part(&self, at: usize, from: i64, until: i64) -> i128 {
        let (begins, ends) = (self.steps.start_of(at), self.steps.start_of(at + 1));
        ends.min(until.into()) - begins.max(from.into())
    }

    /// What of each step a time has is less, by how many of so many processes have profiles.
    fn count_by(&mut self, points: &[&Point], time: (i64, i64), processes: f64, begins: bool) {
        let Some((from, until)) = self.inside(time.0, time.1) else {
            return;
        };
        if processes <= 1.0 {
            return;
        }
        let first = self.steps.step_of(from);
        let count = self.steps.step_of(until - 1) - first + 1;
        let mut busy = vec![0f64; count];
        // How many more processes than in the step before take all of one.
        let mut more = vec![0f64; count + 1];
        for point in points {
            let TimeRange {
                from: begin,
                until: end,
            } = point.covered;
            let (from, until) = (begin.0.max(from), end.0.min(until));
            if from >= until {
                continue;
            }
            let [begin, end] = [from, until - 1].map(|time| self.steps.step_of(time) - first);
            if begin == end {
                busy[begin] += point.busy(from, until);
                continue;
            }
            let edge = |at: usize| self.steps.start_of(first + at) as i64;
            busy[begin] += point.busy(from, edge(begin + 1));
            busy[end] += point.busy(edge(end), until);
            more[begin + 1] += point.processes();
            more[end] -= point.processes();
        }
        let mut running = 0.0;
        for at in 0..count {
            let part = self.part(first + at, from, until);
            running += more[at];
            let known = ((busy[at] + running * part as f64) / processes).round() as i128;
            let less = self.ends[first + at].map_or(0, |end| end.less) + (part - known).max(0);
            self.ends[first + at] = Some(End { less, begins });
        }
    }

    /// In milliseconds. Processes differ: no end has a higher load than the step beside it. A step with
    /// profiles of unknown length beside others is covered as a whole.
    pub(super) fn millis(&self, values: &[i128], unknown: &[bool]) -> Vec<u64> {
        let is_inside = |at: &usize| self.ends[*at].is_none();
        let beside = |at: usize, begins: bool| match begins {
            true => (at + 1..values.len()).find(is_inside),
            false => (0..at).rfind(is_inside),
        };
        let nanos = |at: usize| -> i128 {
            let whole = self.nanos[at];
            if whole > 0 && unknown[at] {
                return self.steps.start_of(at + 1) - self.steps.start_of(at);
            }
            let Some(End { less, begins }) = self.ends[at] else {
                return whole;
            };
            let same_load = beside(at, begins).map_or(f64::NAN, |beside| {
                values[at] as f64 * self.nanos[beside] as f64 / values[beside] as f64
            });
            match same_load.is_finite() {
                true => (whole - less).max(same_load as i128).min(whole),
                false => whole,
            }
        };
        (0..values.len())
            .map(|at| (nanos(at) / 1_000_000) as u64)
            .collect()
    }
}

/// How many processes have profiles between two moments, on average.
fn running(points: &[&Point], from: i64, until: i64) -> f64 {
    let busy: f64 = points.iter().map(|point| point.busy(from, until)).sum();
    busy / until.saturating_sub(from).max(1) as f64
}
