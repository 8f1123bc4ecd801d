//! Pages and totals: the columns of a block's datasets.
//!
//! A page holds whole profiles with their rows; totals hold one row for each profile and no stacks, so that a timeline
//! reads a few bytes for each.

use std::ops::Range;

use super::codec::{Reader, put_column, put_deltas, put_varint};
use super::directory::{Dataset, Part};
use super::error::StoreError;
use super::rows::{self, Row};
use super::section::{Packer, section};
use super::series::Taken;
use crate::units::UnixNanos;

/// Rows after which a page ends. At three to four bytes a row that is half a megabyte before compression: one read of
/// the bucket, and small enough that a query for some minutes of an hour leaves most pages alone.
const PAGE_ROWS: usize = 128 << 10;

/// Profiles after which a page ends, however few rows they have.
const PAGE_PROFILES: usize = 16 << 10;

/// Where a page is and the time it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// Its section.
    pub part: Part,
    /// Start of its earliest profile.
    pub min_time: UnixNanos,
    /// Start of its latest profile.
    pub max_time: UnixNanos,
}

/// A profile in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageProfile {
    /// Place of its series in [`Dataset::series`].
    pub(crate) series: u32,
    pub(crate) taken: Taken,
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

/// Total of one profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TotalRow {
    /// Place of its series in [`Dataset::series`].
    pub(crate) series: u32,
    /// Start.
    pub(crate) time: UnixNanos,
    /// Sum of its values.
    pub(crate) total: i64,
}

/// Gathers profiles into pages.
#[derive(Default)]
pub(super) struct PageWriter {
    /// Finished pages, one after the other.
    pub(super) bytes: Vec<u8>,
    /// Finished pages; offsets count from the first.
    pub(super) pages: Vec<PageEntry>,
    open: PageRows,
}

impl PageWriter {
    /// Adds a profile; `rows` are tidy.
    ///
    /// A very large profile gets a page for itself: there its values have the divisor that they had in their chunk, so that
    /// what fitted a section before fits one again.
    pub(super) fn push(&mut self, mut profile: PageProfile, rows: &[Row], packer: &mut Packer) -> Result<(), StoreError> {
        if self.open.values.len() + rows.len() > PAGE_ROWS {
            self.flush(packer)?;
        }
        let start = self.open.values.len();
        self.open.stacks.extend(rows.iter().map(|row| row.0));
        self.open.values.extend(rows.iter().map(|row| row.1));
        profile.rows = start..self.open.values.len();
        self.open.profiles.push(profile);
        if self.open.values.len() >= PAGE_ROWS || self.open.profiles.len() >= PAGE_PROFILES {
            self.flush(packer)?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self, packer: &mut Packer) -> Result<(), StoreError> {
        let page = std::mem::take(&mut self.open);
        let times = || page.profiles.iter().map(|p| p.taken.time);
        let (Some(min_time), Some(max_time)) = (times().min(), times().max()) else {
            return Ok(());
        };
        let offset = self.bytes.len() as u64;
        packer.put(&mut self.bytes, &encode(&page), "page")?;
        let part = Part { offset, len: self.bytes.len() as u64 - offset };
        self.pages.push(PageEntry { part, min_time, max_time });
        Ok(())
    }
}

fn encode(page: &PageRows) -> Vec<u8> {
    let mut raw = Vec::new();
    let profiles = || page.profiles.iter();
    put_varint(&mut raw, page.profiles.len() as u64);
    put_deltas(&mut raw, profiles().map(|p| i64::from(p.series)));
    put_deltas(&mut raw, profiles().map(|p| p.taken.time.0));
    put_deltas(&mut raw, profiles().map(|p| p.taken.duration_nanos));
    put_deltas(&mut raw, profiles().map(|p| p.taken.period));
    put_column(&mut raw, profiles().map(|p| p.rows.len() as u64));
    profiles().for_each(|p| rows::put_stacks(&mut raw, page.stacks[p.rows.clone()].iter().copied()));
    rows::put_values(&mut raw, page.values.iter().copied());
    raw
}

/// Reads a page of `dataset`.
pub(crate) fn read_page(bytes: &[u8], dataset: &Dataset) -> Result<PageRows, StoreError> {
    let mut reader = Reader::new(bytes, "page");
    let raw = section(&mut reader, "page")?;
    reader.end()?;
    let mut r = Reader::new(&raw, "page");
    let count = r.count(5)?;
    let series = r.index_deltas(count, dataset.series.len())?;
    let times = r.deltas(count)?;
    let durations = r.deltas(count)?;
    let periods = r.deltas(count)?;
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
            taken: Taken { time: UnixNanos(times[i]), duration_nanos: durations[i], period: periods[i] },
            rows: start..total_rows,
        });
    }
    let mut stacks = Vec::with_capacity(total_rows);
    for profile in &profiles {
        rows::stacks(&mut r, profile.rows.len(), dataset.stacks, &mut stacks)?;
    }
    let values = rows::values(&mut r, total_rows)?;
    r.end()?;
    Ok(PageRows { profiles, stacks, values })
}

pub(super) fn encode_totals(totals: &[TotalRow]) -> Vec<u8> {
    let mut raw = Vec::new();
    put_varint(&mut raw, totals.len() as u64);
    put_deltas(&mut raw, totals.iter().map(|t| i64::from(t.series)));
    put_deltas(&mut raw, totals.iter().map(|t| t.time.0));
    put_deltas(&mut raw, totals.iter().map(|t| t.total));
    raw
}

/// Reads the totals of `dataset`.
pub(crate) fn read_totals(bytes: &[u8], dataset: &Dataset) -> Result<Vec<TotalRow>, StoreError> {
    let mut reader = Reader::new(bytes, "totals");
    let raw = section(&mut reader, "totals")?;
    reader.end()?;
    let mut r = Reader::new(&raw, "totals");
    let count = r.count(3)?;
    let series = r.index_deltas(count, dataset.series.len())?;
    let times = r.deltas(count)?;
    let totals = r.deltas(count)?;
    r.end()?;
    let rows = (0..count).map(|i| TotalRow { series: series[i], time: UnixNanos(times[i]), total: totals[i] });
    Ok(rows.collect())
}
