//! What selected stacks count: of each profile, or of windows where sums do.
//!
//! Symbols are read first. Of each table only which stacks are selected is kept, and pages are read
//! only where some are.

use super::{Value, Values};
use crate::base::clamp::clamped;
use crate::base::units::{TimeRange, UnixNanos};
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::plans::cover::{
    RangePart, Summaries, has_no_sources, is_summary, opened, pages, range_parts, service,
};
use crate::plans::plan::{CatalogObject, Get, Plan, PlanError};
use crate::plans::query::check_held;
use crate::plans::reads::{Reads, damaged};
use crate::selector::Selector;
use crate::store::{
    Dataset, Directory, PageKind, Part, StoreError, SumScope, SumWindow, decode_chunk, read_page,
    read_symbols,
};
use crate::verbs::{StackSelector, stack_number};

/// Reads what selected stacks count. Profiles and windows without any such sample have no value.
pub struct StacksPlan<V> {
    profile_type: ProfileType,
    range: TimeRange,
    stacks: StackSelector,
    reads: Reads<What>,
    datasets: Vec<StacksDataset>,
    /// Whether all symbols have been read, and pages are next.
    symbols_done: bool,
    into: V,
    rounded: bool,
    sums_only: bool,
}

/// Whose values are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StacksOf {
    /// Each profile. Of what only sums are left, there are none.
    Profiles,
    /// Windows up to this length where sums of them are stored, otherwise each profile. Of what only
    /// sums are left, windows of any length.
    Windows(Option<SumWindow>),
}

/// What a part of an object is for; a number is a place in [`StacksPlan::datasets`].
enum What {
    /// A chunk, and of each selected series its place and number.
    Chunk(Vec<(usize, u32)>),
    Symbols(usize),
    Page(usize, StacksPage),
}

/// A dataset that has selected series.
struct StacksDataset {
    key: String,
    dataset: Box<Dataset>,
    /// The number of each series that is selected.
    numbers: Vec<Option<u32>>,
    pages: Vec<StacksPage>,
    /// Whether each stack is selected, by its number; number 0 is that of samples without frames.
    selected: Vec<bool>,
}

/// A page of profiles or sums.
struct StacksPage {
    part: Part,
    range_part: RangePart,
    scope: Option<SumScope>,
    divisor: u64,
}

