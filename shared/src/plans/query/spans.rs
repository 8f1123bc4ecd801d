//! A query for spans: of the selected profiles, what samples of given spans or traces count.
//!
//! Links stand beside the profiles, never in sums. So this reads all links first, then symbols, but
//! only where a selected span was found: one span is in few profiles of many. What has no links is
//! not read at all.

use super::answer::{QueryAnswer, check_held};
use super::{selected_label_sets, selects};
use crate::base::units::TimeRange;
use crate::merge::merger::MergeError;
use crate::merge::stored::StoredMerger;
use crate::model::profile_type::ProfileType;
use crate::plans::plan::{CatalogObject, Get, Plan, PlanError};
use crate::plans::reads::{Reads, damaged};
use crate::selector::{Selector, SpanSelector};
use crate::store::{
    Dataset, Directory, LinkRow, LinkTable, Part, StoreError, Timing, decode_chunk,
    decode_chunk_links, read_link_page, read_symbols,
};

/// Reads what a query for spans needs and merges it.
pub struct SpanQueryPlan {
    profile_type: ProfileType,
    range: TimeRange,
    spans: SpanSelector,
    reads: Reads<What>,
    tables: Vec<LinkedTables>,
    /// Whether all links have been read, and symbols are next.
    links_done: bool,
    merger: StoredMerger,
    profiles: u64,
    objects: u64,
    saturated: bool,
}

/// What a part of an object is for; the number is a place in [`SpanQueryPlan::tables`].
enum What {
    ChunkLinks(usize),
    /// With the divisor of its values.
    LinkPage(usize, u64),
    Symbols(usize),
}

/// A chunk or a dataset that has links.
struct LinkedTables {
    key: String,
    /// Where its symbols are: all of a chunk.
    symbols: Part,
    of: LinkedIn,
    found: Found,
}

enum LinkedIn {
    Chunk {
        /// How many series it has.
        series: usize,
        /// Those that are selected, by place, and when they were taken.
        selected: Vec<(usize, Timing)>,
    },
    Dataset {
        dataset: Box<Dataset>,
        /// Which of its series are selected.
        selected: Vec<bool>,
    },
}

/// What selected spans have, over the stacks of one table.
#[derive(Default)]
struct Found {
    /// Stack number and value.
    rows: Vec<(u32, i64)>,
    timing: Option<Timing>,
    profiles: u64,
}

