//! Pushes of recordings.

use std::io::Write;

use pilotlight_core::UnixNanos;
use pilotlight_core::ingest::{Chunk as Pushed, IngestError, Push, ingest};
use pilotlight_core::store::{ChunkHead, Series, chunk_head};

use super::*;

fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// As Pyroscope's Java agent sends a recording: parts that are gzip by themselves.
fn form(parts: &[(&str, Vec<u8>)]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, bytes) in parts {
        let head = format!(
            "--x\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n"
        );
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(b"--x--\r\n");
    ("multipart/form-data; boundary=x".to_owned(), body)
}

const AGENT: &str = "name=shop.cart%7Bprocess.runtime.version%3D21.0.1%2B12%20(LTS)%7D&units=samples&aggregationType=sum\
    &from=1795236030&until=1795236040&spyName=javaspy&sampleRate=100&format=jfr";

fn pushed(query: &str, content_type: &str, body: &[u8]) -> Result<Option<ChunkHead>, IngestError> {
    let push = Push {
        query,
        content_type,
        body,
        tenant: "one",
        client: "192.0.2.1",
        now: UnixNanos(1_795_236_050_000_000_000),
        limits: Default::default(),
    };
    let chunks = ingest(&push)?.chunks;
    let head = |chunk: &Pushed| chunk_head(&chunk.bytes).expect("our own");
    Ok(chunks.first().map(head))
}

/// Type, total and labels of each series.
fn series(head: &ChunkHead) -> Vec<(String, u64, Vec<String>)> {
    let of = |series: &Series| {
        let labels = series.labels.iter();
        (
            series.profile_type.to_string(),
            series.total as u64,
            labels
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
        )
    };
    head.series.iter().map(of).collect()
}

#[test]
fn the_java_agent_pushes() {
    let Some(bytes) = read("agents/java/out-wall.jfr") else {
        return;
    };
    let (content_type, body) = form(&[("jfr", gzip(&bytes, 1))]);
    let head = pushed(AGENT, &content_type, &body)
        .expect("taken")
        .expect("a chunk");
    let labels = [
        "jfr_event=wall",
        "process.runtime.version=21.0.1+12 (LTS)",
        "pyroscope_spy=javaspy",
        "service_name=shop.cart",
    ];
    let found = series(&head);
    assert_eq!(found.len(), 7);
    for (_, _, of) in &found {
        assert_eq!(of, &labels);
    }
    let total = |name: &str| found.iter().find(|(of, _, _)| of == name).map(|of| of.1);
    assert_eq!(
        total("wall:wall:nanoseconds:wall:nanoseconds"),
        Some(44_010_000_000)
    );
    assert_eq!(total("mutex:contentions:count:mutex:count"), Some(2));
    // The times are those of the request.
    assert_eq!(head.series[0].time, UnixNanos(1_795_236_030_000_000_000));
    assert_eq!(head.series[0].duration_nanos, 10_000_000_000);

    // Sent again, compressed otherwise, it is the same.
    let (content_type, again) = form(&[("jfr", gzip(&bytes, 9)), ("labels", Vec::new())]);
    assert_ne!(body, again);
    let again = pushed(AGENT, &content_type, &again)
        .expect("taken")
        .expect("a chunk");
    assert_eq!(again.id, head.id);
    let half = AGENT.replace("sampleRate=100", "sampleRate=50");
    let half = pushed(&half, &content_type, &body)
        .expect("taken")
        .expect("a chunk");
    assert_ne!(half.id, head.id);
    assert!(series(&half).iter().any(|of| of.1 == 2 * 44_010_000_000));

    // Bare, gzip or not, and by a sender that calls it pprof.
    for (query, body) in [
        (AGENT.to_owned(), bytes.clone()),
        (AGENT.to_owned(), gzip(&bytes, 6)),
        (AGENT.replace("format=jfr", "format=pprof"), bytes.clone()),
    ] {
        let bare = pushed(&query, "", &body).expect("taken").expect("a chunk");
        assert_eq!(series(&bare), found);
    }
    // Without times it has those of the recording.
    let own = pushed("name=a&format=jfr", "", &bytes)
        .expect("taken")
        .expect("a chunk");
    assert_eq!(own.series[0].time, UnixNanos(1_795_236_037_722_155_000));
}

#[test]
fn a_recording_has_its_own_times_where_the_request_does_not_know_the_date() {
    let bytes = every_event(Integers::Compressed);
    let times = |query: &str| {
        let head = pushed(query, "", &bytes).expect("taken").expect("a chunk");
        let series = &head.series[0];
        (series.time, series.duration_nanos)
    };
    let own = times("name=a&format=jfr");
    assert_eq!(own.0, UnixNanos(1_700_000_000_000_000_000));
    assert_eq!(times("name=a&format=jfr&from=0&until=1795236040"), own);
    assert_eq!(times("name=a&format=jfr&from=1000&until=1795236040"), own);
    let stated = times("name=a&format=jfr&from=1795236030&until=1795236040");
    assert_eq!(
        stated,
        (UnixNanos(1_795_236_030_000_000_000), 10_000_000_000)
    );
}

#[test]
fn labels_of_a_push_make_series() {
    let bytes = every_event(Integers::Compressed);
    let (content_type, body) = form(&[("jfr", gzip(&bytes, 1)), ("labels", gzip(LABELS, 1))]);
    let head = pushed(AGENT, &content_type, &body)
        .expect("taken")
        .expect("a chunk");
    let tiers = series(&head);
    let gold = |of: &&(String, u64, Vec<String>)| of.2.contains(&"tier=gold".to_owned());
    let types: Vec<&str> = tiers.iter().filter(gold).map(|of| of.0.as_str()).collect();
    assert_eq!(
        types,
        [
            "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
            "wall:wall:nanoseconds:wall:nanoseconds"
        ]
    );
    assert!(
        tiers
            .iter()
            .all(|of| of.2.iter().all(|label| !label.contains("span")))
    );

    let refused = |parts: &[(&str, Vec<u8>)]| {
        let (content_type, body) = form(parts);
        let error = pushed(AGENT, &content_type, &body).expect_err("is damaged");
        (error.status(), error.to_string())
    };
    assert_eq!(
        refused(&[("jfr", b"FLR".to_vec())]),
        (422, "JFR, chunk 1, byte 0: no chunk begins here".to_owned())
    );
    assert_eq!(
        refused(&[("jfr", bytes), ("labels", b"\x0a\x05".to_vec())]),
        (
            422,
            "JFR push labels, byte 0: a length runs past the end".to_owned()
        )
    );
}
