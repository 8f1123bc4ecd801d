//! Blocks of every level against a fold over the pushes: sums of windows must give what the
//! profiles gave.

mod days;

use std::collections::BTreeMap;

use pilotlight_core::plans::{Grouping, MAX_PARTITION_BYTES, QueryAnswer, Timeline};
use pilotlight_core::store::{Level, SumWindow};
use pilotlight_core::{ProfileType, Selector, TimeRange, UnixNanos};
use proptest::prelude::*;

use crate::support::{Bucket, Push, expected, labels, profile_type, rows, said};

pub(crate) const SELECTORS: &[&str] = &[
    "",
    r#"{service_name="a"}"#,
    r#"{region="eu"}"#,
    r#"{service_name="b",region=~"us|"}"#,
];

/// Starts of a minute, an hour and a day, before the epoch and after it.
fn edges() -> impl Strategy<Value = i64> {
    let (minute, hour, day) = (
        SumWindow::Minute.nanos(),
        SumWindow::Hour.nanos(),
        SumWindow::Day.nanos(),
    );
    prop::sample::select(vec![
        0,
        minute,
        2 * minute,
        hour,
        2 * hour,
        day,
        day + minute,
        day + hour,
        -day,
        -minute,
    ])
}

/// Times of profiles, most of them in the same few minutes.
fn times() -> impl Strategy<Value = i64> {
    let second = 1_000_000_000;
    (
        edges(),
        prop::sample::select(vec![
            -second,
            -1,
            0,
            1,
            7 * second,
            30 * second,
            60 * second - 1,
        ]),
    )
        .prop_map(|(edge, more)| edge + more)
}

pub(crate) fn ranges() -> impl Strategy<Value = TimeRange> {
    let end = || prop_oneof![4 => edges(), 4 => times(), 1 => Just(i64::MIN), 1 => Just(i64::MAX)];
    (end(), end()).prop_map(|(a, b)| TimeRange::of_nanos(a.min(b), a.max(b)))
}

/// Pushes that all count, one minute of arrival after the other.
pub(crate) fn pushes() -> impl Strategy<Value = Vec<Push>> {
    let types = prop_oneof![
        3 => rows().prop_map(|r| ("process_cpu", vec![("cpu", r)])),
        1 => (rows(), rows()).prop_map(|(a, b)| ("memory", vec![("alloc_space", a), ("inuse_space", b)])),
    ];
    let service = prop::sample::select(vec!["a", "a", "a", "b"]);
    let one = (
        times(),
        types,
        service,
        prop::sample::select(vec!["eu", "eu", "us", ""]),
    );
    prop::collection::vec(one, 0..40).prop_map(|all| {
        let push =
            |(i, (time, (family, types), service, region)): (usize, (_, _, _, &'static str))| {
                let mut labels = vec![("service_name", service)];
                if !region.is_empty() {
                    labels.push(("region", region));
                }
                Push {
                    id: i as u8,
                    arrival_millis: i as i64 * 60_000,
                    time,
                    family,
                    labels,
                    types,
                }
            };
        all.into_iter().enumerate().map(push).collect()
    })
}

/// Compacts at random: each step makes a block of a level out of some of the objects that there
/// are.
pub(crate) fn compact(bucket: &mut Bucket, steps: &[(u8, u64)]) {
    for &(level, some) in steps {
        let summarized: Vec<String> = summarized(bucket);
        // Blocks of level 1 also become larger ones.
        let sources = match level {
            3 => 1..=2,
            1 if some % 5 == 1 => 1..=1,
            _ => level - 1..=level - 1,
        };
        let able = |at: &usize| {
            let object = &bucket.catalog[*at];
            sources.contains(&object.level.number())
                && !summarized.contains(&object.key)
                && some >> (at % 64) & 1 == 1
        };
        let chosen: Vec<usize> = (0..bucket.catalog.len()).filter(able).collect();
        bucket.compact_to(level, &chosen);
    }
}

pub(crate) fn summarized(bucket: &Bucket) -> Vec<String> {
    bucket
        .catalog
        .iter()
        .filter_map(|object| object.directory.block())
        .flat_map(|block| block.summarizes.clone())
        .collect()
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<(u8, u64)>> {
    let most = prop_oneof![Just(u64::MAX), any::<u64>()];
    prop_oneof![
        prop::collection::vec((1u8..=3, most), 0..10),
        Just(vec![(1, u64::MAX), (2, u64::MAX), (3, u64::MAX)]),
        Just(vec![
            (1, 0xffff),
            (2, u64::MAX),
            (1, u64::MAX),
            (3, u64::MAX)
        ]),
    ]
}

/// How jobs are divided: each family and source for itself, some together, all together.
pub(crate) fn partition_bytes() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![0, 400, 1_000, MAX_PARTITION_BYTES])
}

