//! `push.v1` through the built worker: every refusal has the status that senders act on, and is JSON
//! whatever was sent.

use std::io::Write;
use std::path::Path;
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use pilotlight_core::pprof::encode;
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::drawn;
use pilotlight_tests::locked::Locked;
use serde_json::json;

const PATH: &str = "/push.v1.PusherService/Push";
const JSON: &str = "application/json";
const PROTO: &str = "application/proto";

/// Seven pushes of 20 kB are more than may wait.
const PENDING: usize = 64 << 10;
const PUSHES: usize = 7;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("a Vec takes all");
    encoder.finish().expect("a Vec takes all")
}

/// A request of one profile.
fn request(service: &str, profile: &[u8]) -> Vec<u8> {
    let labels = [("service_name", service), ("__name__", "process_cpu")];
    let labels = labels.map(|(name, value)| json!({ "name": name, "value": value }));
    let samples = [json!({ "rawProfile": STANDARD.encode(profile) })];
    let series = json!({ "labels": labels, "samples": samples });
    json!({ "series": [series] }).to_string().into_bytes()
}

/// A profile whose names say nothing that compresses.
fn large(seed: u64) -> Vec<u8> {
    let mut state = seed + 1;
    let lines = (0..1_000).map(|_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        format!("main;f{state:016x} 1")
    });
    let lines: Vec<String> = lines.collect();
    encode(&drawn::profile(&format!(
        "cpu/nanoseconds\n{}",
        lines.join("\n")
    )))
}

fn check(what: &str, answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{what}: {}", answer.text());
    assert_eq!(answer.header("content-type"), Some(JSON), "{what}");
    let problem = answer.json();
    assert_eq!(problem["code"], code, "{what}: {problem}");
    let message = problem["message"].as_str().unwrap_or("");
    assert!(!message.is_empty(), "{what}: {problem}");
}

#[test]
fn every_refusal_has_its_status_and_is_json() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("push-v1");
    let variables = [
        ("FLUSH_BYTES", PENDING.to_string()),
        ("PENDING_BYTES", PENDING.to_string()),
    ];
    let worker = Locked::start(&state, &variables);
    let nobody = worker.anyone();
    let [sender, reader] = ["push", "read"].map(|scope| worker.client("t1", scope));
    let post = |client: &Client, content_type: &str, body: &[u8]| {
        client.post(PATH, content_type, body).expect("an answer")
    };

    let good = request("one", &encode(&drawn::profile("cpu/nanoseconds\nmain;a 5")));
    let damaged = request("one", b"\x0a\x05\x08");
    let bomb = gzip(&vec![0; 17 << 20]);
    let invalid = "invalid_argument";
    for (what, client, content_type, body, status, code) in [
        (
            "half of a request",
            &sender,
            JSON,
            &b"{\"series\":["[..],
            400,
            invalid,
        ),
        ("no message", &sender, PROTO, b"\x0a\xff", 400, invalid),
        ("no profiles", &sender, JSON, b"{}", 400, invalid),
        ("a damaged profile", &sender, JSON, &damaged, 400, invalid),
        (
            "damaged gzip",
            &sender,
            PROTO,
            b"\x1f\x8b\x08",
            400,
            invalid,
        ),
        ("no token", &nobody, JSON, &good, 401, "unauthenticated"),
        (
            "a token to read",
            &reader,
            JSON,
            &good,
            403,
            "permission_denied",
        ),
        ("a bomb", &sender, PROTO, &bomb, 413, "resource_exhausted"),
        ("a text", &sender, "text/plain", &good, 415, "unimplemented"),
        ("no content type", &sender, "", &good, 415, "unimplemented"),
    ] {
        check(what, &post(client, content_type, body), status, code);
    }
    let answer = post(&sender, JSON, &good);
    assert_eq!((answer.status, answer.text().as_str()), (200, "{}"));

    // More at once than may wait: some is stored, the rest may come again.
    let bodies: Vec<Vec<u8>> = (0..PUSHES)
        .map(|n| request("many", &large(n as u64)))
        .collect();
    let answers: Vec<Answer> = thread::scope(|scope| {
        let pushes: Vec<_> = bodies
            .iter()
            .map(|body| scope.spawn(|| post(&sender, JSON, body)))
            .collect();
        let answers = pushes
            .into_iter()
            .map(|push| push.join().expect("no panic"));
        answers.collect()
    });
    let (stored, refused): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.status == 200);
    assert!(!stored.is_empty() && !refused.is_empty());
    for answer in refused {
        check("too many", answer, 429, "resource_exhausted");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
}
