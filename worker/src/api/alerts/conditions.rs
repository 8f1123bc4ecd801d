//! At which minutes the condition of an alert holds, computed from the points of its rule.
//!
//! A minute has the time of its end, in milliseconds since the epoch. Whether a condition holds at
//! a minute depends only on what is stored, so it doesn't matter when it is evaluated. The kind
//! `silent` also depends on whether the alert fires already.

use std::collections::BTreeMap;

use pilotlight_core::verbs::{Dimension, Unit};

use super::alert::{Alert, Kind};
use super::{growth, new_functions};
use crate::api::query::{AnswerCache, Invocations, QueryRunner};
use crate::api::rules::points::{self, MINUTE, Series, Steps};
use crate::api::rules::rule::{Measure, Point, RULE_ID, Rule};
use crate::bucket::Bucket;
use crate::platform::Platform;
use crate::platform::errors::Problem;
use crate::tenant::Transport;

/// Most series of a rule that an alert can watch.
const MAX_SERIES: usize = 200;

/// Most reads of points in an evaluation, series × minutes × minutes of a window: about 0.2 s of
/// CPU.
const MAX_WORK: i64 = 20_000_000;

/// A series counts as silent only if it had profiles in this time before the window: an hour.
const SILENT_SINCE: i64 = 60 * MINUTE;

/// The labels of a series.
pub(super) type Labels = BTreeMap<String, String>;

/// The minutes after `after`, up to and including `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Minutes {
    pub(super) after: i64,
    pub(super) until: i64,
}

/// The minutes at which a condition holds for a series, with the value at each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Held {
    pub(super) labels: Labels,
    pub(super) minutes: BTreeMap<i64, f64>,
}

impl Minutes {
    pub(super) fn all(self) -> impl Iterator<Item = i64> {
        let count = (self.until - self.after) / MINUTE;
        (1..=count).map(move |i| self.after + i * MINUTE)
    }

    /// These minutes and the `millis` before them.
    pub(super) fn and_before(self, millis: i64) -> Self {
        let after = self.after - millis;
        Self { after, ..self }
    }
}

/// What a rule measures, with values in seconds or bytes where its unit allows.
pub(super) fn measured(rule: &Rule) -> Result<Measure, Problem> {
    let in_base_unit = Rule {
        unit_suffix: true,
        ..rule.clone()
    };
    in_base_unit.measure().or_else(|_| {
        let plain = Rule {
            unit_suffix: false,
            ..rule.clone()
        };
        plain.measure()
    })
}

/// The unit of an alert's threshold and values.
pub(super) fn unit(alert: &Alert, measure: &Measure) -> String {
    match alert.kind {
        Kind::Grew | Kind::NewFunction => "%".to_owned(),
        Kind::Silent => "min".to_owned(),
        Kind::Above | Kind::Below if measure.is_gauge => measure.unit.clone(),
        Kind::Above | Kind::Below => {
            let is_time =
                Unit::parse(&measure.unit).is_some_and(|u| u.dimension == Dimension::Time);
            match is_time && &*measure.profile_type.sample_type == "cpu" {
                true => "cores".to_owned(),
                false => format!("{}/s", measure.unit),
            }
        }
    }
}

/// Refuses an alert that can't be evaluated with its rule.
pub(super) fn check_rule(alert: &Alert, rule: &Rule) -> Result<(), Problem> {
    let measure = measured(rule)?;
    if alert.kind == Kind::NewFunction && (!measure.stacks.is_all() || !rule.group_by.is_empty()) {
        return Err(Problem::invalid(
            "the kind new_function needs a rule without function, function_regex, call_site and group_by",
        ));
    }
    Ok(())
}

/// The series for which the condition holds at some of these minutes, or at some of the minutes
/// before that [`Alert::hold`] needs. `firing` has the series that fire before the first of them.
pub(super) async fn evaluate<B, T, P, C, I>(
    alert: &Alert,
    rule: &Rule,
    minutes: Minutes,
    firing: &[Labels],
    runner: &QueryRunner<B, T, P, C, I>,
) -> Result<Vec<Held>, Problem>
where
    B: Bucket,
    T: Transport,
    P: Platform,
    C: AnswerCache,
    I: Invocations,
{
    check_rule(alert, rule)?;
    let measure = measured(rule)?;
    let minutes = minutes.and_before(alert.hold() - MINUTE);
    match alert.kind {
        Kind::Above | Kind::Below => {
            let (read, window) = (minutes.and_before(alert.window()), alert.window());
            let series = series(rule, &measure, read, window, runner).await?;
            Ok(held(series, minutes, |series, minute| {
                let value = value(series, &measure, minute, alert.window())?;
                let holds = match alert.kind {
                    Kind::Above => value > alert.threshold,
                    _ => value < alert.threshold,
                };
                holds.then_some(value)
            }))
        }
        Kind::Silent => {
            let before = alert.window() + SILENT_SINCE;
            let read = minutes.and_before(before);
            let mut series = series(rule, &measure, read, MINUTE, runner).await?;
            let gone = |labels: &&Labels| series.iter().all(|there| there.labels != **labels);
            let gone: Vec<Labels> = firing.iter().filter(gone).cloned().collect();
            series.extend(gone.into_iter().map(|labels| Series {
                labels,
                points: BTreeMap::new(),
            }));
            Ok(held(series, minutes, |series, minute| {
                let is_firing = firing.contains(&series.labels);
                silence(series, minute, alert.window(), is_firing)
            }))
        }
        Kind::Grew => growth::evaluate(alert, rule, &measure, minutes, runner).await,
        Kind::NewFunction => new_functions::evaluate(alert, &measure, minutes, runner).await,
    }
}

