//! The columns that every page has: of which series its profiles are, when they were taken, and
//! which rows are theirs.

use std::ops::Range;

use crate::base::units::UnixNanos;
use crate::store::codec::bytes::{Reader, put_column, put_deltas, put_varint};
use crate::store::codec::series::Timing;
use crate::store::directory::block_entry::Dataset;
use crate::store::error::StoreError;

/// How many profiles there are, and of each its series and its timing.
pub(super) fn put_profiles(
    out: &mut Vec<u8>,
    profiles: impl ExactSizeIterator<Item = (u32, Timing)> + Clone,
) {
    put_varint(out, profiles.len() as u64);
    let timings = || profiles.clone().map(|(_, timing)| timing);
    put_deltas(out, profiles.clone().map(|(series, _)| i64::from(series)));
    put_deltas(out, timings().map(|timing| timing.time.0));
    put_deltas(out, timings().map(|timing| timing.duration_nanos));
    put_deltas(out, timings().map(|timing| timing.period));
}

/// The series and the timing of each profile of a page of `dataset`.
pub(super) fn profiles(
    r: &mut Reader,
    dataset: &Dataset,
) -> Result<Vec<(u32, Timing)>, StoreError> {
    let count = r.count(5)?;
    let series = r.index_deltas(count, dataset.series.len())?;
    let times = r.deltas(count)?;
    let durations = r.deltas(count)?;
    let periods = r.deltas(count)?;
    let profiles = (0..count).map(|i| {
        let timing = Timing {
            time: UnixNanos(times[i]),
            duration_nanos: durations[i],
            period: periods[i],
        };
        (series[i], timing)
    });
    Ok(profiles.collect())
}

/// How many rows each profile has.
pub(super) fn put_row_counts<'a>(out: &mut Vec<u8>, rows: impl Iterator<Item = &'a Range<usize>>) {
    put_column(out, rows.map(|rows| rows.len() as u64));
}

/// Of each profile the range of its rows, which take at least `row_bytes` each behind them.
pub(super) fn row_ranges(
    r: &mut Reader,
    count: usize,
    row_bytes: usize,
) -> Result<Vec<Range<usize>>, StoreError> {
    let mut ranges = Vec::with_capacity(count);
    let mut end = 0;
    for _ in 0..count {
        let (start, rows) = (end, r.varint()?);
        if rows > (r.remaining() / row_bytes).saturating_sub(start) as u64 {
            return Err(r.corrupt("more rows than the remaining bytes can hold"));
        }
        end += rows as usize;
        ranges.push(start..end);
    }
    Ok(ranges)
}
