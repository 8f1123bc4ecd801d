//! Whatever bytes anyone sends: the readers answer with an error or with something that holds
//! together.

use crate::properties::{CAP, round_trips};
use pilotlight_core::flame::{Viewport, layout};
use pilotlight_core::ingest::{Chunk, Ingested, Push, ingest};
use pilotlight_core::pprof::open;
use pilotlight_core::store::{Directory, SegmentWriter, chunk_head, read_chunk};
use pilotlight_core::{
    By, CallTree, NodeId, Profile, Scale, UnixNanos, diff, function_table, merge,
};

pub(crate) fn target(bytes: &[u8]) {
    stored(bytes);
    form(bytes);
    let Ok(decoded) = open(bytes, CAP) else {
        return;
    };
    let profile = decoded.profile;
    round_trips(&profile);
    sums(&profile);
    views(&profile);
    push(bytes, &profile);
}

/// A profile merged with itself has twice its totals, stacks and functions included.
fn sums(profile: &Profile) {
    let one = merge([profile]).expect("one profile merges");
    let two = merge([profile, profile]).expect("a profile merges with itself");
    if one.saturated + two.saturated > 0 {
        return;
    }
    for column in 0..profile.sample_types().len() {
        assert_eq!(one.profile.total(column), profile.total(column));
        assert_eq!(two.profile.total(column), 2 * profile.total(column));
    }
    let regrouped = merge([&one.profile, &one.profile]).expect("equal types");
    let same_but_length = |p: &Profile| {
        (
            p.samples().clone(),
            p.stacks().to_vec(),
            p.locations().to_vec(),
        )
    };
    assert_eq!(
        same_but_length(&regrouped.profile),
        same_but_length(&two.profile)
    );
}

/// Trees, tables, comparisons and pictures of anything that decodes.
fn views(profile: &Profile) {
    for column in 0..profile.sample_types().len() {
        let tree = CallTree::new(profile, column, By::Function);
        let small = profile.samples().values[column]
            .iter()
            .all(|value| (0..1 << 40).contains(value));
        if small {
            assert_eq!(i128::from(tree.total()), profile.total(column));
            let own: i128 = function_table(&tree)
                .iter()
                .map(|row| i128::from(row.own[0]))
                .sum();
            assert_eq!(
                own + i128::from(tree.self_value(NodeId::ROOT)),
                profile.total(column)
            );
        }
        let last = NodeId(tree.shape().len() as u32 - 1);
        for zoom in [NodeId::ROOT, last] {
            let boxes = layout(
                &tree,
                Viewport {
                    zoom,
                    x0: 0.0,
                    x1: 1.0,
                    width: 300.0,
                    depth0: 0,
                    depth1: 40,
                },
            );
            assert!(boxes.len() <= 40 * 603);
        }
        let itself = diff(
            (profile, column),
            (profile, column),
            By::Name,
            Scale::Normalised,
        );
        if small {
            let [base, comparison] = itself.totals(NodeId::ROOT);
            assert_eq!(base, comparison);
        }
    }
}

/// What is pushed comes out of the store again, and a damaged copy is noticed.
fn push(bytes: &[u8], profile: &Profile) {
    let request = Push {
        query: "name=app%7Bregion%3Deu%7D&format=pprof&from=1700000000&until=1700000010",
        content_type: "",
        body: bytes,
        tenant: "anonymous",
        client: "",
        now: UnixNanos(1_700_000_020_000_000_000),
        limits: Default::default(),
    };
    // Labels that no series may have and the like are refused; what is accepted must be whole.
    let Ok(Ingested { chunks, .. }) = ingest(&request) else {
        return;
    };
    let [Chunk { bytes: chunk, .. }] = &chunks[..] else {
        return;
    };
    let head = chunk_head(chunk).expect("our own chunk");
    let positive: i128 = profile
        .samples()
        .values
        .iter()
        .flatten()
        .map(|value| i128::from((*value).max(0)))
        .sum();
    let stored: i128 = head
        .series
        .iter()
        .map(|series| i128::from(series.total))
        .sum();
    if positive < i128::from(i64::MAX) {
        assert_eq!(stored, positive);
        for (wanted, series) in head.series.iter().enumerate() {
            let one = read_chunk(chunk, |i, _| i == wanted).expect("our own chunk");
            assert_eq!(one.total(0), i128::from(series.total));
        }
    }
    let mut segment = SegmentWriter::new();
    segment.push(chunk).expect("our own chunk");
    let (object, directory) = segment.finish().expect("one chunk makes a segment");
    assert_eq!(
        Directory::of_object(&object).expect("our own segment"),
        directory
    );
    let mut damaged = chunk.clone();
    let at = bytes.len().wrapping_mul(2_654_435_761) % damaged.len();
    damaged[at] ^= 1 << (bytes.len() % 8);
    if let Ok(read) = read_chunk(&damaged, |_, _| true) {
        let whole = read_chunk(chunk, |_, _| true).expect("our own chunk");
        assert!(
            read == whole,
            "a flipped bit at byte {at} changed what is read"
        );
    }
}

/// Bytes that claim to be stored.
fn stored(bytes: &[u8]) {
    let _ = chunk_head(bytes);
    let _ = read_chunk(bytes, |_, _| true);
    let _ = Directory::decode(bytes);
    let _ = Directory::of_object(bytes);
}

/// Bytes that claim to be a form or a query string.
fn form(bytes: &[u8]) {
    let query = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    for query in ["name=app", query.as_str()] {
        let content_type = "multipart/form-data; boundary=X";
        let now = UnixNanos(1_700_000_000_000_000_000);
        let _ = ingest(&Push {
            query,
            content_type,
            body: bytes,
            tenant: "anonymous",
            client: "",
            now,
            limits: Default::default(),
        });
    }
}
