//! The metrics of rules: their points as values in the metric's unit.

use std::collections::BTreeMap;

use super::points::{Steps, points};
use super::prometheus::evaluate::check_held;
use super::rule::Rule;
use crate::api::query::Queries;
use crate::platform::errors::Problem;

/// A rule's metric in some steps.
pub(super) struct Metric {
    pub(super) name: String,
    pub(super) help: String,
    pub(super) unit: String,
    pub(super) series: Vec<MetricSeries>,
}

pub(super) struct MetricSeries {
    /// Without the name.
    pub(super) labels: BTreeMap<String, String>,
    /// Times in milliseconds, ascending, with values.
    pub(super) samples: Vec<(i64, f64)>,
}

/// The metrics of rules that can be computed.
pub(super) struct Metrics {
    pub(super) metrics: Vec<Metric>,
    /// Why a rule can't be computed, if one can't: the last such rule's error.
    pub(super) problem: Option<Problem>,
}

/// The metrics of rules, in order. A rule with an error of its own doesn't hide the others.
pub(super) async fn metrics(
    rules: &[Rule],
    steps: Steps,
    runner: &impl Queries,
) -> Result<Metrics, Problem> {
    let (mut metrics, mut problem, mut held) = (Vec::new(), None, 0);
    for rule in rules {
        let measure = match rule.measure() {
            Ok(measure) => measure,
            Err(found) => {
                problem = Some(found);
                continue;
            }
        };
        let asked = steps.until - steps.from;
        let found = match points(rule, &measure, steps, asked, runner).await {
            Ok(found) => found,
            Err(found) if found.is_permanent() => {
                problem = Some(found);
                continue;
            }
            Err(found) => return Err(found),
        };
        held += found.held;
        check_held(held)?;
        let series = found.series.into_iter().map(|series| {
            let samples = series.points.into_iter();
            MetricSeries {
                labels: series.labels,
                samples: samples
                    .map(|(at, point)| (at, measure.value(point)))
                    .collect(),
            }
        });
        let series = series.collect();
        metrics.push(Metric {
            help: measure.help(),
            name: measure.name,
            unit: measure.unit,
            series,
        });
    }
    Ok(Metrics { metrics, problem })
}
