//! The points of a rule: what its profiles count in each step, computed from what is stored.

use std::collections::{BTreeMap, HashMap};

use pilotlight_core::plans::{StacksOf, Value, Values, window_of};
use pilotlight_core::store::SumWindow;
use pilotlight_core::{Labels, ProfileType, TimeRange, UnixNanos};

use super::rule::{Measure, Point, Rule};
use crate::api::query::Queries;
use crate::platform::errors::Problem;
use crate::platform::limits::ReadRange;

/// The shortest step, milliseconds.
pub(crate) const MINUTE: i64 = 60_000;

/// How long after its end a minute is complete: agents send a profile some 10 to 60 seconds after
/// it began.
const DELAY: i64 = 2 * MINUTE;

/// The end of the last minute that is complete.
pub(crate) fn last_minute(now: i64) -> i64 {
    (now - DELAY).div_euclid(MINUTE) * MINUTE
}

/// Most steps of a range, as Pyroscope has it for its timelines: 7.6 days of minutes.
pub(crate) const MAX_STEPS: i64 = 11_000;

/// Bytes of a point in memory and in the response, about.
const POINT_BYTES: usize = 128;

/// Bytes of a series besides its labels, about.
const SERIES_BYTES: usize = 256;

/// Steps of equal length, in milliseconds. A point has the sum of the profiles that start in a
/// step, and the time of the step's end, so `sum_over_time` adds up what was sampled in its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    pub(crate) from: i64,
    pub(crate) until: i64,
    pub(crate) step: i64,
}

impl Steps {
    /// The steps of `step` milliseconds, a multiple of a minute, that `from` to `until` touch; they
    /// begin at multiples of themselves.
    pub(crate) fn covering(from: i64, until: i64, step: i64) -> Result<Self, Problem> {
        let from = from.div_euclid(step) * step;
        let count = (until.saturating_sub(from)).div_euclid(step) + i64::from(until % step != 0);
        if count > MAX_STEPS {
            return Err(Problem::invalid(format!(
                "the range has {count} steps of {} min; at most {MAX_STEPS} are allowed. Use a shorter range or, in sum_over_time, a step and a window of whole hours or days",
                step / MINUTE
            )));
        }
        Ok(Self {
            from,
            until: from + count.max(0) * step,
            step,
        })
    }

    /// The windows whose sums can be read in place of profiles, if any.
    fn window(self) -> Option<SumWindow> {
        let nanos = |millis: i64| UnixNanos::from_millis(millis).0;
        window_of(nanos(self.from), nanos(self.step))
    }
}

/// A series of a metric.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// Without the name.
    pub(crate) labels: BTreeMap<String, String>,
    /// By the end of their steps; a step without samples has none.
    pub(crate) points: BTreeMap<i64, Point>,
}

/// The series of a rule.
pub(crate) struct Points {
    pub(crate) series: Vec<Series>,
    /// Whether some profiles have expired and only totals longer than a step remain: each counts in
    /// the step in which it begins.
    pub(crate) rounded: bool,
    /// Bytes of the series, about.
    pub(crate) held: usize,
}

/// Adds up what a rule selects.
struct Sums<'a> {
    rule: &'a Rule,
    steps: Steps,
    series: Vec<Series>,
    numbers: HashMap<BTreeMap<String, String>, u32>,
    held: usize,
}

impl Values for Sums<'_> {
    fn series(&mut self, _: &ProfileType, labels: &Labels) -> u32 {
        let labels = self.rule.metric_labels(labels);
        if let Some(&number) = self.numbers.get(&labels) {
            return number;
        }
        let number = self.series.len() as u32;
        self.held += SERIES_BYTES + 2 * text_bytes(&labels);
        self.numbers.insert(labels.clone(), number);
        self.series.push(Series {
            labels,
            points: BTreeMap::new(),
        });
        number
    }

    fn add(&mut self, series: u32, value: Value) {
        let Steps { from, until, step } = self.steps;
        let time = value.time.millis();
        if !(from..until).contains(&time) {
            return;
        }
        let end = from + ((time - from) / step + 1) * step;
        let point = self.series[series as usize].points.entry(end);
        let point = point.or_insert_with(|| {
            self.held += POINT_BYTES;
            Point::default()
        });
        point.sum += i128::from(value.value);
        point.profiles = point.profiles.saturating_add(value.profiles);
    }

    fn held(&self) -> usize {
        self.held
    }
}