impl<V: Values> StacksPlan<V> {
    /// Plans to read what the stacks that `stacks` selects count, in the profiles of `profile_type`
    /// that `selector` selects and that start within `range`.
    ///
    /// A window comes as one value at its start. Of series that have one number it may be the sum.
    pub fn new(
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
        stacks: StackSelector,
        of: StacksOf,
        objects: &[CatalogObject],
        mut into: V,
    ) -> Result<Self, PlanError> {
        let resolution = match of {
            StacksOf::Profiles => None,
            StacksOf::Windows(resolution) => resolution,
        };
        let mut number = |labels: &Labels| {
            let selected = selector.matches(profile_type, labels);
            selected.then(|| into.series(profile_type, labels))
        };
        let summaries = Summaries::new(objects, range, |directory, datasets, alone| {
            let of_type = |d: &&Dataset| directory.types[d.profile_type as usize] == *profile_type;
            let all: Vec<_> = datasets
                .iter()
                .filter(|dataset| of_type(dataset))
                .map(|dataset| numbers(directory, dataset, &mut number))
                .filter(|numbers| numbers.iter().any(Option::is_some))
                .collect();
            // Hours are summed over all series only.
            let window = if all.iter().all(|numbers| scope(numbers) == SumScope::All) {
                SumWindow::Hour
            } else {
                SumWindow::Day
            };
            let fits = match of {
                StacksOf::Profiles => false,
                StacksOf::Windows(_) => alone || resolution >= Some(window),
            };
            (fits && !all.is_empty()).then_some(window)
        });
        let (mut reads, mut datasets) = (Reads::new(), Vec::new());
        let (mut rounded, mut sums_only) = (false, false);
        for (at, object) in objects.iter().enumerate() {
            let directory = &object.directory;
            let Some(of_type) = directory.types.iter().position(|t| t == profile_type) else {
                continue;
            };
            let of_type = of_type as u32;
            let mut parts = Vec::new();
            let of_dataset = directory.datasets().iter();
            for dataset in of_dataset
                .filter(|d| d.profile_type == of_type && range.touches(d.min_time, d.max_time))
            {
                let numbers = numbers(directory, dataset, &mut number);
                if !numbers.iter().any(Option::is_some) {
                    continue;
                }
                let scope = scope(&numbers);
                let windows = SumWindow::ALL.into_iter();
                let windows = windows.filter(|&w| dataset.sums(w, scope).is_some());
                let service = service(directory, dataset);
                let range_parts = if is_summary(object) {
                    let Some(summary) = summaries.of(at, profile_type, service) else {
                        sums_only |= has_no_sources(object);
                        continue;
                    };
                    let most = resolution.max(Some(summary.window));
                    rounded |= summary.rounded || resolution < most;
                    let windows = windows.filter(|&w| w >= summary.window && Some(w) <= most);
                    range_parts(summary.range, windows, None)
                } else {
                    let taken = summaries.instead_of(&object.key, profile_type, service);
                    let windows = windows.filter(|&w| Some(w) <= resolution);
                    let open = opened(range, dataset.min_time, dataset.max_time);
                    range_parts(open, windows, taken)
                };
                let pages = stacks_pages(dataset, scope, &range_parts);
                if !pages.is_empty() {
                    parts.push((dataset.symbols, What::Symbols(datasets.len())));
                    datasets.push(StacksDataset {
                        key: object.key.clone(),
                        dataset: Box::new(dataset.without_pages()),
                        numbers,
                        pages,
                        selected: Vec::new(),
                    });
                }
            }
            for chunk in directory.chunks() {
                let series = chunk.series.iter().enumerate();
                let series = series
                    .filter(|(_, s)| s.profile_type == of_type && range.contains(s.time))
                    .filter_map(|(at, s)| {
                        Some((at, number(&directory.label_sets[s.labels as usize])?))
                    });
                let selected: Vec<_> = series.collect();
                if !selected.is_empty() {
                    parts.push((chunk.part(), What::Chunk(selected)));
                }
            }
            reads.add(&object.key, parts);
        }
        let mut plan = Self {
            profile_type: profile_type.clone(),
            range,
            stacks,
            reads,
            datasets,
            symbols_done: false,
            into,
            rounded,
            sums_only,
        };
        plan.begin_pages();
        Ok(plan)
    }

    /// Whether only sums are left of a part, of windows that are longer than was asked for or cut by
    /// the range.
    pub fn rounded(&self) -> bool {
        self.rounded
    }

    /// Whether only sums are left of something that is selected, and have no values.
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

    /// Once all symbols are there: asks for the pages of tables that have such stacks.
    fn begin_pages(&mut self) {
        if self.symbols_done || self.reads.finished().is_err() {
            return;
        }
        self.symbols_done = true;
        let datasets = self.datasets.iter_mut().enumerate();
        let mut found: Vec<_> = datasets
            .filter(|(_, d)| d.selected.contains(&true))
            .collect();
        // Those of one object stand side by side.
        for of_object in found.chunk_by_mut(|a, b| a.1.key == b.1.key) {
            let key = of_object[0].1.key.clone();
            let parts = of_object.iter_mut().flat_map(|(at, dataset)| {
                let pages = std::mem::take(&mut dataset.pages);
                pages
                    .into_iter()
                    .map(|page| (page.part, What::Page(*at, page)))
            });
            self.reads.add(&key, parts.collect());
        }
    }

    fn part(&mut self, what: What, bytes: &[u8]) -> Result<(), StoreError> {
        match what {
            What::Chunk(selected) => self.add_chunk(bytes, &selected),
            What::Symbols(at) => {
                let dataset = &mut self.datasets[at];
                let tables = read_symbols(bytes, &dataset.dataset)?;
                dataset.selected = self.stacks.selected(&tables);
                Ok(())
            }
            What::Page(at, page) => self.add_page(bytes, at, &page),
        }
    }

