//! Bundles against a fold over the pushes, and that they are the same however they come.

use std::collections::HashMap;

use pilotlight_core::plans::{
    BundleFile, MAX_SLICE_READS, Plan, PlanError, QueryAnswer, QueryPlan, SlicePlan, bundle,
    static_catalog,
};
use pilotlight_core::store::{ChunkId, Directory, Ids, ObjectKey, Series, SeriesRows};
use pilotlight_core::store::{encode_chunk, read_ids};
use pilotlight_core::{ProfileBuilder, ProfileType, Selector, TimeRange};
use proptest::prelude::*;

use crate::levels::{SELECTORS, compact, pushes, ranges, steps};
use crate::support::{Bucket, Push, chunk_of, expected, labels, profile_type, said};

fn made(pushes: &[Push]) -> Vec<BundleFile> {
    bundle(pushes.iter().map(Push::chunk).collect()).unwrap()
}

/// What the files answer by themselves.
fn query(
    files: &[BundleFile],
    selector: &str,
    of_type: &ProfileType,
    range: TimeRange,
) -> QueryAnswer {
    let objects: HashMap<&str, &[u8]> = files
        .iter()
        .map(|file| (file.key.as_str(), file.bytes.as_slice()))
        .collect();
    let catalog = files.last().unwrap();
    let day = (catalog.key.as_str(), catalog.bytes.as_slice());
    let listed = static_catalog([day], range).unwrap();
    let selector = Selector::parse(selector).unwrap();
    let mut plan = QueryPlan::new(&selector, of_type, range, &listed).unwrap();
    for get in plan.wants() {
        let (start, length) = (get.offset as usize, get.length as usize);
        let part = &objects[get.key.as_str()][start..start + length];
        plan.provide(&get, part).unwrap();
    }
    plan.finish().unwrap()
}

/// A slice that has read all that it wants.
fn sliced(bucket: &Bucket, selector: &str, range: TimeRange) -> Result<SlicePlan, PlanError> {
    let selector = Selector::parse(selector).unwrap();
    let mut plan = SlicePlan::new(selector, range, &bucket.catalog)?;
    loop {
        let wants = plan.wants();
        if wants.is_empty() {
            return Ok(plan);
        }
        for get in wants {
            plan.provide(&get, bucket.read(&get))?;
        }
    }
}

