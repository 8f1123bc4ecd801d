//! A query: selector, type and range in; one exact profile out.
//!
//! Whole windows of a range come as sums, as far as there are some (see [`crate::plans::cover`]); only
//! what is left is read as profiles.

mod answer;
mod open_dataset;
mod sample_tables;
mod samples;
mod subqueries;

use std::collections::BTreeSet;

use crate::base::units::TimeRange;
use crate::merge::merger::MergeError;
use crate::merge::stored::StoredMerger;
use crate::model::profile_type::ProfileType;
use crate::plans::cover::{RangePart, Summaries, is_summary, opened, pages, range_parts, service};
use crate::plans::plan::{CatalogObject, Get, Plan, PlanError};
use crate::plans::reads::{Reads, damaged};
use crate::selector::Selector;
use crate::store::{
    Dataset, Directory, PageKind, Part, Series, StoreError, SumScope, SumWindow, read_chunk,
    read_page, read_symbols,
};

use open_dataset::OpenDataset;

pub(super) use answer::check_held;
pub use answer::{AnswerSum, MAX_HELD, Outgrown, QueryAnswer};
use answer::{add_sums, hold};
pub use samples::SampleQueryPlan;
pub use subqueries::{SplitQuery, Subquery, split};

/// What a query reads of the bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryCost {
    /// Objects.
    pub objects: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// How many of the bytes are tables of stacks and their names. Those of a profile that is not in
    /// a block yet are not among them: they are read along with its samples.
    pub symbol_bytes: u64,
    /// Profiles in the datasets that are read, also those of other series and times.
    pub profiles: u64,
}

/// Reads what a query needs and merges it.
pub struct QueryPlan {
    profile_type: ProfileType,
    range: TimeRange,
    reads: Reads<What>,
    datasets: Vec<OpenDataset>,
    merger: StoredMerger,
    /// Bytes of datasets that wait for their last parts.
    gathered: usize,
    profiles: u64,
    objects: u64,
    saturated: bool,
    rounded: bool,
    outgrown: Outgrown,
}

/// What a part of an object is for.
enum What {
    /// A chunk, and which of its series, in order.
    Chunk(Vec<usize>),
    /// Tables of the dataset at this index.
    Symbols(usize),
    /// Profiles of the dataset at this index, or sums of windows, and which of them count; the
    /// divisor of their values.
    Page(usize, RangePart, Option<SumScope>, u64),
}

impl QueryPlan {
    /// Plans to read the profiles of `profile_type` that `selector` selects and that start within
    /// `range`.
    pub fn new(
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
        objects: &[CatalogObject],
    ) -> Result<Self, PlanError> {
        let mut plan = Self {
            profile_type: profile_type.clone(),
            range,
            reads: Reads::new(),
            datasets: Vec::new(),
            merger: StoredMerger::default(),
            gathered: 0,
            profiles: 0,
            objects: 0,
            saturated: false,
            rounded: false,
            outgrown: Outgrown::Refuse,
        };
        let selects = |directory: &Directory, dataset: &Dataset| {
            selects(selector, profile_type, directory, dataset)
        };
        let summaries = Summaries::new(objects, range, |directory, datasets, _| {
            // They are of one service and type.
            let of_type = datasets
                .iter()
                .all(|d| directory.types[d.profile_type as usize] == *profile_type);
            if !of_type {
                return None;
            }
            let selected: Vec<Vec<bool>> = datasets
                .iter()
                .map(|dataset| selects(directory, dataset))
                .collect();
            let whole = selected
                .iter()
                .all(|selected| is_whole(selected) || !selected.contains(&true));
            let any = selected.iter().any(|selected| selected.contains(&true));
            // Hours are summed over all series only.
            any.then_some(if whole {
                SumWindow::Hour
            } else {
                SumWindow::Day
            })
        });
        for (at, object) in objects.iter().enumerate() {
            let directory = &object.directory;
            let Some(of_type) = directory.types.iter().position(|t| t == profile_type) else {
                continue;
            };
            let mut parts = plan.chunks(directory, of_type as u32, selector);
            for dataset in directory
                .datasets()
                .iter()
                .filter(|d| d.profile_type == of_type as u32)
            {
                if !range.touches(dataset.min_time, dataset.max_time) {
                    continue;
                }
                let selected = selects(directory, dataset);
                let scope = if is_whole(&selected) {
                    SumScope::All
                } else {
                    SumScope::Series
                };
                let service = service(directory, dataset);
                let range_parts = if is_summary(object) {
                    let Some(summary) = summaries.of(at, profile_type, service) else {
                        continue;
                    };
                    plan.rounded |= summary.rounded;
                    let windows = SumWindow::ALL.into_iter().filter(|&w| w >= summary.window);
                    range_parts(
                        summary.range,
                        windows.filter(|&w| dataset.sums(w, scope).is_some()),
                        None,
                    )
                } else {
                    let taken = summaries.instead_of(&object.key, profile_type, service);
                    let windows = SumWindow::ALL
                        .into_iter()
                        .filter(|&w| dataset.sums(w, scope).is_some());
                    range_parts(
                        opened(range, dataset.min_time, dataset.max_time),
                        windows,
                        taken,
                    )
                };
                parts.extend(plan.dataset(dataset, selected, scope, &range_parts));
            }
            plan.objects += u64::from(!parts.is_empty());
            plan.reads.add(&object.key, parts);
        }
        Ok(plan)
    }

