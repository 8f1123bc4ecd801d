//! Values one by one: of each profile, of each span in it, or of its stacks that begin with a call
//! site.
//!
//! There may be millions, so a plan keeps none. It hands each to whoever asked, who adds them up.

mod stacks;

use crate::base::clamp::clamped;
use crate::base::sort::sort_by;
use crate::base::units::{TimeRange, UnixNanos};
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::model::trace::{SpanId, TraceId};
use crate::plans::cover::{has_no_sources, is_summary};
use crate::plans::plan::{CatalogObject, Get, Plan, PlanError};
use crate::plans::query::check_held;
use crate::plans::reads::{Reads, damaged};
use crate::selector::Selector;
use crate::store::{
    ChunkEntry, Dataset, LinkRow, LinkTable, StoreError, decode_chunk_links, read_link_page,
    read_totals, stored_duration,
};

pub use stacks::{StacksOf, StacksPlan};

/// Takes values, in no particular order.
pub trait Values {
    /// A number for a series, with which its values come. Asked for each series of each object.
    fn series(&mut self, profile_type: &ProfileType, labels: &Labels) -> u32;

    /// Takes a value of the series with this number.
    fn add(&mut self, series: u32, value: Value);

    /// About how many bytes it holds; more than [`crate::plans::MAX_HELD`] ends the plan.
    fn held(&self) -> usize;
}

/// One kind of plan serves all who take values.
impl<V: Values + ?Sized> Values for &mut V {
    fn series(&mut self, profile_type: &ProfileType, labels: &Labels) -> u32 {
        (**self).series(profile_type, labels)
    }

    fn add(&mut self, series: u32, value: Value) {
        (**self).add(series, value);
    }

    fn held(&self) -> usize {
        (**self).held()
    }
}

/// What one profile counts, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Start of the profile, or of the window that this is the sum of.
    pub time: UnixNanos,
    /// How much.
    pub value: i64,
    /// How many profiles: 1, unless it is the sum of a window.
    pub profiles: u64,
    /// The time that it covers, as one piece; empty when unknown.
    pub covered: TimeRange,
    /// The sum of their durations in nanoseconds.
    pub durations: i64,
    /// The span and its trace, of a value of a span.
    pub span: Option<(SpanId, Option<TraceId>)>,
}

/// What has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuesOf {
    /// Each profile.
    Profiles,
    /// Each span in each profile.
    Spans,
}

/// Reads the values of all selected profiles. Of what only sums are left, there are none.
pub struct ValuesPlan<V> {
    range: TimeRange,
    reads: Reads<What>,
    into: V,
    sums_only: bool,
}

/// What a part of an object is for, with the number of each series that is selected.
enum What {
    Totals(Box<Dataset>, Vec<Option<u32>>),
    /// With the divisor of its values.
    LinkPage(Box<Dataset>, Vec<Option<u32>>, u64),
    /// How many series the chunk has, and of those that are selected the place, start and number.
    ChunkLinks(usize, Vec<(usize, UnixNanos, u32)>),
}

impl<V: Values> ValuesPlan<V> {
    /// Plans to read the values of profiles of `profile_type` that `selector` selects and that start
    /// within `range`. The objects that others sum up must be among `objects`.
    pub fn new(
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
        of: ValuesOf,
        objects: &[CatalogObject],
        into: V,
    ) -> Result<Self, PlanError> {
        let mut plan = Self {
            range,
            reads: Reads::new(),
            into,
            sums_only: false,
        };
        for object in objects {
            let directory = &object.directory;
            let of_type = directory.types.iter().position(|t| t == profile_type);
            let Some(of_type) = of_type.map(|at| at as u32) else {
                continue;
            };
            // None until it is known, as many sets are those of other types and times.
            let mut numbers: Vec<Option<Option<u32>>> = vec![None; directory.label_sets.len()];
            let into = &mut plan.into;
            let mut number = |set: u32| {
                *numbers[set as usize].get_or_insert_with(|| {
                    let labels = &directory.label_sets[set as usize];
                    let selected = selector.matches(profile_type, labels);
                    selected.then(|| into.series(profile_type, labels))
                })
            };
            let mut parts = Vec::new();
            let mut in_directory = Vec::new();
            for chunk in directory.chunks() {
                let selected = selected(chunk, of_type, range, &mut number);
                match (of, chunk.links) {
                    (ValuesOf::Profiles, _) => in_directory.extend(
                        selected
                            .into_iter()
                            .map(|(at, time, number)| (number, time, &chunk.series[at])),
                    ),
                    (ValuesOf::Spans, Some(links)) if !selected.is_empty() => {
                        parts.push((links, What::ChunkLinks(chunk.series.len(), selected)));
                    }
                    (ValuesOf::Spans, _) => {}
                }
            }
            for dataset in directory.datasets() {
                if dataset.profile_type != of_type
                    || !range.touches(dataset.min_time, dataset.max_time)
                {
                    continue;
                }
                let numbers: Vec<_> = dataset.series.iter().map(|&set| number(set)).collect();
                if !numbers.iter().any(Option::is_some) {
                    continue;
                }
                if is_summary(object) {
                    plan.sums_only |= has_no_sources(object);
                    continue;
                }
                let without_pages = || Box::new(dataset.without_pages());
                match of {
                    ValuesOf::Profiles => parts.extend(
                        dataset
                            .totals
                            .map(|part| (part, What::Totals(without_pages(), numbers))),
                    ),
                    ValuesOf::Spans => {
                        let pages = dataset.links.iter();
                        let touched =
                            pages.filter(|page| range.touches(page.min_time, page.max_time));
                        parts.extend(touched.map(|page| {
                            let (part, divisor) = (page.part, page.divisor);
                            let numbers = numbers.clone();
                            (part, What::LinkPage(without_pages(), numbers, divisor))
                        }));
                    }
                }
            }
            for (number, time, series) in in_directory {
                let value = of_profile(time, series.duration_nanos, series.total);
                plan.into.add(number, value);
            }
            check_held(plan.into.held())?;
            plan.reads.add(&object.key, parts);
        }
        Ok(plan)
    }