/// Everything that a query says, from the pushes alone.
fn check_query(
    answer: &QueryAnswer,
    pushes: &[Push],
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
) {
    let (map, profiles) = expected(pushes, selector, of_type, range);
    assert_eq!(said(&answer.profile), map);
    assert_eq!(
        (answer.profiles, answer.rounded, answer.saturated),
        (profiles, false, false)
    );
    let parsed = Selector::parse(selector).unwrap();
    let selected = pushes.iter().filter(|push| {
        let own = push
            .types
            .iter()
            .any(|(sample_type, _)| profile_type(push.family, sample_type) == *of_type);
        own && range.contains(UnixNanos(push.time))
            && parsed.matches(of_type, &labels(&push.labels))
    });
    let selected: Vec<&Push> = selected.collect();
    let header = answer.profile.header();
    let time = selected
        .iter()
        .map(|push| push.time)
        .filter(|&time| time != 0)
        .min()
        .unwrap_or(0);
    let duration = selected.iter().map(|push| push.duration()).sum::<i64>();
    let period = selected.iter().map(|push| push.period()).max().unwrap_or(0);
    assert_eq!(
        (header.time_nanos, header.duration_nanos, header.period),
        (time, duration, period)
    );
}

type Buckets = BTreeMap<(String, String, i64), (i128, u64)>;

/// Totals and numbers of profiles by series and window; without one, by time.
fn grouped(timeline: &Timeline, window: Option<SumWindow>) -> Buckets {
    let mut found = Buckets::new();
    for series in &timeline.series {
        for point in &series.points {
            let at = window.map_or(point.time.0, |window| window.index(point.time));
            let sum = found
                .entry((
                    series.profile_type.to_string(),
                    format!("{:?}", series.labels),
                    at,
                ))
                .or_default();
            *sum = (sum.0 + i128::from(point.total), sum.1 + point.profiles);
        }
    }
    found
}

/// The same by service.
fn services(timeline: &Timeline, window: Option<SumWindow>) -> Buckets {
    let mut found = Buckets::new();
    for series in &timeline.series {
        let one = Timeline {
            series: vec![series.clone()],
            ..Timeline::default()
        };
        for ((of_type, _, at), (total, profiles)) in grouped(&one, window) {
            let service = series
                .labels
                .get("service_name")
                .unwrap_or_default()
                .to_owned();
            let sum = found.entry((of_type, service, at)).or_default();
            *sum = (sum.0 + total, sum.1 + profiles);
        }
    }
    found
}

