//! Queries in parts: whatever the parts, their answers add up to the bytes of the whole.

use pilotlight_core::plans::{
    AnswerSum, CatalogObject, Plan, PlanError, QueryAnswer, QueryPlan, SplitQuery, Subquery, split,
};
use pilotlight_core::store::{Directory, Level, StoreError, read_chunk};
use pilotlight_core::{Profile, ProfileType, Selector, TimeRange, UnixNanos, canonical};
use proptest::prelude::*;

use crate::levels::{SELECTORS, compact, pushes, ranges, steps, summarized};
use crate::support::{Bucket, Push, profile_type, said};

fn drive(mut plan: QueryPlan, bucket: &Bucket) -> QueryAnswer {
    for get in plan.wants() {
        plan.provide(&get, bucket.read(&get)).unwrap();
    }
    plan.finish().unwrap()
}

/// The objects as they come to another invocation.
fn sent(part: &Subquery) -> Vec<CatalogObject> {
    let sent = part.objects.iter().map(|object| {
        let directory = Directory::decode(&object.directory.encode().unwrap()).unwrap();
        assert_eq!(directory, object.directory);
        CatalogObject {
            directory,
            ..object.clone()
        }
    });
    sent.collect()
}

/// Everything that an answer says.
fn all(answer: &QueryAnswer) -> (&Profile, u64, u64, u64, bool, bool) {
    (
        &answer.profile,
        answer.profiles,
        answer.objects,
        answer.bytes,
        answer.saturated,
        answer.rounded,
    )
}

/// How many parts the query has when each is to read at most so many bytes.
fn check(
    bucket: &Bucket,
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
    subquery_bytes: u64,
) -> usize {
    let selector = Selector::parse(selector).unwrap();
    let whole = drive(
        QueryPlan::new(&selector, of_type, range, &bucket.catalog).unwrap(),
        bucket,
    );
    let parts = match split(
        &selector,
        of_type,
        range,
        bucket.catalog.clone(),
        subquery_bytes,
    )
    .unwrap()
    {
        SplitQuery::Whole(plan) => {
            assert_eq!(all(&drive(*plan, bucket)), all(&whole));
            return 1;
        }
        SplitQuery::Subqueries(parts) => parts,
    };
    let mut sum = AnswerSum::new();
    // In an order that is not theirs.
    for part in parts.iter().rev() {
        let objects = sent(part);
        let answer = drive(
            QueryPlan::new(&selector, of_type, range, &objects).unwrap(),
            bucket,
        );
        assert_eq!(answer.bytes, part.bytes);
        let bytes = answer.encode(of_type).unwrap();
        let read = QueryAnswer::decode(&bytes, of_type).unwrap();
        assert_eq!(said(&read.profile), said(&answer.profile));
        sum.add(&read).unwrap();
        let inside = |o: &CatalogObject| {
            o.directory
                .series()
                .all(|(_, _, a, b)| range.from <= a && b < range.until)
        };
        if objects
            .iter()
            .all(|object| object.level >= Level::Hour && inside(object))
        {
            let elsewhere = drive(
                QueryPlan::new(&selector, of_type, TimeRange::ALL, &objects).unwrap(),
                bucket,
            );
            assert_eq!(
                elsewhere.encode(of_type).unwrap(),
                bytes,
                "does not depend on the range"
            );
        }
    }
    assert_eq!(all(&sum.finish()), all(&whole));
    parts.len()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn parts_add_up_to_the_bytes_of_the_whole(
        pushes in pushes(),
        steps in steps(),
        selector in prop::sample::select(SELECTORS),
        sample_type in prop::sample::select(vec![("process_cpu", "cpu"), ("memory", "inuse_space")]),
        ranges in prop::collection::vec(ranges(), 3),
        subquery_bytes in prop::sample::select(vec![0, 300, 1000, 3000, u64::MAX]),
        alone: bool,
    ) {
        let mut bucket = Bucket::filled(&pushes);
        compact(&mut bucket, &steps);
        if alone {
            // The profiles of some are deleted.
            bucket.delete(&summarized(&bucket));
            bucket.catalog.iter_mut().for_each(|object| object.directory.drop_lineage());
        }
        let of_type = profile_type(sample_type.0, sample_type.1);
        for range in ranges {
            check(&bucket, selector, &of_type, range, subquery_bytes);
        }
    }
}

