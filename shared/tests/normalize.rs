//! What becomes of a push that agents send in forms of their own, or with parts that cannot be read.

use pilotlight_core::ingest::{IngestError, Ingested, Push, Sender, ingest, ingest_push_v1};
use pilotlight_core::push_v1::{PushRequest, RawSample, RawSeries};
use pilotlight_core::store::{chunk_head, read_chunk};
use pilotlight_core::{ProfileBuilder, UnixNanos, pprof};

const NOW: UnixNanos = UnixNanos(1_790_000_000_000_000_000);
const FORM: &str = "multipart/form-data; boundary=X";
/// Gzip of nothing.
const NOTHING: [u8; 20] = [
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
];

fn push(query: &str, content_type: &str, body: &[u8]) -> Result<Ingested, IngestError> {
    ingest(&Push {
        query,
        content_type,
        body,
        tenant: "one",
        client: "192.0.2.1",
        now: NOW,
        limits: Default::default(),
    })
}

fn push_v1(profile: &[u8]) -> Ingested {
    let sample = RawSample {
        profile: profile.to_vec().into(),
        id: String::new(),
    };
    let series = RawSeries {
        labels: vec![("__name__".to_owned(), "process_cpu".to_owned())],
        samples: vec![sample],
    };
    let request = PushRequest {
        series: vec![series],
    };
    let sender = Sender {
        tenant: "one",
        client: "192.0.2.1",
        now: NOW,
        limits: Default::default(),
    };
    ingest_push_v1(&request, &sender).expect("a request")
}

/// How many series are to be stored.
fn series(ingested: &Ingested) -> usize {
    let heads = ingested.chunks.iter().map(|chunk| chunk_head(&chunk.bytes));
    heads.map(|head| head.expect("our own").series.len()).sum()
}

/// A form of these parts.
fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, part) in parts {
        body.extend(b"--X\r\nContent-Disposition: form-data; name=\"");
        body.extend(format!("{name}\"\r\n\r\n").into_bytes());
        body.extend(*part);
        body.extend(b"\r\n");
    }
    body.extend(b"--X--\r\n");
    body
}

/// A profile of `types`, with a sample of ones for each stack.
fn profile(types: &[&str], stacks: &[&[&str]]) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    types.iter().for_each(|kind| {
        builder.sample_type(kind, "count");
    });
    builder.header().time_nanos = NOW.0;
    for stack in stacks {
        let stack = builder.named_stack(stack);
        builder.sample(stack, None, &vec![1; types.len()]);
    }
    pprof::encode(&builder.finish())
}

/// The types that are stored, and the stacks of the first (the root first) with their values.
fn stored(ingested: &Ingested) -> (Vec<String>, Vec<String>) {
    let [chunk] = ingested.chunks.as_slice() else {
        panic!("one chunk: {ingested:?}")
    };
    let head = chunk_head(&chunk.bytes).expect("a head");
    let types = head
        .series
        .iter()
        .map(|series| series.profile_type.to_string());
    let profile = read_chunk(&chunk.bytes, |at, _| at == 0).expect("a chunk");
    let samples = profile.samples();
    let rows = samples.stacks.iter().zip(&samples.values[0]);
    let stacks = rows.map(|(&stack, value)| {
        let mut names: Vec<_> = profile
            .frames(stack)
            .filter_map(|location| profile.lines(location)[0].function)
            .map(|function| profile.text(profile.functions()[function.index()].name))
            .collect();
        names.reverse();
        format!("{} {value}", names.join(";"))
    });
    (types.collect(), stacks.collect())
}

#[test]
fn samples_that_cannot_be_read_are_left_out_and_told() {
    // `main;work` twice, and two samples of location 99.
    let lost = [0x12, 4, 0x08, 99, 0x10, 7];
    let whole = profile(&["samples"], &[&["main", "work"], &["main"]]);
    let body = [&whole[..], &lost, &lost].concat();
    let told =
        "2 of 4 samples are left out: pprof: sample 2 refers to location 99, which does not exist";
    let by_ingest = push("name=app&format=pprof", "", &body).expect("a push");
    for ingested in [by_ingest, push_v1(&body)] {
        assert!(ingested.rejected.is_empty());
        let [noted] = ingested.notes.as_slice() else {
            panic!("{ingested:?}")
        };
        assert_eq!(noted.note.to_string(), told);
        let reason = noted.note.reason().expect("is lost");
        assert_eq!(reason.name(), "malformed_profile");
        assert_eq!(stored(&ingested).1, ["main 1", "main;work 1"]);
    }
    let sound = push("name=app&format=pprof", "", &whole).expect("a push");
    assert!(sound.notes.is_empty());

    // Nothing else is there.
    let body = [&profile(&["samples"], &[])[..], &lost].concat();
    let refused = push("name=app&format=pprof", "", &body).expect_err("a broken profile");
    let problem = "pprof: sample 0 refers to location 99, which does not exist";
    assert_eq!(
        (refused.status(), refused.to_string()),
        (422, problem.to_owned())
    );
    let [rejected] = &push_v1(&body).rejected[..] else {
        panic!("one is refused")
    };
    assert_eq!(rejected.error.to_string(), problem);
}

