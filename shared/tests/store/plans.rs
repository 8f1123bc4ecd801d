//! Queries over random histories against a fold over a map, before and after compaction.

use pilotlight_core::plans::{PlanError, QueryPlan, StepSums, Steps, label_values, series};
use pilotlight_core::store::{ChunkId, Series, SeriesRows, encode_chunk};
use pilotlight_core::{ProfileBuilder, Selector, TimeRange, UnixNanos};
use proptest::prelude::*;

use crate::support::{Bucket, Push, expected, labels, profile_type, push, said};

const SELECTORS: &[&str] = &[
    "",
    r#"{service_name="a"}"#,
    r#"{region=~"eu|"}"#,
    r#"{service_name="b",region!="us"}"#,
    r#"{x="y"}"#,
];

fn ranges() -> impl Strategy<Value = TimeRange> {
    let minute = 60_000_000_000i64;
    let some = (0i64..60, 0i64..60).prop_map(move |(a, b)| (a.min(b) * minute, a.max(b) * minute));
    let some = some.prop_map(|(a, b)| TimeRange::of_nanos(a, b));
    prop_oneof![Just(TimeRange::ALL), some]
}

fn types() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("process_cpu", "cpu"),
        ("memory", "alloc_space"),
        ("memory", "inuse_space"),
    ])
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

/// A push of `value` at this minute, both by its own time and by arrival.
fn minute(id: u8, minute: i64, service: &'static str, value: i64) -> Push {
    Push {
        id,
        arrival_millis: minute * 60_000,
        time: minute * 60_000_000_000,
        family: "process_cpu",
        labels: vec![("service_name", service), ("region", "eu")],
        types: vec![("cpu", vec![(vec!["main"], value)])],
    }
}

fn minutes(from: i64, until: i64) -> TimeRange {
    TimeRange::of_nanos(from * 60_000_000_000, until * 60_000_000_000)
}

#[test]
fn a_retry_counts_once_wherever_its_first_try_is() {
    let pushes = [
        minute(1, 0, "a", 1),
        minute(1, 10, "a", 10),
        minute(1, 11, "a", 100),
        minute(2, 11, "a", 1000),
    ];
    let cpu = profile_type("process_cpu", "cpu");
    let check = |bucket: &Bucket| {
        let answer = bucket.query("", &cpu, TimeRange::ALL).unwrap();
        assert_eq!((answer.profile.total(0), answer.profiles), (1101, 3));
    };
    let mut bucket = Bucket::filled(&pushes);
    check(&bucket);
    // The first try is in a block, the second in a segment; then each in a block of its own.
    bucket.compact(|at| at == 0);
    check(&bucket);
    bucket.compact(|at| at == 0);
    check(&bucket);
    bucket.compact(|_| true);
    check(&bucket);
    let all_at_once = &mut Bucket::filled(&pushes);
    all_at_once.compact(|_| true);
    check(all_at_once);
}

/// Three profiles of 70,000 functions, of which each partitions half with the next: more than a
/// page and more than a table.
#[test]
fn large_datasets_are_split_and_stay_exact() {
    let cpu = profile_type("process_cpu", "cpu");
    let mut bucket = Bucket::default();
    for i in 0..3 {
        let mut builder = ProfileBuilder::new();
        let names = (i * 35_000..i * 35_000 + 70_000).map(|n| format!("function {n}"));
        let rows: Vec<_> = names
            .enumerate()
            .map(|(at, name)| (builder.named_stack(&[&name]), at as i64 + 1))
            .collect();
        let series = Series {
            labels: labels(&[("service_name", "a")]),
            profile_type: cpu.clone(),
            time: UnixNanos(i),
            ..Series::default()
        };
        let chunk = encode_chunk(
            ChunkId([i as u8; 16]),
            builder.profile(),
            &[SeriesRows {
                series,
                rows,
                links: Vec::new(),
            }],
        )
        .unwrap();
        bucket.put_segment(i, &[chunk]);
    }
    let before = bucket.query("", &cpu, TimeRange::ALL).unwrap();
    assert_eq!(
        (before.profile.len(), before.profile.total(0)),
        (140_000, 3 * 70_000 * 70_001 / 2)
    );
    bucket.compact(|_| true);
    let datasets = bucket.catalog[0].directory.datasets();
    assert!(datasets.len() > 1, "tables are split");
    assert!(
        datasets.iter().map(|d| d.pages.len()).sum::<usize>() > 2,
        "rows are split"
    );
    let after = bucket.query("", &cpu, TimeRange::ALL).unwrap();
    assert_eq!((after.profile, after.profiles), (before.profile, 3));
    // Pages are chosen by time.
    let first = bucket.query("", &cpu, TimeRange::of_nanos(0, 1)).unwrap();
    assert_eq!((first.profile.len(), first.profiles), (70_000, 1));
    assert!(first.bytes < after.bytes);
}