    fn add_chunk(&mut self, bytes: &[u8], selected: &[(usize, u32)]) -> Result<(), StoreError> {
        let chunk = decode_chunk(bytes, None, |i, _| selected.iter().any(|&(at, _)| at == i))?;
        let of_stacks = self.stacks.selected(&chunk.tables);
        for (one, &(_, number)) in chunk.series.iter().zip(selected) {
            if one.series.profile_type != self.profile_type {
                return Err(StoreError::Corrupt {
                    section: "chunk",
                    offset: 0,
                    problem: "the series differ from those in the directory",
                });
            }
            let rows = one.rows.iter();
            let rows = rows.filter(|&&(stack, _)| of_stacks[stack_number(stack)]);
            let sum = rows.map(|&(_, value)| i128::from(value)).sum();
            add(&mut self.into, number, one.series.time, 1, sum);
        }
        Ok(())
    }

    fn add_page(&mut self, bytes: &[u8], at: usize, page: &StacksPage) -> Result<(), StoreError> {
        let StacksDataset {
            dataset,
            numbers,
            selected,
            ..
        } = &self.datasets[at];
        let kind = match page.scope {
            None => PageKind::Raw,
            Some(_) => PageKind::Sums,
        };
        let rows = read_page(bytes, dataset, kind, page.divisor)?;
        for profile in &rows.profiles {
            let number = match page.scope {
                Some(SumScope::All) => numbers.first().copied().flatten(),
                Some(SumScope::Series) | None => numbers[profile.series as usize],
            };
            let Some(number) = number.filter(|_| page.range_part.contains(profile.timing.time))
            else {
                continue;
            };
            let mut sum = 0i128;
            for row in profile.rows.clone() {
                if selected[rows.stacks[row] as usize] {
                    sum += i128::from(rows.values[row]);
                }
            }
            let time = match page.range_part.window {
                None => profile.timing.time,
                // It may begin before the range when nothing is in it there.
                Some(window) => window
                    .start(window.index(profile.timing.time))
                    .max(self.range.from),
            };
            add(&mut self.into, number, time, profile.profiles, sum);
        }
        Ok(())
    }
}

impl<V: Values> Plan for StacksPlan<V> {
    fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, what, bytes) in self.reads.take(get, bytes)? {
            self.part(what, bytes).map_err(damaged(&get.key, part))?;
            check_held(self.into.held())?;
        }
        self.begin_pages();
        Ok(())
    }
}

/// The number of each series of a dataset that is selected.
fn numbers(
    directory: &Directory,
    dataset: &Dataset,
    number: &mut impl FnMut(&Labels) -> Option<u32>,
) -> Vec<Option<u32>> {
    let sets = dataset.series.iter();
    sets.map(|&set| number(&directory.label_sets[set as usize]))
        .collect()
}

/// Whose sums answer for a dataset: those of all series when all have one number.
fn scope(numbers: &[Option<u32>]) -> SumScope {
    let first = numbers.first().copied().flatten();
    if first.is_some() && numbers.iter().all(|number| *number == first) {
        SumScope::All
    } else {
        SumScope::Series
    }
}

/// The pages of a dataset that have something of each part of the range.
fn stacks_pages(dataset: &Dataset, scope: SumScope, range_parts: &[RangePart]) -> Vec<StacksPage> {
    let of_part = range_parts.iter().flat_map(|range_part| {
        let (scope, touched) = pages(dataset, scope, range_part);
        touched.map(move |page| StacksPage {
            part: page.part,
            range_part: range_part.clone(),
            scope,
            divisor: page.divisor,
        })
    });
    of_part.collect()
}

fn add(into: &mut impl Values, number: u32, time: UnixNanos, profiles: u64, sum: i128) {
    if sum != 0 {
        into.add(
            number,
            Value {
                time,
                value: clamped(sum),
                profiles,
                covered: time.lasting(0),
                durations: 0,
                span: None,
            },
        );
    }
}
