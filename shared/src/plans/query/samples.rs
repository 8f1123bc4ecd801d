//! A query for some samples: of the selected profiles, what samples of given spans or traces count,
//! or what single profiles do.
//!
//! Links stand beside the profiles, never in sums. So this reads all links first, then symbols, but
//! only where a selected span was found: one span is in few profiles of many. What has no links is
//! not read at all. Single profiles say by their ids when they start, so only the pages of that time
//! are read.

use super::answer::{QueryAnswer, check_held};
use super::{selected_label_sets, selects};
use crate::base::units::{TimeRange, UnixNanos};
use crate::merge::merger::MergeError;
use crate::merge::stored::{ErrorBounds, StoredMerger};
use crate::model::id::StackId;
use crate::model::labels::Labels;
use crate::model::profile_id::SeriesHash;
use crate::model::profile_type::ProfileType;
use crate::plans::plan::{CatalogObject, Get, Plan, PlanError};
use crate::plans::reads::{Reads, damaged};
use crate::selector::{SampleSelector, Selector};
use crate::store::{
    ChunkEntry, Dataset, Directory, Part, StoreError, Timing, decode_chunk, read_symbols,
};

use super::sample_tables::{Found, SampleTables, TablesOf};

/// Reads what a query for samples needs and merges it.
pub struct SampleQueryPlan {
    profile_type: ProfileType,
    range: TimeRange,
    samples: SampleSelector,
    reads: Reads<What>,
    tables: Vec<SampleTables>,
    /// Whether all links and pages have been read, and symbols are next.
    samples_done: bool,
    merger: StoredMerger,
    profiles: u64,
    objects: u64,
    saturated: bool,
}

/// What a part of an object is for; the number is a place in [`SampleQueryPlan::tables`].
enum What {
    ChunkLinks(usize),
    /// Of links, or of profiles when no spans are asked for; with the divisor of its values.
    Page(usize, u64),
    Symbols(usize),
}

impl SampleQueryPlan {
    /// Plans to read what `samples` count in the profiles of `profile_type` that `selector` selects
    /// and that start within `range`. Blocks of nothing but sums have neither links nor single
    /// profiles, so the objects that they sum up must be among `objects`.
    pub fn new(
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
        samples: impl Into<SampleSelector>,
        objects: &[CatalogObject],
    ) -> Result<Self, PlanError> {
        let mut plan = Self {
            profile_type: profile_type.clone(),
            range,
            samples: samples.into(),
            reads: Reads::new(),
            tables: Vec::new(),
            samples_done: false,
            merger: StoredMerger::default(),
            profiles: 0,
            objects: 0,
            saturated: false,
        };
        for object in objects {
            let directory = &object.directory;
            let of_type = directory.types.iter().position(|t| t == profile_type);
            let Some(of_type) = of_type.map(|at| at as u32) else {
                continue;
            };
            let mut parts = plan.chunks(object, of_type, selector);
            let datasets = directory.datasets().iter();
            for dataset in datasets.filter(|d| d.profile_type == of_type) {
                let selected = selects(selector, profile_type, directory, dataset);
                parts.extend(plan.dataset(object, dataset, selected));
            }
            plan.objects += u64::from(!parts.is_empty());
            plan.reads.add(&object.key, parts);
        }
        plan.begin_symbols();
        Ok(plan)
    }

    /// The chunks that have selected series, and their links where those are asked for.
    fn chunks(
        &mut self,
        object: &CatalogObject,
        of_type: u32,
        selector: &Selector,
    ) -> Vec<(Part, What)> {
        let directory: &Directory = &object.directory;
        let of_spans = self.samples.spans.is_some();
        let is_wanted = |chunk: &&ChunkEntry| !of_spans || chunk.links.is_some();
        let mut parts = Vec::new();
        if !directory.chunks().iter().any(|chunk| is_wanted(&chunk)) {
            return parts;
        }
        let selected_sets = selected_label_sets(selector, &self.profile_type, directory);
        for chunk in directory.chunks().iter().filter(is_wanted) {
            let series = chunk.series.iter().enumerate();
            let selected: Vec<_> = series
                .filter(|(_, s)| {
                    s.profile_type == of_type
                        && selected_sets[s.labels as usize]
                        && self.range.contains(s.time)
                        && self.has(&directory.label_sets[s.labels as usize], s.time)
                })
                .map(|(i, s)| {
                    let timing = Timing {
                        time: s.time,
                        duration_nanos: s.duration_nanos,
                        // The chunk itself says it.
                        period: 0,
                    };
                    (i, timing)
                })
                .collect();
            if selected.is_empty() {
                continue;
            }
            let links = chunk.links.filter(|_| of_spans);
            parts.extend(links.map(|part| (part, What::ChunkLinks(self.tables.len()))));
            self.tables.push(SampleTables {
                key: object.key.clone(),
                symbols: chunk.part(),
                of: TablesOf::Chunk {
                    series: chunk.series.len(),
                    selected,
                },
                found: Found::default(),
            });
        }
        parts
    }

    /// Whether a profile is asked for, as far as its id tells.
    fn has(&self, labels: &Labels, time: UnixNanos) -> bool {
        let profiles = self.samples.profiles.as_ref();
        profiles.is_none_or(|ids| {
            ids.touches(time, time) && ids.has(SeriesHash::new(&self.profile_type, labels), time)
        })
    }

