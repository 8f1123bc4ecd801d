//! A flipped bit or a missing end is an error.

use pilotlight_core::plans::{CatalogObject, Grouping, Plan, QueryPlan};
use pilotlight_core::store::{
    Contents, Ids, ObjectKey, SegmentWriter, SumWindow, TenantId, read_ids,
};
use pilotlight_core::{Selector, TimeRange};

use super::*;
use crate::support::Push;

fn sample_push(id: u8) -> Push {
    Push {
        id,
        arrival_millis: 0,
        time: 5,
        family: "memory",
        labels: vec![("service_name", "a"), ("region", "eu")],
        types: vec![
            (
                "alloc_space",
                vec![
                    (vec!["main", "work", "deep"], 12),
                    (vec!["main"], 3),
                    (vec![], 1),
                ],
            ),
            ("inuse_space", vec![(vec!["main", "work"], 9)]),
        ],
    }
}

/// Flips bits at every byte. Every reading must then fail or give what it gave before, and at least
/// one must fail.
fn every_flip<T: PartialEq>(
    bytes: &[u8],
    masks: &[u8],
    readings: impl Fn(&[u8]) -> Vec<Option<T>>,
) {
    let before = readings(bytes);
    assert!(before.iter().all(Option::is_some));
    for at in 0..bytes.len() {
        for mask in masks {
            let mut flipped = bytes.to_vec();
            flipped[at] ^= mask;
            let after = readings(&flipped);
            let place = || format!("byte {at} of {} with mask {mask:#x}", bytes.len());
            assert!(
                after.iter().any(Option::is_none),
                "{} went unnoticed",
                place()
            );
            let wrong = after
                .iter()
                .zip(&before)
                .any(|(after, before)| after.is_some() && after != before);
            assert!(!wrong, "{} gave another answer", place());
        }
    }
}

#[test]
fn a_flipped_bit_of_a_chunk_is_noticed() {
    let read = |bytes: &[u8], i| read_chunk(bytes, |at, _| at == i).ok();
    every_flip(
        &sample_push(1).chunk(),
        &[0x01, 0x10, 0x80, 0xff],
        |bytes| vec![read(bytes, 0), read(bytes, 1)],
    );
}

#[test]
fn a_flipped_bit_of_a_directory_is_noticed() {
    let mut bucket = Bucket::filled(&[sample_push(1), sample_push(2)]);
    for level in 0..=3 {
        bucket.compact_to(level, &if level == 0 { vec![] } else { vec![0] });
        let bytes = bucket.catalog.last().unwrap().directory.encode().unwrap();
        every_flip(&bytes, &[0x01, 0x80], |bytes| {
            vec![Directory::decode(bytes).ok()]
        });
    }
}

