//! A catalog from nothing but objects answers as the one that was lost.

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::plans::{CatalogObject, Dropped, Plan, RebuildPlan, Rebuilt, static_catalog};
use pilotlight_core::store::{
    CatalogDay, CatalogRow, Directory, Level, ObjectKey, TenantId, arrival_day, catalog_key,
};
use pilotlight_core::{TimeRange, UnixNanos};
use proptest::prelude::*;

use crate::levels::partition_bytes;
use crate::support::{Bucket, profile_type, push};

/// Reads all that is asked for, last first.
fn rebuild(bucket: &Bucket) -> Rebuilt {
    let listing = bucket
        .objects
        .iter()
        .map(|(key, bytes)| (key.clone(), bytes.len() as u64));
    let mut plan = RebuildPlan::new(listing, []);
    while let Some(get) = plan.wants().pop() {
        plan.provide(&get, bucket.read(&get)).unwrap();
    }
    plan.finish().unwrap()
}

fn catalog(rebuilt: &Rebuilt) -> Vec<CatalogObject> {
    let object = |row: &CatalogRow| CatalogObject {
        key: row.key.clone(),
        level: row.key.parse::<ObjectKey>().unwrap().level,
        size: row.size,
        directory: Directory::decode(&row.directory).unwrap(),
    };
    rebuilt.rows.iter().map(object).collect()
}

