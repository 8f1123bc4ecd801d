//! A timeline: totals over time, without reading a stack.

mod steps;

use hashbrown::HashMap;

use crate::base::sort::sort_by;
use crate::base::units::{TimeRange, UnixNanos};
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::plans::cover::{RangePart, Summaries, is_summary, opened, range_parts, service};
use crate::plans::plan::{CatalogObject, Get, Plan, PlanError};
use crate::plans::query::check_held;
use crate::plans::reads::{Reads, damaged};
use crate::selector::Selector;
use crate::store::{Dataset, Part, StoreError, SumWindow, read_totals, read_window_totals};

pub use steps::{Steps, window_of};

/// Reads the totals of every selected profile, or of windows: those of segments stand in their
/// directories already.
pub struct TimelinePlan {
    range: TimeRange,
    reads: Reads<What>,
    series: Vec<TimelineSeries>,
    index: HashMap<(ProfileType, Labels), usize>,
    /// How many points all series have.
    points: usize,
    rounded: bool,
}

/// Totals of a dataset, which of them count, and where each of its series goes; `None` for one that
/// is not selected.
struct What {
    dataset: Dataset,
    range_part: RangePart,
    series: Vec<Option<usize>>,
}

/// What a timeline tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Each series.
    Series,
    /// Services and types: a series has no other label, and may have several points at one time.
    Service,
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// Start of the profile, or of the window; never outside the range.
    pub time: UnixNanos,
    /// Sum of all values.
    pub total: i64,
    /// How many profiles.
    pub profiles: u64,
}

impl TimelinePlan {
    /// Plans to read the totals of profiles that `selector` selects and that start within `range`;
    /// of all types when `profile_type` is `None`.
    ///
    /// With a resolution, profiles that start in one such window (or a shorter one) come as one
    /// point, and far less is read; profiles at the ends of the range come one by one unless their
    /// window lies inside as a whole. So buckets are exact when their edges are edges of these
    /// windows, or the ends of the range: see [`super::Steps`].
    ///
    /// Points that take more than [`super::MAX_HELD`] are refused.
    pub fn new(
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
        resolution: Option<SumWindow>,
        grouping: Grouping,
        objects: &[CatalogObject],
    ) -> Result<Self, PlanError> {
        let (series, index) = (Vec::new(), HashMap::new());
        let mut plan = Self {
            range,
            reads: Reads::new(),
            series,
            index,
            points: 0,
            rounded: false,
        };
        let selects = |of_type: &ProfileType, labels: &Labels| {
            profile_type.is_none_or(|wanted| wanted == of_type) && selector.matches(of_type, labels)
        };
        let summaries = Summaries::new(objects, range, |directory, datasets, alone| {
            let selected = datasets.iter().any(|d| {
                let of_type = &directory.types[d.profile_type as usize];
                d.series
                    .iter()
                    .any(|&labels| selects(of_type, &directory.label_sets[labels as usize]))
            });
            (selected && (alone || resolution >= Some(SumWindow::Hour))).then_some(SumWindow::Hour)
        });
        for (at, object) in objects.iter().enumerate() {
            let directory = &object.directory;
            let mut places = HashMap::new();
            let mut place = |plan: &mut Self, t: u32, l: u32| {
                *places.entry((t, l)).or_insert_with(|| {
                    let (of_type, labels) = (
                        &directory.types[t as usize],
                        &directory.label_sets[l as usize],
                    );
                    selects(of_type, labels).then(|| match grouping {
                        Grouping::Series => plan.place(of_type, labels),
                        Grouping::Service => plan.place(of_type, &labels.service_alone()),
                    })
                })
            };
            for s in directory
                .chunks()
                .iter()
                .flat_map(|chunk| &chunk.series)
                .filter(|s| range.contains(s.time))
            {
                if let Some(at) = place(&mut plan, s.profile_type, s.labels) {
                    plan.series[at].points.push(Point {
                        time: s.time,
                        total: s.total,
                        profiles: 1,
                    });
                    plan.points += 1;
                }
            }
            plan.check_held()?;
            let mut parts = Vec::new();
            for dataset in directory
                .datasets()
                .iter()
                .filter(|d| range.touches(d.min_time, d.max_time))
            {
                let series: Vec<_> = dataset
                    .series
                    .iter()
                    .map(|&l| place(&mut plan, dataset.profile_type, l))
                    .collect();
                if !series.iter().any(Option::is_some) {
                    continue;
                }
                let (of_type, service) = (
                    &directory.types[dataset.profile_type as usize],
                    service(directory, dataset),
                );
                let window = dataset.window_totals.map(|(window, _)| window);
                let range_parts = if is_summary(object) {
                    let Some(summary) = summaries.of(at, of_type, service) else {
                        continue;
                    };
                    plan.rounded |= summary.rounded || resolution < Some(SumWindow::Hour);
                    range_parts(summary.range, window.into_iter(), None)
                } else {
                    let taken = summaries.instead_of(&object.key, of_type, service);
                    let windows = window
                        .into_iter()
                        .filter(|&window| resolution >= Some(window));
                    range_parts(
                        opened(range, dataset.min_time, dataset.max_time),
                        windows,
                        taken,
                    )
                };
                parts.extend(totals(dataset, range_parts, &series, grouping));
            }
            plan.reads.add(&object.key, parts);
        }
        Ok(plan)
    }

