//! A heatmap: how much of a profile there is at each moment. Columns are spans of time from left to
//! right, and a column's cells divide it from top to bottom, so that what repeats within a second
//! is seen.

use crate::model::profile::Profile;
use crate::verbs::nanos_a_unit;

/// Cells of a column.
pub const ROWS: usize = 50;

/// Most columns.
const MAX_COLUMNS: i64 = 300;

/// Nanoseconds that a column may last: steps that people know, up to a day.
const STEPS: [i64; 12] = [
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    5_000_000_000,
    15_000_000_000,
    60_000_000_000,
    300_000_000_000,
    900_000_000_000,
    3_600_000_000_000,
    21_600_000_000_000,
    86_400_000_000_000,
];

/// Values over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Heatmap {
    /// When it begins, as the profile counts its times.
    pub start: i64,
    /// When the last sample ends.
    pub end: i64,
    /// Nanoseconds of a column.
    pub column: i64,
    /// The cells of the first column from top to bottom, then those of the next.
    pub cells: Vec<f64>,
}

/// The heatmap of a value column; `None` where samples have no times, or none has a value. A value
/// that is a time is spread over the cells that it lasts through. Negative values are left out.
/// Time and memory are linear in samples and cells.
pub fn heatmap(profile: &Profile, sample_type: usize) -> Option<Heatmap> {
    let samples = &profile.samples;
    let times = samples.times.as_ref()?;
    let factor = nanos_a_unit(profile, sample_type);
    let rows = times.iter().zip(samples.values.get(sample_type)?);
    let rows = rows
        .filter(|(_, value)| **value > 0)
        .map(|(&time, &value)| {
            let length = factor.map_or(0, |factor| value.saturating_mul(factor));
            (time, time.saturating_add(length), value)
        });
    let start = rows.clone().map(|(time, ..)| time).min()?;
    let end = rows.clone().map(|(_, end, _)| end).max()?;
    let length = end.saturating_sub(start).saturating_add(1);
    let column = STEPS
        .into_iter()
        .find(|&step| div_ceil(length, step) <= MAX_COLUMNS)
        .unwrap_or_else(|| div_ceil(length, MAX_COLUMNS));
    let columns = div_ceil(length, column) as usize;
    let mut spread = Spread::new(columns * ROWS);
    let cell = column as f64 / ROWS as f64;
    for (time, end, value) in rows {
        let place = |time: i64| time.saturating_sub(start) as f64 / cell;
        spread.add(place(time), place(end), value as f64);
    }
    Some(Heatmap {
        start,
        end,
        column,
        cells: spread.finish(),
    })
}

/// Rounded up; neither is negative.
fn div_ceil(length: i64, by: i64) -> i64 {
    length / by + i64::from(length % by != 0)
}

/// Amounts over cells: whole cells by where they begin and end, the cells at the edges by
/// themselves.
struct Spread {
    cells: Vec<f64>,
    /// How much more each cell has than the one before it.
    rises: Vec<f64>,
}

impl Spread {
    fn new(cells: usize) -> Self {
        Self {
            cells: vec![0.0; cells],
            rises: vec![0.0; cells + 1],
        }
    }

    fn add(&mut self, from: f64, until: f64, amount: f64) {
        let last = self.cells.len() - 1;
        let [first, end] = [from, until].map(|place| (place as usize).min(last));
        if first == end {
            self.cells[first] += amount;
            return;
        }
        let density = amount / (until - from);
        self.cells[first] += density * ((first + 1) as f64 - from);
        self.cells[end] += density * (until - end as f64);
        self.rises[first + 1] += density;
        self.rises[end] -= density;
    }

    fn finish(self) -> Vec<f64> {
        let mut level = 0.0;
        let sum = |(cell, rise): (f64, f64)| {
            level += rise;
            // What rounding has left is not worth a colour.
            (cell + level).max(0.0)
        };
        self.cells.into_iter().zip(self.rises).map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, ProfileBuilder};

    fn timed(unit: &str, samples: &[(i64, i64)]) -> Profile {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", unit);
        let stack = builder.named_stack(&["main"]);
        for &(time, value) in samples {
            builder.sample_at(time, stack, None, &[value]);
        }
        builder.finish()
    }

    #[test]
    fn counts_are_where_they_start() {
        let map = heatmap(&timed("count", &[(0, 2), (25_000, 1), (999_999, 4)]), 0).unwrap();
        assert_eq!((map.column, map.cells.len()), (1_000_000, ROWS));
        let filled: Vec<(usize, f64)> = (0..).zip(map.cells).filter(|c| c.1 > 0.0).collect();
        assert_eq!(filled, [(0, 2.0), (1, 1.0), (49, 4.0)]);
    }

    #[test]
    fn times_are_spread() {
        // A cell is 20 µs; from the middle of the first to the middle of the fourth.
        let map = heatmap(&timed("nanoseconds", &[(0, 0), (10_000, 60_000)]), 0).unwrap();
        assert_eq!(map.start, 10_000);
        let map = heatmap(&timed("nanoseconds", &[(0, 1), (10_000, 60_000)]), 0).unwrap();
        assert_eq!(
            map.cells[..5],
            [10_001.0, 20_000.0, 20_000.0, 10_000.0, 0.0]
        );
        let total: f64 = map.cells.iter().sum();
        assert_eq!(total, 60_001.0);
    }

    #[test]
    fn columns_are_few_whatever_the_times_are() {
        let hour = heatmap(&timed("count", &[(0, 1), (3_600_000_000_000, 1)]), 0).unwrap();
        assert_eq!(
            (hour.column, hour.cells.len()),
            (15_000_000_000, 241 * ROWS)
        );
        let ever = heatmap(&timed("count", &[(i64::MIN, 1), (i64::MAX, 1)]), 0).unwrap();
        assert!(ever.cells.len() <= 301 * ROWS);
        assert_eq!(ever.cells.iter().sum::<f64>(), 2.0);
        let long = heatmap(&timed("days", &[(i64::MIN, i64::MAX), (0, 1)]), 0).unwrap();
        assert!(long.cells.iter().all(|cell| cell.is_finite()));
        assert!(heatmap(&timed("count", &[(0, -1)]), 0).is_none());
        assert!(heatmap(&crate::testing::profile("a 1"), 0).is_none());
    }
}