#[test]
fn only_what_is_needed_is_read() {
    let mut bucket = Bucket::filled(&[
        minute(1, 0, "a", 1),
        minute(2, 5, "b", 2),
        minute(3, 9, "a", 4),
    ]);
    let cpu = profile_type("process_cpu", "cpu");
    let check = |bucket: &Bucket, selector: &str, range: TimeRange, total: i128, objects: u64| {
        let answer = bucket.query(selector, &cpu, range).unwrap();
        assert_eq!(
            if answer.profiles > 0 {
                answer.profile.total(0)
            } else {
                0
            },
            total
        );
        assert_eq!(answer.objects, objects);
        assert_eq!(answer.bytes > 0, objects > 0);
    };
    check(&bucket, "", minutes(0, 10), 7, 3);
    check(&bucket, "", minutes(0, 9), 3, 2);
    check(&bucket, r#"{service_name="b"}"#, minutes(0, 10), 2, 1);
    check(&bucket, r#"{service_name="c"}"#, minutes(0, 10), 0, 0);
    check(
        &bucket,
        "memory:alloc_space:count:cpu:nanoseconds{}",
        minutes(0, 10),
        0,
        0,
    );
    let cost = |bucket: &Bucket, selector: &str| {
        let selector = Selector::parse(selector).unwrap();
        let plan = QueryPlan::new(&selector, &cpu, minutes(0, 9), &bucket.catalog);
        let cost = plan.unwrap().cost();
        (cost.profiles, cost.symbol_bytes > 0)
    };
    assert_eq!(cost(&bucket, ""), (2, false));
    bucket.compact(|_| true);
    check(&bucket, "", minutes(0, 10), 7, 1);
    check(&bucket, r#"{service_name="b"}"#, minutes(0, 10), 2, 1);
    assert_eq!(cost(&bucket, ""), (3, true), "all of a dataset");
    assert_eq!(cost(&bucket, r#"{service_name="b"}"#), (1, true));
    check(&bucket, "", minutes(5, 6), 2, 1);
    check(&bucket, "", minutes(10, 20), 0, 0);
    assert_eq!(
        bucket
            .query("", &profile_type("memory", "alloc_space"), TimeRange::ALL)
            .unwrap()
            .bytes,
        0
    );
}

#[test]
fn directories_know_series_and_labels() {
    let mut bucket = Bucket::filled(&[minute(1, 0, "a", 1), minute(2, 5, "b", 2)]);
    for _ in 0..2 {
        let found = |range| {
            let found = series(&bucket.catalog, range).into_iter();
            let names = found.map(|(labels, of_type)| {
                assert_eq!(of_type, &profile_type("process_cpu", "cpu"));
                labels.get("service_name").expect("both have one")
            });
            names.collect::<Vec<_>>()
        };
        assert_eq!(found(TimeRange::ALL), ["a", "b"]);
        assert_eq!(found(minutes(1, 6)), ["b"]);
        let shown = |selector: &str| {
            let labels = label_values(
                &bucket.catalog,
                &Selector::parse(selector).unwrap(),
                None,
                TimeRange::ALL,
            );
            format!("{labels:?}")
        };
        assert_eq!(
            shown(""),
            r#"{"region": {"eu"}, "service_name": {"a", "b"}}"#
        );
        assert_eq!(
            shown(r#"{service_name="b"}"#),
            r#"{"region": {"eu"}, "service_name": {"b"}}"#
        );
        assert_eq!(shown(r#"{region="us"}"#), "{}");
        bucket.compact(|_| true);
    }
}

#[test]
fn timelines_have_buckets() {
    let bucket = Bucket::filled(&[
        minute(1, 0, "a", 1),
        minute(2, 5, "a", 2),
        minute(3, 9, "a", 4),
    ]);
    let timeline = bucket.timeline("", None, minutes(0, 10));
    assert_eq!((timeline.series.len(), timeline.bytes), (1, 0));
    let buckets = |range, count| {
        let steps = Steps {
            range,
            count,
            window: None,
        };
        StepSums::of(&timeline.all(), steps).values
    };
    assert_eq!(buckets(minutes(0, 10), 2), [1, 6]);
    assert_eq!(buckets(minutes(0, 10), 10), [1, 0, 0, 0, 0, 2, 0, 0, 0, 4]);
    assert_eq!(buckets(minutes(4, 4), 2), [0, 0]);
}

#[test]
fn sums_beyond_64_bits_are_cut_and_reported() {
    let mut bucket = Bucket::filled(&[minute(1, 0, "a", i64::MAX), minute(2, 0, "a", 1)]);
    for _ in 0..2 {
        let answer = bucket
            .query("", &profile_type("process_cpu", "cpu"), TimeRange::ALL)
            .unwrap();
        assert!(answer.saturated);
        assert_eq!(answer.profile.total(0), i128::from(i64::MAX));
        bucket.compact(|_| true);
    }
}

#[test]
fn a_plan_is_not_finished_before_its_reads() {
    let bucket = Bucket::filled(&[minute(1, 0, "a", 1)]);
    let none = Selector::default();
    let plan = pilotlight_core::plans::QueryPlan::new(
        &none,
        &profile_type("process_cpu", "cpu"),
        TimeRange::ALL,
        &bucket.catalog,
    );
    assert_eq!(
        plan.unwrap().finish().map(drop),
        Err(PlanError::Unfinished(1))
    );
    assert_eq!(
        bucket.try_compact(1, Vec::new()).map(drop),
        Err(PlanError::NoSources)
    );
}
