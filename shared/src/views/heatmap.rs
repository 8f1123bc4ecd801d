//! A heatmap: how much of a profile there is at each moment. Columns are spans of time from left to
//! right, and a column's cells divide it from top to bottom, so that what repeats within a second
//! is seen.

use crate::model::id::{LabelSetId, LocationId};
use crate::model::profile::{LabelValue, Profile};
use crate::verbs::nanos_a_unit;

/// Cells of a column.
pub const ROWS: usize = 50;

/// Most columns.
const MAX_COLUMNS: i64 = 300;

/// Nanoseconds that a column may last: steps that people know, up to a day.
const STEPS: [i64; 15] = [
    1_000,
    10_000,
    100_000,
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
    /// Whether there are idle samples at all.
    pub has_idle: bool,
}

/// What becomes of samples in which nothing ran. They fill a profile evenly, so that what ran is
/// hardly seen beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// They count as all others.
    Counted,
    /// They have their place in time and no value.
    LeftOut,
}

/// The heatmap of a value column; `None` where samples have no times, or none has a value. A value
/// that is a time is spread over the cells that it lasts through. Negative values are left out.
/// When it begins and ends does not depend on what is idle. Time and memory are linear in samples
/// and cells.
pub fn heatmap(profile: &Profile, sample_type: usize, idle: Idle) -> Option<Heatmap> {
    let samples = &profile.samples;
    let times = samples.times.as_ref()?;
    let factor = nanos_a_unit(profile, sample_type);
    let rows = (0..).zip(times.iter().zip(samples.values.get(sample_type)?));
    let rows = rows
        .filter(|(_, (_, value))| **value > 0)
        .map(|(row, (&time, &value))| {
            let length = factor.map_or(0, |factor| value.saturating_mul(factor));
            (time, time.saturating_add(length), value, row)
        });
    let start = rows.clone().map(|(time, ..)| time).min()?;
    let end = rows.clone().map(|(_, end, ..)| end).max()?;
    let length = end.saturating_sub(start).saturating_add(1);
    let column = STEPS
        .into_iter()
        .find(|&step| div_ceil(length, step) <= MAX_COLUMNS)
        .unwrap_or_else(|| div_ceil(length, MAX_COLUMNS));
    let columns = div_ceil(length, column) as usize;
    let mut spread = Spread::new(columns * ROWS);
    let cell = column as f64 / ROWS as f64;
    let idle_samples = IdleSamples::of(profile);
    let mut has_idle = false;
    for (time, end, value, row) in rows {
        let is_idle = idle_samples.contain(profile, row);
        has_idle |= is_idle;
        if is_idle && idle == Idle::LeftOut {
            continue;
        }
        let place = |time: i64| time.saturating_sub(start) as f64 / cell;
        spread.add(place(time), place(end), value as f64);
    }
    Some(Heatmap {
        start,
        end,
        column,
        cells: spread.finish(),
        has_idle,
    })
}

/// Which samples say that nothing ran: by the function `(idle)` of V8 at the leaf, or by a label,
/// `category` of Firefox or `state` of Python and Go.
struct IdleSamples {
    /// By location: its innermost function is called so.
    locations: Vec<bool>,
    /// By set of labels.
    sets: Vec<bool>,
}

impl IdleSamples {
    fn of(profile: &Profile) -> Self {
        let leaf = |id: LocationId| profile.lines(id).first().and_then(|line| line.function);
        let locations = profile.location_ids().map(|id| {
            leaf(id).is_some_and(|f| profile.text(profile.functions[f.index()].name) == "(idle)")
        });
        let says_so = |set: LabelSetId| {
            profile.label_sets.get(set).iter().any(|label| {
                let LabelValue::Text(text) = label.value else {
                    return false;
                };
                let label = (profile.text(label.key), profile.text(text));
                matches!(label, ("category", "Idle") | ("state", "idle"))
            })
        };
        Self {
            locations: locations.collect(),
            sets: profile.label_sets.ids().map(says_so).collect(),
        }
    }

