//! `{"start":ms,"step":ms,"points":[…],"counts":[…],"covered":[ms…],"duration":ms,"total":n,"profiles":n}`

use serde::Serialize;

use crate::plans::timeline::{StepSums, Steps, Timeline, TimelineSeries};

/// Sums of equal steps over all series. The first begins at or before the start of the range, the
/// last ends at or after its end: steps of a second and more are round, so that the same ones are
/// drawn as time goes on.
#[derive(Debug, PartialEq, Serialize)]
pub struct TimelineAnswer {
    /// Milliseconds since the epoch.
    start: i64,
    /// Milliseconds; not whole when the range does not divide evenly.
    step: f64,
    points: Vec<i128>,
    /// How many profiles each step has: an average of what is no sum over time, as of memory in
    /// use, needs them, and they tell a step without profiles from one whose profiles are empty.
    counts: Vec<u64>,
    /// How much of each step they cover, in milliseconds; 0 also when that is unknown.
    covered: Vec<u64>,
    /// How long a profile is on average, in milliseconds; 0 when unknown.
    duration: u64,
    /// Of all profiles, with what they measured after the last step.
    total: i128,
    profiles: u64,
}

impl TimelineAnswer {
    /// Sums a timeline of one type.
    pub fn new(timeline: &Timeline, steps: Steps) -> Self {
        let StepSums {
            values,
            counts,
            covered,
            duration,
        } = StepSums::of(&timeline.all(), steps);
        Self {
            start: steps.range.from.millis(),
            step: steps.range.nanos() as f64 / 1e6 / steps.count as f64,
            points: values,
            counts,
            covered,
            duration,
            total: timeline.series.iter().map(TimelineSeries::total).sum(),
            profiles: timeline
                .series
                .iter()
                .fold(0, |sum, series| sum.saturating_add(series.profiles())),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::base::units::{TimeRange, UnixNanos};
    use crate::parse_name;
    use crate::plans::Point;

    /// Type, name with labels, and points of (nanoseconds, total).
    pub(crate) type Drawn<'a> = (&'a str, &'a str, &'a [(i64, i64)]);

    pub(crate) fn timeline(series: &[Drawn]) -> Timeline {
        let series = series
            .iter()
            .map(|(profile_type, name, points)| TimelineSeries {
                profile_type: profile_type.parse().unwrap(),
                labels: parse_name(name).unwrap(),
                points: points
                    .iter()
                    .map(|&(time, total)| Point {
                        time: UnixNanos(time),
                        total,
                        profiles: 1,
                        covered: UnixNanos(time).lasting(0),
                        durations: 0,
                    })
                    .collect(),
            });
        Timeline {
            series: series.collect(),
            bytes: 0,
            rounded: false,
        }
    }

    #[test]
    fn sums_over_series() {
        let ms = 1_000_000;
        let timeline = timeline(&[
            ("a:y:count::", "app{region=eu}", &[(0, 1), (4 * ms, 2)]),
            (
                "a:y:count::",
                "app{region=us}",
                &[(5 * ms - 1, 4), (5 * ms, 8)],
            ),
        ]);
        let range = TimeRange::of_nanos(0, 10 * ms);
        let expect = TimelineAnswer {
            start: 0,
            step: 2.5,
            points: vec![1, 6, 8, 0],
            counts: vec![1, 2, 1, 0],
            covered: vec![0; 4],
            duration: 0,
            total: 15,
            profiles: 4,
        };
        assert_eq!(TimelineAnswer::new(&timeline, Steps::of(range, 4)), expect);
    }
}