#[test]
fn generic_functions_of_go_are_one() {
    let stacks: [&[&str]; 3] = [
        &["main.main", "main.Map[go.shape.int]"],
        &["main.main", "main.Map[go.shape.[]uint8]"],
        &["main.main", "main.Map[...]"],
    ];
    let body = profile(&["samples"], &stacks);
    let by_ingest = push("name=app&format=pprof&spyName=gospy", "", &body).expect("a push");
    for ingested in [by_ingest, push_v1(&body)] {
        let stacks = stored(&ingested).1;
        assert!(!stacks.is_empty());
        assert!(
            stacks
                .iter()
                .all(|stack| stack.starts_with("main.main;main.Map[...] "))
        );
    }
}

#[test]
fn sample_types_of_old_dotnet_agents_have_underscores() {
    let body = profile(&["inuse-space", "lock-count"], &[&["main"]]);
    let config = br#"{"inuse-space":{"display-name":"inuse-space"}}"#;
    let form = form(&[("profile", &body), ("sample_type_config", config)]);
    let types = |query, content_type, body: &[u8]| {
        stored(&push(query, content_type, body).expect("a push")).0
    };
    let renamed = ["memory:inuse_space:count::", "memory:lock_count:count::"];
    assert_eq!(types("name=app&spyName=dotnetspy", "", &body), renamed);
    assert_eq!(types("name=app", FORM, &form), renamed);
    let as_sent = ["memory:inuse-space:count::", "memory:lock-count:count::"];
    assert_eq!(types("name=app", "", &body), as_sent);
    assert_eq!(types("name=app&spyName=otherspy", FORM, &form), as_sent);

    let body = profile(&["lock-count"], &[&["main"]]);
    let types = types("name=app&spyName=dotnetspy", "", &body);
    assert_eq!(types, ["lock_count:lock_count:count::"]);
}

#[test]
fn an_idle_agent_is_answered_with_success() {
    let check = |query: &str, content_type: &str, body: &[u8]| {
        let query = format!("name=app&{query}");
        let ingested = push(&query, content_type, body);
        let ingested = ingested.unwrap_or_else(|e| panic!("{query} {content_type}: {e}"));
        assert!(ingested.chunks.is_empty() && ingested.notes.is_empty());
    };
    for format in ["pprof", "jfr", "groups", "lines", ""] {
        for body in [&[][..], &NOTHING] {
            check(&format!("format={format}"), "", body);
        }
    }
    check("", FORM, b"");
    for body in [&[][..], &NOTHING] {
        check("", FORM, &form(&[("profile", body)]));
        check("format=jfr", FORM, &form(&[("jfr", body)]));
        let ingested = push_v1(body);
        assert!(ingested.chunks.is_empty() && ingested.rejected.is_empty());
    }
    check("format=pprof", "", &profile(&["samples"], &[]));
    let refused = push("format=pprof", "", b"").expect_err("no name");
    assert_eq!(refused.status(), 400);
}

/// What the sender of a push is told.
fn notes(ingested: &Ingested) -> Vec<String> {
    let notes = ingested.notes.iter();
    notes.map(|noted| noted.note.to_string()).collect()
}

/// When the only chunk begins.
fn start(ingested: &Ingested) -> UnixNanos {
    let head = chunk_head(&ingested.chunks[0].bytes).expect("a head");
    head.series[0].time
}

#[test]
fn a_clock_that_does_not_know_the_date_is_not_believed() {
    let told = |nanos: i64| {
        format!(
            "the profile starts at {nanos} nanoseconds since 1970, which is before 2000; the arrival time is used instead"
        )
    };
    let year_2000 = 946_684_800_000_000_000;
    for (from, expect) in [
        ("100", Some(100_000_000_000)),
        ("0", Some(0)),
        // 463 days.
        ("40000000", Some(40_000_000_000_000_000)),
        ("946684799", Some(year_2000 - 1_000_000_000)),
        ("946684800", None),
        ("20000101", None),
    ] {
        let query = format!("name=app&format=groups&from={from}");
        let ingested = push(&query, "", b"main 1\n").expect("a push");
        let time = start(&ingested);
        match expect {
            Some(nanos) => assert_eq!((time, notes(&ingested)), (NOW, vec![told(nanos)])),
            None => assert_eq!((time.0, notes(&ingested)), (year_2000, vec![])),
        }
    }
    // Nobody knows how long a profile was that began in 1970.
    let query = "name=app&format=groups&from=0&until=1790000000";
    let ingested = push(query, "", b"main 1\n").expect("a push");
    let head = chunk_head(&ingested.chunks[0].bytes).expect("a head");
    assert_eq!(
        (head.series[0].time, head.series[0].duration_nanos),
        (NOW, 0)
    );
    assert_eq!(notes(&ingested), [told(0)]);
    // A profile's own microseconds, beside a request that knows better and one that does not.
    let mut builder = ProfileBuilder::new();
    builder.sample_type("samples", "count");
    builder.header().time_nanos = NOW.0 / 1000;
    let stack = builder.named_stack(&["main"]);
    builder.sample(stack, None, &[1]);
    let body = pprof::encode(&builder.finish());
    let said = push("name=app&format=pprof&from=1790000001", "", &body).expect("a push");
    assert_eq!(
        (start(&said), notes(&said)),
        (UnixNanos(1_790_000_001_000_000_000), vec![])
    );
    let silent = push_v1(&body);
    assert_eq!(
        (start(&silent), notes(&silent)),
        (NOW, vec![told(NOW.0 / 1000)])
    );
}

