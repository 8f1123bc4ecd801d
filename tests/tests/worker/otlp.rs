//! OTLP through the built worker: each encoding stored once, and each refusal in the encoding of
//! its request.

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use pilotlight_core::store::read_chunk;
use pilotlight_fixtures::otlp::{Profile, Request, Resource, Sample, Style, Version};
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::corpus;
use pilotlight_tests::local::{Local, Place};

const PATH: &str = "/v1development/profiles";
const EXPORT: &str = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

const PROTOBUF: &str = "application/x-protobuf";
const JSON: &str = "application/json";
const GRPC_WEB: &str = "application/grpc-web+proto";
const GRPC_WEB_TEXT: &str = "application/grpc-web-text+proto";

/// When profiles begin, seconds; what the Java agent sent is of the same hour.
const FROM: u64 = 1_795_235_400;
/// A time that no profile may have.
const NEVER: u64 = u64::MAX;

/// What a request is allowed to have, and more.
const TOO_MUCH: usize = (16 << 20) + 1;

fn start(name: &str, variables: &[(&'static str, String)]) -> (Local, Client) {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let quick = [("FLUSH_MS", "1".to_owned())];
    let place = Place::fresh(&state, &[&quick, variables].concat()).expect("a place");
    let worker = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    (worker, Client::new(&place.url()))
}

fn send(client: &Client, content_type: &str, body: &[u8]) -> Answer {
    let grpc = content_type.contains("grpc-web");
    let path = if grpc { EXPORT } else { PATH };
    client.post(path, content_type, body).expect("an answer")
}

/// Profiles of services: name, start in nanoseconds, value.
fn request(profiles: &[(&'static str, u64, u64)]) -> Vec<u8> {
    let resources = profiles.iter().map(|&(service, time, value)| Resource {
        attributes: vec![("service.name", service)],
        profiles: vec![Profile {
            sample_type: ("events", "count"),
            time,
            duration: 5_000_000_000,
            samples: vec![Sample {
                stack: vec![2, 1],
                values: vec![value],
                ..Sample::default()
            }],
            ..Profile::default()
        }],
    });
    let request = Request {
        functions: vec!["main", "work"],
        resources: resources.collect(),
        ..Request::default()
    };
    request.encode(Style {
        version: Version::V1_11,
        packed: true,
        dictionary_first: false,
    })
}

/// The same in JSON.
fn json(profiles: &[(&str, u64, u64)]) -> Vec<u8> {
    let resources: Vec<String> = profiles
        .iter()
        .map(|(service, time, value)| {
            format!(
                r#"{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{service}"}}}}]}},
                "scopeProfiles":[{{"profiles":[{{"sampleType":{{"typeStrindex":1,"unitStrindex":2}},
                "timeUnixNano":"{time}","durationNano":"5000000000","later":null,
                "samples":[{{"stackIndex":1,"values":["{value}"]}}]}}]}}]}}"#
            )
        })
        .collect();
    let dictionary = r#"{"stringTable":["","events","count","main"],"mappingTable":[{}],
        "functionTable":[{},{"nameStrindex":3}],"locationTable":[{},{"lines":[{"functionIndex":1}]}],
        "stackTable":[{},{"locationIndices":[1]}],"linkTable":[{}],"attributeTable":[{}]}"#;
    let resources = resources.join(",");
    format!(r#"{{"resourceProfiles":[{resources}],"dictionary":{dictionary}}}"#).into_bytes()
}

fn now() -> u64 {
    FROM * 1_000_000_000
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("a Vec takes all");
    encoder.finish().expect("a Vec takes all")
}

/// A message in the frame of gRPC-web.
fn framed(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("a small message");
    [&[flag][..], &length.to_be_bytes(), message].concat()
}

/// What is stored of a type and a service.
fn total(client: &Client, profile_type: &str, service: &str) -> i128 {
    let selector = format!("{profile_type}{{service_name=\"{service}\"}}");
    let query: String = form_urlencoded::byte_serialize(selector.as_bytes()).collect();
    let (from, until) = (FROM * 1000, (FROM + 3_600) * 1000);
    let path = format!("/api/v1/profile?query={query}&from={from}&until={until}");
    let answer = client.get(&path).expect("an answer");
    assert_eq!(answer.status, 200, "{selector}: {}", answer.text());
    read_chunk(&answer.body, |_, _| true)
        .expect("a chunk")
        .total(0)
}

fn events(client: &Client, service: &str) -> i128 {
    total(client, "events:events:count::", service)
}

/// Status, content type, and what became of the push.
fn said(answer: &Answer) -> (u16, Option<&str>, Option<&str>) {
    let [content_type, push] =
        ["content-type", "x-pilotlight-push"].map(|name| answer.header(name));
    (answer.status, content_type, push)
}

/// A `google.rpc.Status` in protobuf: its number, and its text.
fn status(answer: &Answer) -> (u8, String) {
    match &answer.body[..] {
        // The text is behind its key and a length of one or two bytes.
        [8, code, 0x12, rest @ ..] => (*code, String::from_utf8_lossy(rest).into_owned()),
        other => panic!("not a status: {other:?}"),
    }
}

#[test]
fn every_encoding_is_stored_once() {
    let (_worker, client) = start("otlp", &[]);
    let gzipped = client.with_header("content-encoding", "gzip".to_owned());
    let one = |service| request(&[(service, now(), 7)]);
    let bare = &client;
    let web = framed(0, &one("web"));
    let cases = [
        ("plain", bare, PROTOBUF, one("plain"), PROTOBUF),
        ("zipped", &gzipped, PROTOBUF, gzip(&one("zipped")), PROTOBUF),
        (
            "named",
            bare,
            "application/json; charset=utf-8",
            json(&[("named", now(), 7)]),
            JSON,
        ),
        (
            "named-zipped",
            &gzipped,
            JSON,
            gzip(&json(&[("named-zipped", now(), 7)])),
            JSON,
        ),
        ("web", bare, GRPC_WEB, web, GRPC_WEB),
        (
            "web-zipped",
            bare,
            GRPC_WEB,
            framed(1, &gzip(&one("web-zipped"))),
            GRPC_WEB,
        ),
        (
            "web-text",
            bare,
            GRPC_WEB_TEXT,
            STANDARD.encode(framed(0, &one("web-text"))).into_bytes(),
            GRPC_WEB_TEXT,
        ),
    ];
    for (service, client, content_type, body, answered) in cases {
        for push in ["stored", "repeated"] {
            let answer = send(client, content_type, &body);
            assert_eq!(
                said(&answer),
                (200, Some(answered), Some(push)),
                "{service}: {}",
                answer.text()
            );
            let trailers = framed(0x80, b"grpc-status:0\r\n");
            let body = match answered {
                PROTOBUF => Vec::new(),
                JSON => b"{}".to_vec(),
                GRPC_WEB => [framed(0, b""), trailers].concat(),
                _ => STANDARD
                    .encode([framed(0, b""), trailers].concat())
                    .into_bytes(),
            };
            assert_eq!(answer.body, body, "{service}");
            assert_eq!(events(bare, service), 7, "{service}, {push}");
        }
    }

    let answer = client.post(
        &format!("/a/prefix{PATH}"),
        PROTOBUF,
        &one("below a prefix"),
    );
    assert_eq!(answer.expect("an answer").status, 200);
    assert_eq!(events(&client, "below a prefix"), 7);

    for (content_type, body, expect) in [
        (PROTOBUF, &b""[..], &b""[..]),
        (JSON, b"{}", b"{}"),
        (JSON, br#"{"resourceProfiles":[]}"#, b"{}"),
    ] {
        let answer = send(&client, content_type, body);
        assert_eq!(said(&answer), (200, Some(content_type), Some("empty")));
        assert_eq!(answer.body, expect);
    }

    let several = [
        ("cart", now(), 1),
        ("shop", now(), 2),
        ("cart", now() + 1, 4),
    ];
    for push in ["stored", "repeated"] {
        let answer = send(&client, PROTOBUF, &request(&several));
        assert_eq!(
            said(&answer),
            (200, Some(PROTOBUF), Some(push)),
            "{}",
            answer.text()
        );
        let totals = ["cart", "shop"].map(|service| events(&client, service));
        assert_eq!(totals, [5, 2]);
    }

    partial_success(&client);
    java(&client);
    refused(&client);
}

fn partial_success(client: &Client) {
    let half = |service| [(service, now(), 3), (service, NEVER, 4)];
    let answer = send(client, PROTOBUF, &request(&half("half")));
    assert_eq!(said(&answer), (200, Some(PROTOBUF), Some("stored")));
    // partial_success {rejected_profiles: 1, error_message: …}, of 128 bytes and more.
    let begins = matches!(answer.body[..], [0x0a, 0x80..=0xff, 1, 8, 1, 0x12, ..]);
    assert!(begins, "{:?}", answer.body);
    assert!(answer.text().contains("profile 1"), "{}", answer.text());
    assert_eq!(events(client, "half"), 3);

    let answer = send(client, JSON, &json(&half("half in JSON")));
    assert_eq!(said(&answer), (200, Some(JSON), Some("stored")));
    let partial = &answer.json()["partialSuccess"];
    assert_eq!(partial["rejectedProfiles"], "1");
    let message = partial["errorMessage"].as_str().expect("a text");
    assert!(message.contains("profile 1"), "{message}");
    assert_eq!(events(client, "half in JSON"), 3);
}

/// What async-profiler wrote. The totals were read from the files by a script of our own, not by
/// the core.
fn java(client: &Client) {
    for (name, profile_type, expect) in [
        (
            "alloc",
            "object_sampler:object_sampler:bytes:object_sampler:bytes",
            525_335_574,
        ),
        ("itimer", "itimer:itimer:ns:itimer:ns", 2_060_000_000),
    ] {
        let Some(file) = corpus::read(&format!("agents/java/out-{name}.otlp")) else {
            return;
        };
        for push in ["stored", "repeated"] {
            let answer = send(client, PROTOBUF, &file.bytes);
            assert_eq!(
                said(&answer),
                (200, Some(PROTOBUF), Some(push)),
                "{}",
                answer.text()
            );
            assert_eq!(total(client, profile_type, "unknown_service"), expect);
        }
    }
}

/// What no retry mends has a status that ends retries, and a body that its sender can read.
fn refused(client: &Client) {
    let check = |client: &Client, content_type: &str, body: &[u8], expect: (u16, u8, &str)| {
        let answer = send(client, content_type, body);
        let problem = format!("{content_type}, {expect:?}: {}", answer.text());
        assert_eq!(answer.header("retry-after"), None, "{problem}");
        let (code, message) = match content_type {
            PROTOBUF => {
                assert_eq!(answer.header("content-type"), Some(PROTOBUF), "{problem}");
                status(&answer)
            }
            _ => {
                assert_eq!(answer.header("content-type"), Some(JSON), "{problem}");
                let code = answer.json()["code"].as_u64().unwrap_or_default();
                let message = answer.json()["message"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                (code as u8, message)
            }
        };
        assert_eq!((answer.status, code), (expect.0, expect.1), "{problem}");
        assert!(message.contains(expect.2), "{problem}");
    };
    let never = [("never", NEVER, 1)];
    let with = |encoding: &str| client.with_header("content-encoding", encoding.to_owned());
    let (gzipped, brotli) = (with("gzip"), with("br"));
    let bomb = gzip(&vec![0; TOO_MUCH]);
    let large = vec![b' '; TOO_MUCH];
    check(client, PROTOBUF, b"\x0a\xff", (400, 3, ""));
    check(client, PROTOBUF, &request(&never), (400, 3, "profile 0"));
    check(client, JSON, b"{", (400, 3, ""));
    check(client, JSON, &json(&never), (400, 3, "profile 0"));
    check(&gzipped, PROTOBUF, b"\x1f\x8b\x08", (400, 3, "gzip"));
    check(&gzipped, PROTOBUF, &bomb, (413, 8, "16777216"));
    check(&gzipped, JSON, &bomb, (413, 8, "16777216"));
    check(client, PROTOBUF, &large, (413, 8, "16777216"));
    check(client, JSON, &large, (413, 8, "16777216"));
    let one = request(&[("never", now(), 1)]);
    check(&brotli, PROTOBUF, &one, (415, 12, "content-encoding"));
    for other in ["text/plain", ""] {
        check(client, other, &one, (415, 12, "content type"));
    }
    // gRPC has its errors in headers, with a status of its own.
    let grpc = send(client, "application/grpc", &one);
    assert_eq!((grpc.status, grpc.header("grpc-status")), (200, Some("12")));
    let message = grpc.header("grpc-message").unwrap_or_default();
    assert!(message.contains("content type"), "{message}");

    let web = |content_type, body: &[u8], expect: &str| {
        let answer = send(client, content_type, body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("content-type"), Some(content_type));
        let trailers = match content_type {
            GRPC_WEB => answer.body,
            _ => STANDARD.decode(&answer.body).expect("base64"),
        };
        let text = String::from_utf8_lossy(&trailers[5..]).into_owned();
        assert_eq!(trailers[0], 0x80, "{text}");
        assert!(text.starts_with(expect), "{text}");
    };
    web(GRPC_WEB, b"", "grpc-status:3\r\n");
    web(GRPC_WEB, &framed(0, b"\x0a\xff"), "grpc-status:3\r\n");
    web(
        GRPC_WEB,
        &framed(0, &request(&never)),
        "grpc-status:3\r\ngrpc-message:profile 0",
    );
    // gRPC's clients try neither 3 nor 8 again.
    web(GRPC_WEB, &framed(1, &bomb), "grpc-status:8\r\n");
    web(GRPC_WEB, &framed(1, b"\x1f\x8b\x08"), "grpc-status:3\r\n");
    web(GRPC_WEB_TEXT, b"?", "grpc-status:3\r\n");
}

#[test]
fn what_may_be_retried_says_when() {
    // Nobody listens there.
    let variables = [
        ("BUCKET_BACKEND", "s3"),
        ("S3_ENDPOINT", "http://127.0.0.1:9"),
        ("S3_BUCKET", "profiles"),
        ("S3_ACCESS_KEY_ID", "tests"),
        ("S3_SECRET_ACCESS_KEY", "not-a-secret"),
    ]
    .map(|(name, value)| (name, value.to_owned()));
    let (_worker, client) = start("otlp-without-a-bucket", &variables);
    let profiles = [("late", now(), 1)];

    let answer = send(&client, PROTOBUF, &request(&profiles));
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("1"))
    );
    assert_eq!(answer.header("content-type"), Some(PROTOBUF));
    assert_eq!(status(&answer).0, 14, "{}", answer.text());

    let answer = send(&client, JSON, &json(&profiles));
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("1"))
    );
    assert_eq!(answer.json()["code"], 14, "{}", answer.text());

    let answer = send(&client, GRPC_WEB, &framed(0, &request(&profiles)));
    assert_eq!(answer.status, 200);
    let text = answer.text();
    assert!(text.contains("grpc-status:14\r\n"), "{text}");
}
