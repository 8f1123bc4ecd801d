//! `POST /api/v1/rules/preview`: the series of a rule, stored or not.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pilotlight_core::TimeRange;
use serde::Serialize;
use worker::{Request, Response};

use super::points::{self, MINUTE, Series, Steps};
use super::rule::{Measure, RULE_ID, Rule};
use crate::api::query::EdgeQueryRunner;
use crate::http::body::{self, MAX_JSON};
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

/// Most steps: the minutes that a day touches.
const MAX_POINTS: usize = 1_441;

/// Steps when a request does not say how many.
const POINTS: usize = 120;

/// Most series of a response.
const MAX_SERIES: usize = 20;

/// Lengths of steps in minutes: up to a day, then whole days.
const LENGTHS: [i64; 14] = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440];

#[derive(Serialize)]
struct Answer {
    name: String,
    unit: String,
    /// Milliseconds since the epoch.
    start: i64,
    step: i64,
    series: Vec<ShownSeries>,
    series_count: usize,
    rounded: bool,
}

#[derive(Serialize)]
struct ShownSeries {
    labels: BTreeMap<String, String>,
    /// A value for each step, null where there are no samples.
    points: Vec<Option<f64>>,
}

pub(super) async fn answer(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let rule: Rule = body::json(request, &scope.isolate().bodies, MAX_JSON, "rule").await?;
    if !rule.metric_name.is_empty() {
        rule.check_name()?;
    }
    let measure = rule.measure()?;
    let parameters = Parameters::of(request);
    let count = parameters.number("points", 1, MAX_POINTS, POINTS)?;
    let range = parameters.range_millis()?;
    let steps = steps(range, count as i64)?;
    let runner = EdgeQueryRunner::open(scope)?;
    let asked = range.until.millis() - range.from.millis();
    let found = points::points(&rule, &measure, steps, asked, &runner).await?;
    let (mut series, rounded) = (found.series, found.rounded);
    let series_count = series.len();
    let sum = |series: &Series| series.points.values().map(|point| point.sum).sum::<i128>();
    series.sort_by_cached_key(|series| Reverse(sum(series)));
    series.truncate(MAX_SERIES);
    let shown = series
        .into_iter()
        .map(|series| shown(series, steps, &measure))
        .collect();
    Ok(Response::from_json(&Answer {
        name: measure.name,
        unit: measure.unit,
        start: steps.from,
        step: steps.step,
        series: shown,
        series_count,
        rounded,
    })?)
}

/// The steps of the shortest round length that make about `count` of a range: at most one more.
fn steps(range: TimeRange, count: i64) -> Result<Steps, Problem> {
    let (from, until) = (range.from.millis(), range.until.millis());
    let least = (until - from).div_euclid(MINUTE) / count.max(1);
    let fits = |minutes: &i64| *minutes > least;
    let minutes = LENGTHS.into_iter().find(fits);
    let minutes = minutes.unwrap_or((least / 1440 + 1) * 1440);
    Steps::covering(from, until, minutes * MINUTE)
}

fn shown(series: Series, steps: Steps, measure: &Measure) -> ShownSeries {
    let Steps { from, until, step } = steps;
    let ends = (1..=(until - from) / step).map(|i| from + i * step);
    let value = |end| series.points.get(&end).map(|&point| measure.value(point));
    let mut labels = series.labels;
    labels.remove(RULE_ID);
    ShownSeries {
        points: ends.map(value).collect(),
        labels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::rules::rule::{Point, Rule};

    #[test]
    fn steps_are_round() {
        let minutes = |from: i64, until: i64, count| {
            let range = TimeRange::of_millis(from * MINUTE, until * MINUTE);
            let steps = steps(range, count).unwrap();
            (
                steps.from / MINUTE,
                steps.until / MINUTE,
                steps.step / MINUTE,
            )
        };
        assert_eq!(minutes(3, 63, 120), (3, 63, 1));
        assert_eq!(minutes(3, 63, 60), (2, 64, 2));
        assert_eq!(minutes(0, 1440, 120), (0, 1440, 15));
        assert_eq!(minutes(0, 366 * 1440, 10), (0, 370 * 1440, 37 * 1440));
        assert_eq!(minutes(5, 5, 10), (5, 5, 1));
    }

    #[test]
    fn steps_without_samples_are_null() {
        let point = Point {
            sum: 3_000_000_000,
            profiles: 3,
        };
        let series = Series {
            labels: [(RULE_ID.to_owned(), "a".to_owned())].into(),
            points: [(2 * MINUTE, point)].into(),
        };
        let steps = Steps::covering(0, 3 * MINUTE, MINUTE).unwrap();
        let rule = Rule {
            query: "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}".to_owned(),
            unit_suffix: true,
            ..Rule::default()
        };
        let shown = shown(series, steps, &rule.measure().unwrap());
        assert_eq!(shown.points, [None, Some(3.0), None]);
        assert!(shown.labels.is_empty());
    }
}