/// Bytes of the names and values of labels.
pub(crate) fn text_bytes(labels: &BTreeMap<String, String>) -> usize {
    let texts = labels.iter();
    texts.map(|(name, value)| name.len() + value.len()).sum()
}

/// The points of a rule in these steps. `asked` is the length of the requested range in
/// milliseconds: the tenant's limit applies to it, and not to what is read besides for whole steps
/// and windows.
pub(crate) async fn points(
    rule: &Rule,
    measure: &Measure,
    steps: Steps,
    asked: i64,
    runner: &impl Queries,
) -> Result<Points, Problem> {
    let mut sums = Sums {
        rule,
        steps,
        series: Vec::new(),
        numbers: HashMap::new(),
        held: 0,
    };
    let Measure {
        selector,
        profile_type,
        stacks,
        ..
    } = measure;
    let range = ReadRange {
        range: TimeRange::of_millis(steps.from, steps.until),
        lead: (steps.until - steps.from - asked).max(0) * 1_000_000,
    };
    // A window's number of profiles includes those without the selected stacks, so no average of
    // those with them can be read from it.
    let needs_profiles = measure.is_gauge && !stacks.is_all();
    let of = StacksOf::Windows(steps.window().filter(|_| !needs_profiles));
    let counted = runner.counted(selector, profile_type, range, stacks, of, &mut sums);
    let coverage = counted.await?;
    let held = sums.held;
    let mut series = sums.series;
    series.retain(|series| !series.points.is_empty());
    series.sort_by(|a, b| a.labels.cmp(&b.labels));
    Ok(Points {
        series,
        rounded: coverage.rounded,
        held,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(millis: i64, value: i64) -> Value {
        Value {
            time: UnixNanos::from_millis(millis),
            value,
            profiles: 1,
            covered: UnixNanos::from_millis(millis).lasting(0),
            durations: 0,
            span: None,
        }
    }

    #[test]
    fn steps_cover_a_range() {
        let steps = Steps::covering(90_000, 180_001, MINUTE).unwrap();
        let expect = Steps {
            from: 60_000,
            until: 240_000,
            step: MINUTE,
        };
        assert_eq!(steps, expect);
        assert_eq!(
            Steps::covering(60_000, 60_000, MINUTE).unwrap().until,
            60_000
        );
        assert!(Steps::covering(0, MAX_STEPS * MINUTE, MINUTE).is_ok());
        let problem = Steps::covering(0, MAX_STEPS * MINUTE + 1, MINUTE).unwrap_err();
        assert!(
            problem
                .message
                .starts_with("the range has 11001 steps of 1 min;")
        );
        assert!(Steps::covering(0, 365 * 86_400_000, 60 * MINUTE).is_ok());
        assert_eq!(
            Steps::covering(0, 1, 1440 * MINUTE).unwrap().window(),
            Some(SumWindow::Day)
        );
        assert!(Steps::covering(i64::MIN / 2, i64::MAX / 2, MINUTE).is_err());
    }

    #[test]
    fn a_step_is_named_by_its_end() {
        let rule = Rule {
            group_by: vec!["region".to_owned()],
            ..Rule::default()
        };
        let mut sums = Sums {
            rule: &rule,
            steps: Steps::covering(0, 3 * MINUTE, MINUTE).unwrap(),
            series: Vec::new(),
            numbers: HashMap::new(),
            held: 0,
        };
        let mut series = |region: &str, pod: &str| {
            let labels = [("pod", pod), ("region", region)];
            let labels = labels.map(|(n, v)| (n.to_owned(), v.to_owned()));
            sums.series(
                &ProfileType::default(),
                &Labels::new(labels.into()).unwrap(),
            )
        };
        let (eu, other, us) = (series("eu", "a"), series("eu", "b"), series("us", "a"));
        assert_eq!((eu, other, us), (0, 0, 1));
        for (series, at, count) in [(0, 0, 1), (0, 59_999, 2), (0, 60_000, 4), (1, 179_999, 8)] {
            sums.add(series, value(at, count));
        }
        sums.add(0, value(180_000, 100));
        sums.add(0, value(-1, 100));
        let point = |sum, profiles| Point { sum, profiles };
        let eu = [(60_000, point(3, 2)), (120_000, point(4, 1))];
        assert_eq!(sums.series[0].points, eu.into());
        assert_eq!(sums.series[1].points, [(180_000, point(8, 1))].into());
        assert!(sums.held() > 3 * POINT_BYTES);
    }
}
