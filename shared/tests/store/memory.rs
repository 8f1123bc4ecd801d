//! No plan needs more than 64 MB, and no bytes make a reader allocate without bounds.
//!
//! Counts what Rust allocates on the thread of a test; zstd's own state, a few megabytes at most,
//! is C and not counted.

use pilotlight_core::plans::MAX_PARTITION_BYTES;
use pilotlight_core::store::{
    ChunkId, Directory, Series, SeriesRows, chunk_head, encode_chunk, read_chunk,
};
use pilotlight_core::{ProfileBuilder, TimeRange, UnixNanos};
use pilotlight_fixtures::counting::measure;

use crate::hostile::{sealed, sealed_as, varint};
use crate::service::{Numbers, service};
use crate::support::{Bucket, labels, profile_type};

/// Megabytes allocated at most at once while `work` runs, beyond those before it.
fn peak<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let (used, result) = measure(work);
    (used.peak as f64 / 1e6, result)
}

/// Segments of one job, as full as they may be; `services` processes that share no symbol take
/// turns.
fn full_job(services: i64) -> Bucket {
    let mut numbers = Numbers(1);
    let processes: Vec<_> = (0..services)
        .map(|i| service(&mut numbers, &format!("service{i}")))
        .collect();
    let mut bucket = Bucket::default();
    let (mut size, mut at) = (0, 0);
    while size < MAX_PARTITION_BYTES - (1 << 20) {
        let mut chunks = Vec::new();
        for _ in 0..10 {
            at += 1;
            let (tables, rows) = &processes[(at % services) as usize];
            let series = Series {
                // One family, the worst case: all symbols come together.
                labels: labels(&[("service_name", "a"), ("instance", &at.to_string())]),
                profile_type: profile_type("process_cpu", "cpu"),
                time: UnixNanos(at * 1_000_000_000),
                duration_nanos: 1,
                total: 0,
            };
            let mut id = [0; 16];
            id[..8].copy_from_slice(&at.to_le_bytes());
            chunks.push(
                encode_chunk(
                    ChunkId(id),
                    tables,
                    &[SeriesRows {
                        series,
                        rows: rows.clone(),
                        links: Vec::new(),
                    }],
                )
                .unwrap(),
            );
        }
        size += bucket.put_segment(at, &chunks).0 as u64;
    }
    bucket
}

/// Makes a block of the whole catalog's objects of a level's sources, and says what that took.
fn compact(bucket: &mut Bucket, level: u8, what: &str) {
    let sources: Vec<_> = bucket
        .catalog
        .iter()
        .filter(|object| object.level.number() < level)
        .cloned()
        .collect();
    let keys: Vec<_> = sources.iter().map(|object| object.key.clone()).collect();
    let (used, output) = peak(|| bucket.try_compact(level, sources).unwrap());
    println!(
        "level {level}, {what}: {used:.1} MB for {} bytes of output",
        output.bytes.len()
    );
    assert!(used < 64.0, "{used} MB");
    bucket.put_block(&keys, output);
}

#[test]
fn plans_stay_below_64_megabytes() {
    for services in [1, 200] {
        let mut bucket = full_job(services);
        for level in 0..=3 {
            if level > 0 {
                compact(&mut bucket, level, &format!("{services} services"));
            }
            if services > 1 {
                // Two hundred processes without a symbol in common have no small answer; a real
                // service's has.
                continue;
            }
            let (used, answer) = peak(|| {
                let of_type = profile_type("process_cpu", "cpu");
                bucket.query("", &of_type, TimeRange::ALL).unwrap()
            });
            println!(
                "query of level {level}: {used:.1} MB for {} bytes read, {} stacks",
                answer.bytes,
                answer.profile.stacks().len()
            );
            assert!(used < 64.0, "{used} MB");
        }
    }
}

/// What a query holds is bounded: beyond that it is refused, and says what to do.
#[test]
fn a_query_that_does_not_fit_is_refused() {
    let mut bucket = full_job(200);
    let of_type = profile_type("process_cpu", "cpu");
    for level in 0..=1 {
        if level > 0 {
            bucket.compact_all(1);
        }
        let mut most = 0;
        for processes in [8, 24, 32, 40, 200] {
            let range = TimeRange::of_nanos(0, (processes + 1) * 1_000_000_000);
            let answered = || {
                bucket
                    .query("", &of_type, range)
                    .inspect(|answer| drop(answer.encode(&of_type).unwrap()))
            };
            let (used, answer) = peak(answered);
            let said = answer
                .map(|answer| (answer.profile.stacks().len(), answer.bytes))
                .map_err(|error| error.to_string());
            println!("level {level}, {processes} processes: {used:.1} MB, {said:?}");
            assert!(used < 96.0, "{used} MB");
            if let Err(error) = said {
                assert!(
                    error.starts_with("the result needs more than 32 MiB; choose"),
                    "{error}"
                );
                assert_ne!(most, 0, "a few processes fit");
                break;
            }
            most = processes;
        }
        assert!(most < 200);
    }
}