    /// The pages of links, or of profiles, that a dataset has in the range.
    fn dataset(
        &mut self,
        object: &CatalogObject,
        dataset: &Dataset,
        selected: Vec<bool>,
    ) -> Vec<(Part, What)> {
        let (at, range, samples) = (self.tables.len(), self.range, &self.samples);
        let pages = match samples.spans {
            Some(_) => &dataset.links,
            None => &dataset.pages,
        };
        let touched = pages.iter().filter(|page| {
            let (first, last) = (page.min_time, page.max_time);
            let profiles = samples.profiles.as_ref();
            range.touches(first, last) && profiles.is_none_or(|ids| ids.touches(first, last))
        });
        let parts: Vec<(Part, What)> = touched
            .map(|page| (page.part, What::Page(at, page.divisor)))
            .collect();
        if parts.is_empty() || !selected.contains(&true) {
            return Vec::new();
        }
        let labels = dataset.series.iter();
        let labels = labels.map(|&labels| &object.directory.label_sets[labels as usize]);
        let hashes = match samples.profiles {
            Some(_) => labels
                .map(|labels| SeriesHash::new(&self.profile_type, labels))
                .collect(),
            None => Vec::new(),
        };
        self.tables.push(SampleTables {
            key: object.key.clone(),
            symbols: dataset.symbols,
            of: TablesOf::Dataset {
                dataset: Box::new(dataset.without_pages()),
                selected,
                hashes,
            },
            found: Found::default(),
        });
        parts
    }

    /// Once all links and pages are there: asks for the symbols of what was found.
    fn begin_symbols(&mut self) {
        if self.samples_done || self.reads.finished().is_err() {
            return;
        }
        self.samples_done = true;
        let found = self.tables.iter().enumerate();
        let found: Vec<(usize, &SampleTables)> = found
            .filter(|(_, tables)| tables.needs_symbols(&self.samples))
            .collect();
        // Those of one object stand side by side.
        for of_object in found.chunk_by(|a, b| a.1.key == b.1.key) {
            let parts = of_object
                .iter()
                .map(|&(at, tables)| (tables.symbols, What::Symbols(at)));
            self.reads.add(&of_object[0].1.key, parts.collect());
        }
    }

    fn part(&mut self, what: What, bytes: &[u8]) -> Result<(), StoreError> {
        match (what, &self.samples.spans) {
            (What::ChunkLinks(at), Some(spans)) => self.tables[at].add_chunk_links(bytes, spans),
            (What::ChunkLinks(_), None) => Ok(()),
            (What::Page(at, divisor), _) => {
                self.tables[at].add_page(bytes, divisor, self.range, &self.samples)
            }
            (What::Symbols(at), _) => self.merge(at, bytes),
        }
    }

    /// Adds what was found over these tables to the sum.
    fn merge(&mut self, at: usize, bytes: &[u8]) -> Result<(), StoreError> {
        let mut found = std::mem::take(&mut self.tables[at].found);
        let mut tables = match &self.tables[at].of {
            TablesOf::Dataset { dataset, .. } => read_symbols(bytes, dataset)?,
            TablesOf::Chunk { selected, .. } => {
                let of_spans = self.samples.spans.is_some();
                let chunk = decode_chunk(bytes, None, |i, series| {
                    !of_spans
                        && series.profile_type == self.profile_type
                        && selected.iter().any(|&(at, _)| at == i)
                })?;
                for one in &chunk.series {
                    let timing = Timing {
                        time: one.series.time,
                        duration_nanos: one.series.duration_nanos,
                        period: chunk.period,
                    };
                    let rows = one.rows.iter();
                    let rows = rows.map(|&(stack, value)| (StackId::number(stack), value));
                    found.add_profile(rows, timing);
                }
                found.timing = found.timing.map(|timing| Timing {
                    period: chunk.period,
                    ..timing
                });
                chunk.tables
            }
        };
        let Some(timing) = found.timing else {
            return Ok(());
        };
        let mut sums = vec![0i64; tables.stacks.len() + 1];
        for (stack, value) in found.rows {
            let Some(sum) = sums.get_mut(stack as usize) else {
                return Err(corrupt("a link points outside the stack table"));
            };
            self.saturated |= sum.checked_add(value).is_none();
            *sum = sum.saturating_add(value);
        }
        self.profiles = self.profiles.saturating_add(found.profiles);
        tables.describe(&self.profile_type, [timing].into_iter());
        let merged = self.merger.add_sums(&tables, &sums);
        merged.map_err(|_: MergeError| corrupt("the series have different types"))
    }

    /// Bytes of what was found and waits for its symbols.
    fn gathered(&self) -> usize {
        let rows = self.tables.iter().map(|tables| tables.found.rows.len());
        rows.sum::<usize>() * size_of::<(u32, i64)>()
    }

    /// The answer, when nothing is wanted any more. Of spans, profiles are counted that have a
    /// selected sample.
    pub fn finish(self) -> Result<QueryAnswer, PlanError> {
        self.reads.finished()?;
        let merged = self.merger.finish();
        Ok(QueryAnswer {
            profile: merged.profile,
            profiles: self.profiles,
            objects: self.objects,
            bytes: self.reads.bytes,
            saturated: self.saturated || merged.saturated > 0,
            rounded: false,
            error_bounds: ErrorBounds::default(),
        })
    }
}

impl Plan for SampleQueryPlan {
    fn wants(&self) -> Vec<Get> {
        self.reads.wants()
    }

    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError> {
        for (part, what, bytes) in self.reads.take(get, bytes)? {
            self.part(what, bytes).map_err(damaged(&get.key, part))?;
        }
        check_held(self.merger.held() + self.gathered())?;
        self.begin_symbols();
        Ok(())
    }
}

fn corrupt(problem: &'static str) -> StoreError {
    StoreError::Corrupt {
        section: "links",
        offset: 0,
        problem,
    }
}