    /// Whether only sums are left of something that is selected.
    pub fn sums_only(&self) -> bool {
        self.sums_only
    }

    /// How many bytes were read.
    pub fn bytes(&self) -> u64 {
        self.reads.bytes
    }

    /// What took the values, when nothing is wanted any more.
    pub fn finish(self) -> Result<V, PlanError> {
        self.reads.finished()?;
        Ok(self.into)
    }

    fn part(&mut self, what: What, bytes: &[u8]) -> Result<(), StoreError> {
        let (range, into) = (self.range, &mut self.into);
        match what {
            What::Totals(dataset, numbers) => {
                for row in read_totals(bytes, &dataset)? {
                    if let Some(number) =
                        numbers[row.series as usize].filter(|_| range.contains(row.time))
                    {
                        into.add(number, of_profile(row.time, row.duration_nanos, row.total));
                    }
                }
            }
            What::LinkPage(dataset, numbers, divisor) => {
                let page = read_link_page(bytes, &dataset, divisor)?;
                for profile in &page.profiles {
                    let time = profile.timing.time;
                    if let Some(number) =
                        numbers[profile.series as usize].filter(|_| range.contains(time))
                    {
                        let rows = &page.rows[profile.rows.clone()];
                        spans(&page.table, rows, time, |value| into.add(number, value));
                    }
                }
            }
            What::ChunkLinks(series, selected) => {
                // Nothing is looked up in its stacks.
                let (table, rows) = decode_chunk_links(bytes, series, u32::MAX.into())?;
                for (at, time, number) in selected {
                    spans(&table, &rows[at], time, |value| into.add(number, value));
                }
            }
        }
        Ok(())
    }
}

impl<V: Values> Plan for ValuesPlan<V> {
    fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, what, bytes) in self.reads.take(get, bytes)? {
            self.part(what, bytes).map_err(damaged(&get.key, part))?;
            check_held(self.into.held())?;
        }
        Ok(())
    }
}

/// The selected series of a chunk: place, start and number.
fn selected(
    chunk: &ChunkEntry,
    of_type: u32,
    range: TimeRange,
    mut number: impl FnMut(u32) -> Option<u32>,
) -> Vec<(usize, UnixNanos, u32)> {
    let series = chunk.series.iter().enumerate();
    let of_type = series.filter(|(_, s)| s.profile_type == of_type && range.contains(s.time));
    of_type
        .filter_map(|(at, s)| Some((at, s.time, number(s.labels)?)))
        .collect()
}

/// The value of a whole profile. Its duration is as exact as compaction leaves it.
pub(super) fn of_profile(time: UnixNanos, duration_nanos: i64, value: i64) -> Value {
    Value {
        time,
        value,
        profiles: 1,
        covered: time.lasting(stored_duration(duration_nanos)),
        durations: stored_duration(duration_nanos),
        span: None,
    }
}

/// What each span of a profile has, its names and stacks together. Rows are in order of links; a
/// span with several names or traces has several links.
fn spans(table: &LinkTable, rows: &[LinkRow], time: UnixNanos, mut add: impl FnMut(Value)) {
    let mut sums: Vec<(SpanId, Option<TraceId>, i128)> = Vec::new();
    for of_link in rows.chunk_by(|a, b| a.link == b.link) {
        let link = table.get(of_link[0].link);
        let Some(span) = link.span else {
            continue;
        };
        let sum = of_link.iter().map(|row| i128::from(row.value)).sum();
        sums.push((span, link.trace, sum));
    }
    sort_by(&mut sums, |a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    for of_span in sums.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (span, trace, _) = of_span[0];
        let sum: i128 = of_span.iter().map(|&(.., sum)| sum).sum();
        add(Value {
            time,
            value: clamped(sum),
            profiles: 1,
            covered: time.lasting(0),
            durations: 0,
            span: Some((span, trace)),
        });
    }
}
