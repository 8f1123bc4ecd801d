//! Totals: what a timeline reads. One row for each profile, or for each series and window; no
//! stacks.

use std::collections::BTreeMap;

use crate::base::clamp::clamped;
use crate::base::units::UnixNanos;
use crate::store::codec::bytes::{Reader, put_column, put_deltas, put_varint};
use crate::store::codec::rows;
use crate::store::codec::section::section;
use crate::store::codec::sum_window::SumWindow;
use crate::store::directory::block_entry::Dataset;
use crate::store::error::StoreError;

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

/// Total of the profiles of one series that start in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowTotal {
    /// Place of the series in [`Dataset::series`].
    pub(crate) series: u32,
    /// The window's number.
    pub(crate) index: i64,
    pub(crate) profiles: u64,
    pub(crate) total: i64,
}

/// Adds totals up by series and window.
pub(crate) struct WindowTotals {
    window: SumWindow,
    sums: BTreeMap<(u32, i64), (u64, i128)>,
}

impl WindowTotals {
    pub(crate) fn new(window: SumWindow) -> Self {
        Self {
            window,
            sums: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, series: u32, time: UnixNanos, profiles: u64, total: i128) {
        let sum = self
            .sums
            .entry((series, self.window.index(time)))
            .or_default();
        *sum = (sum.0.saturating_add(profiles), sum.1.saturating_add(total));
    }

    /// The section, by series and then in order of time. A sum that does not fit 64 bits takes
    /// several rows, so what is stored is always exact.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.sums.len());
        for (&(series, index), &(mut profiles, mut sum)) in &self.sums {
            loop {
                let total = clamped(sum);
                all.push(WindowTotal {
                    series,
                    index,
                    profiles,
                    total,
                });
                sum -= i128::from(total);
                profiles = 0;
                if sum == 0 {
                    break;
                }
            }
        }
        let mut raw = Vec::new();
        put_varint(&mut raw, all.len() as u64);
        put_deltas(&mut raw, all.iter().map(|t| i64::from(t.series)));
        put_deltas(&mut raw, all.iter().map(|t| t.index));
        put_column(&mut raw, all.iter().map(|t| t.profiles));
        rows::put_values(&mut raw, all.iter().map(|t| t.total));
        raw
    }
}

pub(crate) fn encode_totals(totals: &[TotalRow]) -> Vec<u8> {
    let mut raw = Vec::new();
    put_varint(&mut raw, totals.len() as u64);
    put_deltas(&mut raw, totals.iter().map(|t| i64::from(t.series)));
    put_deltas(&mut raw, totals.iter().map(|t| t.time.0));
    rows::put_values(&mut raw, totals.iter().map(|t| t.total));
    raw
}

/// Reads the totals of each profile of `dataset`.
pub(crate) fn read_totals(bytes: &[u8], dataset: &Dataset) -> Result<Vec<TotalRow>, StoreError> {
    let mut reader = Reader::new(bytes, "totals");
    let raw = section(&mut reader, "totals")?;
    reader.end()?;
    let mut r = Reader::new(&raw, "totals");
    let count = r.count(3)?;
    let series = r.index_deltas(count, dataset.series.len())?;
    let times = r.deltas(count)?;
    let totals = rows::values(&mut r, count)?;
    r.end()?;
    let rows = (0..count).map(|i| TotalRow {
        series: series[i],
        time: UnixNanos(times[i]),
        total: totals[i],
    });
    Ok(rows.collect())
}

/// Reads the totals of each window of `dataset`.
pub(crate) fn read_window_totals(
    bytes: &[u8],
    dataset: &Dataset,
) -> Result<Vec<WindowTotal>, StoreError> {
    let mut reader = Reader::new(bytes, "window totals");
    let raw = section(&mut reader, "window totals")?;
    reader.end()?;
    let mut r = Reader::new(&raw, "window totals");
    let count = r.count(4)?;
    let series = r.index_deltas(count, dataset.series.len())?;
    let indices = r.deltas(count)?;
    let profiles = r.column(count)?;
    let totals = rows::values(&mut r, count)?;
    r.end()?;
    let rows = (0..count).map(|i| WindowTotal {
        series: series[i],
        index: indices[i],
        profiles: profiles[i],
        total: totals[i],
    });
    Ok(rows.collect())
}
