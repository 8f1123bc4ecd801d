//! Totals over time, by labels.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use thiserror::Error;

use super::markdown::{Document, NOTHING, code, range};
use super::{Markdown, share};
use crate::base::clamp::clamped;
use crate::base::sort::sort_by;
use crate::base::units::{TimeRange, UnixNanos};
use crate::model::profile_type::ProfileType;
use crate::plans::MAX_NUMBERS;
use crate::plans::{StepSums, Steps, Timeline, TimelineSeries};
use crate::selector::{TYPE_LABELS, label_of};
use crate::verbs::format_value;

/// Timelines by the values of labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesReport {
    /// The selector, with the profile type before it.
    pub query: String,
    /// Start of the range.
    pub from: i64,
    /// End of the range.
    pub until: i64,
    /// Start of the first step, which may be before the range: steps begin at round times. Only what is
    /// in the range counts.
    pub start: i64,
    /// Length of a step; not whole when a short range does not divide evenly.
    pub step: f64,
    /// Unit of all values.
    pub unit: String,
    /// The labels by which is grouped.
    pub by: Vec<String>,
    /// Groups; the largest total first.
    pub series: Vec<SeriesValues>,
    /// How much of each step the profiles of all groups cover, in milliseconds; 0 also when that is
    /// unknown.
    pub covered: Vec<u64>,
    /// How much of the whole they are.
    pub coverage: SeriesCoverage,
    /// Windows at the ends of the range count as a whole, since their profiles have expired.
    pub rounded: bool,
    /// A sum is cut at 2^63 − 1.
    pub saturated: bool,
    /// How many steps there are.
    #[serde(skip)]
    steps: usize,
}

/// The values of one group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesValues {
    /// The labels by which is grouped, without those that the group lacks.
    pub labels: BTreeMap<String, String>,
    /// Sum of all profiles, with what they measured after the last step.
    pub total: i64,
    /// How many profiles.
    pub profiles: u64,
    /// What was measured in each of equal steps; of a gauge, the sum of the profiles that start
    /// there.
    pub points: Vec<i64>,
    /// How many profiles start in each step; what averages are made of.
    pub counts: Vec<u64>,
    /// How much of each step the profiles cover, in milliseconds; 0 also when that is unknown.
    pub covered: Vec<u64>,
    /// How long a profile is on average, in milliseconds; 0 when unknown.
    pub duration: u64,
}

/// How much of all groups some of them are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeriesCoverage {
    /// How many groups there are.
    pub series: u64,
    /// How many of them are shown.
    pub shown: u64,
    /// Their totals together as a part of the whole.
    pub share: f64,
}

/// There are no such timelines.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SeriesError {
    /// The answer would have too many numbers.
    #[error(
        "{series} series of {points} points exceed the limit of {MAX_NUMBERS} numbers; ask for fewer series or points"
    )]
    TooManyNumbers {
        /// How many series.
        series: usize,
        /// How many points of each.
        points: usize,
    },
    /// None of the series that are selected has the label.
    #[error("none of the selected series has the label {name:?}; they have {}", known.join(", "))]
    NoSuchLabel {
        /// By which was to be grouped.
        name: String,
        /// Labels that there are.
        known: Vec<String>,
    },
}