    fn place(&mut self, profile_type: &ProfileType, labels: &Labels) -> usize {
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
                self.series.len() - 1
            })
    }

    fn check_held(&self) -> Result<(), PlanError> {
        check_held(self.points * size_of::<Point>())
    }

    fn part(&mut self, what: &What, bytes: &[u8]) -> Result<(), StoreError> {
        let mut add = |series: u32, point: Point| {
            if let Some(at) =
                what.series[series as usize].filter(|_| what.range_part.contains(point.time))
            {
                // A window may begin before the range when nothing is in it there.
                self.series[at].points.push(Point {
                    time: point.time.max(self.range.from),
                    ..point
                });
                self.points += 1;
            }
        };
        match what.range_part.window {
            None => read_totals(bytes, &what.dataset)?
                .into_iter()
                .for_each(|row| {
                    add(
                        row.series,
                        Point {
                            time: row.time,
                            total: row.total,
                            profiles: 1,
                        },
                    )
                }),
            Some(window) => read_window_totals(bytes, &what.dataset)?
                .into_iter()
                .for_each(|row| {
                    let (time, total, profiles) =
                        (window.start(row.index), row.total, row.profiles);
                    add(
                        row.series,
                        Point {
                            time,
                            total,
                            profiles,
                        },
                    );
                }),
        }
        Ok(())
    }

    /// The timeline, when nothing is wanted any more.
    pub fn finish(mut self) -> Result<Timeline, PlanError> {
        self.reads.finished()?;
        self.series.retain(|s| !s.points.is_empty());
        sort_by(&mut self.series, |a, b| {
            (&a.profile_type, &a.labels).cmp(&(&b.profile_type, &b.labels))
        });
        self.series
            .iter_mut()
            .for_each(|s| sort_by(&mut s.points, Point::cmp));
        Ok(Timeline {
            series: self.series,
            bytes: self.reads.bytes,
            rounded: self.rounded,
        })
    }
}

impl Plan for TimelinePlan {
    fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, what, bytes) in self.reads.take(get, bytes)? {
            self.part(&what, bytes).map_err(damaged(&get.key, part))?;
            self.check_held()?;
        }
        Ok(())
    }
}

/// The parts of a dataset that have something of its parts of the range.
fn totals(
    dataset: &Dataset,
    range_parts: Vec<RangePart>,
    series: &[Option<usize>],
    grouping: Grouping,
) -> Vec<(Part, What)> {
    let touched = range_parts
        .into_iter()
        .filter(|range_part| range_part.touches(dataset.min_time, dataset.max_time));
    // Of a service that is selected as a whole.
    let together = dataset
        .all_totals
        .filter(|_| grouping == Grouping::Service && series.iter().all(Option::is_some));
    let parts = touched.filter_map(|range_part| {
        let (part, count) = match (range_part.window, together) {
            (None, _) => (dataset.totals?, series.len()),
            (Some(_), Some(part)) => (part, 1),
            (Some(_), None) => (dataset.window_totals?.1, series.len()),
        };
        let (mut dataset, series) = (dataset.without_pages(), series[..count].to_vec());
        dataset.series.truncate(count);
        Some((
            part,
            What {
                dataset,
                range_part,
                series,
            },
        ))
    });
    parts.collect()
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

    /// Adds its totals and its numbers of profiles to those of equal buckets of `range`, as many as
    /// `sums` and `counts` both have; points outside are left out.
    pub fn add_to_buckets(&self, range: TimeRange, sums: &mut [i128], counts: &mut [u64]) {
        let (count, length) = (
            sums.len() as i128,
            i128::from(range.until.0) - i128::from(range.from.0),
        );
        for point in self
            .points
            .iter()
            .filter(|point| range.contains(point.time))
        {
            let at = (i128::from(point.time.0) - i128::from(range.from.0)) * count / length;
            if let (Some(sum), Some(count)) =
                (sums.get_mut(at as usize), counts.get_mut(at as usize))
            {
                *sum += i128::from(point.total);
                *count = count.saturating_add(point.profiles);
            }
        }
    }
}