/// The blocks of profiles of a bundle.
fn blocks(files: &[BundleFile]) -> impl Iterator<Item = &BundleFile> {
    files.iter().filter(|file| {
        let key = file.key.parse::<ObjectKey>();
        key.is_ok_and(|key| key.level.has_profiles())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn a_bundle_answers_as_if_its_profiles_had_been_pushed(
        pushes in pushes(),
        ranges in prop::collection::vec(ranges(), 3),
        selector in prop::sample::select(SELECTORS),
        sample_type in prop::sample::select(vec![("process_cpu", "cpu"), ("memory", "inuse_space")]),
    ) {
        let files = made(&pushes);
        let backwards: Vec<Push> = pushes.iter().rev().cloned().collect();
        prop_assert_eq!(&made(&backwards), &files);
        let of_type = profile_type(sample_type.0, sample_type.1);
        for range in ranges {
            let answer = query(&files, selector, &of_type, range);
            let (sums, profiles) = expected(&pushes, selector, &of_type, range);
            prop_assert_eq!((said(&answer.profile), answer.profiles), (sums, profiles));
            prop_assert!(!answer.rounded);
        }
    }

    #[test]
    fn a_slice_has_what_was_selected_and_nothing_else(
        pushes in pushes(),
        steps in steps(),
        range in ranges(),
        selector in prop::sample::select(SELECTORS),
        sample_type in prop::sample::select(vec![("process_cpu", "cpu"), ("memory", "inuse_space")]),
    ) {
        let mut bucket = Bucket::filled(&pushes);
        compact(&mut bucket, &steps);
        let plan = sliced(&bucket, selector, range).unwrap();
        prop_assert_eq!(plan.sums_only(), 0);
        let files = plan.finish().unwrap();
        let of_type = profile_type(sample_type.0, sample_type.1);
        let answer = query(&files, "", &of_type, TimeRange::ALL);
        let (sums, profiles) = expected(&pushes, selector, &of_type, range);
        prop_assert_eq!((said(&answer.profile), answer.profiles), (sums, profiles));
    }
}

#[test]
fn of_nothing_it_is_a_catalog() {
    let files = made(&[]);
    assert_eq!(files.len(), 1);
    let answer = query(
        &files,
        "",
        &profile_type("process_cpu", "cpu"),
        TimeRange::ALL,
    );
    assert_eq!((answer.profiles, answer.objects), (0, 0));
}

/// A push of service b.
fn push(id: u8, time: i64) -> Push {
    Push {
        id,
        arrival_millis: 0,
        time,
        family: "process_cpu",
        labels: vec![("service_name", "b")],
        types: vec![("cpu", vec![(vec!["main", "work"], 7)])],
    }
}

/// Segments of one hour, or what they became, with one chunk of b among `others` of a.
fn crowd(others: u32, levels: &[u8]) -> Bucket {
    let mut bucket = Bucket::default();
    let mut chunks: Vec<_> = (0..others).map(chunk_of).collect();
    chunks.push(push(1, 5_000).chunk());
    let (first, second) = chunks.split_at(chunks.len() / 2);
    bucket.put_segment(0, first);
    bucket.put_segment(60_000, second);
    levels.iter().for_each(|&level| bucket.compact_all(level));
    bucket
}

#[test]
fn a_slice_tells_nothing_of_other_services() {
    for levels in [&[][..], &[1], &[1, 2], &[1, 3]] {
        let bucket = crowd(3_000, levels);
        let plan = sliced(&bucket, r#"{service_name="b"}"#, TimeRange::ALL).unwrap();
        let stored: u64 = bucket.catalog.iter().map(|object| object.size).sum();
        assert!(
            plan.bytes() * 2 < stored,
            "{levels:?}: {} of {stored} bytes were read",
            plan.bytes()
        );
        assert_eq!(plan.profiles(), 1);
        let files = plan.finish().unwrap();
        assert_eq!(blocks(&files).count(), 1, "{levels:?}");
        for BundleFile { key, bytes } in blocks(&files) {
            let directory = Directory::of_object(bytes).unwrap();
            let ids = directory.block().unwrap().ids.unwrap();
            let ids = &bytes[ids.offset as usize..(ids.offset + ids.len) as usize];
            assert_eq!(read_ids(ids), Ok(Ids::default()), "{key}");
        }
        let size: usize = files.iter().map(|file| file.bytes.len()).sum();
        assert!(size < 4_000, "{levels:?}: {size} bytes");
    }
}

#[test]
fn names_are_those_of_the_content() {
    let blocks_of = |id| {
        let files = made(&[push(id, 0)]);
        blocks(&files).cloned().collect::<Vec<_>>()
    };
    let (first, other) = (blocks_of(1), blocks_of(2));
    assert_eq!(blocks_of(1), first);
    assert_eq!((first.len(), other.len()), (1, 1));
    assert_ne!(first[0].key, other[0].key);

    // Two shards of a tenant that no path may name, with equal profiles at the same time.
    let mut bucket = Bucket::default();
    bucket.put_segment(60_000, &[push(1, 0).chunk()]);
    let segment = bucket.catalog.remove(0);
    let bytes = bucket.objects.remove(&segment.key).unwrap();
    for shard in [0, 12] {
        let mut segment = segment.clone();
        segment.key = segment
            .key
            .replace("t/anonymous/s0/", &format!("t/.ops/s{shard}/"));
        bucket.objects.insert(segment.key.clone(), bytes.clone());
        bucket.catalog.push(segment);
    }
    let files = sliced(&bucket, "", TimeRange::ALL)
        .unwrap()
        .finish()
        .unwrap();
    assert_eq!(blocks(&files).count(), 2);
    for file in &files {
        assert!(file.key.starts_with("t/anonymous/s0/"), "{}", file.key);
    }
    let answer = query(
        &files,
        "",
        &profile_type("process_cpu", "cpu"),
        TimeRange::ALL,
    );
    assert_eq!(answer.profiles, 2);
}

/// A chunk of another service, longer than what is read along with others.
fn long_chunk() -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    let rows = (0..20_000u64).map(|n| {
        let name = format!("{:016x}", (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (builder.named_stack(&[&name]), 1)
    });
    let rows = rows.collect();
    let series = Series {
        labels: labels(&[("service_name", "a")]),
        profile_type: profile_type("process_cpu", "cpu"),
        ..Series::default()
    };
    let series = SeriesRows {
        series,
        rows,
        links: Vec::new(),
    };
    let chunk = encode_chunk(ChunkId([9; 16]), &builder.finish(), &[series]).unwrap();
    assert!(chunk.len() > 128 << 10, "{}", chunk.len());
    chunk
}

#[test]
fn a_slice_of_too_many_places_is_refused() {
    let mut bucket = Bucket::default();
    bucket.put_segment(0, &[push(1, 0).chunk(), long_chunk(), push(2, 1).chunk()]);
    let segment = bucket.catalog.remove(0);
    let bytes = bucket.objects.remove(&segment.key).unwrap();
    let mut places = |count: i64| {
        bucket.catalog = (0..count)
            .map(|hour| {
                let mut segment = segment.clone();
                let millis = format!("/{:013}-", hour * 3_600_000);
                segment.key = segment.key.replace("/0000000000000-", &millis);
                bucket.objects.insert(segment.key.clone(), bytes.clone());
                segment
            })
            .collect();
        let b = r#"{service_name="b"}"#;
        sliced(&bucket, b, TimeRange::ALL).map(|plan| plan.profiles())
    };
    let most = MAX_SLICE_READS;
    let refused = Err(PlanError::TooManyReads { most });
    // Each takes two reads, which is not known before; or one, which is.
    let half = most as i64 / 2;
    assert_eq!(places(half), Ok(most));
    assert_eq!(places(half + 1), refused);
    assert_eq!(places(most as i64 + 1), refused);
}
