//! Totals: what a timeline reads. One row for each profile, or for each series and window; no
//! stacks. How much time the profiles cover came later: older sections end before it.

use std::collections::BTreeMap;

use crate::base::clamp::clamped;
use crate::base::units::{TimeRange, UnixNanos};
use crate::store::codec::bytes::{Reader, put_column, put_deltas, put_varint};
use crate::store::codec::rows;
use crate::store::codec::section::section;
use crate::store::codec::series::Timing;
use crate::store::codec::sum_window::SumWindow;
use crate::store::directory::block_entry::Dataset;
use crate::store::error::StoreError;

const MILLISECOND: i64 = 1_000_000;

/// Total of one profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TotalRow {
    /// Place of its series in [`Dataset::series`].
    pub(crate) series: u32,
    /// Start.
    pub(crate) time: UnixNanos,
    /// Length, to the millisecond; 0 when unknown.
    pub(crate) duration_nanos: i64,
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
    /// The time that its profiles cover, to the millisecond, as one piece that begins with the first
    /// of them; empty when unknown.
    pub(crate) covered: TimeRange,
    /// The sum of their durations, to the millisecond.
    pub(crate) durations: i64,
}

/// Adds totals up by series and window.
pub(crate) struct WindowTotals {
    window: SumWindow,
    sums: BTreeMap<(u32, i64), WindowSum>,
}

#[derive(Default)]
struct WindowSum {
    profiles: u64,
    total: i128,
    covered: Covered,
    durations: i64,
}

/// How much time profiles cover. Each begins about where others end, or before.
#[derive(Default)]
struct Covered {
    from: i64,
    until: i64,
    nanos: i64,
}

impl Covered {
    /// Covers the time of a profile, or a sum's as one piece.
    fn add(&mut self, from: i64, duration: i64, profiles: u64) {
        if duration <= 0 {
            return;
        }
        let until = from.saturating_add(duration);
        if self.nanos == 0 {
            *self = Self {
                from,
                until,
                nanos: duration,
            };
            return;
        }
        if from < self.from {
            let before = until.min(self.from).saturating_sub(from);
            self.nanos = self.nanos.saturating_add(before);
            self.from = from;
        }
        if until > self.until {
            let closes = from.saturating_sub(self.until) <= longest_gap(duration, profiles);
            let begins = if closes { self.until } else { from };
            self.nanos = self.nanos.saturating_add(until.saturating_sub(begins));
            self.until = until;
        }
    }
}

/// The longest gap before profiles that counts as covered, given the sum of their durations: agents
/// rest for a moment between two profiles.
pub(crate) fn longest_gap(durations: i64, profiles: u64) -> i64 {
    let profiles = i64::try_from(profiles.max(1)).unwrap_or(i64::MAX);
    durations / profiles / 8
}

