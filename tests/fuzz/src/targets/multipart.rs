//! Whatever form a stranger sends to `/ingest`: an error with a status that ends retries, or a chunk
//! that is whole. The first line is the content type, the rest the body.

use crate::properties::is_whole;
use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{Push, ingest};

pub(crate) fn target(bytes: &[u8]) {
    let end = bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .unwrap_or(bytes.len());
    let body = bytes.get(end + 1..).unwrap_or_default();
    check(&String::from_utf8_lossy(&bytes[..end]), body);
    check("multipart/form-data; boundary=X", bytes);
}

fn check(content_type: &str, body: &[u8]) {
    let push = Push {
        query: "name=app%7Bregion%3Deu%7D&from=1700000000&until=1700000010",
        content_type,
        body,
        tenant: "anonymous",
        client: "",
        now: UnixNanos(1_700_000_020_000_000_000),
        limits: Default::default(),
    };
    let pushed = match ingest(&push) {
        Ok(pushed) => pushed,
        Err(error) => {
            assert!([400, 413, 415, 422].contains(&error.status()), "{error:?}");
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let again = ingest(&push).expect("the same form");
    assert!(pushed.chunks.len() <= 1 && again.chunks.len() == pushed.chunks.len());
    for (chunk, again) in pushed.chunks.iter().zip(&again.chunks) {
        assert_eq!(chunk.bytes, again.bytes, "a retry is another push");
        is_whole(chunk);
    }
}
