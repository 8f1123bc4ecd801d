//! Real profiles through the store, where the corpus is at hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pilotlight_core::ingest::{Push, ingest};
use pilotlight_core::store::chunk_head;
use pilotlight_core::{ProfileType, TimeRange, UnixNanos, pprof};

use crate::support::Bucket;

/// Files below a folder of the corpus whose names end so; none, with a message, when there is no
/// corpus.
fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/corpus")
        .join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no corpus at ../shared/corpus");
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(end));
    files.sort();
    files
}

/// Pushes everything, and checks that queries give these totals from segments, from both, and from
/// a block.
fn check(chunks: Vec<Vec<u8>>, totals: &BTreeMap<ProfileType, i128>) {
    let mut bucket = Bucket::default();
    for (minute, chunk) in chunks.into_iter().enumerate() {
        bucket.put_segment(minute as i64 * 60_000, &[chunk]);
    }
    let ask = |bucket: &Bucket| {
        let answers = totals
            .keys()
            .map(|of_type| bucket.query("", of_type, TimeRange::ALL).unwrap().profile);
        answers.collect::<Vec<_>>()
    };
    let before = ask(&bucket);
    let found: Vec<i128> = before.iter().map(|profile| profile.total(0)).collect();
    assert_eq!(found, totals.values().copied().collect::<Vec<_>>());
    for step in [bucket.catalog.len() / 2, usize::MAX] {
        bucket.compact(|at| at < step);
        assert!(ask(&bucket) == before, "compaction changed an answer");
        for (of_type, total) in totals {
            let series = bucket.timeline("", Some(of_type), TimeRange::ALL).series;
            assert_eq!(
                series.iter().map(|s| s.total()).sum::<i128>(),
                *total,
                "{of_type}"
            );
        }
    }
}

#[test]
fn profiles_of_other_projects() {
    for path in files("pprof", "") {
        let body = std::fs::read(&path).unwrap();
        let Ok(decoded) = pprof::open(&body, 1 << 24) else {
            continue;
        };
        let push = Push {
            query: "name=corpus&format=pprof&from=1700000000&until=1700000010",
            content_type: "",
            body: &body,
            tenant: "a",
            client: "127.0.0.1",
            now: UnixNanos(1_700_000_010_000_000_000),
            limits: Default::default(),
        };
        let chunk = ingest(&push).unwrap().chunks.remove(0).bytes;
        let mut totals = BTreeMap::new();
        for series in chunk_head(&chunk).unwrap().series {
            let profile = &decoded.profile;
            let t = &series.profile_type;
            let same =
                |&(_, column): &(usize, (&str, &str))| column == (&t.sample_type, &t.sample_unit);
            let types = profile
                .sample_types()
                .iter()
                .map(|&column| profile.type_text(column))
                .enumerate();
            let (column, _) = types.into_iter().find(same).unwrap();
            totals.insert(series.profile_type, profile.total(column));
        }
        println!(
            "{}: {} bytes as pprof, {} as a chunk",
            path.display(),
            body.len(),
            chunk.len()
        );
        check(vec![chunk], &totals);
    }
}

#[test]
fn what_agents_sent() {
    for agent in ["go142", "node064", "node0413"] {
        let (mut chunks, mut totals) = (Vec::new(), BTreeMap::<ProfileType, i128>::new());
        for path in files(&format!("agents/{agent}"), ".head") {
            let head = std::fs::read_to_string(&path).unwrap();
            let query = head.split([' ', '?']).nth(2).unwrap();
            let is_type = |line: &&str| line.to_ascii_lowercase().starts_with("content-type:");
            let content_type = head
                .lines()
                .find(is_type)
                .map_or("", |line| line[13..].trim());
            let body = std::fs::read(path.with_extension("body")).unwrap();
            let now = UnixNanos(1_800_000_000_000_000_000);
            let push = Push {
                query,
                content_type,
                body: &body,
                tenant: "a",
                client: "127.0.0.1",
                now,
                limits: Default::default(),
            };
            let Some(chunk) = ingest(&push).unwrap().chunks.pop() else {
                continue;
            };
            for series in chunk_head(&chunk.bytes).unwrap().series {
                *totals.entry(series.profile_type).or_default() += i128::from(series.total);
            }
            chunks.push(chunk.bytes);
        }
        println!("{agent}: {} chunks, {} types", chunks.len(), totals.len());
        check(chunks, &totals);
    }
}
