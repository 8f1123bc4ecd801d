//! What links cost, printed: `cargo test --release -p pilotlight-core --test store span_sizes --
//! --ignored --nocapture`.

use std::time::Instant;

use pilotlight_core::store::{
    ChunkId, LinkedRow, PageEntry, Series, SeriesRows, chunk_head, encode_chunk,
};
use pilotlight_core::{SpanId, SpanSelector, StringId, TimeRange, TraceId, TraceLink, UnixNanos};

use crate::service::{Numbers, service};
use crate::spans::query;
use crate::support::{Bucket, labels, profile_type};

/// Ids as random as those of a tracer.
fn link(numbers: &mut Numbers) -> TraceLink {
    let mut word = || numbers.below(1 << 31) << 33 | numbers.below(1 << 31) << 2 | 1;
    let (high, low, span) = (word(), word(), word());
    TraceLink {
        trace: format!("{high:016x}{low:016x}").parse::<TraceId>().ok(),
        span: format!("{span:016x}").parse::<SpanId>().ok(),
        name: StringId::EMPTY,
    }
}

/// An hour of one Go process, a CPU profile of up to a thousand samples each 15 seconds, with so
/// many spans in each.
fn hour(spans: usize) {
    let mut numbers = Numbers(1);
    let (tables, rows) = service(&mut numbers, "checkout");
    let types = ["samples", "cpu"].map(|name| profile_type("process_cpu", name));
    let mut bucket = Bucket::default();
    let (mut chunk_bytes, mut link_bytes, mut kept) = (0, 0, None);
    for minute in 0..60 {
        let mut chunks = Vec::new();
        for i in 0..4 {
            let links: Vec<TraceLink> = (0..spans).map(|_| link(&mut numbers)).collect();
            kept = links.first().copied().or(kept);
            let mut all = types.clone().map(|profile_type| SeriesRows {
                series: Series {
                    labels: labels(&[("service_name", "checkout"), ("region", "eu")]),
                    profile_type,
                    time: UnixNanos((minute * 4 + i) * 15_000_000_000),
                    duration_nanos: 15_000_000_000,
                    total: 0,
                },
                ..SeriesRows::default()
            });
            for &(stack, nanos) in &rows {
                if numbers.below(2) == 1 {
                    continue;
                }
                let own = match spans {
                    0 => None,
                    n => Some(links[numbers.below(n as u64) as usize]),
                };
                for (series, value) in all.iter_mut().zip([nanos / 10_000_000, nanos]) {
                    series.rows.push((stack, value));
                    series
                        .links
                        .extend(own.map(|link| LinkedRow { link, stack, value }));
                }
            }
            let mut id = [0; 16];
            id[..8].copy_from_slice(&(minute * 4 + i).to_le_bytes());
            let chunk = encode_chunk(ChunkId(id), &tables, &all).unwrap();
            let head = chunk_head(&chunk).unwrap();
            chunk_bytes += head.len;
            link_bytes += head.links_len;
            chunks.push(chunk);
        }
        bucket.put_segment(minute * 60_000, &chunks);
    }
    println!(
        "{spans} spans a profile: a chunk {} bytes and {} of links",
        chunk_bytes / 240,
        link_bytes / 240
    );
    for level in 0..=2 {
        if level > 0 {
            let start = Instant::now();
            bucket.compact_all(level);
            println!("  compaction to level {level}: {:?}", start.elapsed());
        }
        let size: u64 = bucket.catalog.iter().map(|object| object.size).sum();
        let bytes = |pages: &[PageEntry]| pages.iter().map(|page| page.part.len).sum::<u64>();
        let datasets = bucket.catalog.iter().flat_map(|o| o.directory.datasets());
        let links = datasets
            .map(|d| bytes(&d.links))
            .max()
            .unwrap_or(link_bytes);
        println!("  level {level}: {size} bytes, {links} of them links");
        let Some(span) = kept.and_then(|link| link.span) else {
            continue;
        };
        let spans = SpanSelector::Spans([span].into());
        let start = Instant::now();
        let answer = query(&bucket, "", &types[1], TimeRange::ALL, &spans);
        println!(
            "  one span: {:?}, {} profiles, {} bytes read",
            start.elapsed(),
            answer.profiles,
            answer.bytes
        );
    }
}

#[test]
#[ignore = "a measurement, not a test"]
fn span_sizes() {
    [0, 10, 100, 1000].into_iter().for_each(hour);
}
