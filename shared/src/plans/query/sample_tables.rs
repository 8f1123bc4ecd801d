//! A chunk or a dataset of which samples are selected, until its symbols are there.

use crate::base::units::{TimeRange, UnixNanos};
use crate::model::profile_id::SeriesHash;
use crate::selector::{SampleSelector, SpanSelector};
use crate::store::{
    Dataset, LinkRow, LinkTable, PageKind, Part, StoreError, Timing, decode_chunk_links,
    read_link_page, read_page,
};

/// A chunk or a dataset that may have selected samples.
pub(super) struct SampleTables {
    pub(super) key: String,
    /// Where its symbols are: all of a chunk.
    pub(super) symbols: Part,
    pub(super) of: TablesOf,
    pub(super) found: Found,
}

pub(super) enum TablesOf {
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
        /// Hashes of all series where profiles are asked for by id, otherwise none.
        hashes: Vec<SeriesHash>,
    },
}

/// What the selected samples have, over the stacks of one table.
#[derive(Default)]
pub(super) struct Found {
    /// Stack number and value.
    pub(super) rows: Vec<(u32, i64)>,
    pub(super) timing: Option<Timing>,
    pub(super) profiles: u64,
}

impl SampleTables {
    /// Whether something was found, or is in a chunk that is not read yet.
    pub(super) fn needs_symbols(&self, samples: &SampleSelector) -> bool {
        let whole_chunk = matches!(self.of, TablesOf::Chunk { .. }) && samples.spans.is_none();
        whole_chunk || self.found.profiles > 0
    }

    /// Adds the links of a chunk.
    pub(super) fn add_chunk_links(
        &mut self,
        bytes: &[u8],
        spans: &SpanSelector,
    ) -> Result<(), StoreError> {
        let TablesOf::Chunk { series, selected } = &self.of else {
            return Ok(());
        };
        // Its stacks are not known yet; rows are held against them when they are.
        let (table, rows) = decode_chunk_links(bytes, *series, u32::MAX.into())?;
        let chosen = chosen(&table, spans);
        for &(at, timing) in selected {
            self.found.add(linked(&chosen, &rows[at]), timing);
        }
        Ok(())
    }

    /// Adds a page of links, or of profiles when no spans are asked for.
    pub(super) fn add_page(
        &mut self,
        bytes: &[u8],
        divisor: u64,
        range: TimeRange,
        samples: &SampleSelector,
    ) -> Result<(), StoreError> {
        let Self { of, found, .. } = self;
        let TablesOf::Dataset {
            dataset,
            selected,
            hashes,
        } = of
        else {
            return Ok(());
        };
        let is_selected = |series: u32, time: UnixNanos| {
            let series = series as usize;
            let profiles = samples.profiles.as_ref();
            selected[series]
                && range.contains(time)
                && profiles.is_none_or(|ids| ids.has(hashes[series], time))
        };
        let Some(spans) = &samples.spans else {
            let page = read_page(bytes, dataset, PageKind::Raw, divisor)?;
            for profile in &page.profiles {
                if is_selected(profile.series, profile.timing.time) {
                    let rows = profile.rows.clone();
                    let rows = rows.map(|row| (page.stacks[row], page.values[row]));
                    found.add_profile(rows, profile.timing);
                }
            }
            return Ok(());
        };
        let page = read_link_page(bytes, dataset, divisor)?;
        let chosen = chosen(&page.table, spans);
        for profile in &page.profiles {
            if is_selected(profile.series, profile.timing.time) {
                let rows = &page.rows[profile.rows.clone()];
                found.add(linked(&chosen, rows), profile.timing);
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

/// The rows of one profile whose links are chosen.
fn linked(chosen: &[bool], rows: &[LinkRow]) -> impl Iterator<Item = (u32, i64)> {
    let rows = rows.iter().filter(|row| chosen[row.link as usize]);
    rows.map(|row| (row.stack, row.value))
}

impl Found {
    /// Adds rows of one profile, which counts when there are some.
    fn add(&mut self, rows: impl Iterator<Item = (u32, i64)>, timing: Timing) {
        let before = self.rows.len();
        self.rows.extend(rows);
        if self.rows.len() > before {
            self.count(timing);
        }
    }

    /// Adds a profile, which counts without rows, too.
    pub(super) fn add_profile(&mut self, rows: impl Iterator<Item = (u32, i64)>, timing: Timing) {
        self.rows.extend(rows);
        self.count(timing);
    }

    fn count(&mut self, timing: Timing) {
        self.timing = Some(self.timing.map_or(timing, |t| t.merged(timing)));
        self.profiles += 1;
    }
}
