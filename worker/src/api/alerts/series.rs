//! What conditions are evaluated on: the series of a rule by the minute, and the minutes at which a
//! condition holds.

use std::collections::BTreeMap;

use crate::api::query::Queries;
use crate::api::rules::points::{self, MINUTE, Series, Steps};
use crate::api::rules::rule::{Measure, RULE_ID, Rule};
use crate::platform::errors::Problem;

/// Most series of a rule that an alert can watch.
const MAX_SERIES: usize = 200;

/// Most points that an evaluation looks at, series × minutes × minutes of a window: about 0.2 s of
/// CPU.
const MAX_WORK: i64 = 20_000_000;

/// What a minute counts at least in this: each can give a value, which takes memory.
const MIN_WORK: i64 = 60;

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
pub(super) struct Matches {
    pub(super) labels: Labels,
    pub(super) minutes: BTreeMap<i64, f64>,
}

impl Minutes {
    pub(super) fn all(self) -> impl Iterator<Item = i64> {
        let count = (self.until - self.after) / MINUTE;
        (1..=count).map(move |i| self.after + i * MINUTE)
    }

    /// The first quarter of several minutes, at least one; none of one minute.
    pub(super) fn first_quarter(self) -> Option<Self> {
        let count = ((self.until - self.after) / MINUTE) as u64;
        let until = self.after + count.div_ceil(4) as i64 * MINUTE;
        (count > 1).then_some(Self { until, ..self })
    }

    /// The last quarter of several minutes, at least one; none of one minute.
    pub(super) fn last_quarter(self) -> Option<Self> {
        let quarter = self.first_quarter()?;
        let after = self.until - (quarter.until - quarter.after);
        Some(Self { after, ..self })
    }

    /// These minutes and the `millis` before them.
    pub(super) fn extended_back(self, millis: i64) -> Self {
        let after = self.after - millis;
        Self { after, ..self }
    }
}

/// The series with points in these minutes, without the label of the rule's ID.
pub(super) async fn series(
    rule: &Rule,
    measure: &Measure,
    minutes: Minutes,
    runner: &impl Queries,
) -> Result<Vec<Series>, Problem> {
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
    for one in &mut series {
        one.labels.remove(RULE_ID);
    }
    Ok(series)
}

/// Refuses an evaluation of so many series that takes too long, or gives too many values.
pub(super) fn check_work(series: usize, minutes: Minutes, window: i64) -> Result<(), Problem> {
    let count = (minutes.until - minutes.after) / MINUTE;
    let window = window / MINUTE;
    if series as i64 * count * window.max(MIN_WORK) <= MAX_WORK {
        return Ok(());
    }
    Err(Problem::invalid(format!(
        "{series} series over {count} min are too many for windows of {window} min; use a shorter range or window"
    )))
}

/// The minutes that have a value, with it.
pub(super) fn at_each(minutes: Minutes, value: impl Fn(i64) -> Option<f64>) -> BTreeMap<i64, f64> {
    let at = |minute| Some((minute, value(minute)?));
    minutes.all().filter_map(at).collect()
}

/// Those of the series that have minutes.
pub(super) fn matches(all: impl Iterator<Item = (Labels, BTreeMap<i64, f64>)>) -> Vec<Matches> {
    all.filter(|(_, minutes)| !minutes.is_empty())
        .map(|(labels, minutes)| Matches { labels, minutes })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_have_the_times_of_their_ends() {
        let minutes = Minutes {
            after: 3 * MINUTE,
            until: 5 * MINUTE,
        };
        let all: Vec<i64> = minutes.all().map(|end| end / MINUTE).collect();
        assert_eq!(all, [4, 5]);
        assert_eq!(minutes.extended_back(MINUTE).after, 2 * MINUTE);
    }

    #[test]
    fn quarters_of_minutes() {
        let of = |after: i64, until: i64| Minutes {
            after: after * MINUTE,
            until: until * MINUTE,
        };
        let day = of(3, 1_443);
        assert_eq!(day.first_quarter(), Some(of(3, 363)));
        assert_eq!(day.last_quarter(), Some(of(1_083, 1_443)));
        assert_eq!(of(3, 5).last_quarter(), Some(of(4, 5)));
        assert_eq!(of(3, 4).last_quarter(), None);
    }

    #[test]
    fn an_evaluation_is_bounded() {
        let minutes = |count: i64| Minutes {
            after: 0,
            until: count * MINUTE,
        };
        assert!(check_work(200, minutes(130), 720 * MINUTE).is_ok());
        assert!(check_work(200, minutes(1_440), 5 * MINUTE).is_ok());
        assert!(check_work(200, minutes(11_000), MINUTE).is_err());
    }
}
