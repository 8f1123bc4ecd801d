//! Speed and size, printed: `cargo test --release -p pilotlight-core --test store speed -- --ignored --nocapture`.

use std::time::Instant;

use pilotlight_core::store::{ChunkId, Series, SeriesRows, chunk_head, encode_chunk, read_chunk};
use pilotlight_core::{Samples, StackId, TimeRange, UnixNanos};

use crate::service::{Numbers, service};
use crate::support::{Bucket, labels, profile_type};

#[test]
#[ignore = "a measurement, not a test"]
fn speed() {
    let mut numbers = Numbers(1);
    let (tables, rows) = service(&mut numbers, "checkout");
    let of_type = profile_type("process_cpu", "cpu");
    let chunk = |i: i64, region: &str, rows: &[(Option<StackId>, i64)]| {
        let labels = labels(&[("service_name", "checkout"), ("region", region), ("version", "1.2.3")]);
        let (time, duration_nanos) = (UnixNanos(i * 15_000_000_000), 15_000_000_000);
        let series = Series { labels, profile_type: of_type.clone(), time, duration_nanos, total: 0 };
        let mut id = [0; 16];
        id[..8].copy_from_slice(&i.to_le_bytes());
        encode_chunk(ChunkId(id), &tables, &[SeriesRows { series, rows: rows.to_vec() }]).unwrap()
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
            let some: Vec<_> = rows.iter().filter(|_| numbers.below(2) == 0).copied().collect();
            chunk(minute * 40 + i, ["eu", "us"][i as usize % 2], &some)
        });
        let chunks: Vec<_> = chunks.collect();
        let start = Instant::now();
        let (bytes, directory) = bucket.put_segment(minute * 60_000, &chunks);
        if minute == 0 {
            println!("segment of 40: {bytes} bytes, {directory} of it directory, {:?}", start.elapsed());
        }
    }
    let query = |bucket: &Bucket, what: &str| {
        let start = Instant::now();
        let answer = bucket.query("", &of_type, TimeRange::ALL).unwrap();
        println!("query of {what}: {:?}, {} profiles, {} bytes", start.elapsed(), answer.profiles, answer.bytes);
        let Samples { values, .. } = answer.profile.samples();
        assert_eq!(answer.profiles, 2400);
        values[0].iter().sum::<i64>()
    };
    let before = query(&bucket, "segments");
    let start = Instant::now();
    bucket.compact(|_| true);
    let block = &bucket.catalog[0];
    println!(
        "compaction: {:?}, block {} bytes, directory {}",
        start.elapsed(),
        block.size,
        block.directory.encode().unwrap().len()
    );
    assert_eq!(query(&bucket, "the block"), before);
    let start = Instant::now();
    let timeline = bucket.timeline("", None, TimeRange::ALL);
    println!("timeline: {:?}, {} bytes", start.elapsed(), timeline.bytes);
}