    /// The same plan, which does this when the sum outgrows memory.
    pub fn when(self, outgrown: Outgrown) -> Self {
        Self { outgrown, ..self }
    }

    fn chunks(
        &self,
        directory: &Directory,
        of_type: u32,
        selector: &Selector,
    ) -> Vec<(Part, What)> {
        if directory.chunks().is_empty() {
            return Vec::new();
        }
        let selected = selected_label_sets(selector, &self.profile_type, directory);
        let parts = directory.chunks().iter().filter_map(|chunk| {
            let series = chunk.series.iter().enumerate();
            let wanted: Vec<usize> = series
                .filter(|(_, s)| {
                    s.profile_type == of_type
                        && selected[s.labels as usize]
                        && self.range.contains(s.time)
                })
                .map(|(i, _)| i)
                .collect();
            (!wanted.is_empty()).then(|| (chunk.part(), What::Chunk(wanted)))
        });
        parts.collect()
    }

    /// The parts of a dataset that answer each part of the range.
    fn dataset(
        &mut self,
        dataset: &Dataset,
        selected: Vec<bool>,
        scope: SumScope,
        range_parts: &[RangePart],
    ) -> Vec<(Part, What)> {
        let (at, mut parts) = (self.datasets.len(), Vec::new());
        if !selected.contains(&true) {
            return parts;
        }
        for range_part in range_parts {
            let (scope, touched) = pages(dataset, scope, range_part);
            parts.extend(touched.map(|page| {
                (
                    page.part,
                    What::Page(at, range_part.clone(), scope, page.divisor),
                )
            }));
        }
        if parts.is_empty() {
            return parts;
        }
        let pages_missing = parts.len();
        parts.push((dataset.symbols, What::Symbols(at)));
        let dataset = dataset.without_pages();
        let (tables, table_bytes, sums, timing, profiles) = (None, 0, Vec::new(), None, 0);
        self.datasets.push(OpenDataset {
            dataset,
            selected,
            tables,
            table_bytes,
            pages_missing,
            sums,
            timing,
            profiles,
        });
        parts
    }

    /// What it reads, before it has read anything.
    pub fn cost(&self) -> QueryCost {
        let mut symbols = BTreeSet::new();
        let of_datasets = self.datasets.iter().map(|open| open.dataset.profiles);
        let mut profiles = of_datasets.fold(0, u64::saturating_add);
        for (get, part, what) in self.reads.waiting() {
            match what {
                What::Chunk(wanted) => profiles = profiles.saturating_add(wanted.len() as u64),
                What::Symbols(_) => _ = symbols.insert((&get.key, *part)),
                What::Page(..) => {}
            }
        }
        QueryCost {
            objects: self.objects,
            bytes: self.reads.wants().iter().map(|get| get.length).sum(),
            symbol_bytes: symbols.iter().map(|(_, part)| part.len).sum(),
            profiles,
        }
    }

