//! Whatever request of OTLP anyone sends, as protobuf or as JSON: an error with a status that
//! ends retries, or chunks that hold together.

use crate::properties::round_trips;
use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{OtlpFormat, OtlpIngested, OtlpPush, ingest_otlp};
use pilotlight_core::store::{chunk_head, read_chunk};

/// Longest answer: its text has 512 bytes, each of which JSON may write as six.
const MAX_ANSWER: usize = 4096;

pub(crate) fn target(bytes: &[u8]) {
    check(bytes, OtlpFormat::Protobuf);
    check(bytes, OtlpFormat::Json);
}

fn check(body: &[u8], format: OtlpFormat) {
    let push = OtlpPush {
        body,
        content_encoding: "",
        format,
        tenant: "anonymous",
        client: "",
        now: UnixNanos(1_795_000_000_000_000_000),
        limits: Default::default(),
    };
    let outcome = match ingest_otlp(&push) {
        Ok(outcome) => outcome,
        Err(error) => {
            assert!([400, 413].contains(&error.status()), "{error:?}");
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(
        outcome.rejected_profiles > 0,
        !outcome.ingested.rejected.is_empty()
    );
    assert!(!outcome.is_refused() || outcome.ingested.chunks.is_empty());
    assert!(outcome.response(format).len() <= MAX_ANSWER);
    let again = ingest_otlp(&push).expect("the same request");
    assert_eq!(stored(&again), stored(&outcome), "a retry is another push");
    for chunk in &outcome.ingested.chunks {
        let head = chunk_head(&chunk.bytes).expect("our own chunk");
        round_trips(&read_chunk(&chunk.bytes, |_, _| true).expect("our own chunk"));
        for (wanted, series) in head.series.iter().enumerate() {
            let one = read_chunk(&chunk.bytes, |i, _| i == wanted).expect("our own chunk");
            let total = one.total(0).min(i64::MAX.into());
            assert_eq!(total, i128::from(series.total));
        }
    }
}

fn stored(outcome: &OtlpIngested) -> Vec<&[u8]> {
    outcome
        .ingested
        .chunks
        .iter()
        .map(|chunk| &chunk.bytes[..])
        .collect()
}
