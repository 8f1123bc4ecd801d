//! Values of an expression at the times of an answer, from the points of rules.

use std::collections::BTreeMap;

use pilotlight_core::plans::MAX_HELD;

use super::expression::{Expression, MetricSelector, NAME, Over};
use crate::api::query::Queries;
use crate::api::rules::points::{self, MINUTE, Series, Steps};
use crate::api::rules::rule::{Measure, Point, Rule};
use crate::platform::errors::Problem;

/// How old the latest point may be, as in Prometheus: 5 minutes.
const LOOKBACK: i64 = 5 * MINUTE;

/// Most values that are computed for an answer: at about 0.1 µs each, half a second.
const MAX_VALUES: usize = 5_000_000;

/// Bytes of a set of labels besides its texts, and of a value, about.
const SERIES_BYTES: usize = 1_024;
const VALUE_BYTES: usize = 128;

/// The times of an answer, milliseconds: `start`, `start + step` … up to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) step: i64,
}

/// A series of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AnswerSeries {
    /// With the metric's name where Prometheus keeps it.
    pub(super) labels: BTreeMap<String, String>,
    /// Times with values; a time without points has none.
    pub(super) values: Vec<(i64, f64)>,
}

/// The series of an answer, in order of labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) series: Vec<AnswerSeries>,
    /// As [`points::Points::rounded`].
    pub(super) rounded: bool,
}

impl Times {
    /// One time.
    pub(super) fn at(time: i64) -> Self {
        Self {
            start: time,
            end: time,
            step: MINUTE,
        }
    }

    pub(super) fn all(self) -> impl Iterator<Item = i64> {
        let count = (self.end - self.start).div_euclid(self.step) + 1;
        (0..count).map(move |i| self.start + i * self.step)
    }

    /// The steps whose points are needed: as long as possible, while each window of a sum begins
    /// and ends where a step does.
    fn steps(self, over: Over, is_gauge: bool) -> Result<Steps, Problem> {
        let window = over.window();
        let count = (self.end - self.start).div_euclid(self.step);
        let step = match count {
            0 => 0,
            _ => self.step,
        };
        let common = gcd(gcd(self.start, step), window);
        let step = match over {
            // The average of an hour is not the sum of the averages of its minutes.
            Over::Sum(_) if common % MINUTE == 0 && !is_gauge => common,
            Over::Sum(_) | Over::Average(_) | Over::Latest => MINUTE,
        };
        let from = self.start.saturating_sub(window).max(0);
        Steps::covering(from, self.end.div_euclid(step) * step, step)
    }
}

impl Over {
    fn window(self) -> i64 {
        match self {
            Self::Latest => LOOKBACK,
            Self::Sum(window) | Self::Average(window) => window,
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}

/// The values of an expression.
pub(super) async fn evaluate(
    expression: &Expression,
    times: Times,
    rules: &[Rule],
    runner: &impl Queries,
) -> Result<Answer, Problem> {
    let mut answer = Answer::default();
    let (mut sums, mut computed, mut held) = (BTreeMap::<_, BTreeMap<i64, f64>>::new(), 0, 0);
    for (rule, measure) in measured(rules, &expression.selector) {
        let steps = times.steps(expression.over, measure.is_gauge)?;
        let asked = times.end - times.start;
        let found = points::points(rule, &measure, steps, asked, runner).await?;
        answer.rounded |= found.rounded;
        for series in found.series {
            if !expression.selector.matches(&measure.name, &series.labels) {
                continue;
            }
            computed += times.all().count();
            if computed > MAX_VALUES {
                return Err(Problem::invalid(format!(
                    "the query computes more than {MAX_VALUES} values; use a longer step, or rules with fewer series"
                )));
            }
            let labels = labels(expression, &measure.name, &series);
            held += set_bytes(&labels);
            let sum = sums.entry(labels).or_default();
            for (time, value) in values(&series, &measure, times, expression.over) {
                *sum.entry(time).or_insert_with(|| {
                    held += VALUE_BYTES;
                    0.0
                }) += value * expression.factor;
            }
            check_held(held)?;
        }
    }
    answer.series = sums
        .into_iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(labels, values)| AnswerSeries {
            labels,
            values: values.into_iter().collect(),
        })
        .collect();
    Ok(answer)
}

/// The rules whose metrics may be selected. A stored rule that a later version refuses is left out: the
/// page of rules shows the error.
pub(super) fn measured<'a>(
    rules: &'a [Rule],
    selector: &MetricSelector,
) -> impl Iterator<Item = (&'a Rule, Measure)> {
    let measured = rules
        .iter()
        .filter_map(|rule| Some((rule, rule.measure().ok()?)));
    measured.filter(|(_, measure)| selector.is_of(&measure.name))
}

