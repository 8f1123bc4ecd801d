//! A query: selector, type and range in; one exact profile out.

use super::dedup::counting;
use super::reads::{Reads, damaged};
use super::{CatalogObject, Get, PlanError};
use crate::id::StackId;
use crate::merge::Merger;
use crate::profile::Profile;
use crate::profile_type::ProfileType;
use crate::selector::Selector;
use crate::store::{Dataset, Directory, PageRows, Part, StoreError, Taken, read_chunk, read_page, read_symbols};
use crate::units::TimeRange;

/// Reads what a query needs and merges it.
pub struct QueryPlan {
    profile_type: ProfileType,
    range: TimeRange,
    reads: Reads<What>,
    datasets: Vec<Gathering>,
    merger: Merger,
    profiles: u64,
    objects: u64,
    saturated: bool,
}

/// The outcome of a query.
#[derive(Debug)]
pub struct QueryAnswer {
    /// The sum of all selected profiles, in canonical order; without sample types when there is none.
    pub profile: Profile,
    /// How many profiles were added up.
    pub profiles: u64,
    /// How many objects were read.
    pub objects: u64,
    /// How many bytes were read.
    pub bytes: u64,
    /// A sum went beyond 64 bits and was cut there; everything is exact when this is false.
    pub saturated: bool,
}

/// What a part of an object is for.
enum What {
    /// A chunk, and which of its series.
    Chunk(Vec<usize>),
    /// Tables of the dataset at this index.
    Symbols(usize),
    /// Rows of the dataset at this index.
    Page(usize),
}

/// A dataset of a block until all of its parts are there.
struct Gathering {
    dataset: Dataset,
    /// Which of the dataset's series are selected.
    selected: Vec<bool>,
    tables: Option<Profile>,
    pages_missing: usize,
    /// Sum for each stack number, as far as it has been seen.
    sums: Vec<i64>,
    /// One for each profile, for the header.
    taken: Vec<Taken>,
}