impl SpanQueryPlan {
    /// Plans to read what samples of `spans` count in the profiles of `profile_type` that `selector`
    /// selects and that start within `range`. Blocks of nothing but sums have no links, so the
    /// objects that they sum up must be among `objects`.
    pub fn new(
        selector: &Selector,
        profile_type: &ProfileType,
        range: TimeRange,
        spans: SpanSelector,
        objects: &[CatalogObject],
    ) -> Result<Self, PlanError> {
        let mut plan = Self {
            profile_type: profile_type.clone(),
            range,
            spans,
            reads: Reads::new(),
            tables: Vec::new(),
            links_done: false,
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
                parts.extend(plan.dataset(&object.key, dataset, selected));
            }
            plan.objects += u64::from(!parts.is_empty());
            plan.reads.add(&object.key, parts);
        }
        plan.begin_symbols();
        Ok(plan)
    }

    /// The links of the chunks that have selected series.
    fn chunks(
        &mut self,
        object: &CatalogObject,
        of_type: u32,
        selector: &Selector,
    ) -> Vec<(Part, What)> {
        let directory: &Directory = &object.directory;
        let mut parts = Vec::new();
        if directory.chunks().iter().all(|chunk| chunk.links.is_none()) {
            return parts;
        }
        let selected_sets = selected_label_sets(selector, &self.profile_type, directory);
        for chunk in directory.chunks() {
            let Some(links) = chunk.links else {
                continue;
            };
            let series = chunk.series.iter().enumerate();
            let selected: Vec<_> = series
                .filter(|(_, s)| {
                    s.profile_type == of_type
                        && selected_sets[s.labels as usize]
                        && self.range.contains(s.time)
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
            if !selected.is_empty() {
                parts.push((links, What::ChunkLinks(self.tables.len())));
                self.tables.push(LinkedTables {
                    key: object.key.clone(),
                    symbols: chunk.part(),
                    of: LinkedIn::Chunk {
                        series: chunk.series.len(),
                        selected,
                    },
                    found: Found::default(),
                });
            }
        }
        parts
    }

    /// The pages of links that a dataset has in the range.
    fn dataset(&mut self, key: &str, dataset: &Dataset, selected: Vec<bool>) -> Vec<(Part, What)> {
        let (at, range) = (self.tables.len(), self.range);
        let touched = dataset
            .links
            .iter()
            .filter(|page| range.touches(page.min_time, page.max_time));
        let parts: Vec<(Part, What)> = touched
            .map(|page| (page.part, What::LinkPage(at, page.divisor)))
            .collect();
        if parts.is_empty() || !selected.contains(&true) {
            return Vec::new();
        }
        self.tables.push(LinkedTables {
            key: key.to_owned(),
            symbols: dataset.symbols,
            of: LinkedIn::Dataset {
                dataset: Box::new(dataset.without_pages()),
                selected,
            },
            found: Found::default(),
        });
        parts
    }

    /// Once all links are there: asks for the symbols of what was found.
    fn begin_symbols(&mut self) {
        if self.links_done || self.reads.finished().is_err() {
            return;
        }
        self.links_done = true;
        let found = self.tables.iter().enumerate();
        let found: Vec<(usize, &LinkedTables)> = found
            .filter(|(_, tables)| tables.found.profiles > 0)
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
        match what {
            What::ChunkLinks(at) => self.tables[at].add_chunk(bytes, &self.spans),
            What::LinkPage(at, divisor) => {
                self.tables[at].add_page(bytes, divisor, self.range, &self.spans)
            }
            What::Symbols(at) => self.merge(at, bytes),
        }
    }

    /// Adds what was found over these tables to the sum.
    fn merge(&mut self, at: usize, bytes: &[u8]) -> Result<(), StoreError> {
        let found = std::mem::take(&mut self.tables[at].found);
        let Some(mut timing) = found.timing else {
            return Ok(());
        };
        let mut tables = match &self.tables[at].of {
            LinkedIn::Dataset { dataset, .. } => read_symbols(bytes, dataset)?,
            LinkedIn::Chunk { .. } => {
                let chunk = decode_chunk(bytes, None, |_, _| false)?;
                timing.period = chunk.period;
                chunk.tables
            }
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
        merged.map_err(|_: MergeError| corrupt("the series are not those of one type"))
    }

    /// Bytes of what was found and waits for its symbols.
    fn gathered(&self) -> usize {
        let rows = self.tables.iter().map(|tables| tables.found.rows.len());
        rows.sum::<usize>() * size_of::<(u32, i64)>()
    }

    /// The answer, when nothing is wanted any more. Profiles are counted that have a selected
    /// sample.
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
        })
    }
}

impl Plan for SpanQueryPlan {
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

impl LinkedTables {
    fn add_chunk(&mut self, bytes: &[u8], spans: &SpanSelector) -> Result<(), StoreError> {
        let LinkedIn::Chunk { series, selected } = &self.of else {
            return Ok(());
        };
        // Its stacks are not known yet; rows are held against them when they are.
        let (table, rows) = decode_chunk_links(bytes, *series, u32::MAX.into())?;
        let chosen = chosen(&table, spans);
        for &(at, timing) in selected {
            self.found.add(&chosen, &rows[at], timing);
        }
        Ok(())
    }

    fn add_page(
        &mut self,
        bytes: &[u8],
        divisor: u64,
        range: TimeRange,
        spans: &SpanSelector,
    ) -> Result<(), StoreError> {
        let LinkedIn::Dataset { dataset, selected } = &self.of else {
            return Ok(());
        };
        let page = read_link_page(bytes, dataset, divisor)?;
        let chosen = chosen(&page.table, spans);
        for profile in &page.profiles {
            if selected[profile.series as usize] && range.contains(profile.timing.time) {
                let rows = &page.rows[profile.rows.clone()];
                self.found.add(&chosen, rows, profile.timing);
            }
        }
        Ok(())
    }
}

/// Which links of a table are selected.
fn chosen(table: &LinkTable, spans: &SpanSelector) -> Vec<bool> {
    table
        .iter()
        .map(|link| spans.matches(link.trace, link.span))
        .collect()
}

impl Found {
    /// Adds the rows of one profile whose links are chosen.
    fn add(&mut self, chosen: &[bool], rows: &[LinkRow], timing: Timing) {
        let before = self.rows.len();
        let rows = rows.iter().filter(|row| chosen[row.link as usize]);
        self.rows.extend(rows.map(|row| (row.stack, row.value)));
        if self.rows.len() > before {
            self.timing = Some(self.timing.map_or(timing, |t| t.merged(timing)));
            self.profiles += 1;
        }
    }
}

fn corrupt(problem: &'static str) -> StoreError {
    StoreError::Corrupt {
        section: "links",
        offset: 0,
        problem,
    }
}