    /// About how many bytes of tables and sums it holds.
    pub fn held(&self) -> usize {
        self.merger.held() + self.gathered
    }

    fn part(&mut self, what: What, bytes: &[u8]) -> Result<(), StoreError> {
        let before = what.dataset().map_or(0, |at| self.datasets[at].held());
        let at = match what {
            What::Chunk(wanted) => {
                let is_wanted = |i, s: &Series| {
                    s.profile_type == self.profile_type && wanted.binary_search(&i).is_ok()
                };
                let profile = read_chunk(bytes, is_wanted)?;
                self.profiles += wanted.len() as u64;
                return self.merger.add(&profile).map_err(other_series);
            }
            What::Symbols(at) => {
                let tables = read_symbols(bytes, &self.datasets[at].dataset)?;
                self.datasets[at].take_tables(tables);
                at
            }
            What::Page(at, range_part, scope, divisor) => {
                let kind = if scope.is_none() {
                    PageKind::Raw
                } else {
                    PageKind::Sums
                };
                let page = read_page(bytes, &self.datasets[at].dataset, kind, divisor)?;
                self.saturated |= self.datasets[at].add(&page, &range_part, scope);
                at
            }
        };
        let gathering = &mut self.datasets[at];
        if gathering.pages_missing > 0 || gathering.tables.is_none() {
            self.gathered += gathering.held() - before;
            return Ok(());
        }
        self.gathered -= before;
        self.profiles = self.profiles.saturating_add(gathering.profiles);
        match gathering.finish(&self.profile_type) {
            Some((tables, sums)) => {
                let (beside, outgrown) = (self.gathered, self.outgrown);
                add_sums(&mut self.merger, &tables, &sums, beside, outgrown).map_err(other_series)
            }
            None => Ok(()),
        }
    }

    /// The answer, when nothing is wanted any more.
    pub fn finish(self) -> Result<QueryAnswer, PlanError> {
        self.reads.finished()?;
        let error_bounds = self.merger.error_bounds();
        let merged = self.merger.finish();
        Ok(QueryAnswer {
            profile: merged.profile,
            profiles: self.profiles,
            objects: self.objects,
            bytes: self.reads.bytes,
            saturated: self.saturated || merged.saturated > 0,
            rounded: self.rounded,
            error_bounds,
        })
    }
}

impl Plan for QueryPlan {
    fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, what, bytes) in self.reads.take(get, bytes)? {
            self.part(what, bytes).map_err(damaged(&get.key, part))?;
            hold(&mut self.merger, self.gathered, self.outgrown)?;
        }
        Ok(())
    }
}

impl What {
    /// The dataset that it is for.
    fn dataset(&self) -> Option<usize> {
        match self {
            Self::Chunk(_) => None,
            Self::Symbols(at) | Self::Page(at, ..) => Some(*at),
        }
    }
}

/// The types agree because every series read has the type asked for; a chunk that disagrees with
/// its directory gives an empty profile.
fn other_series(_: MergeError) -> StoreError {
    let problem = "the series differ from those in the directory";
    StoreError::Corrupt {
        section: "chunk",
        offset: 0,
        problem,
    }
}

/// Which label sets of a directory are selected. Chunks share them.
pub(super) fn selected_label_sets(
    selector: &Selector,
    profile_type: &ProfileType,
    directory: &Directory,
) -> Vec<bool> {
    let label_sets = directory.label_sets.iter();
    label_sets
        .map(|labels| selector.matches(profile_type, labels))
        .collect()
}

/// Which series of a dataset are selected.
pub(super) fn selects(
    selector: &Selector,
    profile_type: &ProfileType,
    directory: &Directory,
    dataset: &Dataset,
) -> Vec<bool> {
    let labels = dataset
        .series
        .iter()
        .map(|&labels| &directory.label_sets[labels as usize]);
    labels
        .map(|labels| selector.matches(profile_type, labels))
        .collect()
}

/// Whether every series is selected.
pub(super) fn is_whole(selected: &[bool]) -> bool {
    !selected.contains(&false)
}