impl SeriesReport {
    /// Sums a timeline of one type by labels, and shows the `limit` groups with the largest totals.
    pub fn new(
        query: String,
        profile_type: &ProfileType,
        timeline: &Timeline,
        range: TimeRange,
        steps: Steps,
        by: Vec<String>,
        limit: usize,
    ) -> Result<Self, SeriesError> {
        if let Some(name) = by
            .iter()
            .find(|name| !has_label(timeline, profile_type, name))
        {
            let names = timeline
                .series
                .iter()
                .flat_map(|series| series.labels.iter());
            let known: BTreeSet<&str> = names.map(|(name, _)| name).collect();
            return Err(SeriesError::NoSuchLabel {
                name: name.clone(),
                known: known.into_iter().map(str::to_owned).collect(),
            });
        }
        let mut groups: BTreeMap<Vec<Option<Cow<str>>>, Vec<&TimelineSeries>> = BTreeMap::new();
        for series in &timeline.series {
            let values = by.iter().map(|name| label(series, profile_type, name));
            let values = values.collect();
            groups.entry(values).or_default().push(series);
        }
        let total = |members: &[&TimelineSeries]| -> i128 {
            members.iter().map(|series| series.total()).sum()
        };
        let mut groups: Vec<_> = groups
            .into_iter()
            .map(|(values, members)| (total(&members), values, members))
            .collect();
        let count = groups.len() as u64;
        let whole: i128 = groups.iter().map(|group| group.0).sum();
        // Equal ones stay in the order of their labels.
        sort_by(&mut groups, |a, b| Reverse(a.0).cmp(&Reverse(b.0)));
        groups.truncate(limit);
        if groups.len() > MAX_NUMBERS / steps.count.max(1) {
            return Err(SeriesError::TooManyNumbers {
                series: groups.len(),
                points: steps.count,
            });
        }
        let saturated = groups
            .iter()
            .any(|group| i128::from(clamped(group.0)) != group.0);
        let shown: i128 = groups.iter().map(|group| group.0).sum();
        let coverage = SeriesCoverage {
            series: count,
            shown: groups.len() as u64,
            share: share(shown, whole),
        };
        let values =
            |(total, values, members): (i128, Vec<Option<Cow<str>>>, Vec<&TimelineSeries>)| {
                let sums = StepSums::of(&members, steps);
                let labels = by.iter().zip(values);
                SeriesValues {
                    labels: labels
                        .filter_map(|(name, value)| Some((name.clone(), value?.into_owned())))
                        .collect(),
                    total: clamped(total),
                    profiles: members.iter().map(|series| series.profiles()).sum(),
                    points: sums.values.into_iter().map(clamped).collect(),
                    counts: sums.counts,
                    covered: sums.covered,
                    duration: sums.duration,
                }
            };
        Ok(Self {
            series: groups.into_iter().map(values).collect(),
            covered: StepSums::of(&timeline.all(), steps).covered,
            query,
            from: range.from.millis(),
            until: range.until.millis(),
            start: steps.range.from.millis(),
            step: steps.range.nanos() as f64 / 1e6 / steps.count.max(1) as f64,
            unit: profile_type.sample_unit.clone(),
            coverage,
            rounded: timeline.rounded,
            saturated,
            steps: steps.count,
            by,
        })
    }
}

/// A label of a series, those that it has by its type included.
fn label<'a>(
    series: &'a TimelineSeries,
    profile_type: &'a ProfileType,
    name: &str,
) -> Option<Cow<'a, str>> {
    match TYPE_LABELS.contains(&name) {
        true => Some(label_of(name, profile_type, &series.labels)),
        false => series.labels.get(name).map(Cow::Borrowed),
    }
}

/// Whether a series has a label; of no series none is missing.
fn has_label(timeline: &Timeline, profile_type: &ProfileType, name: &str) -> bool {
    let mut series = timeline.series.iter();
    timeline.series.is_empty() || series.any(|series| label(series, profile_type, name).is_some())
}

impl Markdown for SeriesReport {
    fn markdown(&self, most: usize) -> String {
        let mut document = Document::new(most);
        document.paragraph(&code(&self.query));
        let steps = self.steps;
        let time = |step: usize| {
            let millis = self.start.saturating_add((self.step * step as f64) as i64);
            UnixNanos::from_millis(millis).to_rfc3339()
        };
        let range = range(self.from, self.until);
        if self.series.is_empty() {
            document.paragraph(&format!("{range}: {NOTHING}"));
            return document.finish();
        }
        document.paragraph(&format!(
            "{range} in {steps} steps of {}. Showing {} of {} series; they make up {:.1} % of the total.",
            format_value((self.step * 1e6) as i64, "nanoseconds"),
            self.coverage.shown,
            self.coverage.series,
            self.coverage.share * 100.0
        ));
        let end = self.start.saturating_add((self.step * steps as f64) as i64);
        if (self.start, end) != (self.from, self.until) {
            document.paragraph(&format!(
                "Steps begin at round times, from {}; the first and last count only data in the range.",
                time(0)
            ));
        }
        let value = |value: i64| format_value(value, &self.unit);
        let name = |series: &SeriesValues| {
            let labels: Vec<String> = series
                .labels
                .iter()
                .map(|(name, value)| format!("{name}={value:?}"))
                .collect();
            match (labels.is_empty(), self.by.is_empty()) {
                (true, true) => "all".to_owned(),
                (true, false) => format!("without {}", code(&self.by.join(", "))),
                (false, _) => code(&labels.join(", ")),
            }
        };
        if let [only] = self.series.as_slice() {
            let points = only.points.iter().enumerate();
            document.table(
                1,
                ["step starts", &name(only)],
                points.map(|(step, &point)| [time(step), value(point)]),
            );
            return document.finish();
        }
        document.table(
            1,
            ["series", "total", "profiles", "steps"],
            self.series.iter().map(|series| {
                let points: Vec<String> = series.points.iter().map(|&point| value(point)).collect();
                [
                    name(series),
                    value(series.total),
                    series.profiles.to_string(),
                    points.join("; "),
                ]
            }),
        );
        document.finish()
    }
}
