//! Pages that differ in a factor alone are stored once, and nothing is mixed up by that.

mod damage;

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::plans::CatalogObject;
use pilotlight_core::store::{
    ChunkId, Dataset, PageEntry, Part, Series, SeriesRows, SumScope, SumWindow, encode_chunk,
};
use pilotlight_core::{ProfileBuilder, TimeRange, UnixNanos};
use proptest::prelude::*;

use crate::support::{Bucket, NamedRows, Push, expected, labels, profile_type, rows, said};

const PERIOD: i64 = 10_000_000;

/// A profile in which each sample stands for so many nanoseconds, taken by one of two processes.
fn cpu(id: u8, seconds: i64, rows: NamedRows, nanos: i64) -> Push {
    let cpu = rows
        .iter()
        .map(|(stack, samples)| (stack.clone(), samples * nanos))
        .collect();
    Push {
        id,
        arrival_millis: i64::from(id) * 60_000,
        time: seconds * 1_000_000_000 + 1,
        family: "process_cpu",
        labels: vec![
            ("service_name", "a"),
            ("region", ["eu", "us"][usize::from(id % 2)]),
        ],
        types: vec![("samples", rows), ("cpu", cpu)],
    }
}

fn sample_rows(id: u8) -> NamedRows {
    let samples = i64::from(id % 4) + 1;
    vec![
        (vec!["main", "work"], samples),
        (vec!["main", "wait"], 2 * samples + 1),
        (vec!["main", "runtime.gc"], 7),
    ]
}

/// Forty profiles over two hours, so that every level has all of its sums.
fn two_hours(nanos: impl Fn(u8) -> i64) -> Vec<Push> {
    (0..40)
        .map(|id| {
            cpu(
                id,
                i64::from(id / 2) * 360 + i64::from(id % 2),
                sample_rows(id),
                nanos(id),
            )
        })
        .collect()
}

fn dataset<'a>(object: &'a CatalogObject, sample_type: &str) -> &'a Dataset {
    let of_type =
        |d: &&Dataset| object.directory.types[d.profile_type as usize].sample_type == sample_type;
    object.directory.datasets().iter().find(of_type).unwrap()
}

/// Sums over which windows, `None` for raw pages, and the pages.
type Kind<'a> = (Option<(SumWindow, SumScope)>, &'a [PageEntry]);

fn pages(dataset: &Dataset) -> Vec<Kind<'_>> {
    let sums = dataset
        .sums
        .iter()
        .map(|sums| (Some((sums.window, sums.scope)), &*sums.pages));
    sums.chain((!dataset.pages.is_empty()).then_some((None, &*dataset.pages)))
        .collect()
}

fn shared(object: &CatalogObject) -> BTreeMap<String, bool> {
    let (samples, cpu) = (
        pages(dataset(object, "samples")),
        pages(dataset(object, "cpu")),
    );
    assert_eq!(samples.len(), cpu.len());
    let pairs = samples
        .iter()
        .zip(&cpu)
        .map(|((kind, samples), (other, cpu))| {
            assert_eq!((kind, samples.len()), (other, cpu.len()));
            let times = |page: &PageEntry| (page.min_time, page.max_time);
            assert!(samples.iter().zip(*cpu).all(|(a, b)| times(a) == times(b)));
            (
                format!("{kind:?}"),
                samples.iter().zip(*cpu).all(|(a, b)| a.part == b.part),
            )
        });
    pairs.collect()
}

fn check_answers(bucket: &Bucket, pushes: &[Push]) {
    for sample_type in ["samples", "cpu"] {
        let of_type = profile_type("process_cpu", sample_type);
        for selector in ["", r#"{region="eu"}"#] {
            let (map, profiles) = expected(pushes, selector, &of_type, TimeRange::ALL);
            let answer = bucket.query(selector, &of_type, TimeRange::ALL).unwrap();
            assert_eq!(
                (said(&answer.profile), answer.profiles),
                (map, profiles),
                "{sample_type} {selector}"
            );
        }
    }
}

