//! Links of chosen pushes: stored once, counted once, and damaged.

use std::collections::BTreeSet;

use pilotlight_core::plans::Plan;
use pilotlight_core::store::chunk_head;

use super::*;

#[test]
fn a_retry_counts_once() {
    let pushes = [simple(1, 0, &[(1, 1)]), simple(1, 3, &[(1, 1)])];
    let mut bucket = filled(&pushes, true);
    for level in 0..=3 {
        if level > 0 {
            bucket.compact_all(level);
        }
        let spans = SpanSelector::Spans(BTreeSet::from_iter(span(1)));
        let of_type = profile_type("process_cpu", "samples");
        let answer = query(&bucket, "", &of_type, TimeRange::ALL, &spans);
        assert_eq!(answer.profiles, 1, "level {level}");
        assert_eq!(said(&answer.profile).into_values().collect::<Vec<_>>(), [1]);
    }
}

/// Samples and nanoseconds say the same of each span, so their links are stored once; and a query
/// reads symbols only where it finds its span.
#[test]
fn equal_links_are_stored_once_and_symbols_read_where_needed() {
    let pushes: Vec<LinkedPush> = (0..20)
        .map(|n| simple(n, n.into(), &[(1, n + 1), (0, 0), (2, n + 1)]))
        .collect();
    let mut bucket = filled(&pushes, true);
    let ask = |bucket: &Bucket, n: u8| {
        let spans = SpanSelector::Spans(BTreeSet::from_iter(span(n)));
        let of_type = profile_type("process_cpu", "cpu");
        query(bucket, "", &of_type, TimeRange::ALL, &spans)
    };
    let links: u64 = bucket
        .catalog
        .iter()
        .flat_map(|object| object.directory.chunks())
        .filter_map(|chunk| chunk.links)
        .map(|part| part.len)
        .sum();
    assert_eq!(ask(&bucket, 200).bytes, links, "nothing but links");
    let (one, found) = (ask(&bucket, 3), ask(&bucket, 3).profiles);
    assert_eq!(found, 1);
    assert_eq!(
        one.bytes,
        links + bucket.catalog[2].directory.chunks()[0].len
    );
    bucket.compact_all(1);
    let datasets = bucket.catalog[0].directory.datasets();
    assert_eq!(datasets[0].links[0].part, datasets[1].links[0].part);
    assert_ne!(datasets[0].links[0].divisor, datasets[1].links[0].divisor);
    assert_eq!(
        said(&ask(&bucket, 3).profile).into_values().sum::<i64>(),
        20_000_000
    );
}

#[test]
fn damaged_links_are_errors() {
    let chunk = simple(1, 0, &[(1, 1), (2, 2)]).chunk(true);
    let head = chunk_head(&chunk).unwrap();
    assert_eq!(head.len + head.links_len, chunk.len() as u64);
    assert!(head.links_len > 0);
    // A chunk without its links is one that has none; any other cut is an error.
    for len in (0..chunk.len()).filter(|&len| len as u64 != head.len) {
        assert!(chunk_head(&chunk[..len]).is_err(), "{len} bytes");
    }
    for level in 0..=2 {
        let mut bucket = filled(&[simple(1, 0, &[(1, 1), (2, 2)])], true);
        (1..=level).for_each(|level| bucket.compact_all(level));
        let object = &bucket.catalog[0];
        let chunks = object.directory.chunks().iter().filter_map(|c| c.links);
        let pages = object.directory.datasets().iter().flat_map(|d| &d.links);
        let part = chunks.chain(pages.map(|page| page.part)).next().unwrap();
        let key = object.key.clone();
        for at in part.offset..part.offset + part.len {
            let byte = &mut bucket.objects.get_mut(&key).unwrap()[at as usize];
            *byte ^= 4;
            let mut plan = SampleQueryPlan::new(
                &Selector::default(),
                &profile_type("process_cpu", "cpu"),
                TimeRange::ALL,
                SpanSelector::Spans(BTreeSet::from_iter(span(1))),
                &bucket.catalog,
            )
            .unwrap();
            let get = plan.wants().remove(0);
            assert!(plan.provide(&get, bucket.read(&get)).is_err(), "byte {at}");
            bucket.objects.get_mut(&key).unwrap()[at as usize] ^= 4;
        }
    }
}
