//! Sums over windows while they are gathered.
//!
//! A window may be written in several pieces, which readers add up: so memory has a bound whatever
//! comes, and a sum that does not fit 64 bits is stored all the same, as two values.

use std::collections::BTreeMap;

use super::page::{PageProfile, PageWriter};
use super::pool::{PagePool, PageUse};
use crate::base::clamp::clamped;
use crate::store::codec::rows::Row;
use crate::store::codec::series::Timing;
use crate::store::codec::sum_window::{SumScope, SumWindow};
use crate::store::error::StoreError;

/// What a window costs beside its rows, counted in rows of 16 bytes.
const WINDOW_ROWS: usize = 12;

/// Rows that may gather before equal stacks are added up.
const LOOSE_ROWS: usize = 1 << 10;

/// Latest windows to which profiles may still come: 2. Agents push a profile when it ends, most
/// after less than a minute.
const UNFINISHED_WINDOWS: i64 = 2;

/// Which sums are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Those of windows that are over: they come in one piece, whenever that happens, so datasets
    /// that say the same have the same pages.
    Finished,
    /// All.
    Everything,
}

/// The sums of a dataset over windows of one length and scope.
pub(crate) struct SumsWriter {
    pub(crate) window: SumWindow,
    pub(crate) scope: SumScope,
    open: BTreeMap<(i64, u32), Sum>,
    pub(crate) pages: PageWriter,
}

struct Sum {
    timing: Timing,
    duration: i128,
    profiles: u64,
    rows: Vec<Row>,
    /// Rows after the last time that equal stacks were added up.
    tidy: usize,
}

impl SumsWriter {
    pub(crate) fn new((window, scope): (SumWindow, SumScope)) -> Self {
        Self {
            window,
            scope,
            open: BTreeMap::new(),
            pages: PageWriter::new(PageUse::Sums(window, scope)),
        }
    }

    /// Adds a profile or a sum over a shorter window; says by how many rows this writer has grown
    /// or shrunk.
    pub(crate) fn add(
        &mut self,
        series: u32,
        timing: Timing,
        profiles: u64,
        rows: &[Row],
    ) -> isize {
        let series = if self.scope == SumScope::All {
            0
        } else {
            series
        };
        let mut grown = 0;
        let sum = self
            .open
            .entry((self.window.index(timing.time), series))
            .or_insert_with(|| {
                grown = WINDOW_ROWS as isize;
                Sum {
                    timing,
                    duration: 0,
                    profiles: 0,
                    rows: Vec::new(),
                    tidy: 0,
                }
            });
        sum.timing = sum.timing.merged(timing);
        sum.duration += i128::from(timing.duration_nanos);
        sum.profiles = sum.profiles.saturating_add(profiles);
        let before = sum.rows.len();
        sum.rows.extend_from_slice(rows);
        if sum.rows.len() > sum.tidy * 2 + LOOSE_ROWS {
            sum.merge_equal_rows();
        }
        grown + sum.rows.len() as isize - before as isize
    }

    /// Adds up what can be; gives how many rows are left.
    pub(crate) fn merge_equal_rows(&mut self) -> usize {
        self.open
            .values_mut()
            .map(|sum| sum.merge_equal_rows() + WINDOW_ROWS)
            .sum()
    }

    /// Writes what is open.
    pub(crate) fn flush(&mut self, flush: Flush, pool: &mut PagePool) -> Result<(), StoreError> {
        let unfinished = match (flush, self.open.last_key_value()) {
            (Flush::Finished, Some((&(latest, _), _))) => self
                .open
                .split_off(&(latest.saturating_sub(UNFINISHED_WINDOWS - 1), 0)),
            _ => BTreeMap::new(),
        };
        for ((_, series), mut sum) in std::mem::replace(&mut self.open, unfinished) {
            sum.merge_equal_rows();
            let mut timing = Timing {
                duration_nanos: clamped(sum.duration),
                ..sum.timing
            };
            loop {
                let later = second_values(&mut sum.rows);
                let profile = PageProfile {
                    series,
                    timing,
                    profiles: sum.profiles,
                    rows: 0..0,
                };
                self.pages.push(profile, &sum.rows, pool)?;
                if later.is_empty() {
                    break;
                }
                // What did not fit is a sum of no further profiles.
                (sum.rows, sum.profiles, timing.duration_nanos) = (later, 0, 0);
            }
        }
        Ok(())
    }
}

