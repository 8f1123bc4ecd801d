//! Which samples stay, by when they were taken.

use crate::model::profile::{Profile, Samples};
use crate::verbs::rewrite::with_samples;
use crate::verbs::text::unit::{Dimension, Unit};

/// What is between two points in time, the second excluded; `None` where samples have no times.
///
/// A sample starts at its time. A value that is a time lasts as long as it says, and only what of
/// it is in between counts; other values count with the start of their sample.
///
/// Law: the totals of `within(a, b)` and `within(b, c)` add up to that of `within(a, c)`, but for
/// parts of a unit at `b`, which are rounded.
pub fn within(profile: &Profile, from: i64, until: i64) -> Option<Profile> {
    let all = &profile.samples;
    let times = all.times.as_ref()?;
    let factors: Vec<Option<i64>> = (0..all.values.len())
        .map(|column| nanos_a_unit(profile, column))
        .collect();
    let mut chosen = Samples {
        values: vec![Vec::new(); all.values.len()],
        times: Some(Vec::new()),
        ..Samples::default()
    };
    let mut values = vec![0; factors.len()];
    for (row, &time) in times.iter().enumerate() {
        for ((value, column), factor) in values.iter_mut().zip(&all.values).zip(&factors) {
            *value = match factor {
                Some(factor) => part(time, column[row], *factor, from, until),
                None if (from..until).contains(&time) => column[row],
                None => 0,
            };
        }
        if values.iter().all(|&value| value == 0) {
            continue;
        }
        chosen.stacks.push(all.stacks[row]);
        chosen.labels.push(all.labels[row]);
        for (column, &value) in chosen.values.iter_mut().zip(&values) {
            column.push(value);
        }
        if let Some(times) = &mut chosen.times {
            times.push(time.max(from));
        }
    }
    Some(with_samples(profile, chosen))
}

/// How many nanoseconds a value of a column stands for; `None` where it is no time.
pub(crate) fn nanos_a_unit(profile: &Profile, column: usize) -> Option<i64> {
    let (_, unit) = profile.type_text(*profile.sample_types.get(column)?);
    let unit = Unit::parse(unit).filter(|unit| unit.dimension == Dimension::Time)?;
    i64::try_from(unit.factor).ok()
}

/// What of a value that lasts from `time` on is between two points.
fn part(time: i64, value: i64, factor: i64, from: i64, until: i64) -> i64 {
    let end = time.saturating_add(value.saturating_mul(factor).max(0));
    let length = end.min(until).saturating_sub(time.max(from));
    match length {
        ..=0 => 0,
        _ if time >= from && end <= until => value,
        _ => (length + factor / 2) / factor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProfileBuilder;

    #[test]
    fn what_reaches_over_an_edge_is_cut() {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "microseconds");
        builder.sample_type("samples", "count");
        let stack = builder.named_stack(&["main"]);
        for (time, values) in [(0, [10, 1]), (10_000, [10, 1]), (20_000, [10, 1])] {
            builder.sample_at(time, stack, None, &values);
        }
        let profile = builder.finish();
        let check = |from, until, expect: (Vec<i64>, [i128; 2])| {
            let part = within(&profile, from, until).unwrap();
            let times = part.samples.times.clone().unwrap();
            assert_eq!((times, [part.total(0), part.total(1)]), expect);
        };
        check(5_000, 25_000, (vec![5_000, 10_000, 20_000], [20, 2]));
        check(10_000, 20_000, (vec![10_000], [10, 1]));
        check(i64::MIN, i64::MAX, (vec![0, 10_000, 20_000], [30, 3]));
        check(40_000, 50_000, (vec![], [0, 0]));
        check(9, 3, (vec![], [0, 0]));
        assert!(within(&crate::testing::profile("a 1"), 0, 1).is_none());
    }
}