fn check_timeline(
    timeline: &Timeline,
    pushes: &[Push],
    selector: &str,
    range: TimeRange,
    window: Option<SumWindow>,
) {
    let selector = Selector::parse(selector).unwrap();
    let mut expect = Buckets::new();
    for push in pushes
        .iter()
        .filter(|push| range.contains(UnixNanos(push.time)))
    {
        for (sample_type, rows) in &push.types {
            let (of_type, labels) = (profile_type(push.family, sample_type), labels(&push.labels));
            if selector.matches(&of_type, &labels) {
                let at = window.map_or(push.time, |window| window.index(UnixNanos(push.time)));
                let sum = expect
                    .entry((of_type.to_string(), format!("{labels:?}"), at))
                    .or_default();
                *sum = (
                    sum.0 + rows.iter().map(|row| i128::from(row.1)).sum::<i128>(),
                    sum.1 + 1,
                );
            }
        }
    }
    assert_eq!(grouped(timeline, window), expect);
    assert!(!timeline.rounded);
    assert!(
        timeline
            .series
            .iter()
            .flat_map(|s| &s.points)
            .all(|point| range.contains(point.time))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn every_level_gives_what_the_profiles_gave(
        pushes in pushes(),
        steps in steps(),
        selector in prop::sample::select(SELECTORS),
        sample_type in prop::sample::select(vec![("process_cpu", "cpu"), ("memory", "inuse_space")]),
        all in prop::collection::vec(ranges(), 4),
        window in prop::sample::select(vec![None, Some(SumWindow::Minute), Some(SumWindow::Hour), Some(SumWindow::Day)]),
        partition_bytes in partition_bytes(),
    ) {
        let mut bucket = Bucket { partition_bytes, ..Bucket::filled(&pushes) };
        compact(&mut bucket, &steps);
        let of_type = profile_type(sample_type.0, sample_type.1);
        for range in all {
            check_query(&bucket.query(selector, &of_type, range).unwrap(), &pushes, selector, &of_type, range);
            let timeline = bucket.try_timeline(selector, None, range, window).unwrap();
            check_timeline(&timeline, &pushes, selector, range, window);
            let by_service = bucket.grouped_timeline(selector, None, range, window, Grouping::Service).unwrap();
            prop_assert_eq!(services(&by_service, window), services(&timeline, window));
        }
    }

    /// Once the profiles are deleted, adjacent ranges still add up, and ranges of whole days are
    /// exact.
    #[test]
    fn sums_alone_round_at_the_edges(
        pushes in pushes(),
        parts in prop::sample::select(vec![u64::MAX, 0xff, 0x5555_5555_5555_5555]),
        selector in prop::sample::select(SELECTORS),
        range in ranges(),
        cut in times(),
        partition_bytes in partition_bytes(),
    ) {
        let mut bucket = Bucket { partition_bytes, ..Bucket::filled(&pushes) };
        compact(&mut bucket, &[(1, parts), (1, u64::MAX), (3, parts), (3, u64::MAX)]);
        bucket.delete(&summarized(&bucket));
        bucket.catalog.iter_mut().for_each(|object| object.directory.drop_lineage());
        assert!(bucket.catalog.iter().all(|object| object.level == Level::Day));

        let of_type = profile_type("process_cpu", "cpu");
        let days = SumWindow::Day.rounded(range);
        check_query(&bucket.query(selector, &of_type, days).unwrap(), &pushes, selector, &of_type, days);
        let hours = SumWindow::Hour.rounded(range);
        let timeline = bucket.try_timeline(selector, None, hours, Some(SumWindow::Hour)).unwrap();
        check_timeline(&timeline, &pushes, selector, hours, Some(SumWindow::Hour));

        let whole = bucket.query(selector, &of_type, TimeRange::ALL).unwrap();
        let halves = [
            bucket.query(selector, &of_type, TimeRange { until: UnixNanos(cut), ..TimeRange::ALL }).unwrap(),
            bucket.query(selector, &of_type, TimeRange { from: UnixNanos(cut), ..TimeRange::ALL }).unwrap(),
        ];
        prop_assert_eq!(halves[0].profiles + halves[1].profiles, whole.profiles);
        let total = |answer: &QueryAnswer| said(&answer.profile).values().map(|&v| i128::from(v)).sum::<i128>();
        prop_assert_eq!(total(&halves[0]) + total(&halves[1]), total(&whole));
        let exact = expected(&pushes, selector, &of_type, TimeRange { until: UnixNanos(cut), ..TimeRange::ALL }).1;
        prop_assert!(halves[0].profiles == exact || halves[0].rounded);
    }
}