#[test]
fn lines_that_are_no_stacks_are_told() {
    let ingested = push("name=app&format=groups", "", b"main 1\nwhat\nmain;b 2\n").expect("a push");
    let stacks = vec!["main 10000000".to_owned(), "main;b 20000000".to_owned()];
    assert_eq!(stored(&ingested).1, stacks);
    assert_eq!(
        notes(&ingested),
        ["line 2 does not end in a number and is left out: \"what\""]
    );
}

#[test]
fn stacks_without_line_feeds_are_refused_with_the_way_out() {
    let form = "application/x-www-form-urlencoded";
    let refused = push("name=app&format=groups", form, b"main;a 3").expect_err("is one line");
    assert_eq!(
        refused.to_string(),
        "the stacks have no line feeds: `curl -d @file` removes them; send the file with `--data-binary @file`, and end its last line with a line feed"
    );
    assert!(push("name=app&format=groups", form, b"main;a 3\n").is_ok());
}

#[test]
fn decimals_of_stacks_are_counted_in_whole_units() {
    // Each stands for 10 ms, so half a sample is exact.
    let cpu = push("name=app&format=groups", "", b"main 1.5\nmain;b 2\n").expect("a push");
    let (types, stacks) = stored(&cpu);
    assert_eq!(types, ["process_cpu:cpu:nanoseconds:cpu:nanoseconds"]);
    assert_eq!(stacks, ["main 15000000", "main;b 20000000"]);
    assert_eq!(notes(&cpu), Vec::<String>::new());
    let objects = "name=app.alloc_objects&format=groups";
    let objects = push(objects, "", b"main 1.5\nmain;b 2\nmain 0.25\n").expect("a push");
    let (types, stacks) = stored(&objects);
    assert_eq!(types, ["memory:alloc_objects:count::"]);
    assert_eq!(stacks, ["main 2", "main;b 2"]);
    assert_eq!(notes(&objects), ["1 value is rounded to whole numbers"]);
}

#[test]
fn identities_make_no_series() {
    let labelled = |values: usize, phases: usize| {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("samples", "count");
        builder.header().time_nanos = NOW.0;
        let stack = builder.named_stack(&["main"]);
        for value in 0..values {
            let texts = [
                ("request", format!("id {value}")),
                ("phase", format!("{}", value % phases)),
            ];
            let mut labels = texts.map(|(key, text)| builder.text_label(key, &text));
            let set = builder.label_set(&mut labels);
            builder.sample(stack, set, &[1]);
        }
        pprof::encode(&builder.finish())
    };
    let many = push_v1(&labelled(1_000, 4));
    assert_eq!(series(&many), 4);
    let told = "the label \"request\" has 1000 values in one profile; it is left out, since each value would create a separate series";
    assert_eq!(notes(&many), [told]);
    // Each value twice, or three times, with other labels.
    let repeated = |values: usize, times: usize, frames: usize| {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("samples", "count");
        builder.header().time_nanos = NOW.0;
        for value in 0..values * times {
            let texts = [
                ("endpoint", format!("/a/{}", value / times)),
                ("phase", format!("{}", value % times)),
            ];
            let mut labels = texts.map(|(key, text)| builder.text_label(key, &text));
            let set = builder.label_set(&mut labels);
            for frame in 0..frames {
                let stack = builder.named_stack(&["main", &format!("f{frame}")]);
                builder.sample(stack, set, &[1]);
            }
        }
        push_v1(&pprof::encode(&builder.finish()))
    };
    for times in [2, 3] {
        let ingested = repeated(1_000, times, 1);
        assert_eq!(series(&ingested), times);
        let told = told.replace("request", "endpoint");
        assert_eq!(notes(&ingested), [told]);
    }
    // Endpoints have samples of many requests.
    let endpoints = repeated(300, 2, 4);
    assert_eq!((series(&endpoints), notes(&endpoints)), (600, vec![]));
    let few = push_v1(&labelled(200, 4));
    assert_eq!((series(&few), notes(&few)), (200, vec![]));
}