/// Everything in the object, from the magic to the directory, is named, and no two parts overlap.
fn check_parts(bucket: &Bucket, object: &CatalogObject) {
    let mut parts: BTreeSet<Part> = object.directory.block().unwrap().ids.into_iter().collect();
    for d in object.directory.datasets() {
        parts.insert(d.symbols);
        parts.extend(
            d.totals
                .into_iter()
                .chain(d.window_totals.map(|(_, part)| part))
                .chain(d.all_totals),
        );
        parts.extend(
            pages(d)
                .into_iter()
                .flat_map(|(_, pages)| pages)
                .map(|page| page.part),
        );
    }
    let end = parts.iter().fold(8, |end, part| {
        assert_eq!(part.offset, end);
        end + part.len
    });
    assert!(bucket.objects[&object.key][end as usize..].starts_with(b"PLTDIRE"));
}

#[test]
fn samples_and_nanoseconds_are_stored_once() {
    let pushes = two_hours(|_| PERIOD);
    let mut bucket = Bucket::filled(&pushes);
    for level in 1..=3 {
        bucket.compact_all(level);
        let object = bucket.catalog.last().unwrap();
        let kinds = shared(object);
        assert!(
            kinds.len() >= 2 && kinds.values().all(|&shared| shared),
            "{kinds:?}"
        );
        let divisors = |sample_type| {
            let all = pages(dataset(object, sample_type))
                .into_iter()
                .flat_map(|(_, pages)| pages);
            all.map(|page| page.divisor).collect::<Vec<_>>()
        };
        let of_samples = divisors("samples");
        assert_eq!(
            divisors("cpu"),
            of_samples
                .iter()
                .map(|divisor| divisor * PERIOD as u64)
                .collect::<Vec<_>>()
        );
        check_parts(&bucket, object);
        check_answers(&bucket, &pushes);
    }
}

/// One value in one profile; then every sample its own length.
#[test]
fn what_is_not_in_proportion_is_stored_apart() {
    for odd in [1, 40] {
        let pushes = two_hours(|id| {
            if id < odd {
                PERIOD + i64::from(id) * 7 + 1
            } else {
                PERIOD
            }
        });
        let mut bucket = Bucket::filled(&pushes);
        for level in 1..=3 {
            bucket.compact_all(level);
            let object = bucket.catalog.last().unwrap();
            let kinds = shared(object);
            assert!(
                kinds.len() >= 2 && kinds.values().all(|&shared| !shared),
                "{kinds:?}"
            );
            check_parts(&bucket, object);
            check_answers(&bucket, &pushes);
        }
    }
}

/// More open sums than there is room for: minutes go before their hour is over, and still none is
/// torn apart.
#[test]
fn sums_that_go_early_are_shared_too() {
    let (mut bucket, mut builder) = (Bucket::default(), ProfileBuilder::new());
    let stacks: Vec<_> = (0..4500)
        .map(|i| builder.named_stack(&["main", &format!("function {i}")]))
        .collect();
    for minute in 0..60 {
        let series = [("samples", 1), ("cpu", PERIOD)].map(|(sample_type, nanos)| {
            let series = Series {
                labels: labels(&[("service_name", "a")]),
                profile_type: profile_type("process_cpu", sample_type),
                time: UnixNanos(minute * SumWindow::Minute.nanos()),
                ..Series::default()
            };
            SeriesRows {
                series,
                rows: stacks
                    .iter()
                    .map(|&stack| (stack, (minute % 7 + 1) * nanos))
                    .collect(),
                links: Vec::new(),
            }
        });
        bucket.put_segment(
            minute,
            &[encode_chunk(ChunkId([minute as u8; 16]), builder.profile(), &series).unwrap()],
        );
        if minute % 15 == 14 {
            bucket.compact_all(1);
        }
    }
    bucket.compact_all(2);
    let object = &bucket.catalog[0];
    let kinds = shared(object);
    assert!(
        kinds.len() >= 2 && kinds.values().all(|&shared| shared),
        "{kinds:?}"
    );
    check_parts(&bucket, object);
    assert_eq!(total(&bucket, "cpu"), total(&bucket, "samples") * PERIOD);
}

