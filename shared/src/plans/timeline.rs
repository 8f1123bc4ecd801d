//! A timeline: totals over time, without reading a stack.

use hashbrown::HashMap;

use super::dedup::counting;
use super::reads::{Reads, damaged};
use super::{CatalogObject, Get, PlanError};
use crate::labels::Labels;
use crate::profile_type::ProfileType;
use crate::selector::Selector;
use crate::store::{Dataset, read_totals};
use crate::units::{TimeRange, UnixNanos};

/// Reads the totals of every selected profile: those of segments stand in their directories already.
pub struct TimelinePlan {
    range: TimeRange,
    reads: Reads<What>,
    series: Vec<TimelineSeries>,
    index: HashMap<(ProfileType, Labels), usize>,
}

/// Totals of a dataset, and where each of its series goes; `None` for one that is not selected.
struct What {
    dataset: Dataset,
    series: Vec<Option<usize>>,
}

/// The outcome: series in order of type and labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// One for each type and label set that has a profile.
    pub series: Vec<TimelineSeries>,
    /// How many bytes were read.
    pub bytes: u64,
}

/// Totals of one series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineSeries {
    /// What it measures.
    pub profile_type: ProfileType,
    /// Labels of the series.
    pub labels: Labels,
    /// Start and total of each profile, in order.
    pub points: Vec<(UnixNanos, i64)>,
}

impl TimelinePlan {
    /// Plans to read the totals of profiles that `selector` selects and that start within `range`; of all types when
    /// `profile_type` is `None`.
    pub fn new(
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
        objects: &[CatalogObject],
    ) -> Result<Self, PlanError> {
        let mut plan = Self { range, reads: Reads::new(), series: Vec::new(), index: HashMap::new() };
        let counts = counting(&objects.iter().collect::<Vec<_>>())?;
        for (object, counts) in objects.iter().zip(counts) {
            let directory = &object.directory;
            let mut places: HashMap<(u32, u32), Option<usize>> = HashMap::new();
            let mut place = |plan: &mut Self, t: u32, l: u32| {
                *places.entry((t, l)).or_insert_with(|| {
                    let (of_type, labels) = (&directory.types[t as usize], &directory.label_sets[l as usize]);
                    let selected = profile_type.is_none_or(|wanted| wanted == of_type) && selector.matches(of_type, labels);
                    selected.then(|| plan.place(of_type, labels))
                })
            };
            for (chunk, _) in directory.chunks().iter().zip(counts).filter(|(_, counts)| *counts) {
                for s in chunk.series.iter().filter(|s| range.contains(s.time)) {
                    if let Some(at) = place(&mut plan, s.profile_type, s.labels) {
                        plan.series[at].points.push((s.time, s.total));
                    }
                }
            }
            let mut parts = Vec::new();
            for dataset in directory.datasets().iter().filter(|d| range.touches(d.min_time, d.max_time)) {
                let series: Vec<_> = dataset.series.iter().map(|&l| place(&mut plan, dataset.profile_type, l)).collect();
                if series.iter().any(Option::is_some) {
                    let dataset = Dataset { pages: Vec::new(), ..dataset.clone() };
                    parts.push((dataset.totals, What { dataset, series }));
                }
            }
            plan.reads.add(&object.key, parts);
        }
        Ok(plan)
    }

    fn place(&mut self, profile_type: &ProfileType, labels: &Labels) -> usize {
        *self.index.entry((profile_type.clone(), labels.clone())).or_insert_with(|| {
            let (profile_type, labels) = (profile_type.clone(), labels.clone());
            self.series.push(TimelineSeries { profile_type, labels, points: Vec::new() });
            self.series.len() - 1
        })
    }

    /// What is still needed.
    pub fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    /// Takes what was asked for. After an error the plan is of no use.
    pub fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, what, bytes) in self.reads.take(get, bytes)? {
            for row in read_totals(bytes, &what.dataset).map_err(damaged(&get.key, part))? {
                if let Some(at) = what.series[row.series as usize].filter(|_| self.range.contains(row.time)) {
                    self.series[at].points.push((row.time, row.total));
                }
            }
        }
        Ok(())
    }

    /// The timeline, when nothing is wanted any more.
    pub fn finish(mut self) -> Result<Timeline, PlanError> {
        self.reads.finished()?;
        self.series.retain(|s| !s.points.is_empty());
        self.series.sort_by(|a, b| (&a.profile_type, &a.labels).cmp(&(&b.profile_type, &b.labels)));
        self.series.iter_mut().for_each(|s| s.points.sort_unstable());
        Ok(Timeline { series: self.series, bytes: self.reads.bytes })
    }
}

impl TimelineSeries {
    /// Sum of all totals.
    pub fn total(&self) -> i128 {
        self.points.iter().map(|&(_, total)| i128::from(total)).sum()
    }

    /// Sums of `count` equal buckets of `range`; points outside are left out.
    pub fn buckets(&self, range: TimeRange, count: usize) -> Vec<i128> {
        let mut sums = vec![0; count];
        let length = i128::from(range.until.0) - i128::from(range.from.0);
        for &(time, total) in self.points.iter().filter(|(time, _)| range.contains(*time)) {
            let at = (i128::from(time.0) - i128::from(range.from.0)) * count as i128 / length;
            if let Some(sum) = sums.get_mut(at as usize) {
                *sum += i128::from(total);
            }
        }
        sums
    }
}