/// Blocks of as many bytes as a job takes, almost all of them rows: values of 40 random bits, which
/// nothing makes smaller.
#[test]
fn jobs_over_blocks_stay_below_64_megabytes() {
    let (mut numbers, mut bucket, mut builder) =
        (Numbers(1), Bucket::default(), ProfileBuilder::new());
    let stacks: Vec<_> = (0..400)
        .map(|i| builder.named_stack(&["main", &format!("function {i}")]))
        .collect();
    let mut at = 0;
    while bucket.catalog.iter().map(|object| object.size).sum::<u64>()
        < MAX_PARTITION_BYTES - (2 << 20)
    {
        // Two hundred instances, each once in five minutes: sums of an hour are a twelfth of their
        // profiles.
        let mut profile = || {
            at += 1;
            let series = Series {
                labels: labels(&[("service_name", "a"), ("instance", &(at % 200).to_string())]),
                profile_type: profile_type("process_cpu", "cpu"),
                time: UnixNanos(at * 1_500_000_000),
                duration_nanos: 1,
                total: 0,
            };
            SeriesRows {
                series,
                rows: stacks
                    .iter()
                    .map(|&stack| (stack, numbers.below(1 << 31) as i64 * 500 + at))
                    .collect(),
                links: Vec::new(),
            }
        };
        let profiles: Vec<_> = (0..500).map(|_| profile()).collect();
        let mut id = [0; 16];
        id[..8].copy_from_slice(&at.to_le_bytes());
        bucket.put_segment(
            at,
            &[encode_chunk(ChunkId(id), builder.profile(), &profiles).unwrap()],
        );
        bucket.compact_to(1, &[bucket.catalog.len() - 1]);
    }
    println!("{} blocks, {at} profiles", bucket.catalog.len());
    compact(&mut bucket, 2, "blocks of rows");
    compact(&mut bucket, 3, "blocks of rows");
}

/// A directory is read before anything else, so it must be small even in the worst case: tiny
/// chunks, each of an instance of its own. A job full of them has a directory of two megabytes; of
/// real profiles it has a hundredth.
#[test]
fn a_directory_is_a_fifth_of_its_object_at_most() {
    let (mut numbers, mut chunks, mut bucket) = (Numbers(1), Vec::new(), Bucket::default());
    for _ in 0..4000 {
        let mut random = || numbers.below(1 << 31) as u32;
        let instance = format!("checkout-{:08x}-{:05x}", random(), random() >> 12);
        let series = Series {
            labels: labels(&[("service_name", "checkout"), ("instance", &instance)]),
            profile_type: profile_type("process_cpu", "cpu"),
            time: UnixNanos(1_700_000_000_000_000_000 + i64::from(random())),
            duration_nanos: 10_000_000_000,
            total: 0,
        };
        let id = [random(), random(), random(), random()]
            .map(u32::to_le_bytes)
            .concat()
            .try_into()
            .unwrap();
        let mut builder = ProfileBuilder::new();
        let rows = vec![(builder.named_stack(&["main"]), i64::from(random()))];
        chunks.push(
            encode_chunk(
                ChunkId(id),
                builder.profile(),
                &[SeriesRows {
                    series,
                    rows,
                    links: Vec::new(),
                }],
            )
            .unwrap(),
        );
    }
    let (bytes, directory) = bucket.put_segment(0, &chunks);
    println!("{bytes} bytes, {directory} of it directory");
    assert!(directory < bytes / 5, "{directory} of {bytes} bytes");
    bucket.compact(|_| true);
    let row = bucket.catalog[0].directory.encode().unwrap().len();
    println!(
        "as a block: {} bytes, directory of {row}",
        bucket.catalog[0].size
    );
    assert!(row < bytes / 5, "{row} bytes");
}

#[test]
fn claims_cost_nothing() {
    let check = |what: &str, bytes: &[u8], limit: f64| {
        let read = || {
            (
                chunk_head(bytes).is_err(),
                read_chunk(bytes, |_, _| true).is_err(),
                Directory::decode(bytes).is_err(),
            )
        };
        let (used, refused) = peak(read);
        assert_eq!(refused, (true, true, true), "{what}");
        assert!(used < limit, "{what}: {used} MB");
    };
    for magic in [b"PLTCHNK\x01", b"PLTDIRE\x01"] {
        let object = |section: Vec<u8>| [&magic[..], &section].concat();
        let huge = varint(u64::MAX >> 1);
        let start = if magic == b"PLTCHNK\x01" {
            vec![0; 18]
        } else {
            vec![]
        };
        for count in [huge.clone(), varint(u64::from(u32::MAX)), varint(1 << 24)] {
            // A count that nothing follows, at each place where a count may stand: words, label
            // sets, types, series.
            for zeros in 0..6 {
                let raw = [start.clone(), vec![0; zeros], count.clone()].concat();
                check("a count", &object(sealed(&raw)), 0.1);
            }
        }
        check(
            "a section that is not there",
            &object(sealed_as(b"", 32 << 20)),
            0.1 + 33.6,
        );
        let mut unsealed = sealed_as(b"x", 32 << 20);
        unsealed[8] ^= 1;
        check("a section with a wrong checksum", &object(unsealed), 0.1);
        // What zstd makes of nothing: the cap and the few tables that fit so many zeros.
        let bomb = zstd::bulk::compress(&vec![0; 32 << 20], 19).unwrap();
        check("a bomb", &object(sealed_as(&bomb, 32 << 20)), 34.0);
    }
}