impl Sum {
    /// Adds up rows of equal stacks, in order of stack. Values that do not add up within 64 bits
    /// stay beside each other.
    fn merge_equal_rows(&mut self) -> usize {
        // A stable sort: rows come as a few rising runs, which it merges in linear time.
        self.rows.sort_by_key(|row| row.0);
        let mut kept = 0usize;
        for at in 0..self.rows.len() {
            let (stack, value) = self.rows[at];
            match kept.checked_sub(1).map(|last| self.rows[last]) {
                Some((last, sum)) if last == stack && sum.checked_add(value).is_some() => {
                    self.rows[kept - 1].1 = sum + value
                }
                _ => {
                    self.rows[kept] = (stack, value);
                    kept += 1;
                }
            }
        }
        self.rows.truncate(kept);
        self.rows.retain(|row| row.1 != 0);
        self.tidy = self.rows.len();
        self.tidy
    }
}

/// Takes all but the first value of each stack out of `rows`.
fn second_values(rows: &mut Vec<Row>) -> Vec<Row> {
    if rows.windows(2).all(|pair| pair[0].0 != pair[1].0) {
        return Vec::new();
    }
    let (mut before, mut later) = (None, Vec::new());
    rows.retain(|&row| {
        let first = before.replace(row.0) != Some(row.0);
        if !first {
            later.push(row);
        }
        first
    });
    later
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::UnixNanos;
    use crate::store::block::page::{PageKind, read_page};

    #[test]
    fn sums_beyond_64_bits_are_kept() {
        let mut writer = SumsWriter::new((SumWindow::Minute, SumScope::All));
        let timing = |time| Timing {
            time: UnixNanos(time),
            duration_nanos: i64::MAX,
            period: 3,
        };
        for (time, value) in [(0, i64::MAX), (7, i64::MAX), (5, -7), (60_000_000_000, 1)] {
            writer.add(4, timing(time), 1, &[(0, 0), (1, value), (2, 1)]);
        }
        let (mut pool, mut bytes) = (PagePool::new().unwrap(), Vec::new());
        writer.flush(Flush::Everything, &mut pool).unwrap();
        writer.pages.flush(&mut pool).unwrap();
        let pages = pool.place_pages(&writer.pages.pages, &mut bytes);
        assert_eq!(pages.len(), 1);
        let dataset = crate::store::Dataset::empty(1, 2);
        let page = read_page(&bytes, &dataset, PageKind::Sums, pages[0].divisor).unwrap();
        let shown: Vec<_> = page
            .profiles
            .iter()
            .map(|p| {
                (
                    p.timing.time.0,
                    p.profiles,
                    page.stacks[p.rows.clone()].to_vec(),
                    page.values[p.rows.clone()].to_vec(),
                )
            })
            .collect();
        let expect = [
            (5, 3, vec![1, 2], vec![i64::MAX, 3]),
            (5, 0, vec![1], vec![i64::MAX - 7]),
            (60_000_000_000, 1, vec![1, 2], vec![1, 1]),
        ];
        assert_eq!(shown, expect);
    }

    #[test]
    fn finished_windows_go_first() {
        let mut writer = SumsWriter::new((SumWindow::Minute, SumScope::Series));
        let mut pool = PagePool::new().unwrap();
        let mut check = |add: &[(u32, i64)], expect: &[(i64, u32)]| {
            for &(series, minute) in add {
                let time = UnixNanos(minute.saturating_mul(60_000_000_000));
                writer.add(
                    series,
                    Timing {
                        time,
                        duration_nanos: 1,
                        period: 1,
                    },
                    1,
                    &[(1, 1)],
                );
            }
            writer.flush(Flush::Finished, &mut pool).unwrap();
            assert_eq!(writer.open.keys().copied().collect::<Vec<_>>(), expect);
        };
        let first = SumWindow::Minute.index(UnixNanos(i64::MIN));
        check(&[], &[]);
        check(&[(7, i64::MIN)], &[(first, 7)]);
        check(&[(1, 5), (2, 6), (0, 7), (3, 6)], &[(6, 2), (6, 3), (7, 0)]);
        check(&[(9, 3)], &[(6, 2), (6, 3), (7, 0)]);
    }
}
