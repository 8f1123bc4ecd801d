//! Pages: the columns of a block's datasets.
//!
//! A page holds profiles with their rows. A page of sums has the same form: its profiles are the
//! sums of windows, and each says how many profiles it is made of.

use std::ops::Range;

use super::pool::{PagePool, PageUse, UnplacedPage};
use crate::base::units::UnixNanos;
use crate::store::codec::bytes::{Reader, put_column, put_deltas, put_varint};

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
        let times = || page.profiles.iter().map(|p| p.timing.time);
        let (Some(min_time), Some(max_time)) = (times().min(), times().max()) else {
            return Ok(());
        };
        let divisor = rows::divisor(page.values.iter().copied());
        let (number, len) = pool.put(self.page_use, &encode(&page, self.kind(), divisor))?;
        self.pages.push(UnplacedPage {
            number,
            len,
            min_time,
            max_time,
            divisor,
        });
        Ok(())
    }
}

fn encode(page: &PageRows, kind: PageKind, divisor: u64) -> Vec<u8> {
    let mut raw = Vec::new();
    let profiles = || page.profiles.iter();
    put_varint(&mut raw, page.profiles.len() as u64);
    put_deltas(&mut raw, profiles().map(|p| i64::from(p.series)));
    put_deltas(&mut raw, profiles().map(|p| p.timing.time.0));
    put_deltas(&mut raw, profiles().map(|p| p.timing.duration_nanos));
    put_deltas(&mut raw, profiles().map(|p| p.timing.period));
    if kind == PageKind::Sums {
        put_column(&mut raw, profiles().map(|p| p.profiles));
    }
    put_column(&mut raw, profiles().map(|p| p.rows.len() as u64));
    profiles()
        .for_each(|p| rows::put_stacks(&mut raw, page.stacks[p.rows.clone()].iter().copied()));
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
    let count = r.count(5)?;
    let series = r.index_deltas(count, dataset.series.len())?;
    let times = r.deltas(count)?;
    let durations = r.deltas(count)?;
    let periods = r.deltas(count)?;
    let sizes = match kind {
        PageKind::Raw => vec![1; count],
        PageKind::Sums => r.column(count)?,
    };
    let mut total_rows = 0;
    let mut profiles = Vec::with_capacity(count);
    for i in 0..count {
        let start = total_rows;
        let rows = r.varint()?;
        if rows > ((r.remaining() / 2).saturating_sub(total_rows)) as u64 {
            return Err(r.corrupt("more rows than there are bytes for"));
        }
        total_rows += rows as usize;
        profiles.push(PageProfile {
            series: series[i],
            timing: Timing {
                time: UnixNanos(times[i]),
                duration_nanos: durations[i],
                period: periods[i],
            },
            profiles: sizes[i],
            rows: start..total_rows,
        });
    }
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