    fn contain(&self, profile: &Profile, row: usize) -> bool {
        let samples = &profile.samples;
        let by_leaf = samples.stacks[row].is_some_and(|stack| {
            let leaf = profile.stacks[stack.index()].location;
            self.locations[leaf.index()]
        });
        by_leaf || samples.labels[row].is_some_and(|set| self.sets[set.index()])
    }
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
    use crate::{Label, Profile, ProfileBuilder};

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
        let map = heatmap(
            &timed("count", &[(0, 2), (250_000, 1), (299_999_999, 4)]),
            0,
            Idle::Counted,
        )
        .unwrap();
        assert_eq!((map.column, map.cells.len()), (1_000_000, 300 * ROWS));
        let filled: Vec<(usize, f64)> = (0..).zip(map.cells).filter(|c| c.1 > 0.0).collect();
        assert_eq!(filled, [(0, 2.0), (12, 1.0), (14_999, 4.0)]);
    }

    #[test]
    fn times_are_spread() {
        // A cell is 20 ns; from the middle of the first to the middle of the fourth.
        let map = heatmap(&timed("nanoseconds", &[(0, 0), (10, 60)]), 0, Idle::Counted).unwrap();
        assert_eq!(map.start, 10);
        let map = heatmap(&timed("nanoseconds", &[(0, 1), (10, 60)]), 0, Idle::Counted).unwrap();
        assert_eq!(map.column, 1_000);
        assert_eq!(map.cells[..5], [11.0, 20.0, 20.0, 10.0, 0.0]);
        let total: f64 = map.cells.iter().sum();
        assert_eq!(total, 61.0);
    }

    #[test]
    fn columns_are_few_whatever_the_times_are() {
        let short = heatmap(&timed("count", &[(0, 1), (45_000, 1)]), 0, Idle::Counted).unwrap();
        assert_eq!((short.column, short.cells.len()), (1_000, 46 * ROWS));
        let hour = heatmap(
            &timed("count", &[(0, 1), (3_600_000_000_000, 1)]),
            0,
            Idle::Counted,
        )
        .unwrap();
        assert_eq!(
            (hour.column, hour.cells.len()),
            (15_000_000_000, 241 * ROWS)
        );
        let ever = heatmap(
            &timed("count", &[(i64::MIN, 1), (i64::MAX, 1)]),
            0,
            Idle::Counted,
        )
        .unwrap();
        assert!(ever.cells.len() <= 301 * ROWS);
        assert_eq!(ever.cells.iter().sum::<f64>(), 2.0);
        let long = heatmap(
            &timed("days", &[(i64::MIN, i64::MAX), (0, 1)]),
            0,
            Idle::Counted,
        )
        .unwrap();
        assert!(long.cells.iter().all(|cell| cell.is_finite()));
        assert!(heatmap(&timed("count", &[(0, -1)]), 0, Idle::Counted).is_none());
        assert!(heatmap(&crate::testing::profile("a 1"), 0, Idle::Counted).is_none());
    }

    #[test]
    fn idle_samples_are_told_and_left_out() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "count");
        let [main, idle, called] = [&["main"][..], &["main", "(idle)"], &["(idle)", "main"]]
            .map(|names| builder.named_stack(names));
        let mut label = |key: &str, text: &str| {
            let (key, text) = (builder.string(key), builder.string(text));
            let value = LabelValue::Text(text);
            builder.label_set(&mut [Label { key, value }])
        };
        let (category, state) = (label("category", "Idle"), label("state", "idle"));
        let other = label("name", "idle");
        let samples = [
            (0, idle, None),
            (1, main, category),
            (2, called, None),
            (3, main, other),
            (4, main, state),
        ];
        for (i, (time, stack, labels)) in samples.into_iter().enumerate() {
            builder.sample_at(time * 1_000_000, stack, labels, &[1 << i]);
        }
        let profile = builder.finish();
        let total = |idle| {
            let map = heatmap(&profile, 0, idle).unwrap();
            assert!(map.has_idle);
            assert_eq!(
                (map.start, map.end, map.cells.len()),
                (0, 4_000_000, 41 * ROWS)
            );
            map.cells.iter().sum::<f64>()
        };
        assert_eq!((total(Idle::Counted), total(Idle::LeftOut)), (31.0, 12.0));
        let busy = heatmap(&timed("count", &[(0, 1)]), 0, Idle::LeftOut).unwrap();
        assert!(!busy.has_idle);
    }
}
