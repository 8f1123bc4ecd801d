//! Pushes: what is refused so that nothing is stored that no query could read, and what makes two
//! pushes one.

use pilotlight_core::ingest::{IngestError, IngestLimits, Push, ingest};
use pilotlight_core::limits::{MAX_DURATION_NANOS, MAX_SERIES_A_PUSH, MAX_START_NANOS};
use pilotlight_core::plans::{CatalogObject, Plan, SampleQueryPlan};
use pilotlight_core::store::{ChunkHead, ChunkId, Level, SegmentWriter, chunk_head};
use pilotlight_core::{
    Label, LabelValue, ProfileBuilder, Selector, SpanSelector, StringId, TimeRange, UnixNanos,
    pprof,
};

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
fn series_are_counted_before_they_are_made() {
    let of = |labels: usize, types: usize| {
        let mut builder = ProfileBuilder::new();
        for n in 0..types {
            builder.sample_type(&format!("t{n}"), "count");
        }
        builder.header().time_nanos = NOW.0;
        let stack = builder.named_stack(&["main"]);
        // One label with so many values would be left out.
        for n in 0..labels {
            let mut set = [("pod", n / 100), ("shard", n % 100)].map(|(key, n)| Label {
                key: builder.string(key),
                value: LabelValue::Text(builder.string(&format!("p{n}"))),
            });
            let set = builder.label_set(&mut set);
            builder.sample(stack, set, &vec![1; types]);
        }
        pprof::encode(&builder.finish())
    };
    assert_eq!(
        pushed(&of(MAX_SERIES_A_PUSH, 1)).unwrap().series.len(),
        MAX_SERIES_A_PUSH
    );
    assert_eq!(
        pushed(&of(MAX_SERIES_A_PUSH / 2, 2)).unwrap().series.len(),
        MAX_SERIES_A_PUSH
    );
    refused(&of(MAX_SERIES_A_PUSH + 1, 1), "more than 5000 series");
    refused(&of(MAX_SERIES_A_PUSH / 2 + 1, 2), "more than 5000 series");
    refused(&of(50_000, 1), "more than 5000 series");
}

#[test]
fn text_of_labels_is_bounded() {
    // The request's own labels count for each series.
    let of = |series: usize, length: usize| {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "ns");
        builder.header().time_nanos = NOW.0;
        let stack = builder.named_stack(&["main"]);
        for n in 0..series {
            let mut set = [("pod", n / 100), ("shard", n % 100)].map(|(key, n)| Label {
                key: builder.string(key),
                value: LabelValue::Text(
                    builder.string(&format!("{n:0width$}", width = length / 2)),
                ),
            });
            let set = builder.label_set(&mut set);
            builder.sample(stack, set, &[1]);
        }
        pprof::encode(&builder.finish())
    };
    assert_eq!(pushed(&of(1_000, 1_000)).unwrap().series.len(), 1_000);
    refused(&of(1_100, 1_000), "more than 1048576 bytes");
    refused(&of(1, 4_098), "invalid sample labels");
}

#[test]
fn sets_that_differ_in_numbers_are_one_series() {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("space", "bytes");
    builder.header().time_nanos = NOW.0;
    let (stack, bytes, pod) = (
        builder.named_stack(&["main"]),
        builder.string("bytes"),
        builder.string("pod"),
    );
    let (size, text) = (
        |n| LabelValue::Number(n, StringId::EMPTY),
        LabelValue::Text(builder.string("a")),
    );
    for n in 0..1_000 {
        let set = builder.label_set(&mut [
            Label {
                key: bytes,
                value: size(n),
            },
            Label {
                key: pod,
                value: text,
            },
        ]);
        builder.sample(stack, set, &[1]);
        let set = builder.label_set(&mut [Label {
            key: bytes,
            value: size(n),
        }]);
        builder.sample(stack, set, &[10]);
    }
    builder.sample(stack, None, &[100]);
    let head = pushed(&pprof::encode(&builder.finish())).unwrap();
    let totals: Vec<_> = head
        .series
        .iter()
        .map(|series| (series.labels.get("pod"), series.total))
        .collect();
    assert_eq!(totals, [(Some("a"), 1_000), (None, 10_100)]);
}

/// A multipart body with or without a `sample_type_config`.
fn form(config: Option<&str>) -> Vec<u8> {
    let profile = profile(
        &[("contentions", "count"), ("delay", "nanoseconds")],
        NOW.0,
        0,
    );
    let part = |name: &str, body: &[u8]| {
        let head = format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        [head.as_bytes(), body, b"\r\n"].concat()
    };
    let config = config
        .map(|config| part("sample_type_config", config.as_bytes()))
        .unwrap_or_default();
    [part("profile", &profile), config, b"--X--\r\n".to_vec()].concat()
}

