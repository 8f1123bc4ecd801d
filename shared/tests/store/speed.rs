//! Speed and size, printed: `cargo test --release -p pilotlight-core --test store speed --
//! --ignored --nocapture`.

use std::time::{Duration, Instant};

use pilotlight_core::plans::{
    AnswerSum, CatalogObject, Plan, QueryAnswer, QueryPlan, SplitQuery, split,
};
use pilotlight_core::store::{
    ChunkId, PageEntry, Series, SeriesRows, SumWindow, chunk_head, encode_chunk, read_chunk,
};
use pilotlight_core::{Samples, Selector, StackId, TimeRange, UnixNanos};

use crate::service::{Numbers, service};
use crate::support::{Bucket, labels, profile_type};

#[test]
#[ignore = "a measurement, not a test"]
fn speed() {
    let mut numbers = Numbers(1);
    let (tables, rows) = service(&mut numbers, "checkout");
    let of_type = profile_type("process_cpu", "cpu");
    let chunk = |i: i64, region: &str, rows: &[(Option<StackId>, i64)]| {
        let labels = labels(&[
            ("service_name", "checkout"),
            ("region", region),
            ("version", "1.2.3"),
        ]);
        let (time, duration_nanos) = (UnixNanos(i * 15_000_000_000), 15_000_000_000);
        let series = Series {
            labels,
            profile_type: of_type.clone(),
            time,
            duration_nanos,
            total: 0,
        };
        let mut id = [0; 16];
        id[..8].copy_from_slice(&i.to_le_bytes());
        encode_chunk(
            ChunkId(id),
            &tables,
            &[SeriesRows {
                series,
                rows: rows.to_vec(),
                links: Vec::new(),
            }],
        )
        .unwrap()
    };
    let repeat = 200;
    let start = Instant::now();
    let mut encoded = Vec::new();
    (0..repeat).for_each(|i| encoded = chunk(i, "eu", &rows));
    println!(
        "encode_chunk: {:?}, {} bytes, {} stacks",
        start.elapsed() / repeat as u32,
        encoded.len(),
        tables.stacks().len()
    );
    let start = Instant::now();
    (0..repeat).for_each(|_| drop(chunk_head(&encoded).unwrap()));
    println!("chunk_head: {:?}", start.elapsed() / repeat as u32);
    let start = Instant::now();
    (0..repeat).for_each(|_| drop(read_chunk(&encoded, |_, _| true).unwrap()));
    println!("read_chunk: {:?}", start.elapsed() / repeat as u32);
    let profile = read_chunk(&encoded, |_, _| true).unwrap();
    let mut merger = pilotlight_core::Merger::new();
    let start = Instant::now();
    (0..repeat).for_each(|_| merger.add(&profile).unwrap());
    println!("Merger::add: {:?}", start.elapsed() / repeat as u32);

    // An hour of ten instances, a profile each 15 seconds, a segment each minute.
    let mut bucket = Bucket::default();
    for minute in 0..60 {
        let chunks = (0..40).map(|i| {
            let some: Vec<_> = rows
                .iter()
                .filter(|_| numbers.below(2) == 0)
                .copied()
                .collect();
            chunk(minute * 40 + i, ["eu", "us"][i as usize % 2], &some)
        });
        let chunks: Vec<_> = chunks.collect();
        let start = Instant::now();
        let (bytes, directory) = bucket.put_segment(minute * 60_000, &chunks);
        if minute == 0 {
            println!(
                "segment of 40: {bytes} bytes, {directory} of it directory, {:?}",
                start.elapsed()
            );
        }
    }
    let query = |bucket: &Bucket, what: &str| {
        let start = Instant::now();
        let answer = bucket.query("", &of_type, TimeRange::ALL).unwrap();
        println!(
            "query of {what}: {:?}, {} profiles, {} bytes",
            start.elapsed(),
            answer.profiles,
            answer.bytes
        );
        let Samples { values, .. } = answer.profile.samples();
        assert_eq!(answer.profiles, 2400);
        values[0].iter().sum::<i64>()
    };
    let before = query(&bucket, "segments");
    // Two blocks of an hour, then one, then its sums.
    let steps: [(u8, Vec<usize>); 4] = [
        (1, (0..30).collect()),
        (1, (0..30).collect()),
        (2, vec![0, 1]),
        (3, vec![0]),
    ];
    for (level, sources) in steps {
        let start = Instant::now();
        bucket.compact_to(level, &sources);
        let block = bucket.catalog.last().unwrap();
        let directory = block.directory.encode().unwrap().len();
        println!(
            "level {level}: {:?}, {} bytes, {directory} of it directory",
            start.elapsed(),
            block.size
        );
        for dataset in block.directory.datasets() {
            let bytes = |pages: &[PageEntry]| pages.iter().map(|page| page.part.len).sum::<u64>();
            let profiles = bytes(&dataset.pages);
            println!(
                "  {} profiles: {profiles} bytes, symbols {}",
                dataset.profiles, dataset.symbols.len
            );
            for sums in &dataset.sums {
                let bytes = bytes(&sums.pages);
                let each = bytes as f64 / dataset.profiles as f64;
                println!(
                    "  {:?} {:?}: {bytes} bytes, {each:.1} a profile",
                    sums.window, sums.scope
                );
            }
        }
    }
    assert_eq!(query(&bucket, "sums of the hour"), before);
    let start = Instant::now();
    let timeline = bucket.timeline("", None, TimeRange::ALL);
    println!("timeline: {:?}, {} bytes", start.elapsed(), timeline.bytes);
}

