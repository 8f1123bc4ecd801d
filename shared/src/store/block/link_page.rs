//! Pages of links: of the profiles of a dataset, which rows belong to which spans.
//!
//! A page of links is read without the page of its profiles: it says by itself whose and when they
//! are. Its table of links is its own, so that datasets that say the same have equal pages.

use std::ops::Range;

use super::columns;
use super::pool::{PagePool, PageUse, UnplacedPage};
use crate::store::codec::bytes::Reader;
use crate::store::codec::links::{
    LinkRow, LinkTable, LinkTableWriter, Span, link_rows, link_table, put_link_rows,
    put_link_table, tidy_links,
};
use crate::store::codec::rows;
use crate::store::codec::section::section;
use crate::store::codec::series::Timing;
use crate::store::directory::block_entry::Dataset;
use crate::store::error::StoreError;

/// Rows after which a page of links ends: 32 Ki, a quarter of a plain page's. With a span for each
/// row, which takes 24 bytes that don't compress, that is a megabyte.
const LINK_PAGE_ROWS: usize = 32 << 10;

/// Bytes of span names after which a page of links ends.
const LINK_PAGE_NAMES: usize = 1 << 20;

/// A profile in a page of links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkedProfile {
    /// Place of its series in [`Dataset::series`].
    pub(crate) series: u32,
    pub(crate) timing: Timing,
    /// Its rows in the page.
    pub(crate) rows: Range<usize>,
}

/// A page of links, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinkPage {
    pub(crate) profiles: Vec<LinkedProfile>,
    pub(crate) table: LinkTable,
    pub(crate) rows: Vec<LinkRow>,
}

/// A row to be written: the span, a stack number and a value.
pub(crate) type SpanRow<'a> = (Span<'a>, u32, i64);

/// Gathers links into pages.
#[derive(Default)]
pub(crate) struct LinkPageWriter {
    /// Finished pages, which stand in the pool.
    pub(crate) pages: Vec<UnplacedPage>,
    table: LinkTableWriter,
    profiles: Vec<LinkedProfile>,
    rows: Vec<LinkRow>,
}

impl LinkPageWriter {
    /// Adds what a profile has of links. One with very many gets a page for itself.
    pub(crate) fn push<'a>(
        &mut self,
        series: u32,
        timing: Timing,
        rows: impl ExactSizeIterator<Item = SpanRow<'a>>,
        pool: &mut PagePool,
    ) -> Result<(), StoreError> {
        if self.rows.len() + rows.len() > LINK_PAGE_ROWS {
            self.flush(pool)?;
        }
        let mut own: Vec<LinkRow> = rows
            .map(|(span, stack, value)| LinkRow {
                link: self.table.place(span),
                stack,
                value,
            })
            .collect();
        tidy_links(&mut own)?;
        let start = self.rows.len();
        self.rows.extend(own);
        if self.rows.len() > start {
            self.profiles.push(LinkedProfile {
                series,
                timing,
                rows: start..self.rows.len(),
            });
        }
        if self.rows.len() >= LINK_PAGE_ROWS || self.table.name_bytes() >= LINK_PAGE_NAMES {
            self.flush(pool)?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self, pool: &mut PagePool) -> Result<(), StoreError> {
        let page = LinkPage {
            profiles: std::mem::take(&mut self.profiles),
            table: std::mem::take(&mut self.table).finish(),
            rows: std::mem::take(&mut self.rows),
        };
        let divisor = rows::divisor(page.rows.iter().map(|row| row.value));
        let times = page.profiles.iter().map(|profile| profile.timing.time);
        self.pages.extend(pool.put_page(
            PageUse::Links,
            &encode(&page, divisor),
            times,
            divisor,
        )?);
        Ok(())
    }
}

fn encode(page: &LinkPage, divisor: u64) -> Vec<u8> {
    let mut raw = Vec::new();
    let profiles = page.profiles.iter();
    columns::put_profiles(&mut raw, profiles.clone().map(|p| (p.series, p.timing)));
    columns::put_row_counts(&mut raw, profiles.map(|p| &p.rows));
    put_link_table(&mut raw, &page.table);
    put_link_rows(&mut raw, &page.rows);
    rows::put_quotients(&mut raw, page.rows.iter().map(|row| row.value), divisor);
    raw
}

/// Reads a page of links of `dataset`; `divisor` is that of its entry.
pub(crate) fn read_link_page(
    bytes: &[u8],
    dataset: &Dataset,
    divisor: u64,
) -> Result<LinkPage, StoreError> {
    let mut reader = Reader::new(bytes, "links");
    let raw = section(&mut reader, "links")?;
    reader.end()?;
    let mut r = Reader::new(&raw, "links");
    let profiles = columns::profiles(&mut r, dataset)?;
    let ranges = columns::row_ranges(&mut r, profiles.len(), 3)?;
    let total_rows = ranges.last().map_or(0, |rows| rows.end);
    let profiles = profiles.into_iter().zip(ranges);
    let profiles = profiles.map(|((series, timing), rows)| LinkedProfile {
        series,
        timing,
        rows,
    });
    let profiles = profiles.collect();
    let table = link_table(&mut r)?;
    let mut rows = link_rows(&mut r, total_rows, &table, dataset.stacks)?;
    let values = rows::quotients(&mut r, total_rows, divisor)?;
    r.end()?;
    for (row, value) in rows.iter_mut().zip(values) {
        row.value = value;
    }
    Ok(LinkPage {
        profiles,
        table,
        rows,
    })
}
