//! Pages: the columns of a block's datasets.
//!
//! A page holds profiles with their rows. A page of sums has the same form: its profiles are the
//! sums of windows, and each says how many profiles it is made of.

use std::ops::Range;

use super::columns;
use super::pool::{PagePool, PageUse, UnplacedPage};
use crate::store::codec::bytes::{Reader, put_column};
use crate::store::codec::rows::{self, Row};
use crate::store::codec::section::section;
use crate::store::codec::series::Timing;
use crate::store::directory::block_entry::Dataset;
use crate::store::error::StoreError;

/// Rows after which a page ends. At three to four bytes a row that is half a megabyte before
/// compression: one read of the bucket, and small enough that a query for some minutes of an hour
/// leaves most pages alone.
const PAGE_ROWS: usize = 128 << 10;

/// Rows after which a page of sums ends: a quarter, because a query takes all minutes or hours of
/// one page for the few at an edge of its range.
const SUMS_PAGE_ROWS: usize = 32 << 10;

/// Profiles after which a page ends, however few rows they have.
const PAGE_PROFILES: usize = 16 << 10;

/// What the profiles of a page are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// Profiles as they were pushed.
    #[default]
    Raw,
    /// Sums over windows.
    Sums,
}

/// A profile in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageProfile {
    /// Place of its series in [`Dataset::series`]; 0 for a sum over all of them.
    pub(crate) series: u32,
    /// Of a sum: the earliest start that is given, all durations, the highest period.
    pub(crate) timing: Timing,
    /// How many profiles it is made of: 1, unless it is a sum.
    pub(crate) profiles: u64,
    /// Its rows in the columns of the page.
    pub(crate) rows: Range<usize>,
}

/// A page, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageRows {
    /// Its profiles.
    pub(crate) profiles: Vec<PageProfile>,
    /// Stack of each row: 0 for none, else its row in the symbols plus one.
    pub(crate) stacks: Vec<u32>,
    /// Value of each row.
    pub(crate) values: Vec<i64>,
}

/// Gathers profiles into pages.
pub(crate) struct PageWriter {
    page_use: PageUse,
    /// Finished pages, which stand in the pool.
    pub(crate) pages: Vec<UnplacedPage>,
    open: PageRows,
}

impl PageWriter {
    pub(crate) fn new(page_use: PageUse) -> Self {
        Self {
            page_use,
            pages: Vec::new(),
            open: PageRows::default(),
        }
    }

    fn kind(&self) -> PageKind {
        match self.page_use {
            PageUse::Sums(..) => PageKind::Sums,
            PageUse::Profiles | PageUse::Links => PageKind::Raw,
        }
    }

    /// Bytes of all finished pages.
    pub(crate) fn len(&self) -> u64 {
        self.pages.iter().map(|page| page.len).sum()
    }

    /// Adds a profile; `rows` are tidy.
    ///
    /// A very large profile gets a page for itself: there its values have the divisor that they had
    /// in their chunk, so that what fitted a section before fits one again.
    pub(crate) fn push(
        &mut self,
        mut profile: PageProfile,
        rows: &[Row],
        pool: &mut PagePool,
    ) -> Result<(), StoreError> {
        let most_rows = match self.kind() {
            PageKind::Raw => PAGE_ROWS,
            PageKind::Sums => SUMS_PAGE_ROWS,
        };
        if self.open.values.len() + rows.len() > most_rows {
            self.flush(pool)?;
        }
        let start = self.open.values.len();
        self.open.stacks.extend(rows.iter().map(|row| row.0));
        self.open.values.extend(rows.iter().map(|row| row.1));
        profile.rows = start..self.open.values.len();
        self.open.profiles.push(profile);
        if self.open.values.len() >= most_rows || self.open.profiles.len() >= PAGE_PROFILES {
            self.flush(pool)?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self, pool: &mut PagePool) -> Result<(), StoreError> {
        let page = std::mem::take(&mut self.open);
        let divisor = rows::divisor(page.values.iter().copied());
        let raw = encode(&page, self.kind(), divisor);
        let times = page.profiles.iter().map(|profile| profile.timing.time);
        self.pages
            .extend(pool.put_page(self.page_use, &raw, times, divisor)?);
        Ok(())
    }
}

fn encode(page: &PageRows, kind: PageKind, divisor: u64) -> Vec<u8> {
    let mut raw = Vec::new();
    let profiles = page.profiles.iter();
    columns::put_profiles(&mut raw, profiles.clone().map(|p| (p.series, p.timing)));
    if kind == PageKind::Sums {
        put_column(&mut raw, profiles.clone().map(|p| p.profiles));
    }
    columns::put_row_counts(&mut raw, profiles.clone().map(|p| &p.rows));
    profiles.for_each(|p| rows::put_stacks(&mut raw, page.stacks[p.rows.clone()].iter().copied()));
    rows::put_quotients(&mut raw, page.values.iter().copied(), divisor);
    raw
}

/// Reads a page of `dataset`; `divisor` is that of its entry.
pub(crate) fn read_page(
    bytes: &[u8],
    dataset: &Dataset,
    kind: PageKind,
    divisor: u64,
) -> Result<PageRows, StoreError> {
    let mut reader = Reader::new(bytes, "page");
    let raw = section(&mut reader, "page")?;
    reader.end()?;
    let mut r = Reader::new(&raw, "page");
    let profiles = columns::profiles(&mut r, dataset)?;
    let sizes = match kind {
        PageKind::Raw => vec![1; profiles.len()],
        PageKind::Sums => r.column(profiles.len())?,
    };
    let ranges = columns::row_ranges(&mut r, profiles.len(), 2)?;
    let total_rows = ranges.last().map_or(0, |rows| rows.end);
    let profiles = profiles.into_iter().zip(sizes).zip(ranges);
    let profiles: Vec<PageProfile> = profiles
        .map(|(((series, timing), profiles), rows)| PageProfile {
            series,
            timing,
            profiles,
            rows,
        })
        .collect();
    let mut stacks = Vec::with_capacity(total_rows);
    for profile in &profiles {
        rows::stacks(&mut r, profile.rows.len(), dataset.stacks, &mut stacks)?;
    }
    let values = rows::quotients(&mut r, total_rows, divisor)?;
    r.end()?;
    Ok(PageRows {
        profiles,
        stacks,
        values,
    })
}