/// Bytes of a set of labels, about.
pub(crate) fn set_bytes(labels: &BTreeMap<String, String>) -> usize {
    SERIES_BYTES + points::text_bytes(labels)
}

/// Refuses an answer that needs more memory than a plan may hold.
pub(crate) fn check_held(bytes: usize) -> Result<(), Problem> {
    if bytes <= MAX_HELD {
        return Ok(());
    }
    Err(Problem::too_large(format!(
        "the response needs more than {MAX_HELD} bytes of memory; query fewer metrics, or group by fewer labels"
    )))
}

/// The labels that a series has in the answer.
fn labels(expression: &Expression, metric: &str, series: &Series) -> BTreeMap<String, String> {
    let mut labels = series.labels.clone();
    if let Some(by) = &expression.by {
        labels.retain(|name, _| by.contains(name));
    }
    let keeps_name = match &expression.by {
        Some(by) => by.iter().any(|name| name == NAME),
        None => true,
    };
    if keeps_name && expression.over == Over::Latest && !expression.is_scaled {
        labels.insert(NAME.to_owned(), metric.to_owned());
    }
    labels
}

/// The value at each time, from the points in the window before it.
fn values(series: &Series, measure: &Measure, times: Times, over: Over) -> Vec<(i64, f64)> {
    let ends: Vec<i64> = series.points.keys().copied().collect();
    let points: Vec<Point> = series.points.values().copied().collect();
    // Sums of amounts are exact; averages are added as they are.
    let mut before = vec![0i128];
    let mut averages_before = vec![0.0];
    for (at, point) in points.iter().enumerate() {
        before.push(before[at] + point.sum);
        averages_before.push(averages_before[at] + measure.value(*point));
    }
    let value = |time: i64| {
        let first = ends.partition_point(|&end| end <= time - over.window());
        let last = ends.partition_point(|&end| end <= time);
        let sum = |from: usize| match measure.is_gauge {
            true => averages_before[last] - averages_before[from],
            false => measure.value(Point {
                sum: before[last] - before[from],
                profiles: 1,
            }),
        };
        if first == last {
            return None;
        }
        let value = match over {
            Over::Latest => measure.value(points[last - 1]),
            Over::Sum(_) => sum(first),
            Over::Average(_) => sum(first) / (last - first) as f64,
        };
        Some((time, value))
    };
    times.all().filter_map(value).collect()
}

/// The labels of all series that a rule may have, from those of `series`, with its metric's name.
/// No stacks are read, so a series may have no samples of the rule's function.
pub(super) fn label_sets<'a>(
    rule: &Rule,
    metric: &str,
    selector: &MetricSelector,
    series: impl Iterator<Item = &'a pilotlight_core::Labels>,
) -> Vec<BTreeMap<String, String>> {
    let mut sets = Vec::new();
    for labels in series {
        let mut labels = rule.metric_labels(labels);
        if selector.matches(metric, &labels) {
            labels.insert(NAME.to_owned(), metric.to_owned());
            sets.push(labels);
        }
    }
    sets.sort();
    sets.dedup();
    sets
}