/// Two days, of the pushes that the bits choose and of the others.
fn two_days(times: &[i64], first: u64) -> Bucket {
    let pushes: Vec<Push> = (0..)
        .zip(times)
        .map(|(id, time): (u8, &i64)| Push {
            id,
            arrival_millis: i64::from(id) * 60_000,
            time: time * 1_000_000_000,
            family: "process_cpu",
            labels: vec![("service_name", "a"), ("region", "eu")],
            types: vec![("cpu", vec![(vec!["main"], 10)])],
        })
        .collect();
    let mut bucket = Bucket::filled(&pushes);
    let all = u64::MAX;
    compact(&mut bucket, &[(1, first), (3, all), (1, all), (3, all)]);
    bucket
}

/// The extent of one day's summary says nothing of another's.
#[test]
fn parts_of_days_read_what_the_whole_reads() {
    let bucket = two_days(&[-1, -1, -1, -1, 0, 86_399], 0b10_0010);
    let of_type = profile_type("process_cpu", "cpu");
    let mut parts = 0;
    for from in [0, 60] {
        for until in [7200, i64::MAX / 1_000_000_000] {
            let range = TimeRange::of_nanos(from * 1_000_000_000, until * 1_000_000_000);
            parts += check(&bucket, "", &of_type, range, 0);
        }
    }
    assert!(parts > 4);
}

/// Nothing is read of the first day, since its hour begins before the range.
#[test]
fn a_day_that_is_rounded_away_is_told_of() {
    let mut bucket = two_days(&[-60, 120, 300_000, 300_000], 0b11);
    bucket.delete(&summarized(&bucket));
    bucket
        .catalog
        .iter_mut()
        .for_each(|object| object.directory.drop_lineage());
    let range = TimeRange {
        from: UnixNanos(1),
        until: TimeRange::ALL.until,
    };
    let of_type = profile_type("process_cpu", "cpu");
    assert!(check(&bucket, "", &of_type, range, 0) > 1);
}

/// A push of one service in its own minute.
fn minute(id: u8, service: &'static str, value: i64) -> Push {
    Push {
        id,
        arrival_millis: i64::from(id) * 60_000,
        time: i64::from(id) * 60_000_000_000,
        family: "process_cpu",
        labels: vec![("service_name", service)],
        types: vec![(
            "cpu",
            vec![(vec!["main", "work"], value), (vec!["main"], 1)],
        )],
    }
}

#[test]
fn each_object_may_be_a_part_and_a_summary_stays_with_its_sources() {
    let pushes: Vec<Push> = (0..8)
        .map(|i| minute(i, ["a", "b"][usize::from(i % 2)], 10))
        .collect();
    let mut bucket = Bucket::filled(&pushes);
    let of_type = profile_type("process_cpu", "cpu");
    assert_eq!(check(&bucket, "", &of_type, TimeRange::ALL, 0), 8);
    assert_eq!(
        check(
            &bucket,
            r#"{service_name="a"}"#,
            &of_type,
            TimeRange::ALL,
            0
        ),
        4
    );
    assert_eq!(check(&bucket, "", &of_type, TimeRange::ALL, u64::MAX), 1);
    (0..4).for_each(|_| bucket.compact_to(1, &[0, 1]));
    assert_eq!(check(&bucket, "", &of_type, TimeRange::ALL, 0), 4);
    bucket.compact_to(3, &[0, 1]);
    assert_eq!(check(&bucket, "", &of_type, TimeRange::ALL, 0), 3);
    // Another that sums up one of these sources, for a service of its own.
    bucket.compact_to(3, &[1, 2]);
    let block = |object: &mut CatalogObject, service: &str| {
        let mut directory = object.directory.clone();
        let of = directory
            .label_sets
            .iter()
            .map(|l| l.get("service_name") == Some(service))
            .collect::<Vec<_>>();
        if let pilotlight_core::store::Contents::Block(block) = &mut directory.contents {
            block
                .datasets
                .retain(|dataset| of[dataset.series[0] as usize]);
        }
        object.directory = directory;
    };
    block(&mut bucket.catalog[4], "a");
    block(&mut bucket.catalog[5], "b");
    let selector = Selector::parse("").unwrap();
    let SplitQuery::Subqueries(parts) = split(
        &selector,
        &of_type,
        TimeRange::ALL,
        bucket.catalog.clone(),
        0,
    )
    .unwrap() else {
        panic!("two parts at least")
    };
    let levels = parts.iter().map(|part| {
        part.objects
            .iter()
            .map(|object| object.level.number())
            .collect::<Vec<_>>()
    });
    assert_eq!(levels.collect::<Vec<_>>(), [vec![1, 1, 1, 3, 3], vec![1]]);
}

