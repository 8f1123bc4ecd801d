//! At which minutes the condition of an alert holds, computed from the points of its rule.
//!
//! A minute has the time of its end, in milliseconds since the epoch. Whether a condition holds at
//! a minute depends only on what is stored, so it doesn't matter when it is evaluated. The kind
//! `silent` also depends on whether the alert fires already.

use std::collections::BTreeMap;

use pilotlight_core::verbs::{Dimension, Unit};

use super::alert::{Alert, Kind};
use super::series::{Labels, Matches, Minutes, at_each, check_work, matches, series};
use super::{growth, new_functions};
use crate::api::query::Queries;
use crate::api::rules::points::{MINUTE, Series};
use crate::api::rules::record::not_found;
use crate::api::rules::rule::{Measure, Point, Rule};
use crate::platform::errors::Problem;

/// A series counts as silent only if it had profiles in this time before the window: an hour.
const SEEN_WITHIN: i64 = 60 * MINUTE;

/// The points of a series, by the end of their minute.
type Minutely = BTreeMap<i64, Point>;

/// The rule that an alert watches.
pub(super) fn rule_of<'a>(alert: &Alert, rules: &'a [Rule]) -> Result<&'a Rule, Problem> {
    let rule = rules.iter().find(|rule| rule.id == alert.rule);
    rule.ok_or_else(|| not_found(&alert.rule))
}

/// What a rule measures, with values in seconds or bytes where its unit allows.
fn measured(rule: &Rule) -> Result<Measure, Problem> {
    let measured = |unit_suffix| {
        let rule = rule.clone();
        Rule {
            unit_suffix,
            ..rule
        }
        .measure()
    };
    measured(true).or_else(|_| measured(false))
}

/// The unit of an alert's threshold and values.
pub(super) fn unit(alert: &Alert, measure: &Measure) -> String {
    match alert.kind {
        Kind::Grew | Kind::NewFunction => "%".to_owned(),
        Kind::Silent => "min".to_owned(),
        Kind::Above | Kind::Below if measure.is_gauge => counted(measure),
        Kind::Above | Kind::Below => {
            let is_time =
                Unit::parse(&measure.unit).is_some_and(|u| u.dimension == Dimension::Time);
            match is_time && &*measure.profile_type.sample_type == "cpu" {
                true => "cores".to_owned(),
                false => format!("{}/s", counted(measure)),
            }
        }
    }
}

/// The unit of the values. What a bare count counts is said by its type: goroutines, objects.
fn counted(measure: &Measure) -> String {
    let sample_type = &*measure.profile_type.sample_type;
    match sample_type {
        _ if measure.unit != "count" => measure.unit.clone(),
        "cpu" | "wall" | "itimer" => measure.unit.clone(),
        "goroutine" | "thread" => format!("{sample_type}s"),
        _ => match sample_type.rsplit_once('_') {
            Some((_, what @ ("objects" | "samples"))) => what.to_owned(),
            _ => sample_type.replace('_', " "),
        },
    }
}

/// What the rule of an alert measures. Refuses an alert that can't be evaluated with it.
pub(super) fn measure_of(alert: &Alert, rule: &Rule) -> Result<Measure, Problem> {
    let measure = measured(rule)?;
    if alert.kind == Kind::NewFunction && (!measure.stacks.is_all() || !rule.group_by.is_empty()) {
        return Err(Problem::invalid(
            "the kind new_function needs a rule without function, function_regex, call_site and group_by",
        ));
    }
    Ok(measure)
}

