//! What a timeline is made of.

use hashbrown::HashMap;

use crate::base::sort::sort_by;
use crate::base::units::{TimeRange, UnixNanos};
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::plans::values::{Value, Values};

/// The outcome: series in order of type and labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// One for each type and label set that has a profile.
    pub series: Vec<TimelineSeries>,
    /// How many bytes were read.
    pub bytes: u64,
    /// Profiles are deleted and only sums are left, of windows that are longer than was asked for
    /// or cut by the range: those that begin inside count as a whole.
    pub rounded: bool,
}

/// Totals of one series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineSeries {
    /// What it measures.
    pub profile_type: ProfileType,
    /// Labels of the series.
    pub labels: Labels,
    /// In order of time.
    pub points: Vec<Point>,
}

/// Total of one profile, or of those that start in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Start of the profile, or of the window; never outside the range.
    pub time: UnixNanos,
    /// Sum of all values.
    pub total: i64,
    /// How many profiles.
    pub profiles: u64,
    /// The time that they cover, as one piece; empty when unknown.
    pub covered: TimeRange,
    /// The sum of their durations in nanoseconds.
    pub durations: i64,
}

impl Point {
    /// What orders points.
    fn key(&self) -> (UnixNanos, i64, u64, UnixNanos, UnixNanos) {
        let TimeRange { from, until } = self.covered;
        (self.time, self.total, self.profiles, from, until)
    }
}

/// Every point of every series.
#[derive(Default)]
pub struct Points {
    series: Vec<TimelineSeries>,
    index: HashMap<(ProfileType, Labels), u32>,
    /// How many points all series have.
    count: usize,
}

impl Points {
    /// The series that have a point, in order of type and labels.
    pub fn timeline(self, bytes: u64, rounded: bool) -> Timeline {
        let mut series = self.series;
        series.retain(|s| !s.points.is_empty());
        sort_by(&mut series, |a, b| {
            (&a.profile_type, &a.labels).cmp(&(&b.profile_type, &b.labels))
        });
        series
            .iter_mut()
            .for_each(|s| sort_by(&mut s.points, |a, b| a.key().cmp(&b.key())));
        Timeline {
            series,
            bytes,
            rounded,
        }
    }
}

impl Values for Points {
    fn series(&mut self, profile_type: &ProfileType, labels: &Labels) -> u32 {
        *self
            .index
            .entry((profile_type.clone(), labels.clone()))
            .or_insert_with(|| {
                let (profile_type, labels) = (profile_type.clone(), labels.clone());
                self.series.push(TimelineSeries {
                    profile_type,
                    labels,
                    points: Vec::new(),
                });
                self.series.len() as u32 - 1
            })
    }

    fn add(&mut self, series: u32, value: Value) {
        self.series[series as usize].points.push(Point {
            time: value.time,
            total: value.value,
            profiles: value.profiles,
            covered: value.covered,
            durations: value.durations,
        });
        self.count += 1;
    }

    fn held(&self) -> usize {
        self.count * size_of::<Point>()
    }
}

impl Timeline {
    /// Its series, as [`StepSums`](super::StepSums) takes them.
    pub fn all(&self) -> Vec<&TimelineSeries> {
        self.series.iter().collect()
    }
}

impl TimelineSeries {
    /// Sum of all totals.
    pub fn total(&self) -> i128 {
        self.points
            .iter()
            .map(|point| i128::from(point.total))
            .sum()
    }

    /// How many profiles.
    pub fn profiles(&self) -> u64 {
        self.points
            .iter()
            .fold(0, |sum, point| sum.saturating_add(point.profiles))
    }
}