/// Rebuilds the catalog from a damaged object and asks everything of it.
#[test]
fn a_flipped_bit_of_an_object_is_noticed() {
    // Enough in one minute that sums are worth while, more in the next, of two series.
    let pushes: Vec<Push> = (0..12u8)
        .map(|id| {
            let region = ["eu", "us"][usize::from(id % 2)];
            let time = i64::from(id) * 7_000_000_000 + 1;
            Push {
                time,
                labels: vec![("service_name", "a"), ("region", region)],
                ..sample_push(id)
            }
        })
        .collect();
    let mut bucket = Bucket::filled(&pushes);
    for level in 0..=3u8 {
        bucket.compact_to(level, &if level == 0 { vec![] } else { vec![0] });
        let mut object = bucket.catalog.last().unwrap().clone();
        object.directory.drop_lineage();
        every_flip(&bucket.objects[&object.key], &[0x20], |bytes| {
            let mut damaged = Bucket::default();
            if let Ok(mut directory) = Directory::of_object(bytes) {
                directory.drop_lineage();
                damaged.catalog.push(CatalogObject {
                    directory,
                    ..object.clone()
                });
            }
            damaged.objects.insert(object.key.clone(), bytes.to_vec());
            let answer = |sample_type| {
                let of_type = profile_type("memory", sample_type);
                // All windows, those of one series, and what lies across the edges of minutes and
                // hours.
                let (cut, minute) = (UnixNanos(8_000_000_000), UnixNanos(60_000_000_000));
                let ranges = [
                    ("", TimeRange::ALL),
                    (r#"{region="eu"}"#, TimeRange::ALL),
                    (
                        "",
                        TimeRange {
                            from: cut,
                            ..TimeRange::ALL
                        },
                    ),
                    (
                        "",
                        TimeRange {
                            until: minute,
                            ..TimeRange::ALL
                        },
                    ),
                ];
                let mut answers = Vec::new();
                for (selector, range) in ranges {
                    answers.push(damaged.query(selector, &of_type, range).ok()?.profile);
                }
                let (hour, all) = (Some(SumWindow::Hour), TimeRange::ALL);
                let kinds = [
                    (None, Grouping::Series),
                    (hour, Grouping::Series),
                    (hour, Grouping::Service),
                ];
                let timelines = kinds.map(|(resolution, grouping)| {
                    Some(
                        damaged
                            .grouped_timeline("", Some(&of_type), all, resolution, grouping)
                            .ok()?
                            .series,
                    )
                });
                let timelines = timelines.into_iter().collect::<Option<Vec<_>>>()?;
                answers
                    .iter()
                    .any(|profile| !profile.is_empty())
                    .then_some((answers, timelines))
            };
            let ids = damaged
                .catalog
                .first()
                .and_then(|object| object.directory.block())
                .and_then(|block| block.ids);
            let ids = ids.map_or(Some(Ids::default()), |part| {
                read_ids(&bytes[part.offset as usize..][..part.len as usize]).ok()
            });
            vec![
                answer("alloc_space").zip(ids.clone()),
                answer("inuse_space").zip(ids),
            ]
        });
    }
}

#[test]
fn truncated_bytes_are_refused_at_every_length() {
    let chunk = sample_push(1).chunk();
    for len in 0..chunk.len() {
        assert!(
            chunk_head(&chunk[..len]).is_err(),
            "a chunk cut to {len} bytes"
        );
        assert!(
            read_chunk(&chunk[..len], |_, _| true).is_err(),
            "a chunk cut to {len} bytes"
        );
    }
    assert!(
        chunk_head(&[chunk.as_slice(), &[0]].concat()).is_err(),
        "a chunk with a byte too many"
    );
    let mut bucket = Bucket::filled(&[sample_push(1)]);
    for level in 0..=3 {
        bucket.compact_to(level, &if level == 0 { vec![] } else { vec![0] });
        let object = bucket.catalog.last().unwrap();
        let bytes = &bucket.objects[&object.key];
        (0..bytes.len()).for_each(|len| {
            assert!(
                Directory::of_object(&bytes[..len]).is_err(),
                "an object cut to {len} bytes"
            )
        });
        let directory = object.directory.encode().unwrap();
        (0..directory.len()).for_each(|len| assert!(Directory::decode(&directory[..len]).is_err()));
    }
}

#[test]
fn errors_say_what_and_where() {
    let chunk = sample_push(1).chunk();
    let check =
        |bytes: &[u8], expect: &str| assert_eq!(chunk_head(bytes).unwrap_err().to_string(), expect);
    check(b"", "these bytes are not a chunk: they begin with []");
    check(
        b"PK\x03\x04zipfile",
        "these bytes are not a chunk: they begin with [50, 4b, 03, 04, 7a, 69, 70, 66]",
    );
    check(
        b"PLTCHNK\x02",
        "unsupported chunk version 2; this program reads version 1",
    );
    check(
        &chunk[..chunk.len() - 1],
        &format!(
            "chunk: expected {} bytes, got {}",
            chunk.len(),
            chunk.len() - 1
        ),
    );

    let bucket = Bucket::filled(&[sample_push(1)]);
    let of_type = profile_type("memory", "inuse_space");
    let mut plan = QueryPlan::new(
        &Selector::default(),
        &of_type,
        TimeRange::ALL,
        &bucket.catalog,
    )
    .unwrap();
    let get = plan.wants().remove(0);
    let mut bytes = bucket.read(&get).to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    let key = ObjectKey {
        tenant: TenantId::anonymous(),
        shard: 0,
        level: Level::Segment,
        millis: 0,
        unique: 7,
    };
    let error = plan.provide(&get, &bytes).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{key}, byte 8: chunk rows: checksum ")),
        "{error}"
    );
}

#[test]
fn a_segment_refuses_what_is_no_chunk() {
    let mut writer = SegmentWriter::new();
    let chunk = sample_push(1).chunk();
    assert!(writer.push(&chunk[1..]).is_err());
    assert!(writer.push(&chunk[..chunk.len() - 1]).is_err());
    writer.push(&chunk).unwrap();
    let (bytes, directory) = writer.finish().unwrap();
    assert!(matches!(directory.contents, Contents::Segment(..)));
    let [entry] = directory.chunks() else {
        panic!("only the whole chunk is in it");
    };
    assert_eq!(bytes[entry.offset as usize..][..entry.len as usize], chunk);
}