/// The series for which the condition holds at some of these minutes, or at some of the minutes
/// before that [`Alert::hold`] needs. `silent` says of the series that an alert of the kind `silent`
/// fires for when they had their last profiles.
pub(super) async fn evaluate(
    alert: &Alert,
    rule: &Rule,
    measure: &Measure,
    minutes: Minutes,
    silent: &BTreeMap<Labels, i64>,
    runner: &impl Queries,
) -> Result<Vec<Matches>, Problem> {
    let (minutes, window) = (minutes.extended_back(alert.hold() - MINUTE), alert.window());
    match alert.kind {
        Kind::Above | Kind::Below => {
            let is_below = alert.kind == Kind::Below;
            // A series that has just begun is below any threshold.
            let before = if is_below { SEEN_WITHIN } else { 0 };
            let read = minutes.extended_back(window + before);
            let series = series(rule, measure, read, runner).await?;
            check_work(series.len(), minutes, window)?;
            let all = series.into_iter().map(|Series { labels, points }| {
                let has_begun = |minute| {
                    let mut before = points.range(minute - window - SEEN_WITHIN + 1..);
                    before
                        .next()
                        .is_some_and(|(&began, _)| began <= minute - window)
                };
                let holds = |minute, value: f64| match is_below {
                    true => value < alert.threshold && has_begun(minute),
                    false => value > alert.threshold,
                };
                let value = |minute| {
                    let value = value(&points, measure, minute, window)?;
                    holds(minute, value).then_some(value)
                };
                (labels, at_each(minutes, value))
            });
            Ok(matches(all))
        }
        Kind::Silent => {
            let read = minutes.extended_back(window + SEEN_WITHIN);
            let series = series(rule, measure, read, runner).await?;
            check_work(series.len(), minutes, window)?;
            let mut all: BTreeMap<Labels, Minutely> = BTreeMap::new();
            // Those that fire and have no profiles in all that was read.
            all.extend(
                silent
                    .keys()
                    .map(|labels| (labels.clone(), Minutely::new())),
            );
            all.extend(
                series
                    .into_iter()
                    .map(|series| (series.labels, series.points)),
            );
            Ok(matches(all.into_iter().map(|(labels, points)| {
                let last = silent.get(&labels).copied();
                (labels, silences(&points, minutes, window, last))
            })))
        }
        Kind::Grew => growth::evaluate(alert, rule, measure, minutes, runner).await,
        Kind::NewFunction => new_functions::evaluate(alert, measure, minutes, runner).await,
    }
}

/// The value of a series in the window that ends at a minute: per second or, for gauges, the
/// average. `None` without profiles.
fn value(points: &Minutely, measure: &Measure, minute: i64, window: i64) -> Option<f64> {
    let mut all = Point::default();
    let mut points = points.range(minute - window + 1..=minute).peekable();
    points.peek()?;
    for (_, point) in points {
        all.sum += point.sum;
        all.profiles = all.profiles.saturating_add(point.profiles);
    }
    let value = measure.value(all);
    Some(match measure.is_gauge {
        true => value,
        false => value / (window / 1_000) as f64,
    })
}

/// The minutes at which a series is silent, with for how long it has been then.
fn silences(
    points: &Minutely,
    minutes: Minutes,
    window: i64,
    last: Option<i64>,
) -> BTreeMap<i64, f64> {
    let silent = |minute| Some((minute, silence(points, minute, window, last)?));
    minutes.all().filter_map(silent).collect()
}