/// A value as Prometheus writes it.
pub(crate) fn number(value: f64) -> String {
    match value {
        value if value == f64::INFINITY => "+Inf".to_owned(),
        value if value == f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(i64, i128)]) -> Series {
        let profiles = 2;
        let points = points
            .iter()
            .map(|&(minute, sum)| (minute * MINUTE, Point { sum, profiles }));
        Series {
            labels: BTreeMap::new(),
            points: points.collect(),
        }
    }

    fn measure(query: &str) -> Measure {
        let rule = Rule {
            query: query.to_owned(),
            ..Rule::default()
        };
        rule.measure().unwrap()
    }

    #[test]
    fn the_latest_point_and_sums() {
        let one = series(&[(1, 1), (2, 2), (9, 4)]);
        let times = Times {
            start: MINUTE / 2,
            end: 15 * MINUTE,
            step: 2 * MINUTE + MINUTE / 2,
        };
        // At 0:30, 3:00, 5:30, 8:00, 10:30 and 13:00: five minutes back.
        let amounts = measure("process_cpu:cpu:nanoseconds:cpu:nanoseconds{}");
        let shown = |over| -> Vec<(i64, f64)> {
            let values = values(&one, &amounts, times, over).into_iter();
            values.map(|(time, value)| (time / 1_000, value)).collect()
        };
        assert_eq!(
            shown(Over::Latest),
            [(180, 2.0), (330, 2.0), (630, 4.0), (780, 4.0)]
        );
        assert_eq!(
            shown(Over::Average(LOOKBACK)),
            [(180, 1.5), (330, 1.5), (630, 4.0), (780, 4.0)]
        );
        assert_eq!(
            shown(Over::Sum(LOOKBACK)),
            [(180, 3.0), (330, 3.0), (630, 4.0), (780, 4.0)]
        );
        assert_eq!(shown(Over::Sum(MINUTE)), []);
        let eight = [(180, 3.0), (330, 3.0), (480, 3.0), (630, 4.0), (780, 4.0)];
        assert_eq!(shown(Over::Sum(8 * MINUTE)), eight);
        let in_use = measure("memory:inuse_space:bytes:space:bytes{}");
        let gauges = |over| values(&one, &in_use, Times::at(4 * MINUTE), over)[0].1;
        assert_eq!(gauges(Over::Latest), 1.0);
        assert_eq!(gauges(Over::Average(LOOKBACK)), 0.75);
        assert_eq!(gauges(Over::Sum(LOOKBACK)), 1.5);
    }

    #[test]
    fn steps_are_as_long_as_windows_allow() {
        let sum = |minutes: i64| Over::Sum(minutes * MINUTE);
        let steps = |start: i64, end: i64, step: i64, over: Over| {
            let times = Times {
                start: start * MINUTE,
                end: end * MINUTE,
                step: step * MINUTE,
            };
            let steps = times.steps(over, false).unwrap();
            (
                steps.from / MINUTE,
                steps.until / MINUTE,
                steps.step / MINUTE,
            )
        };
        assert_eq!(steps(60, 180, 60, sum(60)), (0, 180, 60));
        assert_eq!(steps(60, 170, 60, sum(120)), (0, 120, 60));
        assert_eq!(steps(61, 181, 60, sum(60)), (1, 181, 1));
        assert_eq!(steps(60, 180, 60, Over::Latest), (55, 180, 1));
        assert_eq!(steps(1440, 1440, 1, sum(1440)), (0, 1440, 1440));
        let uneven = Times {
            start: 90_001,
            end: 90_001,
            step: 1,
        };
        let steps = uneven.steps(Over::Sum(90_000), false).unwrap();
        assert_eq!((steps.from, steps.until, steps.step), (0, 60_000, MINUTE));
    }

    #[test]
    fn numbers() {
        assert_eq!(number(3.0), "3");
        assert_eq!(number(1.5e-9), "0.0000000015");
        assert_eq!(number(f64::INFINITY), "+Inf");
        assert_eq!(number(f64::NAN), "NaN");
    }
}
