//! Folded stacks and UTF-16.

use super::*;

#[test]
fn folded_stacks_are_pushed() {
    let check = |query: &str, body: &str, id: &str, service: &str, total: i64| {
        let head = push(query, "", body.as_bytes()).unwrap_or_else(|e| panic!("{query}: {e}"));
        let [series] = head.series.as_slice() else {
            panic!("one series: {head:?}")
        };
        assert_eq!(series.profile_type.to_string(), id, "{query}");
        assert_eq!(series.labels.get("service_name"), Some(service), "{query}");
        assert_eq!(series.total, total, "{query}");
    };
    let (cpu, memory) = (
        "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
        "memory:alloc_space:bytes::",
    );
    check("name=app", "a;b 2\na 1\n", cpu, "app", 30_000_000);
    check(
        "name=my.app.cpu&sampleRate=1000",
        "a;b 2\n",
        cpu,
        "my.app",
        2_000_000,
    );
    check(
        "name=my.app&format=groups",
        "a;b 2\n",
        cpu,
        "my.app",
        20_000_000,
    );
    check("name=app.alloc_space%7Bx=y%7D", "a;b 2\n", memory, "app", 2);
    check(
        "name=app&format=lines",
        "a;b\na;b\na\n",
        cpu,
        "app",
        30_000_000,
    );
    // curl says "form" of every file, and `-d` takes the line feeds out of it.
    let form = "application/x-www-form-urlencoded";
    for format in ["groups", "lines", ""] {
        let query = format!("name=app&format={format}");
        assert!(push(&query, form, b"a;b 2\n").is_ok(), "{format}");
        let refused = push(&query, form, b"main;a 3main;b 5main;b;c 2").expect_err("two are one");
        assert_eq!(refused.status(), 415);
        assert!(refused.to_string().contains("--data-binary"), "{refused}");
    }
    let pprof = profile(&[("cpu", "nanoseconds")], NOW.0, 0);
    assert!(push("name=app", "", &pprof).is_ok(), "told by its content");
    let refused = push("name=app", "", b"buy milk\n").expect_err("is no profile");
    assert!(refused.to_string().contains("text in an unknown format"));
    assert_eq!(
        push("name=app&format=xml", "", b"a 1")
            .unwrap_err()
            .status(),
        415
    );
}

/// Its characters take two bytes each, and three as UTF-8: the limit is on what is held.
#[test]
fn utf16_counts_as_the_text_that_it_becomes() {
    let limits = IngestLimits {
        max_inflated: 3_000,
        ..IngestLimits::default()
    };
    let wide: Vec<u8> = "\u{feff}main;"
        .encode_utf16()
        .chain([0x800; 1_200])
        .flat_map(u16::to_le_bytes)
        .collect();
    let push = Push {
        query: "name=app&format=groups",
        content_type: "",
        body: &wide,
        tenant: "one",
        client: "192.0.2.1",
        now: NOW,
        limits,
    };
    assert!(wide.len() < 3_000);
    assert_eq!(ingest(&push).expect_err("is too large").status(), 413);
}

/// The chunk is that of the same text in UTF-8, so that either is a retry of the other.
#[test]
fn texts_may_be_utf16() {
    let ingested = |query: &str, body: &[u8]| {
        let push = Push {
            query,
            content_type: "",
            body,
            tenant: "one",
            client: "192.0.2.1",
            now: NOW,
            limits: Default::default(),
        };
        ingest(&push).expect("is taken")
    };
    let speedscope = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"é"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[7]}]}"#;
    for (query, text) in [
        ("name=app&format=speedscope", speedscope),
        ("name=app", speedscope),
        ("name=app&format=groups", "main;é 7\n"),
        ("name=app", "main;é 7\n"),
    ] {
        let plain = ingested(query, text.as_bytes());
        let units = || "\u{feff}".encode_utf16().chain(text.encode_utf16());
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        for wide in [&little, &big] {
            let wide = ingested(query, wide);
            assert_eq!(wide.chunks[0].bytes, plain.chunks[0].bytes, "{query}");
            assert_eq!(wide.notes, plain.notes);
        }
        let cut = ingested(query, &[&little[..], b"x"].concat());
        assert_eq!(cut.chunks[0].bytes, plain.chunks[0].bytes, "{query}");
        assert_eq!(
            cut.notes[0].to_string(),
            "the profile: some bytes are not valid text and are read as \u{fffd}"
        );
    }
}
