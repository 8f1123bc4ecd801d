//! `{"services":[{"name","types":[{"id","total","points","previous"}]}]}`

use std::collections::BTreeMap;

use pilotlight_core::{
    ProfileType, SERVICE_NAME, TimeRange, UnixNanos,
    plans::{Point, Timeline},
};
use serde::Serialize;

/// Services that have profiles in a range.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Services {
    services: Vec<Service>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Service {
    name: String,
    types: Vec<Type>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Type {
    id: String,
    /// Exact, as text: JavaScript's numbers end at 2^53.
    total: String,
    /// Sums of equal parts of the range.
    points: Vec<i128>,
    /// Total of the range of equal length before.
    previous: String,
}

#[derive(Default)]
struct Sums {
    profiles: usize,
    total: i128,
    points: Vec<i128>,
    previous: i128,
}

/// The range together with the one of equal length before it.
pub(super) fn with_previous(range: TimeRange) -> TimeRange {
    TimeRange { from: UnixNanos(range.from.0.saturating_sub(range.nanos())), until: range.until }
}

/// Sums a timeline over `with_previous(range)` by service and type.
pub(super) fn answer(timeline: &Timeline, range: TimeRange, points: usize) -> Services {
    let mut sums: BTreeMap<&str, BTreeMap<&ProfileType, Sums>> = BTreeMap::new();
    for series in &timeline.series {
        let name = series.labels.get(SERVICE_NAME).unwrap_or("");
        let sums = sums.entry(name).or_default().entry(&series.profile_type).or_default();
        sums.points.resize(points, 0);
        sums.points.iter_mut().zip(series.buckets(range, points)).for_each(|(sum, value)| *sum += value);
        for &Point { time, total, profiles } in &series.points {
            if range.contains(time) {
                sums.profiles += profiles as usize;
                sums.total += i128::from(total);
            } else {
                sums.previous += i128::from(total);
            }
        }
    }
    let services = sums.into_iter().filter_map(|(name, types)| {
        let types = types.into_iter().filter(|(_, sums)| sums.profiles > 0);
        let types: Vec<Type> = types.map(|(id, sums)| sums.named(id)).collect();
        (!types.is_empty()).then(|| Service { name: name.to_owned(), types })
    });
    Services { services: services.collect() }
}

impl Sums {
    fn named(self, id: &ProfileType) -> Type {
        let Self { total, points, previous, .. } = self;
        Type { id: id.to_string(), total: total.to_string(), points, previous: previous.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::timeline::tests::timeline;

    #[test]
    fn sums_by_service_and_type() {
        let timeline = timeline(&[
            ("b:x:count::", "app{region=eu}", &[(5, 100), (10, 1), (19, 2)]),
            ("b:x:count::", "app{region=us}", &[(15, 4)]),
            ("a:y:count::", "app", &[(12, 8)]),
            ("a:y:count::", "gone", &[(5, 16)]),
        ]);
        let range = TimeRange { from: UnixNanos(10), until: UnixNanos(20) };
        assert_eq!(with_previous(range), TimeRange { from: UnixNanos(0), until: UnixNanos(20) });
        let found = serde_json::to_value(answer(&timeline, range, 2)).unwrap();
        let expect = serde_json::json!({"services": [{"name": "app", "types": [
            {"id": "a:y:count::", "total": "8", "points": [8, 0], "previous": "0"},
            {"id": "b:x:count::", "total": "7", "points": [1, 6], "previous": "100"},
        ]}]});
        assert_eq!(found, expect);
    }
}