/// Two pages full of profiles of one stack; when each was taken and how long its samples are, by
/// its number.
fn two_pages(time: impl Fn(i64) -> i64, nanos: impl Fn(i64) -> i64) -> Bucket {
    let (mut bucket, mut builder) = (Bucket::default(), ProfileBuilder::new());
    let stack = builder.named_stack(&["main"]);
    for chunk in 0..8 {
        let profile = |sample_type: &str, at: i64, value: i64| SeriesRows {
            series: Series {
                labels: labels(&[("service_name", "a")]),
                profile_type: profile_type("process_cpu", sample_type),
                time: UnixNanos(time(at)),
                ..Series::default()
            },
            rows: vec![(stack, value)],
            links: Vec::new(),
        };
        let both = |at: i64| {
            [
                profile("samples", at, at % 4),
                profile("cpu", at, at % 4 * nanos(at)),
            ]
        };
        let series: Vec<_> = (chunk * 4096..(chunk + 1) * 4096).flat_map(both).collect();
        let id = ChunkId([chunk as u8; 16]);
        bucket.put_segment(
            chunk,
            &[encode_chunk(id, builder.profile(), &series).unwrap()],
        );
    }
    bucket
}

fn total(bucket: &Bucket, sample_type: &str) -> i64 {
    said(
        &bucket
            .query(
                "",
                &profile_type("process_cpu", sample_type),
                TimeRange::ALL,
            )
            .unwrap()
            .profile,
    )
    .values()
    .sum()
}

#[test]
fn each_page_is_shared_or_not() {
    let last = 8 * 4096 - 1;
    let mut bucket = two_pages(
        |at| at * 1_000_000_000,
        |at| if at == last { PERIOD + 1 } else { PERIOD },
    );
    let samples = total(&bucket, "samples");
    for level in 1..=2 {
        bucket.compact_all(level);
        let object = &bucket.catalog[0];
        let parts = |sample_type| {
            dataset(object, sample_type)
                .pages
                .iter()
                .map(|page| page.part)
                .collect::<Vec<_>>()
        };
        let (a, b) = (parts("samples"), parts("cpu"));
        assert_eq!(
            (a.len(), b.len(), a[0] == b[0], a[1] == b[1]),
            (2, 2, true, false)
        );
        check_parts(&bucket, object);
        assert_eq!(
            (total(&bucket, "samples"), total(&bucket, "cpu")),
            (samples, samples * PERIOD + last % 4)
        );
    }
}

/// Profiles that do not say when they were taken: one page may come twice in its dataset, and
/// counts twice.
#[test]
fn equal_pages_of_one_dataset_count_each() {
    let mut bucket = two_pages(|_| 0, |_| PERIOD);
    let samples = total(&bucket, "samples");
    for level in 1..=2 {
        bucket.compact_all(level);
        let cpu = dataset(&bucket.catalog[0], "cpu");
        assert_eq!((cpu.pages.len(), cpu.pages[0]), (2, cpu.pages[1]));
        assert_eq!(
            (total(&bucket, "samples"), total(&bucket, "cpu")),
            (samples, samples * PERIOD)
        );
        check_parts(&bucket, &bucket.catalog[0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn answers_are_exact_whatever_is_shared(
        profiles in prop::collection::vec((0i64..20_000, rows(), prop_oneof![9 => Just(7), 1 => 1i64..9]), 1..30),
        levels in 1u8..=3,
    ) {
        let all = profiles.into_iter().enumerate();
        let pushes: Vec<Push> = all.map(|(id, (seconds, rows, nanos))| cpu(id as u8, seconds, rows, nanos)).collect();
        let mut bucket = Bucket::filled(&pushes);
        (1..=levels).for_each(|level| bucket.compact_all(level));
        check_answers(&bucket, &pushes);
        let object = bucket.catalog.last().unwrap();
        check_parts(&bucket, object);
        if pushes.iter().all(|push| push.types[0].1.iter().zip(&push.types[1].1).all(|(a, b)| a.1 * 7 == b.1)) {
            prop_assert!(shared(object).values().all(|&shared| shared));
        }
    }
}