/// Identity of a multipart push with this `sample_type_config`.
fn identity(config: &str) -> ChunkId {
    push(
        "name=app",
        "multipart/form-data; boundary=X",
        &form(Some(config)),
    )
    .expect("a chunk")
    .id
}

#[test]
fn a_push_is_told_from_another_by_all_that_is_stored_of_it() {
    let block = r#"{"contentions":{"display-name":"block_count"},"delay":{"display-name":"block_duration"}}"#;
    let mutex = r#"{"contentions":{"display-name":"mutex_count"},"delay":{"display-name":"mutex_duration"}}"#;
    assert_ne!(
        identity(block),
        identity(mutex),
        "the same bytes are two profiles"
    );
    let other_order = r#"{"delay":{"display-name":"block_duration"}, "contentions":{"display-name":"block_count","units":"x"}}"#;
    assert_eq!(
        identity(block),
        identity(other_order),
        "said in another way"
    );
    assert_ne!(identity("{}"), identity(r#"{"contentions":{}}"#));
    let plain = push("name=app", "multipart/form-data; boundary=X", &form(None))
        .expect("a chunk")
        .id;
    assert_ne!(
        identity("{}"),
        plain,
        "without a configuration the names are others"
    );
}

/// A profile of samples of one stack, each with these labels.
fn labelled(samples: &[&[(&str, &str)]]) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("samples", "count");
    builder.sample_type("cpu", "nanoseconds");
    builder.header().time_nanos = NOW.0;
    let stack = builder.named_stack(&["main"]);
    for labels in samples {
        let mut labels: Vec<Label> = labels
            .iter()
            .map(|(key, value)| Label {
                key: builder.string(key),
                value: LabelValue::Text(builder.string(value)),
            })
            .collect();
        let set = builder.label_set(&mut labels);
        builder.sample(stack, set, &[1, 10_000_000]);
    }
    pprof::encode(&builder.finish())
}

#[test]
fn trace_labels_make_links_and_no_series() {
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let (one, two) = ("00f067aa0ba902b7", "00f067aa0ba902b8");
    let samples: [&[(&str, &str)]; 5] = [
        &[
            ("span_id", one),
            ("trace_id", trace),
            ("span_name", "GET /"),
        ],
        &[("profile_id", two), ("region", "eu")],
        &[("span_id", "too short"), ("region", "eu")],
        &[("region", "eu")],
        &[],
    ];
    let body = labelled(&samples);
    let push = Push {
        query: "name=app&format=pprof",
        content_type: "",
        body: &body,
        tenant: "one",
        client: "192.0.2.1",
        now: NOW,
        limits: Default::default(),
    };
    let chunk = ingest(&push).unwrap().chunks.pop().expect("a chunk");
    let head = chunk_head(&chunk.bytes).expect("a head");
    // Two types, with region and without.
    assert_eq!((head.series.len(), chunk.lost_links), (4, 1));
    assert!(head.series.iter().all(|s| s.labels.len() <= 3));

    let mut writer = SegmentWriter::new();
    writer.push(&chunk.bytes).unwrap();
    let (bytes, directory) = writer.finish().unwrap();
    let object = CatalogObject {
        key: "t/one/s0/l0/1790000000000-0000000000000001.seg".to_owned(),
        level: Level::Segment,
        size: bytes.len() as u64,
        directory,
    };
    let total = |query: &str, spans: SpanSelector| {
        let of_type = "process_cpu:cpu:nanoseconds::".parse().unwrap();
        let (selector, objects) = (Selector::parse(query).unwrap(), [object.clone()]);
        let mut plan =
            SampleQueryPlan::new(&selector, &of_type, TimeRange::ALL, spans, &objects).unwrap();
        while let Some(get) = plan.wants().pop() {
            let part = &bytes[get.offset as usize..(get.offset + get.length) as usize];
            plan.provide(&get, part).unwrap();
        }
        let answer = plan.finish().unwrap();
        let profile = &answer.profile;
        match profile.sample_types().len() {
            0 => 0,
            _ => profile.total(0),
        }
    };
    let spans =
        |all: &[&str]| SpanSelector::Spans(all.iter().map(|s| s.parse().unwrap()).collect());
    assert_eq!(total("{}", spans(&[one])), 10_000_000);
    assert_eq!(total("{}", spans(&[one, two])), 20_000_000);
    assert_eq!(total("{region=\"eu\"}", spans(&[one, two])), 10_000_000);
    let traces = SpanSelector::Traces([trace.parse().unwrap()].into());
    assert_eq!(total("{}", traces), 10_000_000);
    assert_eq!(total("{}", spans(&["1111111111111111"])), 0);
}

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
