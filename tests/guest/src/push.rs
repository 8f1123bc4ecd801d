//! One push after the other, for a bench of what each costs: the request to a chunk, as the worker
//! does it, and chunks to a segment, as the shard does it.

use std::cell::RefCell;

use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{OtlpFormat, OtlpPush, Push, ingest, ingest_otlp};
use pilotlight_core::store::{SegmentWriter, chunk_head};

use super::split;

/// Some time in 2026; requests without one get it.
const NOW: UnixNanos = UnixNanos(1_795_236_350_000_000_000);

/// A request: query, content type, body.
type Request = [Vec<u8>; 3];

#[derive(Default)]
struct Prepared {
    requests: Vec<Request>,
    chunks: Vec<Vec<u8>>,
}

thread_local! {
    static PREPARED: RefCell<Prepared> = RefCell::default();
}

/// Keeps requests to push; each is a list of query, content type and body. Gives how many.
pub fn prepare_pushes(input: &[u8]) -> Vec<u8> {
    let request = |item| {
        let mut parts = split(item).map(<[u8]>::to_vec);
        std::array::from_fn(|_| parts.next().unwrap_or_default())
    };
    let requests: Vec<Request> = split(input).map(request).collect();
    let count = requests.len() as u64;
    PREPARED.set(Prepared {
        requests,
        chunks: Vec::new(),
    });
    count.to_le_bytes().to_vec()
}

/// Makes the chunks that [`gather`] puts together. Gives the bytes of all.
pub fn prepare_chunks() -> u64 {
    PREPARED.with_borrow_mut(|p| {
        p.chunks = p.requests.iter().filter_map(chunk).collect();
        p.chunks.iter().map(|chunk| chunk.len() as u64).sum()
    })
}

/// The work of a stateless worker for one request. Gives a number that follows from the chunk.
pub fn push(index: u32) -> u64 {
    PREPARED.with_borrow(|p| chunk(&p.requests[index as usize]).map_or(0, |chunk| number(&chunk)))
}

/// The work of a shard for all chunks, written as one segment. Gives a number that
/// follows from the segment.
pub fn gather() -> u64 {
    PREPARED.with_borrow(|p| {
        let mut segment = SegmentWriter::new();
        for chunk in &p.chunks {
            // Once when it arrives, once when it is written.
            chunk_head(chunk).expect("our own");
            segment.push(chunk).expect("our own");
        }
        let (bytes, directory) = segment.finish().expect("a small segment");
        let row = directory.encode().expect("a small directory");
        number(&bytes) ^ row.len() as u64
    })
}

fn chunk([query, content_type, body]: &Request) -> Option<Vec<u8>> {
    let [query, content_type] =
        [query, content_type].map(|text| std::str::from_utf8(text).expect("text"));
    if content_type == "application/x-protobuf" {
        return otlp(body);
    }
    let push = Push {
        query,
        content_type,
        body,
        tenant: "anonymous",
        client: "192.0.2.1",
        now: NOW,
        limits: Default::default(),
    };
    ingest(&push)
        .expect("a good request")
        .chunks
        .pop()
        .map(|chunk| chunk.bytes)
}

/// The chunk of a request of OTLP, which has one service.
fn otlp(body: &[u8]) -> Option<Vec<u8>> {
    let push = OtlpPush {
        body,
        content_encoding: "",
        format: OtlpFormat::Protobuf,
        tenant: "anonymous",
        client: "192.0.2.1",
        now: NOW,
        limits: Default::default(),
    };
    let outcome = ingest_otlp(&push).expect("a good request");
    assert_eq!(
        (outcome.rejected_profiles, outcome.ingested.chunks.len()),
        (0, 1)
    );
    outcome
        .ingested
        .chunks
        .into_iter()
        .next()
        .map(|chunk| chunk.bytes)
}

/// Length and last bytes, which hold checksums and what is compressed.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .take(64)
        .fold(bytes.len() as u64, |sum, &byte| {
            sum.wrapping_mul(31).wrapping_add(u64::from(byte))
        })
}