#[test]
fn sums_whose_total_leaves_64_bits_travel() {
    let mut bucket = Bucket::filled(&[minute(1, "a", i64::MAX - 1), minute(2, "a", 0)]);
    let of_type = profile_type("process_cpu", "cpu");
    let answer = bucket.query("", &of_type, TimeRange::ALL).unwrap();
    assert!(answer.profile.total(0) > i128::from(i64::MAX));
    let read = QueryAnswer::decode(&answer.encode(&of_type).unwrap(), &of_type).unwrap();
    assert_eq!(canonical(&read.profile), answer.profile);
    let chunk = read_chunk(&answer.chunk(&of_type).unwrap(), |_, _| true).unwrap();
    assert_eq!(said(&chunk), said(&answer.profile));
    // Nothing is found, and that is an answer as well.
    bucket.catalog.clear();
    let none = bucket.query("", &of_type, TimeRange::ALL).unwrap();
    let read = QueryAnswer::decode(&none.encode(&of_type).unwrap(), &of_type).unwrap();
    assert_eq!(all(&read), all(&none));
}

#[test]
fn damage_is_told_and_so_is_another_type() {
    let bucket = Bucket::filled(&[minute(1, "a", 7)]);
    let of_type = profile_type("process_cpu", "cpu");
    let bytes = bucket
        .query("", &of_type, TimeRange::ALL)
        .unwrap()
        .encode(&of_type)
        .unwrap();
    for at in 0..bytes.len() {
        for mask in [1, 0x80] {
            let mut damaged = bytes.clone();
            damaged[at] ^= mask;
            assert!(
                QueryAnswer::decode(&damaged, &of_type).is_err(),
                "byte {at}"
            );
        }
        assert!(
            QueryAnswer::decode(&bytes[..at], &of_type).is_err(),
            "at {at}"
        );
    }
    let other = QueryAnswer::decode(&bytes, &profile_type("memory", "inuse_space")).unwrap_err();
    assert!(
        matches!(
            other,
            StoreError::Corrupt {
                section: "answer",
                ..
            }
        ),
        "{other}"
    );
}

#[test]
fn answers_of_different_types_do_not_add_up() {
    let bucket = Bucket::filled(&[minute(1, "a", 7)]);
    let of_type = profile_type("process_cpu", "cpu");
    let mut sum = AnswerSum::new();
    sum.add(&bucket.query("", &of_type, TimeRange::ALL).unwrap())
        .unwrap();
    let other = Push {
        types: vec![("inuse", vec![(vec!["main"], 1)])],
        ..minute(1, "a", 1)
    };
    let other = Bucket::filled(&[other])
        .query("", &profile_type("process_cpu", "inuse"), TimeRange::ALL)
        .unwrap();
    assert!(matches!(sum.add(&other), Err(PlanError::Merge(_))));
}
