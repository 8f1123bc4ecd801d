//! A timeline: totals over time, without reading a stack.

mod covered;
mod points;
mod step_sums;
mod steps;

use hashbrown::HashMap;

use crate::base::units::TimeRange;
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::plans::cover::{RangePart, Summaries, is_summary, opened, range_parts, service};
use crate::plans::plan::{CatalogObject, Get, Plan, PlanError};
use crate::plans::query::check_held;
use crate::plans::reads::{Reads, damaged};
use crate::plans::values::{Value, Values, of_profile};
use crate::selector::Selector;
use crate::store::{Dataset, Part, StoreError, SumWindow, read_totals, read_window_totals};

pub use points::{Point, Points, Timeline, TimelineSeries};
pub use step_sums::StepSums;
pub use steps::{Steps, window_of};

/// Reads the totals of every selected profile, or of windows: those of segments stand in their
/// directories already. Each goes to `V` as it is read.
pub struct TimelinePlan<V = Points> {
    range: TimeRange,
    reads: Reads<What>,
    into: V,
    rounded: bool,
}

/// Totals of a dataset, which of them count, and where each of its series goes; `None` for one that
/// is not selected.
struct What {
    dataset: Dataset,
    range_part: RangePart,
    series: Vec<Option<u32>>,
}

/// Totals as they were taken.
pub struct Totals<V> {
    /// What took them.
    pub into: V,
    /// How many bytes were read.
    pub bytes: u64,
    /// As [`Timeline::rounded`].
    pub rounded: bool,
}

/// What a timeline tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Each series.
    Series,
    /// Services and types: a series has no other label, and may have several points at one time.
    Service,
}

impl TimelinePlan {
    /// Plans a timeline that keeps every point: see [`Self::into_values`]. Points that take more than
    /// [`super::MAX_HELD`] are refused.
    pub fn new(
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
        resolution: Option<SumWindow>,
        grouping: Grouping,
        objects: &[CatalogObject],
    ) -> Result<Self, PlanError> {
        let into = Points::default();
        Self::into_values(
            selector,
            profile_type,
            range,
            resolution,
            grouping,
            objects,
            into,
        )
    }

    /// The timeline, when nothing is wanted any more.
    pub fn finish(self) -> Result<Timeline, PlanError> {
        let Totals {
            into,
            bytes,
            rounded,
        } = self.finish_values()?;
        Ok(into.timeline(bytes, rounded))
    }
}

impl<V: Values> TimelinePlan<V> {
    /// Plans to read the totals of profiles that `selector` selects and that start within `range`;
    /// of all types when `profile_type` is `None`.
    ///
    /// With a resolution, profiles that start in one such window (or a shorter one) come as one
    /// point, and far less is read; profiles at the ends of the range come one by one unless their
    /// window lies inside as a whole. So buckets are exact when their edges are edges of these
    /// windows, or the ends of the range: see [`super::Steps`].
    pub fn into_values(
        selector: &Selector,
        profile_type: Option<&ProfileType>,
        range: TimeRange,
        resolution: Option<SumWindow>,
        grouping: Grouping,
        objects: &[CatalogObject],
        into: V,
    ) -> Result<Self, PlanError> {
        let mut plan = Self {
            range,
            reads: Reads::new(),
            into,
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
            let of_type =
                |t: u32| profile_type.is_none_or(|wanted| *wanted == directory.types[t as usize]);
            let mut places = HashMap::new();
            let mut place = |plan: &mut Self, t: u32, l: u32| {
                *places.entry((t, l)).or_insert_with(|| {
                    let (of_type, labels) = (
                        &directory.types[t as usize],
                        &directory.label_sets[l as usize],
                    );
                    selects(of_type, labels).then(|| match grouping {
                        Grouping::Series => plan.into.series(of_type, labels),
                        Grouping::Service => plan.into.series(of_type, &labels.service_alone()),
                    })
                })
            };
            for s in directory
                .chunks()
                .iter()
                .flat_map(|chunk| &chunk.series)
                .filter(|s| of_type(s.profile_type) && range.contains(s.time))
            {
                if let Some(number) = place(&mut plan, s.profile_type, s.labels) {
                    plan.into
                        .add(number, of_profile(s.time, s.duration_nanos, s.total));
                }
            }
            check_held(plan.into.held())?;
            let mut parts = Vec::new();
            for dataset in directory
                .datasets()
                .iter()
                .filter(|d| of_type(d.profile_type) && range.touches(d.min_time, d.max_time))
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

    fn part(&mut self, what: &What, bytes: &[u8]) -> Result<(), StoreError> {
        let mut add = |series: u32, total: Value| {
            if let Some(number) =
                what.series[series as usize].filter(|_| what.range_part.contains(total.time))
            {
                // A window may begin before the range when nothing is in it there.
                let time = total.time.max(self.range.from);
                self.into.add(number, Value { time, ..total });
            }
        };
        match what.range_part.window {
            None => {
                for row in read_totals(bytes, &what.dataset)? {
                    add(
                        row.series,
                        of_profile(row.time, row.duration_nanos, row.total),
                    );
                }
            }
            Some(window) => {
                for row in read_window_totals(bytes, &what.dataset, window)? {
                    let sum = Value {
                        time: window.start(row.index),
                        value: row.total,
                        profiles: row.profiles,
                        covered: row.covered,
                        durations: row.durations,
                        span: None,
                    };
                    add(row.series, sum);
                }
            }
        }
        Ok(())
    }

    /// What took the totals, when nothing is wanted any more.
    pub fn finish_values(self) -> Result<Totals<V>, PlanError> {
        self.reads.finished()?;
        Ok(Totals {
            into: self.into,
            bytes: self.reads.bytes,
            rounded: self.rounded,
        })
    }
}

impl<V: Values> Plan for TimelinePlan<V> {
    fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, what, bytes) in self.reads.take(get, bytes)? {
            self.part(&what, bytes).map_err(damaged(&get.key, part))?;
            check_held(self.into.held())?;
        }
        Ok(())
    }
}

/// The parts of a dataset that have something of its parts of the range.
fn totals(
    dataset: &Dataset,
    range_parts: Vec<RangePart>,
    series: &[Option<u32>],
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