/// The same query in parts, one after the other, and from what a cache has of them.
fn in_parts(bucket: &Bucket, selector: &str, range: TimeRange, whole: &QueryAnswer) {
    let (of_type, selector) = (
        profile_type("process_cpu", "cpu"),
        Selector::parse(selector).unwrap(),
    );
    // As with summaries in a catalog: those within the range stand for what they sum up.
    let inside = |o: &&CatalogObject| {
        let summary = bucket.catalog.iter().find(|s| {
            s.directory
                .block()
                .is_some_and(|b| b.summarizes.contains(&o.key))
        });
        !summary.is_some_and(|s| {
            range.from <= s.directory.min_time().unwrap()
                && s.directory.max_time().unwrap() < range.until
        })
    };
    let objects: Vec<CatalogObject> = bucket.catalog.iter().filter(inside).cloned().collect();
    let start = Instant::now();
    let SplitQuery::Subqueries(parts) =
        split(&selector, &of_type, range, objects, 4 << 20).unwrap()
    else {
        return println!("  one part");
    };
    let (splitting, mut answers, mut longest) = (start.elapsed(), Vec::new(), Duration::ZERO);
    for part in &parts {
        let start = Instant::now();
        let mut plan = QueryPlan::new(&selector, &of_type, range, &part.objects).unwrap();
        plan.wants()
            .iter()
            .for_each(|get| plan.provide(get, bucket.read(get)).unwrap());
        answers.push(plan.finish().unwrap().encode(&of_type).unwrap());
        longest = longest.max(start.elapsed());
    }
    let all = start.elapsed();
    let start = Instant::now();
    let mut sum = AnswerSum::new();
    answers.iter().for_each(|bytes| {
        sum.add(&QueryAnswer::decode(bytes, &of_type).unwrap())
            .unwrap()
    });
    assert_eq!(sum.finish().profile, whole.profile);
    let (fixed, bytes) = (
        parts.iter().filter(|part| part.fixed).count(),
        answers.iter().map(Vec::len).sum::<usize>(),
    );
    let count = parts.len();
    println!(
        "  {count} parts, {fixed} fixed: split {splitting:?}, all {all:?}, the longest {longest:?}, {bytes} bytes of answers"
    );
    println!("  added up in {:?}", start.elapsed());
}

/// A month of ten processes that share their code, two profiles of each an hour.
#[test]
#[ignore = "a measurement, not a test"]
fn a_month() {
    let mut numbers = Numbers(1);
    let (tables, rows) = service(&mut numbers, "checkout");
    let of_type = profile_type("process_cpu", "cpu");
    let (mut bucket, hour) = (Bucket::default(), SumWindow::Hour.nanos());
    let start = Instant::now();
    for day in 0..30 {
        for at in day * 24..day * 24 + 24 {
            let mut profile = |i: i64| {
                let time = at * hour + i * hour / 20;
                let labels = labels(&[
                    ("service_name", "checkout"),
                    ("instance", &(i % 10).to_string()),
                ]);
                let profile_type = of_type.clone();
                let series = Series {
                    labels,
                    profile_type,
                    time: UnixNanos(time),
                    duration_nanos: 1,
                    total: 0,
                };
                let rows = rows
                    .iter()
                    .filter(|_| numbers.below(2) == 0)
                    .copied()
                    .collect();
                let mut id = [0; 16];
                id[..8].copy_from_slice(&time.to_le_bytes());
                encode_chunk(
                    ChunkId(id),
                    &tables,
                    &[SeriesRows {
                        series,
                        rows,
                        links: Vec::new(),
                    }],
                )
                .unwrap()
            };
            let chunks: Vec<_> = (0..20).map(&mut profile).collect();
            let first = bucket.catalog.len();
            for (half, chunks) in chunks.chunks(10).enumerate() {
                bucket.put_segment(at * 3_600_000 + half as i64, chunks);
                bucket.compact_to(1, &[first + half]);
            }
            bucket.compact_to(2, &[first, first + 1]);
        }
        let last = bucket.catalog.len();
        bucket.compact_to(3, &(last - 24..last).collect::<Vec<_>>());
    }
    println!("made in {:?}", start.elapsed());
    for level in [2, 3] {
        let of_level = || {
            bucket
                .catalog
                .iter()
                .filter(|object| object.level.number() == level)
                .map(|object| object.size)
        };
        println!(
            "level {level}: {} objects, {} bytes",
            of_level().count(),
            of_level().sum::<u64>()
        );
    }
    let day = SumWindow::Day.nanos();
    let ranges = [
        ("all", 0, 30 * day),
        (
            "cut at minutes",
            hour + hour / 60,
            30 * day - hour - hour / 60,
        ),
    ];
    for (what, from, until) in ranges {
        let range = TimeRange::of_nanos(from, until);
        for selector in ["", r#"{instance="3"}"#] {
            let start = Instant::now();
            let answer = bucket.query(selector, &of_type, range).unwrap();
            let (time, profiles) = (start.elapsed(), answer.profiles);
            println!(
                "{what} {selector}: {time:?}, {profiles} profiles, {} objects, {} bytes",
                answer.objects, answer.bytes
            );
            in_parts(&bucket, selector, range, &answer);
        }
        let start = Instant::now();
        let timeline = bucket
            .try_timeline("", None, range, Some(SumWindow::Hour))
            .unwrap();
        println!(
            "timeline, {what}: {:?}, {} bytes",
            start.elapsed(),
            timeline.bytes
        );
    }
}