/// Writes some partitions of a job that never ends.
fn dead(bucket: &mut Bucket, level: u8, some: u8, chosen: impl Fn(usize) -> bool) {
    let of_level = |object: &CatalogObject| {
        if level == 3 {
            object.level == Level::Hour
        } else {
            object.level.number() + 1 == level
        }
    };
    let sources = bucket
        .catalog
        .iter()
        .enumerate()
        .filter(|(at, object)| of_level(object) && chosen(*at));
    let sources: Vec<CatalogObject> = sources.map(|(_, object)| object.clone()).collect();
    let token = bucket.token();
    // The last partition is never written, so a job with one writes nothing, unless that dies
    // before its commit.
    let count = sources.first().map_or(0, |_| {
        let first = bucket.try_share(sources.clone(), token, level, 0).unwrap();
        first.directory.block().unwrap().partition.count
    });
    let written = if count == 1 {
        1
    } else {
        u32::from(some) % count.max(1)
    };
    for number in 0..written {
        let output = bucket
            .try_share(sources.clone(), token, level, number)
            .unwrap();
        bucket.objects.insert(output.key, output.bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn a_catalog_from_the_objects_alone(
        pushes in prop::collection::vec(push(), 0..30),
        cut in 0usize..30,
        other in 0usize..30,
        level in 0u8..=3,
        forgotten in any::<bool>(),
        partition_bytes in partition_bytes(),
        some in any::<u8>(),
    ) {
        let mut bucket = Bucket { partition_bytes, ..Bucket::filled(&pushes) };
        // An empty row is none.
        bucket.catalog.retain(|object| !object.directory.chunks().is_empty());
        let of_type = profile_type("process_cpu", "cpu");
        let before = bucket.query("", &of_type, TimeRange::ALL).unwrap().profile;
        dead(&mut bucket, 1, some, |at| at % 3 == other % 3);
        let mut objects = bucket.objects.clone();
        if level > 0 {
            bucket.compact(|at| at < cut);
            bucket.compact(|at| at >= other);
            objects.extend(bucket.objects.clone());
        }
        for level in 2..=level {
            dead(&mut bucket, level, some, |at| at % 3 == other % 3);
            bucket.compact_all(level);
            objects.extend(bucket.objects.clone());
        }
        // What was replaced is there still, or all of it is gone but the output of the dead job.
        if !forgotten {
            bucket.objects = objects;
        }
        let rebuilt = rebuild(&bucket);
        prop_assert_eq!(&rebuilt.damaged, &[]);
        bucket.catalog = catalog(&rebuilt);
        prop_assert_eq!(bucket.query("", &of_type, TimeRange::ALL).unwrap().profile, before);
        prop_assert_eq!(rebuilt.rows.len() + rebuilt.dropped.len(), bucket.objects.len());
        let sizes = |objects: &[CatalogObject]| objects.iter().map(|o| (o.key.clone(), o.size)).collect::<BTreeMap<_, _>>();
        prop_assert_eq!(sizes(&bucket.catalog), rebuilt.rows.iter().map(|row| (row.key.clone(), row.size)).collect());
        // Again, without what was dropped.
        let kept: BTreeSet<&str> = rebuilt.rows.iter().map(|row| row.key.as_str()).collect();
        bucket.objects.retain(|name, _| kept.contains(name.as_str()));
        prop_assert_eq!(self::rebuild(&bucket).rows, rebuilt.rows);
    }
}

#[test]
fn directories_and_ids_longer_than_a_tail() {
    let mut bucket = Bucket::default();
    // Five thousand ids that do not compress are 80 kB.
    let pushes: Vec<Vec<u8>> = (0..5_000u32).map(crate::support::chunk_of).collect();
    bucket.put_segment(1_000, &pushes);
    let rebuilt = rebuild(&bucket);
    assert_eq!(catalog(&rebuilt), bucket.catalog);
    let segment = bucket.objects.clone();
    bucket.compact_all(1);
    bucket.objects.extend(segment);
    let rebuilt = rebuild(&bucket);
    assert_eq!(catalog(&rebuilt), bucket.catalog);
    assert_eq!(
        rebuilt
            .dropped
            .iter()
            .map(|(_, why)| *why)
            .collect::<Vec<_>>(),
        [Dropped::Replaced]
    );
}

#[test]
fn damage_at_any_byte_of_the_end_is_noted_or_changes_nothing() {
    let mut bucket = Bucket::default();
    bucket.put_segment(
        1_000,
        &[crate::support::chunk_of(1), crate::support::chunk_of(2)],
    );
    bucket.put_segment(2_000, &[crate::support::chunk_of(3)]);
    bucket.compact(|at| at == 0);
    let (sound, key) = (
        rebuild(&bucket),
        bucket
            .catalog
            .iter()
            .find(|o| o.level == Level::Minutes)
            .unwrap()
            .key
            .clone(),
    );
    let bytes = bucket.objects[&key].clone();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        bucket.objects.insert(key.clone(), damaged);
        let rebuilt = rebuild(&bucket);
        if rebuilt != sound {
            assert_eq!(
                (rebuilt.rows.len(), rebuilt.damaged.len()),
                (1, 1),
                "byte {at}"
            );
            assert_eq!(rebuilt.damaged[0].0, key);
        }
        assert_eq!(rebuilt.rows.len(), 2 - rebuilt.damaged.len());
    }
    for len in 0..bytes.len() {
        bucket.objects.insert(key.clone(), bytes[..len].to_vec());
        assert_eq!(rebuild(&bucket).damaged.len(), 1, "cut to {len}");
    }
}

#[test]
fn what_is_removed_does_not_come_back() {
    let mut bucket = Bucket::default();
    for n in 0..3u32 {
        bucket.put_segment(1_000 + i64::from(n), &[crate::support::chunk_of(n)]);
    }
    bucket.compact(|at| at < 2);
    let [segment, block] = [0, 1].map(|at| bucket.catalog[at].key.clone());
    for (removed, expect) in [(&segment, &block), (&block, &segment)] {
        let listing = bucket
            .objects
            .iter()
            .map(|(key, bytes)| (key.clone(), bytes.len() as u64));
        let mut plan = RebuildPlan::new(listing, [removed.clone()]);
        while let Some(get) = plan.wants().pop() {
            plan.provide(&get, bucket.read(&get)).unwrap();
        }
        let rebuilt = plan.finish().unwrap();
        assert_eq!((rebuilt.damaged, rebuilt.dropped), (Vec::new(), Vec::new()));
        assert_eq!(
            rebuilt.rows.iter().map(|row| &row.key).collect::<Vec<_>>(),
            [expect]
        );
    }
}

#[test]
fn a_query_through_the_published_days_alone() {
    let day = 86_400_000;
    let mut bucket = Bucket::default();
    for n in 0..6 {
        bucket.put_segment(
            i64::from(n) * day / 2 + 5,
            &[crate::support::chunk_at(n, i64::from(n) * day / 2)],
        );
    }
    bucket.compact(|at| at < 2);
    let days = (0..3).map(|arrived| {
        let of_day =
            |o: &&CatalogObject| arrival_day(o.key.parse::<ObjectKey>().unwrap().millis) == arrived;
        let row = |o: &CatalogObject| CatalogRow {
            key: o.key.clone(),
            size: o.size,
            directory: o.directory.encode().unwrap(),
        };
        let rows = bucket.catalog.iter().filter(of_day).map(row).collect();
        let key = catalog_key(&TenantId::anonymous(), 0, arrived);
        (
            key,
            CatalogDay {
                written: UnixNanos(7),
                rows,
            }
            .encode()
            .unwrap(),
        )
    });
    let days: Vec<(String, Vec<u8>)> = days.collect();

    let of_type = profile_type("process_cpu", "cpu");
    for (range, objects) in [
        (0..3 * day, 5),
        (0..day, 1),
        (day..2 * day, 2),
        (day * 3 / 2..day * 2 + 1, 2),
    ] {
        let range = TimeRange::of_millis(range.start, range.end);
        let expect = bucket.query("", &of_type, range).unwrap();
        let catalog = static_catalog(
            days.iter()
                .map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
            range,
        )
        .unwrap();
        assert_eq!(catalog.len(), objects);
        let reader = Bucket {
            objects: bucket.objects.clone(),
            catalog,
            ..Bucket::default()
        };
        let answer = reader.query("", &of_type, range).unwrap();
        assert_eq!(
            (answer.profile, answer.profiles),
            (expect.profile, expect.profiles)
        );
    }
}
