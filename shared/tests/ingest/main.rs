//! Pushes: what is refused so that nothing is stored that no query could read, and what makes two
//! pushes one.

mod identity;
mod labels;
mod texts;

use pilotlight_core::ingest::{IngestError, IngestLimits, Push, ingest};
use pilotlight_core::limits::{MAX_DURATION_NANOS, MAX_START_NANOS};
use pilotlight_core::store::{ChunkHead, chunk_head};
use pilotlight_core::{ProfileBuilder, Selector, UnixNanos, pprof};

const NOW: UnixNanos = UnixNanos(1_790_000_000_000_000_000);

/// A profile with these sample types, one sample of ones, and a start and a length.
fn profile(types: &[(&str, &str)], start: i64, duration: i64) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    for (kind, unit) in types {
        builder.sample_type(kind, unit);
    }
    (builder.header().time_nanos, builder.header().duration_nanos) = (start, duration);
    let stack = builder.named_stack(&["main"]);
    builder.sample(stack, None, &vec![1; types.len()]);
    pprof::encode(&builder.finish())
}

fn push(query: &str, content_type: &str, body: &[u8]) -> Result<ChunkHead, IngestError> {
    let push = Push {
        query,
        content_type,
        body,
        tenant: "one",
        client: "192.0.2.1",
        now: NOW,
        limits: Default::default(),
    };
    let chunk = ingest(&push)?.chunks.pop().expect("a chunk");
    Ok(chunk_head(&chunk.bytes).expect("a head"))
}

fn pushed(body: &[u8]) -> Result<ChunkHead, IngestError> {
    push("name=app&format=pprof", "", body)
}

fn refused(body: &[u8], says: &str) {
    let error = pushed(body).expect_err(says);
    assert_eq!(error.status(), 422, "{error}");
    assert!(
        error.to_string().contains(says),
        "{error:?} does not say {says:?}"
    );
}

#[test]
fn types_that_no_query_could_name_are_refused() {
    let of = |types: &[(&str, &str)]| profile(types, NOW.0, 0);
    refused(&of(&[("a:b", "count")]), "':' in \"a:b\"");
    refused(&of(&[("cpu", "nano:seconds")]), "':' in \"nano:seconds\"");
    refused(&of(&[("cpu", "c{d}")]), "'{' in \"c{d}\"");
    refused(&of(&[("cpu time", "ns")]), "' ' in \"cpu time\"");
    refused(&of(&[("", "count")]), "neither can be empty");
    refused(&of(&[("cpu", "")]), "neither can be empty");
    refused(&of(&[("x".repeat(257).as_str(), "count")]), "257 bytes");
    refused(&of(&[("cpu", "ns"), ("cpu", "ns")]), "twice");
    refused(&of(&[("ok", "ns"), ("", "")]), "neither can be empty");
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "ns");
    builder.header().period_type = Some(builder.value_type("a{", "ns"));
    let stack = builder.named_stack(&["main"]);
    builder.sample(stack, None, &[1]);
    refused(&pprof::encode(&builder.finish()), "'{' in \"a{\"");
}

#[test]
fn what_is_stored_can_be_asked_for() {
    for (kind, unit) in [
        ("cpu", "ns"),
        ("a}b", "\"'`"),
        ("\u{7f}\0", "é"),
        ("-", "="),
        ("x,y", "#"),
    ] {
        let head = pushed(&profile(&[(kind, unit)], NOW.0, 0)).expect(kind);
        let [series] = head.series.as_slice() else {
            panic!("one series: {head:?}")
        };
        let text = format!("{}{{service_name=\"app\"}}", series.profile_type);
        let mut selector = Selector::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(
            selector.profile_type.take().as_ref(),
            Some(&series.profile_type)
        );
        assert!(selector.matches(&series.profile_type, &series.labels));
    }
}

#[test]
fn times_leave_room_for_sums() {
    let at = |start, duration| profile(&[("cpu", "ns")], start, duration);
    assert!(pushed(&at(MAX_START_NANOS, MAX_DURATION_NANOS)).is_ok());
    refused(&at(MAX_START_NANOS + 1, 0), "starts at 7258118400000000001");
    refused(&at(i64::MAX, 0), "starts at 9223372036854775807");
    refused(&at(NOW.0, MAX_DURATION_NANOS + 1), "covers");
    refused(&at(NOW.0, i64::MAX), "covers");
    let from = |from: &str| push(&format!("name=app&format=pprof&from={from}"), "", &at(0, 0));
    assert_eq!(from("9223372036").unwrap_err().status(), 422);
    assert_eq!(
        from("1700000000").unwrap().series[0].time.0,
        1_700_000_000_000_000_000
    );
}

#[test]
fn limits_of_a_tenant() {
    let body = profile(&[("cpu", "nanoseconds")], NOW.0, 0);
    let limited = |limits: IngestLimits| {
        let push = Push {
            query: "name=app%7Bregion=eu%7D",
            content_type: "",
            body: &pprof_gzip(&body),
            tenant: "one",
            client: "192.0.2.1",
            now: NOW,
            limits,
        };
        ingest(&push).map(|ingested| ingested.profile_bytes)
    };
    let with = |change: fn(&mut IngestLimits)| {
        let mut limits = IngestLimits::default();
        change(&mut limits);
        let error = limited(limits).expect_err("a limit");
        (error.status(), error.reason().name(), error.to_string())
    };
    let size = body.len() as u64;
    assert_eq!(limited(IngestLimits::default()), Ok(size), "inflated");
    let (status, reason, text) = with(|limits| limits.max_profile_bytes = 20);
    assert_eq!((status, reason), (422, "profile_size_limit"));
    let says = format!("(max_profile_size_bytes, actual: {size}, limit: 20)");
    assert!(text.ends_with(&says), "{text}");
    let (status, reason, text) = with(|limits| limits.max_labels = 1);
    assert_eq!((status, reason), (422, "max_label_names_per_series"));
    assert!(text.contains("2 label names"), "{text}");
    let (status, reason, text) = with(|limits| limits.window.0 = NOW.plus(1));
    assert_eq!((status, reason), (422, "not_in_ingestion_window"));
    assert!(
        text.contains(
            "profile timestamp: 2026-09-21T14:13:20Z, the ingestion window starts at 2026-09-21T14:13:20Z and ends at any time"
        ),
        "{text}"
    );
    let (_, reason, _) = with(|limits| limits.window.1 = NOW.plus(-1));
    assert_eq!(reason, "not_in_ingestion_window");
    let (status, reason, _) = with(|limits| limits.max_inflated = 20);
    assert_eq!((status, reason), (413, "profile_size_limit"));
}

fn pprof_gzip(raw: &[u8]) -> Vec<u8> {
    let profile = pprof::open(raw, raw.len()).expect("a profile").profile;
    pprof::encode_gzip(&profile)
}