impl WindowTotals {
    pub(crate) fn new(window: SumWindow) -> Self {
        Self {
            window,
            sums: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, series: u32, timing: Timing, profiles: u64, total: i128) {
        let sum = self
            .sums
            .entry((series, self.window.index(timing.time)))
            .or_default();
        sum.profiles = sum.profiles.saturating_add(profiles);
        sum.total = sum.total.saturating_add(total);
        let duration = stored_duration(timing.duration_nanos);
        sum.durations = sum.durations.saturating_add(duration);
        // Of several processes, durations are more than the time: the last profile begins in the window.
        let covered = match i64::try_from(profiles) {
            Ok(0 | 1) => duration,
            profiles => {
                let each = duration / profiles.unwrap_or(i64::MAX);
                let left = self.window.nanos() - timing.time.0.rem_euclid(self.window.nanos());
                duration.min(left.saturating_add(each))
            }
        };
        sum.covered.add(timing.time.0, covered, profiles);
    }

    /// The section, by series and then in order of time. A sum that does not fit 64 bits takes
    /// several rows, so what is stored is always exact.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.sums.len());
        for (&(series, index), sum) in &self.sums {
            let (mut profiles, mut left) = (sum.profiles, sum.total);
            let Covered { from, nanos, .. } = sum.covered;
            let mut covered = match nanos {
                0 => (0, 0, 0),
                _ => {
                    let begins = from.saturating_sub(self.window.start(index).0);
                    (begins, nanos, sum.durations)
                }
            };
            loop {
                let total = clamped(left);
                all.push((series, index, profiles, total, covered));
                left -= i128::from(total);
                (profiles, covered) = (0, (0, 0, 0));
                if left == 0 {
                    break;
                }
            }
        }
        let mut raw = Vec::new();
        put_varint(&mut raw, all.len() as u64);
        put_deltas(&mut raw, all.iter().map(|t| i64::from(t.0)));
        put_deltas(&mut raw, all.iter().map(|t| t.1));
        put_column(&mut raw, all.iter().map(|t| t.2));
        rows::put_values(&mut raw, all.iter().map(|t| t.3));
        put_column(&mut raw, all.iter().map(|t| millis(t.4.0)));
        put_column(&mut raw, all.iter().map(|t| millis(t.4.1)));
        put_column(&mut raw, all.iter().map(|t| millis(t.4.2)));
        raw
    }
}

/// A duration as totals have it: in whole milliseconds.
pub(crate) fn stored_duration(nanos: i64) -> i64 {
    (millis(nanos) as i64).saturating_mul(MILLISECOND)
}

/// Milliseconds, the nearest number.
fn millis(nanos: i64) -> u64 {
    nanos.saturating_add(MILLISECOND / 2).max(0) as u64 / MILLISECOND as u64
}

/// Nanoseconds of so many milliseconds.
fn nanos(r: &Reader, millis: u64) -> Result<i64, StoreError> {
    let nanos = i64::try_from(millis)
        .ok()
        .and_then(|millis| millis.checked_mul(MILLISECOND));
    nanos.ok_or_else(|| r.corrupt("a duration does not fit in 64 bits"))
}

pub(crate) fn encode_totals(totals: &[TotalRow]) -> Vec<u8> {
    let mut raw = Vec::new();
    put_varint(&mut raw, totals.len() as u64);
    put_deltas(&mut raw, totals.iter().map(|t| i64::from(t.series)));
    put_deltas(&mut raw, totals.iter().map(|t| t.time.0));
    rows::put_values(&mut raw, totals.iter().map(|t| t.total));
    put_column(&mut raw, totals.iter().map(|t| millis(t.duration_nanos)));
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
    let durations = later_column(&mut r, count)?;
    r.end()?;
    let row = |i: usize| {
        Ok(TotalRow {
            series: series[i],
            time: UnixNanos(times[i]),
            duration_nanos: nanos(&r, durations[i])?,
            total: totals[i],
        })
    };
    (0..count).map(row).collect()
}

/// Reads the totals of each window of `dataset`.
pub(crate) fn read_window_totals(
    bytes: &[u8],
    dataset: &Dataset,
    window: SumWindow,
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
    let begins = later_column(&mut r, count)?;
    let covered = later_column(&mut r, count)?;
    let durations = later_column(&mut r, count)?;
    r.end()?;
    let row = |i: usize| {
        let start = window.start(indices[i]).plus(nanos(&r, begins[i])?);
        Ok(WindowTotal {
            series: series[i],
            index: indices[i],
            profiles: profiles[i],
            total: totals[i],
            covered: start.lasting(nanos(&r, covered[i])?),
            durations: nanos(&r, durations[i])?,
        })
    };
    (0..count).map(row).collect()
}

/// A column that older sections don't have; zeros where they end.
fn later_column(r: &mut Reader, count: usize) -> Result<Vec<u64>, StoreError> {
    match r.remaining() {
        0 => Ok(vec![0; count]),
        _ => r.column(count),
    }
}
