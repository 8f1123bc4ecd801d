//! `SelectSeries`: totals over time, grouped by labels.

use std::collections::BTreeMap;

use pilotlight_core::{
    TimeRange, UnixNanos,
    plans::{Point, Timeline, window_of},
    sort::sort_by,
    store::SumWindow,
};

use super::messages::{self, label_pairs};
use super::names;
use crate::platform::errors::Problem;

/// Most points of a series: what a request may make the server hold. Pyroscope has the same bound.
const MAX_POINTS: i64 = 11_000;

/// Longest bucket, milliseconds: ten years. Sums of times and steps stay far from the ends of 64
/// bits.
const MAX_STEP: i64 = 3_660 * 86_400_000;

/// How the profiles of a bucket become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregation {
    Sum,
    Average,
}

impl Aggregation {
    /// Of its number in a message.
    pub(super) fn of(number: i32) -> Result<Self, Problem> {
        match number {
            0 => Ok(Self::Sum),
            1 => Ok(Self::Average),
            _ => Err(Problem::invalid("aggregation is neither sum nor average")),
        }
    }

    /// Of its name in a query string.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        match text {
            "" | "sum" => Ok(Self::Sum),
            "avg" | "average" => Ok(Self::Average),
            other => Err(Problem::invalid(format!(
                "aggregation {other:?} is neither sum nor average"
            ))),
        }
    }
}

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
                "more than {MAX_POINTS} points; choose a longer step"
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

    /// What must be read, so that the first bucket is full.
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
    fn of(self, time: UnixNanos) -> Option<i64> {
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

#[derive(Default)]
struct Group {
    total: i128,
    /// Sum and count for each bucket that has a profile; empty ones are left out of the answer.
    points: BTreeMap<i64, (i128, u64)>,
}

/// Of more than `limit` series those with the largest totals (0: all).
pub(super) fn answer(
    timeline: &Timeline,
    buckets: Buckets,
    group_by: &[String],
    how: Aggregation,
    limit: usize,
) -> messages::SelectSeriesResponse {
    let mut groups: BTreeMap<Vec<(String, String)>, Group> = BTreeMap::new();
    for series in &timeline.series {
        let value = |name: &String| {
            Some((
                name.clone(),
                names::value(&series.labels, &series.profile_type, name)?,
            ))
        };
        let group = groups
            .entry(group_by.iter().filter_map(value).collect())
            .or_default();
        for &Point {
            time,
            total,
            profiles,
        } in &series.points
        {
            let Some(bucket) = buckets.of(time) else {
                continue;
            };
            let (sum, count) = group.points.entry(bucket).or_default();
            *sum += i128::from(total);
            *count = count.saturating_add(profiles);
            group.total += i128::from(total);
        }
    }
    let mut groups: Vec<_> = groups
        .into_iter()
        .filter(|(_, group)| !group.points.is_empty())
        .collect();
    if limit > 0 && groups.len() > limit {
        // A stable sort: equal totals stay in order of labels.
        sort_by(&mut groups, |(_, a), (_, b)| b.total.cmp(&a.total));
        groups.truncate(limit);
        sort_by(&mut groups, |a, b| a.0.cmp(&b.0));
    }
    messages::SelectSeriesResponse {
        series: groups
            .into_iter()
            .map(|(labels, group)| group.series(labels, how))
            .collect(),
    }
}

impl Group {
    fn series(&self, labels: Vec<(String, String)>, how: Aggregation) -> messages::Series {
        let point = |(&time, &(sum, count)): (&i64, &(i128, u64))| {
            let value = match how {
                Aggregation::Sum => sum as f64,
                Aggregation::Average => sum as f64 / count.max(1) as f64,
            };
            messages::Point {
                value,
                timestamp: time,
            }
        };
        let points = self.points.iter().map(point).collect();
        messages::Series {
            labels: label_pairs(labels),
            points,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::query::tests::timeline;
    use serde_json::{Value, json};

    fn answer(
        timeline: &Timeline,
        buckets: Buckets,
        group_by: &[String],
        how: Aggregation,
        limit: usize,
    ) -> Value {
        serde_json::to_value(super::answer(timeline, buckets, group_by, how, limit)).unwrap()
    }

    const MS: i64 = 1_000_000;

    fn range(from: i64, last: i64) -> TimeRange {
        TimeRange {
            from: UnixNanos::from_millis(from),
            until: UnixNanos::from_millis(last + 1),
        }
    }

    #[test]
    fn a_bucket_ends_at_its_name() {
        let buckets = Buckets::new(range(1000, 3500), 1.0).unwrap();
        assert_eq!(
            buckets.range(),
            TimeRange {
                from: UnixNanos(1),
                until: UnixNanos(3500 * MS + 1)
            }
        );
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
        assert_eq!(message(1.0), "more than 11000 points; choose a longer step");
    }

    #[test]
    fn groups_and_aggregates() {
        let timeline = timeline(&[
            (
                "a:y:count::",
                "app{region=eu}",
                &[(500 * MS, 1), (600 * MS, 2), (2500 * MS, 4)],
            ),
            ("a:y:count::", "app{region=us}", &[(700 * MS, 9)]),
        ]);
        let buckets = Buckets::new(range(1000, 3000), 1.0).unwrap();
        let by = ["region".to_owned()];
        let point = |value: f64, time: &str| json!({"value": value, "timestamp": time});
        let eu = json!([{"name": "region", "value": "eu"}]);
        let us =
            json!({"labels": [{"name": "region", "value": "us"}], "points": [point(9.0, "1000")]});
        assert_eq!(
            answer(&timeline, buckets, &by, Aggregation::Sum, 0),
            json!({"series": [{"labels": eu, "points": [point(3.0, "1000"), point(4.0, "3000")]}, us]})
        );
        assert_eq!(
            answer(&timeline, buckets, &by, Aggregation::Average, 0)["series"][0]["points"][0],
            point(1.5, "1000")
        );
        assert_eq!(
            answer(&timeline, buckets, &by, Aggregation::Sum, 1),
            json!({ "series": [us] })
        );
        assert_eq!(
            answer(&timeline, buckets, &[], Aggregation::Sum, 0),
            json!({"series": [{"points": [point(12.0, "1000"), point(4.0, "3000")]}]})
        );
        assert_eq!(
            answer(&Timeline::default(), buckets, &by, Aggregation::Sum, 0),
            json!({})
        );
    }
}
