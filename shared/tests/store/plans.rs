//! Queries over random histories against a fold over a map, before and after compaction.

use proptest::prelude::*;

use crate::support::{Bucket, expected, profile_type, push, said};
use pilotlight_core::{TimeRange, UnixNanos};

const SELECTORS: &[&str] =
    &["", r#"{service_name="a"}"#, r#"{region=~"eu|"}"#, r#"{service_name="b",region!="us"}"#, r#"{x="y"}"#];

fn ranges() -> impl Strategy<Value = TimeRange> {
    let minute = 60_000_000_000i64;
    let some = (0i64..60, 0i64..60).prop_map(move |(a, b)| (a.min(b) * minute, a.max(b) * minute));
    let some = some.prop_map(|(a, b)| TimeRange { from: UnixNanos(a), until: UnixNanos(b) });
    prop_oneof![Just(TimeRange::ALL), some]
}

fn types() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![("process_cpu", "cpu"), ("memory", "alloc_space"), ("memory", "inuse_space")])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn a_query_is_exact_before_and_after_compaction(
        pushes in prop::collection::vec(push(), 0..40),
        selector in prop::sample::select(SELECTORS),
        (family, sample_type) in types(),
        range in ranges(),
        cut in 0usize..40,
    ) {
        let of_type = profile_type(family, sample_type);
        let (map, profiles) = expected(&pushes, selector, &of_type, range);
        let mut bucket = Bucket::filled(&pushes);
        let before = bucket.query(selector, &of_type, range).unwrap();
        prop_assert_eq!(&said(&before.profile), &map);
        prop_assert_eq!(before.profiles, profiles);
        prop_assert!(!before.saturated);
        let timeline = bucket.timeline(selector, Some(&of_type), range);

        // In two steps, so that blocks, segments and both together are queried.
        for step in [cut, usize::MAX] {
            bucket.compact(|at| at < step);
            let after = bucket.query(selector, &of_type, range).unwrap();
            prop_assert_eq!(&after.profile, &before.profile);
            prop_assert_eq!(after.profiles, profiles);
            let again = bucket.timeline(selector, Some(&of_type), range);
            prop_assert_eq!(&again.series, &timeline.series);
        }
        let points: usize = timeline.series.iter().map(|s| s.points.len()).sum();
        prop_assert_eq!(points as u64, profiles);
        let total: i128 = timeline.series.iter().map(|s| s.total()).sum();
        prop_assert_eq!(total, map.values().map(|&v| i128::from(v)).sum());
    }
}
