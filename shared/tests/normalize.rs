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
        let [incomplete] = ingested.incomplete.as_slice() else {
            panic!("{ingested:?}")
        };
        assert_eq!(incomplete.error.to_string(), told);
        assert_eq!(incomplete.error.reason().name(), "malformed_profile");
        assert_eq!(stored(&ingested).1, ["main 1", "main;work 1"]);
    }
    let sound = push("name=app&format=pprof", "", &whole).expect("a push");
    assert!(sound.incomplete.is_empty());

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
        assert!(ingested.chunks.is_empty() && ingested.incomplete.is_empty());
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
