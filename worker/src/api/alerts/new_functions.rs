//! Functions with a large share that weren't there in the day before.

use std::collections::{BTreeMap, HashSet};

use pilotlight_core::TimeRange;
use pilotlight_core::reports::{FunctionOrder, Source, TopFunctions};

use super::alert::Alert;
use super::series::{Matches, Minutes};
use crate::api::query::Queries;
use crate::api::rules::points::MINUTE;
use crate::api::rules::rule::Measure;
use crate::platform::errors::Problem;

/// How often the kind is evaluated: every ten minutes, because it merges profiles of a whole day.
pub(super) const EVERY: i64 = 10 * MINUTE;

/// How long before the window a function must not have been there: a day.
const BASELINE: i64 = 1_440 * MINUTE;

/// Most evaluations for a request: two hours of a preview, or of an alert's first evaluation.
const MAX_EVALUATIONS: usize = 12;

/// How far back the first evaluation of an alert begins.
pub(super) const LOOK_BACK: i64 = MAX_EVALUATIONS as i64 * EVERY;

/// Most new functions that an evaluation reports.
const MAX_FUNCTIONS: usize = 20;

/// The last minute up to `until` at which the kind is evaluated.
pub(super) fn last(until: i64) -> i64 {
    until.div_euclid(EVERY) * EVERY
}

pub(super) async fn evaluate(
    alert: &Alert,
    measure: &Measure,
    minutes: Minutes,
    runner: &impl Queries,
) -> Result<Vec<Matches>, Problem> {
    let first = minutes.after.div_euclid(EVERY) + 1;
    let last = minutes.until.div_euclid(EVERY);
    let evaluations = first..=last;
    if evaluations.clone().count() > MAX_EVALUATIONS {
        return Err(Problem::invalid(
            "a preview of the kind new_function can cover at most 2 hours; choose a shorter range",
        ));
    }
    let mut held: BTreeMap<String, BTreeMap<i64, f64>> = BTreeMap::new();
    for minute in evaluations.map(|i| i * EVERY) {
        let from = minute - alert.window();
        let large = large(alert, measure, TimeRange::of_millis(from, minute), runner).await?;
        if large.is_empty() {
            continue;
        }
        // One that began in the turn before may have been too small there.
        let until = from - EVERY;
        let before = TimeRange::of_millis(until - BASELINE, until);
        let before = functions(measure, before, runner).await?;
        // Without profiles in the day before, every function would be new.
        if before.functions.is_empty() {
            continue;
        }
        let known: HashSet<&str> = before.functions.iter().map(|f| &*f.name).collect();
        let new = large
            .into_iter()
            .filter(|(name, _)| !known.contains(name.as_str()));
        for (name, percent) in new.take(MAX_FUNCTIONS) {
            let at = held.entry(name).or_default();
            // The result holds until the next evaluation.
            let until = (minute + EVERY).min(minutes.until + MINUTE);
            at.extend(
                (minute..until)
                    .step_by(MINUTE as usize)
                    .map(|m| (m, percent)),
            );
        }
    }
    let held = held.into_iter().map(|(name, minutes)| Matches {
        labels: [("function".to_owned(), name)].into(),
        minutes,
    });
    Ok(held.collect())
}

/// The functions with at least the alert's share, in percent.
async fn large(
    alert: &Alert,
    measure: &Measure,
    range: TimeRange,
    runner: &impl Queries,
) -> Result<Vec<(String, f64)>, Problem> {
    let found = functions(measure, range, runner).await?;
    let percent = found
        .functions
        .into_iter()
        .map(|f| (f.name, f.total_share * 100.0));
    Ok(percent
        .filter(|(_, percent)| *percent >= alert.threshold)
        .collect())
}

async fn functions(
    measure: &Measure,
    range: TimeRange,
    runner: &impl Queries,
) -> Result<TopFunctions, Problem> {
    let (selector, profile_type) = (&measure.selector, &measure.profile_type);
    let answer = runner.merged(selector, profile_type, range).await?;
    let source = Source::new(String::new(), range, &answer);
    Ok(TopFunctions::new(
        source,
        &answer,
        FunctionOrder::Total,
        None,
        usize::MAX,
    )?)
}
