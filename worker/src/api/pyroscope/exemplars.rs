//! Exemplars: of each place of an answer the profile, or the span, that counts most there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use pilotlight_core::{
    Labels, ProfileId, ProfileType, SeriesHash,
    plans::{Value, Values, ValuesOf},
};

use super::buckets::Buckets;
use super::messages::{self, label_pairs};
use super::names;
use crate::platform::errors::Problem;

/// Labels of a group of series.
pub(super) type GroupLabels = Vec<(String, String)>;

/// What an exemplar takes beside its labels, as it is held, as a message and as JSON.
const EXEMPLAR_BYTES: usize = 512;

/// What a label takes beside its texts, which are two strings.
const LABEL_BYTES: usize = 48;

/// What a series takes beside its labels.
const SERIES_BYTES: usize = 64;

/// What is asked for by the number of an `ExemplarType`; `None` when no exemplars are.
pub(super) fn exemplars_of(number: i32) -> Result<Option<ValuesOf>, Problem> {
    match number {
        0 | 1 => Ok(None),
        2 => Ok(Some(ValuesOf::Profiles)),
        3 => Ok(Some(ValuesOf::Spans)),
        _ => Err(Problem::invalid(
            "exemplar_type must be none, individual or span",
        )),
    }
}

/// The series of a query, each with its group.
pub(super) struct SeriesGroups<'a> {
    profile_type: &'a ProfileType,
    group_by: &'a [String],
    groups: Vec<GroupLabels>,
    group_numbers: BTreeMap<GroupLabels, u32>,
    series: Vec<GroupedSeries>,
    series_numbers: HashMap<Labels, u32>,
    /// About how many bytes all of these take.
    held: usize,
}

struct GroupedSeries {
    labels: Labels,
    hash: SeriesHash,
    group: u32,
}

/// A value that may be an exemplar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    series: u32,
    value: Value,
}

/// What labels take that are in a list and in a table of numbers.
fn held<'a>(labels: impl Iterator<Item = (&'a str, &'a str)>) -> usize {
    let of_label = |(name, value): (&str, &str)| LABEL_BYTES + name.len() + value.len();
    2 * (SERIES_BYTES + labels.map(of_label).sum::<usize>())
}

impl<'a> SeriesGroups<'a> {
    pub(super) fn new(profile_type: &'a ProfileType, group_by: &'a [String]) -> Self {
        Self {
            profile_type,
            group_by,
            groups: Vec::new(),
            group_numbers: BTreeMap::new(),
            series: Vec::new(),
            series_numbers: HashMap::new(),
            held: 0,
        }
    }

    /// The number of a series' group.
    pub(super) fn group(&mut self, labels: &Labels) -> u32 {
        let named = group_labels(self.group_by, self.profile_type, labels);
        *self.group_numbers.entry(named).or_insert_with_key(|named| {
            self.held += held(
                named
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str())),
            );
            self.groups.push(named.clone());
            self.groups.len() as u32 - 1
        })
    }

    /// The number of a series.
    pub(super) fn series(&mut self, labels: &Labels) -> u32 {
        if let Some(&number) = self.series_numbers.get(labels) {
            return number;
        }
        let (number, group) = (self.series.len() as u32, self.group(labels));
        self.held += held(labels.iter());
        self.series_numbers.insert(labels.clone(), number);
        self.series.push(GroupedSeries {
            labels: labels.clone(),
            hash: SeriesHash::new(self.profile_type, labels),
            group,
        });
        number
    }

    /// The number of the group that a series is in.
    pub(super) fn group_of(&self, series: u32) -> u32 {
        self.series[series as usize].group
    }

    /// About how many bytes the labels take.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// The labels of groups, by number.
    pub(super) fn groups(&self) -> &[GroupLabels] {
        &self.groups
    }

    /// Takes a value for the exemplar of a place where it is the largest. Of equal ones the
    /// earliest is taken, so that the order in which they come makes no difference. Says by how many
    /// bytes the answer grows, and shrinks.
    pub(super) fn choose(
        &self,
        best: &mut Option<Candidate>,
        series: u32,
        value: Value,
    ) -> (usize, usize) {
        let new = Candidate { series, value };
        let rank = |one: &Candidate| {
            let Value {
                time, value, span, ..
            } = one.value;
            let hash = self.series[one.series as usize].hash;
            (value, Reverse((time, hash, span)))
        };
        if best.as_ref().is_some_and(|best| rank(best) >= rank(&new)) {
            return (0, 0);
        }
        let before = best.replace(new);
        (
            self.bytes(&new),
            before.map_or(0, |before| self.bytes(&before)),
        )
    }

    /// About what an exemplar takes.
    fn bytes(&self, one: &Candidate) -> usize {
        let labels = self.series[one.series as usize].labels.iter();
        let labels: usize = labels.map(|(name, value)| name.len() + value.len()).sum();
        EXEMPLAR_BYTES + 2 * labels
    }

    /// As a message. Its labels are those of the series by which is not grouped.
    pub(super) fn message(&self, one: &Candidate) -> messages::Exemplar {
        let GroupedSeries { labels, hash, .. } = &self.series[one.series as usize];
        let others = labels
            .iter()
            .filter(|(name, _)| !self.group_by.iter().any(|by| by == name));
        let others = others.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let Value {
            time, value, span, ..
        } = one.value;
        let trace = span.and_then(|(_, trace)| trace);
        messages::Exemplar {
            timestamp: time.millis(),
            profile_id: ProfileId::new(*hash, time).to_string(),
            span_id: span.map_or_else(String::new, |(span, _)| span.to_string()),
            value,
            labels: label_pairs(others.collect()),
            trace_id: trace.map_or_else(String::new, |trace| trace.to_string()),
        }
    }
}

/// The labels by which a series is grouped.
pub(super) fn group_labels(
    group_by: &[String],
    profile_type: &ProfileType,
    labels: &Labels,
) -> GroupLabels {
    let value = |name: &String| Some((name.clone(), names::value(labels, profile_type, name)?));
    group_by.iter().filter_map(value).collect()
}

/// The exemplars of timelines: of each group and bucket one.
pub(super) struct PointExemplars<'a> {
    series: SeriesGroups<'a>,
    buckets: Buckets,
    best: HashMap<(u32, i64), Option<Candidate>>,
    held: usize,
}

impl<'a> PointExemplars<'a> {
    pub(super) fn new(series: SeriesGroups<'a>, buckets: Buckets) -> Self {
        Self {
            series,
            buckets,
            best: HashMap::new(),
            held: 0,
        }
    }

    /// By group, then bucket.
    pub(super) fn finish(self) -> BTreeMap<GroupLabels, BTreeMap<i64, messages::Exemplar>> {
        let mut of_groups = BTreeMap::<_, BTreeMap<_, _>>::new();
        for (&(group, bucket), best) in &self.best {
            let labels = self.series.groups()[group as usize].clone();
            let exemplar = best
                .as_ref()
                .map(|best| (bucket, self.series.message(best)));
            of_groups.entry(labels).or_default().extend(exemplar);
        }
        of_groups
    }
}

impl Values for PointExemplars<'_> {
    fn series(&mut self, _: &ProfileType, labels: &Labels) -> u32 {
        self.series.series(labels)
    }

    fn add(&mut self, series: u32, value: Value) {
        let Some(bucket) = self.buckets.of(value.time) else {
            return;
        };
        let place = (self.series.group_of(series), bucket);
        let best = self.best.entry(place).or_default();
        let (more, less) = self.series.choose(best, series, value);
        self.held = self.held + more - less;
    }

    fn held(&self) -> usize {
        self.held + self.series.held()
    }
}