/// For how many minutes a series has been silent, if at least for the window. `last` is when it had
/// its last profiles before all points, if that is known.
fn silence(points: &Minutely, minute: i64, window: i64, last: Option<i64>) -> Option<f64> {
    let in_points = points.range(..=minute).next_back().map(|(&end, _)| end);
    let gap = minute - in_points.max(last)?;
    (gap >= window).then_some((gap / MINUTE) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::alerts::state::{Event, State};

    fn series(points: &[(i64, i128, u64)]) -> Minutely {
        let point = |&(minute, sum, profiles)| (minute * MINUTE, Point { sum, profiles });
        points.iter().map(point).collect()
    }

    fn measure(query: &str) -> Measure {
        let rule = Rule {
            query: query.to_owned(),
            ..Rule::default()
        };
        measured(&rule).unwrap()
    }

    const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}";
    const HEAP: &str = "memory:inuse_space:bytes:space:bytes{}";

    #[test]
    fn values_per_second_and_on_average() {
        let cpu = series(&[(1, 60_000_000_000, 1), (2, 30_000_000_000, 1)]);
        let of = |minute, window| value(&cpu, &measure(CPU), minute * MINUTE, window * MINUTE);
        assert_eq!(of(1, 1), Some(1.0));
        assert_eq!(of(2, 2), Some(0.75));
        assert_eq!(of(3, 2), Some(0.25));
        assert_eq!(of(4, 2), None);
        let heap = series(&[(1, 300, 3), (2, 100, 1)]);
        assert_eq!(
            value(&heap, &measure(HEAP), 2 * MINUTE, 5 * MINUTE),
            Some(100.0)
        );
    }

    #[test]
    fn units() {
        let unit = |kind, query: &str| {
            let alert = Alert {
                kind,
                ..Alert::default()
            };
            unit(&alert, &measure(query))
        };
        assert_eq!(unit(Kind::Above, CPU), "cores");
        assert_eq!(unit(Kind::Below, HEAP), "bytes");
        assert_eq!(
            unit(Kind::Above, "memory:alloc_space:bytes:space:bytes{}"),
            "bytes/s"
        );
        assert_eq!(
            unit(Kind::Above, "block:delay:nanoseconds::{}"),
            "seconds/s"
        );
        assert_eq!(
            unit(Kind::Above, "block:contentions:count::{}"),
            "contentions/s"
        );
        assert_eq!(
            unit(Kind::Above, "memory:alloc_objects:count:space:bytes{}"),
            "objects/s"
        );
        assert_eq!(
            unit(Kind::Below, "goroutine:goroutine:count:goroutine:count{}"),
            "goroutines"
        );
        assert_eq!(unit(Kind::Grew, CPU), "%");
    }

    #[test]
    fn a_series_is_silent_until_it_has_profiles() {
        let once = series(&[(10, 1, 1)]);
        let of = |minute| silence(&once, minute * MINUTE, 5 * MINUTE, None);
        assert_eq!((of(9), of(10), of(14)), (None, None, None));
        assert_eq!((of(15), of(75)), (Some(5.0), Some(65.0)));
        let never = series(&[]);
        assert_eq!(silence(&never, 0, 5 * MINUTE, None), None);
        // What is silent for longer than is read.
        let last = |minute| silence(&once, minute * MINUTE, 5 * MINUTE, Some(-300 * MINUTE));
        assert_eq!(
            (last(9), last(10), last(75)),
            (Some(309.0), None, Some(65.0))
        );
    }

    /// What an alert does over minutes, in evaluations of so many minutes each.
    fn lived(alert: &Alert, pushed: &Minutely, until: i64, each: usize) -> Vec<(Event, i64, f64)> {
        let (mut state, mut told) = (State::default(), Vec::new());
        let window = alert.window();
        for after in (0..until).step_by(each) {
            let minutes = Minutes {
                after: after * MINUTE,
                until: (after + each as i64).min(until) * MINUTE,
            };
            let all = minutes.extended_back(alert.hold() - MINUTE);
            let read = all.extended_back(window + SEEN_WITHIN);
            let points = pushed.range(read.after + 1..=read.until);
            let points: Minutely = points.map(|(at, point)| (*at, *point)).collect();
            let last = state.last_profiles().get(&Labels::new()).copied();
            let found = Matches {
                labels: Labels::new(),
                minutes: silences(&points, all, window, last),
            };
            for change in state.advance(alert, minutes, &[found]) {
                told.push((change.event, change.at / MINUTE, change.instance.value));
            }
        }
        told
    }

    #[test]
    fn a_silence_lasts_however_it_is_evaluated() {
        let pushes = |minutes: &[(i64, i64)]| -> Minutely {
            let all = minutes.iter().flat_map(|&(from, until)| from..=until);
            let point = Point {
                sum: 1,
                profiles: 1,
            };
            all.map(|minute| (minute * MINUTE, point)).collect()
        };
        let cases: [(i64, &[(i64, i64)]); 5] = [
            (1, &[(1, 100)]),
            (20, &[(1, 100), (126, 300)]),
            (20, &[(1, 100), (201, 300)]),
            (20, &[(1, 100), (150, 162)]),
            (
                15,
                &[(1, 100), (140, 140), (152, 152), (164, 164), (176, 176)],
            ),
        ];
        for (for_minutes, minutes) in cases {
            let alert = Alert {
                kind: Kind::Silent,
                minutes: 5,
                for_minutes,
                ..Alert::default()
            };
            let pushed = pushes(minutes);
            let whole = lived(&alert, &pushed, 400, 400);
            assert_eq!(whole[0].0, Event::Fires);
            for each in [1, 7, 60] {
                assert_eq!(lived(&alert, &pushed, 400, each), whole, "{minutes:?}");
            }
        }
        let alert = Alert {
            kind: Kind::Silent,
            minutes: 5,
            for_minutes: 20,
            ..Alert::default()
        };
        let told = lived(&alert, &pushes(&[(1, 100), (201, 300)]), 300, 1);
        assert_eq!(
            told,
            [(Event::Fires, 124, 24.0), (Event::Resolved, 220, 100.0)]
        );
    }
}