/// The series with points in these minutes, without the label of the rule's ID. `window` is how
/// much is read for each minute, for the limit of work.
pub(super) async fn series<B, T, P, C, I>(
    rule: &Rule,
    measure: &Measure,
    minutes: Minutes,
    window: i64,
    runner: &QueryRunner<B, T, P, C, I>,
) -> Result<Vec<Series>, Problem>
where
    B: Bucket,
    T: Transport,
    P: Platform,
    C: AnswerCache,
    I: Invocations,
{
    let Minutes { after, until } = minutes;
    let steps = Steps::covering(after, until, MINUTE)?;
    let found = points::points(rule, measure, steps, until - after, runner).await?;
    if found.rounded {
        return Err(Problem::invalid(
            "profiles in this range have expired; only hourly and daily totals remain. Choose a later range",
        ));
    }
    let mut series = found.series;
    if series.len() > MAX_SERIES {
        let count = series.len();
        return Err(Problem::invalid(format!(
            "the rule has {count} series; an alert can watch at most {MAX_SERIES}. Group the rule by fewer labels"
        )));
    }
    let count = (until - after) / MINUTE;
    if series.len() as i64 * count * window / MINUTE > MAX_WORK {
        let (series, window) = (series.len(), window / MINUTE);
        return Err(Problem::invalid(format!(
            "{series} series over {count} min are too many for windows of {window} min; use a shorter range or window"
        )));
    }
    for one in &mut series {
        one.labels.remove(RULE_ID);
    }
    Ok(series)
}

/// The series with the minutes at which `value` has one.
fn held(
    series: Vec<Series>,
    minutes: Minutes,
    value: impl Fn(&Series, i64) -> Option<f64>,
) -> Vec<Held> {
    let of_series = |series: Series| {
        let at = |minute| Some((minute, value(&series, minute)?));
        Held {
            minutes: minutes.all().filter_map(at).collect(),
            labels: series.labels,
        }
    };
    let all = series.into_iter().map(of_series);
    all.filter(|held| !held.minutes.is_empty()).collect()
}

/// The value of a series in the window that ends at a minute: per second or, for gauges, the
/// average. `None` without profiles.
fn value(series: &Series, measure: &Measure, minute: i64, window: i64) -> Option<f64> {
    let mut all = Point::default();
    let mut points = series.points.range(minute - window + 1..=minute).peekable();
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

/// For how many minutes a series has been silent, if at least for the window. A series that fires
/// already stays silent until it has profiles again.
fn silence(series: &Series, minute: i64, window: i64, is_firing: bool) -> Option<f64> {
    let last = series
        .points
        .range(..=minute)
        .next_back()
        .map(|(end, _)| *end);
    match last {
        Some(end) if minute - end < window => None,
        Some(end) if minute - end < window + SILENT_SINCE || is_firing => {
            Some(((minute - end) / MINUTE) as f64)
        }
        None if is_firing => Some(((window + SILENT_SINCE) / MINUTE) as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(i64, i128, u64)]) -> Series {
        let point = |&(minute, sum, profiles)| (minute * MINUTE, Point { sum, profiles });
        Series {
            labels: Labels::new(),
            points: points.iter().map(point).collect(),
        }
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
        assert_eq!(unit(Kind::Above, "block:contentions:count::{}"), "count/s");
        assert_eq!(unit(Kind::Grew, CPU), "%");
    }

    #[test]
    fn silence_of_a_firing_series_lasts() {
        let once = series(&[(10, 1, 1)]);
        let of = |minute, is_firing| silence(&once, minute * MINUTE, 5 * MINUTE, is_firing);
        assert_eq!(
            (of(9, false), of(10, false), of(14, false)),
            (None, None, None)
        );
        assert_eq!(of(15, false), Some(5.0));
        assert_eq!((of(74, false), of(75, false)), (Some(64.0), None));
        assert_eq!(of(75, true), Some(65.0));
        let never = series(&[]);
        assert_eq!(silence(&never, 0, 5 * MINUTE, false), None);
        assert_eq!(silence(&never, 0, 5 * MINUTE, true), Some(65.0));
    }

    #[test]
    fn minutes_have_the_times_of_their_ends() {
        let minutes = Minutes {
            after: 3 * MINUTE,
            until: 5 * MINUTE,
        };
        let all: Vec<i64> = minutes.all().map(|end| end / MINUTE).collect();
        assert_eq!(all, [4, 5]);
        assert_eq!(minutes.and_before(MINUTE).after, 2 * MINUTE);
    }
}
