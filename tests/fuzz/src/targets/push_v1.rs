//! Whatever request to `push.v1` a stranger sends, as protobuf or as JSON: an error, or profiles that
//! are stored whole, each by itself.

use crate::properties::is_whole;
use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{Chunk, Sender, ingest_push_v1};
use pilotlight_core::push_v1::{MAX_PROFILES, PushRequest, from_json, from_proto};

pub(crate) fn target(bytes: &[u8]) {
    for request in [from_proto(bytes), from_json(bytes)] {
        match request {
            Ok(request) => check(&request),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fn check(request: &PushRequest<'_>) {
    let profiles: usize = request
        .series
        .iter()
        .map(|series| series.samples.len())
        .sum();
    assert!(profiles <= MAX_PROFILES && request.series.len() <= MAX_PROFILES);
    let sender = Sender {
        tenant: "anonymous",
        client: "",
        now: UnixNanos(1_795_000_000_000_000_000),
        limits: Default::default(),
    };
    let pushed = match ingest_push_v1(request, &sender) {
        Ok(pushed) => pushed,
        Err(error) => {
            assert_eq!((profiles, error.status()), (0, 400), "{error:?}");
            return;
        }
    };
    assert!(pushed.chunks.len() + pushed.rejected.len() <= profiles);
    for rejected in &pushed.rejected {
        let status = rejected.error.status();
        assert!([400, 413, 422].contains(&status), "{:?}", rejected.error);
    }
    let again = ingest_push_v1(request, &sender).expect("the same request");
    let bytes = |chunks: &[Chunk]| -> Vec<Vec<u8>> {
        chunks.iter().map(|chunk| chunk.bytes.clone()).collect()
    };
    assert_eq!(
        bytes(&again.chunks),
        bytes(&pushed.chunks),
        "a retry is another push"
    );
    pushed.chunks.iter().for_each(is_whole);
}
