//! `{"services":[{"name","types":[{"id","total","points","previous"}]}]}`

use std::collections::BTreeMap;

use pilotlight_core::{
    ProfileType, SERVICE_NAME, TimeRange, UnixNanos,
    plans::{Steps, Timeline, TimelineSeries},
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
    total: i128,
    points: Vec<i128>,
    previous: i128,
}

/// The range of equal length before one.
pub(super) fn before(range: TimeRange) -> TimeRange {
    TimeRange { from: UnixNanos(range.from.0.saturating_sub(range.nanos())), until: range.from }
}

/// Sums timelines over a range and over the one [`before`] it by service and type.
pub(super) fn answer(now: &Timeline, before: &Timeline, steps: Steps) -> Services {
    let mut sums: BTreeMap<&str, BTreeMap<&ProfileType, Sums>> = BTreeMap::new();
    for series in &now.series {
        let sums = sums.entry(service(series)).or_default().entry(&series.profile_type).or_default();
        sums.points.resize(steps.count, 0);
        sums.points.iter_mut().zip(series.buckets(steps.range, steps.count)).for_each(|(sum, value)| *sum += value);
        sums.total += series.total();
    }
    for series in &before.series {
        // What is there no more is not told.
        let sums = sums.get_mut(service(series)).and_then(|types| types.get_mut(&series.profile_type));
        sums.into_iter().for_each(|sums| sums.previous += series.total());
    }
    let services = sums.into_iter().map(|(name, types)| Service {
        name: name.to_owned(),
        types: types.into_iter().map(|(id, sums)| sums.named(id)).collect(),
    });
    Services { services: services.collect() }
}

fn service(series: &TimelineSeries) -> &str {
    series.labels.get(SERVICE_NAME).unwrap_or("")
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
        let before = timeline(&[("b:x:count::", "app{region=eu}", &[(5, 100)]), ("a:y:count::", "gone", &[(5, 16)])]);
        let now = timeline(&[
            ("b:x:count::", "app{region=eu}", &[(10, 1), (19, 2)]),
            ("b:x:count::", "app{region=us}", &[(15, 4)]),
            ("a:y:count::", "app", &[(12, 8)]),
        ]);
        let range = TimeRange { from: UnixNanos(10), until: UnixNanos(20) };
        assert_eq!(super::before(range), TimeRange { from: UnixNanos(0), until: UnixNanos(10) });
        let found = serde_json::to_value(answer(&now, &before, Steps::of(range, 2))).unwrap();
        let expect = serde_json::json!({"services": [{"name": "app", "types": [
            {"id": "a:y:count::", "total": "8", "points": [8, 0], "previous": "0"},
            {"id": "b:x:count::", "total": "7", "points": [1, 6], "previous": "100"},
        ]}]});
        assert_eq!(found, expect);
    }
}