impl QueryPlan {
    /// Plans to read the profiles of `profile_type` that `selector` selects and that start within `range`.
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
            merger: Merger::new(),
            profiles: 0,
            objects: 0,
            saturated: false,
        };
        let counts = counting(&objects.iter().collect::<Vec<_>>())?;
        for (object, counts) in objects.iter().zip(counts) {
            let directory = &object.directory;
            let Some(of_type) = directory.types.iter().position(|t| t == profile_type) else { continue };
            let selected: Vec<bool> = directory.label_sets.iter().map(|l| selector.matches(profile_type, l)).collect();
            let mut parts = plan.chunks(directory, &counts, of_type as u32, &selected);
            for dataset in directory.datasets().iter().filter(|d| d.profile_type == of_type as u32) {
                parts.extend(plan.dataset(dataset, &selected));
            }
            plan.objects += u64::from(!parts.is_empty());
            plan.reads.add(&object.key, parts);
        }
        Ok(plan)
    }

    fn chunks(&self, directory: &Directory, counts: &[bool], of_type: u32, selected: &[bool]) -> Vec<(Part, What)> {
        let chunks = directory.chunks().iter().zip(counts).filter(|(_, counts)| **counts);
        let parts = chunks.filter_map(|(chunk, _)| {
            let series = chunk.series.iter().enumerate();
            let wanted: Vec<usize> = series
                .filter(|(_, s)| s.profile_type == of_type && selected[s.labels as usize] && self.range.contains(s.time))
                .map(|(i, _)| i)
                .collect();
            (!wanted.is_empty()).then(|| (chunk.part(), What::Chunk(wanted)))
        });
        parts.collect()
    }

    fn dataset(&mut self, dataset: &Dataset, selected: &[bool]) -> Vec<(Part, What)> {
        let selected: Vec<bool> = dataset.series.iter().map(|&s| selected[s as usize]).collect();
        let pages = dataset.pages.iter().filter(|page| self.range.touches(page.min_time, page.max_time));
        let at = self.datasets.len();
        let mut parts: Vec<_> = pages.map(|page| (page.part, What::Page(at))).collect();
        if parts.is_empty() || !selected.contains(&true) {
            return Vec::new();
        }
        let pages_missing = parts.len();
        parts.push((dataset.symbols, What::Symbols(at)));
        let dataset = Dataset { pages: Vec::new(), ..dataset.clone() };
        self.datasets.push(Gathering {
            dataset,
            selected,
            tables: None,
            pages_missing,
            sums: Vec::new(),
            taken: Vec::new(),
        });
        parts
    }

    /// What is still needed.
    pub fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    /// Takes what was asked for. After an error the plan is of no use.
    pub fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, what, bytes) in self.reads.take(get, bytes)? {
            self.part(what, bytes).map_err(damaged(&get.key, part))?;
        }
        Ok(())
    }

    fn part(&mut self, what: What, bytes: &[u8]) -> Result<(), StoreError> {
        let at = match what {
            What::Chunk(wanted) => {
                let profile = read_chunk(bytes, |i, s| wanted.contains(&i) && s.profile_type == self.profile_type)?;
                self.profiles += wanted.len() as u64;
                return self.merge(&profile);
            }
            What::Symbols(at) => {
                self.datasets[at].tables = Some(read_symbols(bytes, &self.datasets[at].dataset)?);
                at
            }
            What::Page(at) => {
                let page = read_page(bytes, &self.datasets[at].dataset)?;
                self.saturated |= self.datasets[at].add(&page, self.range);
                at
            }
        };
        let gathering = &mut self.datasets[at];
        if gathering.pages_missing > 0 || gathering.tables.is_none() {
            return Ok(());
        }
        self.profiles += gathering.taken.len() as u64;
        match gathering.finish(&self.profile_type) {
            Some(profile) => self.merge(&profile),
            None => Ok(()),
        }
    }

    fn merge(&mut self, profile: &Profile) -> Result<(), StoreError> {
        // The types agree because every series read has the type asked for; a chunk that disagrees with its directory
        // gives an empty profile.
        self.merger.add(profile).map_err(|_| StoreError::Corrupt {
            section: "chunk",
            offset: 0,
            problem: "the series are not those that the directory names",
        })
    }

    /// The answer, when nothing is wanted any more.
    pub fn finish(self) -> Result<QueryAnswer, PlanError> {
        self.reads.finished()?;
        let merged = self.merger.finish();
        Ok(QueryAnswer {
            profile: merged.profile,
            profiles: self.profiles,
            objects: self.objects,
            bytes: self.reads.bytes,
            saturated: self.saturated || merged.saturated > 0,
        })
    }
}

impl Gathering {
    /// Adds a page's selected profiles; says whether a sum was cut.
    fn add(&mut self, page: &PageRows, range: TimeRange) -> bool {
        self.pages_missing -= 1;
        let highest = page.stacks.iter().max().map_or(0, |&highest| highest as usize + 1);
        if self.sums.len() < highest {
            self.sums.resize(highest, 0);
        }
        let mut saturated = false;
        for profile in &page.profiles {
            if !self.selected[profile.series as usize] || !range.contains(profile.taken.time) {
                continue;
            }
            for row in profile.rows.clone() {
                let (sum, value) = (&mut self.sums[page.stacks[row] as usize], page.values[row]);
                saturated |= sum.checked_add(value).is_none();
                *sum = sum.saturating_add(value);
            }
            self.taken.push(profile.taken);
        }
        saturated
    }

    /// The sum as a profile, and this gathering emptied; `None` when no profile of the pages was selected.
    fn finish(&mut self, profile_type: &ProfileType) -> Option<Profile> {
        let (mut profile, taken, sums) =
            (self.tables.take()?, std::mem::take(&mut self.taken), std::mem::take(&mut self.sums));
        if taken.is_empty() {
            return None;
        }
        profile.describe(profile_type, taken.into_iter());
        let rows = || sums.iter().enumerate().filter(|(_, sum)| **sum != 0);
        profile.samples.stacks = rows().map(|(stack, _)| stack.checked_sub(1).map(StackId::new)).collect();
        profile.samples.labels = vec![None; profile.samples.stacks.len()];
        profile.samples.values = vec![rows().map(|(_, &sum)| sum).collect()];
        Some(profile)
    }
}
