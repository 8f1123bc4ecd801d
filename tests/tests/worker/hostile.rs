//! Bad input against a running Pilotlight: a clear 4xx with the reason, never a 5xx, and nothing
//! stored in part.

mod bad;

use std::io::Write;
use std::sync::Mutex;
use std::thread;

use bad::all_bad;
use base64::Engine;
use flate2::Compression;
use flate2::write::GzEncoder;
use pilotlight_core::pprof::{PprofError, encode, encode_gzip, open};
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::demo::{Kind, Moment, SERVICES, profile as demo_profile};
use pilotlight_tests::drawn;
use pilotlight_tests::oracle::Oracle;
use serde_json::Value;

const BINARY: &str = "application/octet-stream";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("a Vec takes all")
}

fn small() -> Vec<u8> {
    encode_gzip(&drawn::profile(
        "cpu/nanoseconds\nmain;a 5 region=eu\nmain;b 7",
    ))
}

#[test]
fn bad_requests_are_refused_and_leave_no_trace() {
    let client = crate::shared::client();
    let before = services(&client);
    for bad in all_bad() {
        let path = format!("/ingest?{}", bad.query);
        let answer = client
            .post(&path, bad.content_type, &bad.body)
            .unwrap_or_else(|e| panic!("{}: {e}", bad.what));
        check_refused(bad.what, &answer);
        assert_eq!(answer.status, bad.status, "{}: {}", bad.what, answer.text());
        let message = answer.json()["message"].as_str().unwrap_or("").to_owned();
        assert!(
            message.contains(bad.says),
            "{}: {message:?} does not say {:?}",
            bad.what,
            bad.says
        );
        println!("{}: {} {message}", bad.what, answer.status);
    }
    assert_eq!(
        services_of(&before, "hostile"),
        services_of(&services(&client), "hostile"),
        "something was stored"
    );
    assert_eq!(client.get("/healthz").expect("an answer").status, 200);
}

/// The worker answers such a request without reading its body, and workerd then closes the connection. So
/// nothing is sent after the head: a client that is still sending may find the connection reset.
#[test]
fn more_than_is_allowed_is_refused_by_its_declared_length() {
    let head = format!(
        "POST /ingest?name=hostile-length&format=pprof HTTP/1.1\r\nhost: localhost\r\ncontent-type: {BINARY}\r\ncontent-length: {}\r\n\r\n",
        17 << 20
    );
    let client = crate::shared::client();
    let answer = client.replay(head.as_bytes(), b"").expect("an answer");
    check_refused("more than is allowed", &answer);
    assert_eq!(answer.status, 413, "{}", answer.text());
    assert!(answer.text().contains("allowed"), "{}", answer.text());
    assert_eq!(services_of(&services(&client), "hostile-length"), []);
}

/// The same of `push.v1`: content type, body, status, and what the message must say.
#[test]
fn bad_requests_to_push_v1_are_refused() {
    const PROTO: &str = "application/proto";
    const JSON: &str = "application/json";
    let client = crate::shared::client();
    // In JSON, so that nobody has to write protobuf.
    let series = |profile: &[u8], count: usize| {
        let profile = base64::engine::general_purpose::STANDARD.encode(profile);
        let labels = r#"[{"name":"service_name","value":"hostile-v1"}]"#;
        let one = format!(r#"{{"labels":{labels},"samples":[{{"rawProfile":"{profile}"}}]}}"#);
        format!(r#"{{"series":[{}]}}"#, vec![one; count].join(",")).into_bytes()
    };
    let bomb = gzip(&vec![0; 200 << 20]);
    for (content_type, body, status, says) in [
        (PROTO, Vec::new(), 400, "no profiles"),
        (PROTO, vec![0x0a, 0x7f], 400, "byte 0"),
        (PROTO, [0x0a, 0].repeat(257), 400, "256"),
        (PROTO, bomb.clone(), 413, "inflates"),
        (JSON, b"{".to_vec(), 400, "JSON"),
        (JSON, bomb.clone(), 413, "inflates"),
        (JSON, series(b"", 257), 400, "256"),
        (JSON, series(&bomb, 1), 400, "inflates"),
        (
            JSON,
            series(b"hello, this is no profile", 2),
            400,
            "series with index 1",
        ),
        (JSON, series(&small()[..40], 1), 400, "gzip"),
        ("text/plain", small(), 415, ""),
    ] {
        let path = "/push.v1.PusherService/Push";
        let answer = client.post(path, content_type, &body).expect("an answer");
        check_refused(path, &answer);
        let message = answer.json()["message"].as_str().unwrap_or("").to_owned();
        assert_eq!(answer.status, status, "{message}");
        assert!(message.contains(says), "{message:?} does not say {says:?}");
    }
    assert_eq!(services_of(&services(&client), "hostile-v1"), []);
}

#[test]
fn bad_questions_are_refused() {
    let client = crate::shared::client();
    let cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
    let rpc = |call: &str, body: &str| {
        let answer = client.post(
            &format!("/querier.v1.QuerierService/{call}"),
            "application/json",
            body.as_bytes(),
        );
        check_refused(&format!("{call} {body}"), &answer.expect("an answer"));
    };
    for body in [
        "{",
        "[]",
        "{\"start\":\"x\"}",
        "{}",
        "{\"start\":9,\"end\":5}",
        "{\"start\":1,\"end\":2,\"profileTypeID\":\"cpu\"}",
    ] {
        rpc("SelectMergeStacktraces", body);
    }
    for selector in [
        "{",
        "{a}",
        "{\"ä\"ß",
        "{a=~\"(\"}",
        "{a=\"b\"} x",
        "{a=~\"((((((((((((((((((((a{99}){99}){99}){99}\"}",
    ] {
        let ask = serde_json::json!({ "profileTypeID": cpu, "labelSelector": selector, "start": 1, "end": 2 });
        rpc("SelectMergeStacktraces", &ask.to_string());
        rpc(
            "Series",
            &serde_json::json!({ "matchers": [selector], "start": 1, "end": 2 }).to_string(),
        );
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("query", &format!("{cpu}{selector}"))
            .finish();
        for path in ["/api/v1/profile", "/api/v1/timeline", "/pyroscope/render"] {
            check_refused(
                selector,
                &client
                    .get(&format!("{path}?{query}&from=1&until=2"))
                    .expect("an answer"),
            );
        }
    }
    for path in [
        "/api/v1/profile",
        "/api/v1/services?from=9&until=5",
        "/api/v1/services?points=x",
        "/api/v1/nothing",
        "/pyroscope/render",
    ] {
        check_refused(path, &client.get(path).expect("an answer"));
    }
    check_refused(
        "GET of a push",
        &client.get("/ingest?name=x").expect("an answer"),
    );
}

/// A profile cut anywhere, or with any bit flipped, is refused, or is so little damaged that it
/// still is the same.
#[test]
fn a_damaged_gzip_is_never_another_profile() {
    let client = crate::shared::client();
    let moment = Moment {
        service: &SERVICES[0],
        region: "eu",
        kind: Kind::Cpu,
        before_end: 600,
    };
    let body = encode_gzip(&demo_profile(&moment, 1_790_000_000_000_000_000));
    let path = "/ingest?name=hostile-gzip&format=pprof&from=1790000000";
    assert_eq!(
        client.post(path, BINARY, &body).expect("an answer").status,
        200
    );
    let before = services_of(&services(&client), "hostile-gzip");
    let cuts = (1..body.len())
        .step_by(body.len() / 60)
        .map(|end| body[..end].to_vec());
    let flips = (0..body.len() * 8)
        .step_by(body.len() * 8 / 160)
        .map(|bit| flipped(&body, bit));
    let accepted = push_all(&client, path, cuts.chain(flips).collect());
    // Bits that mean nothing (the time in gzip's header, padding): the profile is the same, and so
    // is its identity.
    assert!(
        accepted
            .iter()
            .all(|bytes| Oracle::read(bytes).stacks(1) == Oracle::read(&body).stacks(1))
    );
    assert!(
        accepted.len() < 20,
        "{} damaged profiles were accepted",
        accepted.len()
    );
    assert_eq!(services_of(&services(&client), "hostile-gzip"), before);
}

/// Without a checksum around it, a damaged profile may be a valid one that says something else.
/// What is accepted is then stored but for samples that refer to what is not there, and what is
/// refused not at all.
#[test]
fn of_a_damaged_protobuf_what_can_be_read_counts() {
    let client = crate::shared::client();
    let body = encode(&drawn::profile(
        "cpu/nanoseconds\nmain;work;deep 300 region=eu\nmain;work 500\nmain;other;other 7000 region=us",
    ));
    let path = "/ingest?name=hostile-raw&format=pprof&from=1790000000";
    let cuts = (1..body.len()).map(|end| body[..end].to_vec());
    // Where the other reader refuses all of a profile, it cannot say which samples are left out.
    let is_known = |bytes: &Vec<u8>| {
        let dangles = matches!(open(bytes, usize::MAX), Err(PprofError::Dangling(_)));
        !dangles || Oracle::is_protobuf(bytes)
    };
    let flips = (0..body.len() * 8)
        .step_by(3)
        .map(|bit| flipped(&body, bit))
        .filter(is_known);
    let accepted = push_all(&client, path, cuts.chain(flips).collect());
    let sums = |bytes: &Vec<u8>| {
        // The other reader refuses a known field of another wire type; ours passes over it, as
        // protobuf asks of readers.
        let Some(oracle) = Oracle::try_read(bytes) else {
            let profile = open(bytes, usize::MAX).expect("it was accepted").profile;
            return profile
                .samples()
                .values
                .iter()
                .flatten()
                .map(|value| i128::from((*value).max(0)))
                .sum();
        };
        (0..oracle.types.len())
            .map(|column| oracle.positive_total(column))
            .sum::<i128>()
    };
    let expect: i128 = accepted.iter().map(sums).sum();
    let stored = services_of(&services(&client), "hostile-raw");
    assert!(!accepted.is_empty() && expect > 0);
    assert_eq!(
        stored.iter().map(|(_, total)| total).sum::<i128>(),
        expect,
        "{} were accepted",
        accepted.len()
    );
}

/// Pushes all, several at a time; gives back those that were accepted.
fn push_all(client: &Client, path: &str, bodies: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let (next, accepted) = (Mutex::new(bodies.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while let Some(body) = { next.lock().expect("no panic").next() } {
                    let answer = client.post(path, BINARY, &body).expect("an answer");
                    match answer.status {
                        200 => accepted.lock().expect("no panic").push(body),
                        _ => check_refused(path, &answer),
                    }
                }
            });
        }
    });
    accepted.into_inner().expect("no panic")
}

fn flipped(body: &[u8], bit: usize) -> Vec<u8> {
    let mut body = body.to_vec();
    body[bit / 8] ^= 1 << (bit % 8);
    body
}

/// A 4xx, or a 501 for what the protocol knows and we do not, with a code and a message.
fn check_refused(what: &str, answer: &Answer) {
    assert!(
        (400..500).contains(&answer.status),
        "{what}: {} {}",
        answer.status,
        answer.text()
    );
    let problem = answer.json();
    let has = |field: &str| problem[field].as_str().is_some_and(|text| !text.is_empty());
    assert!(
        has("code") && has("message"),
        "{what}: {} {}",
        answer.status,
        answer.text()
    );
    let message = problem["message"].as_str().unwrap_or("");
    assert!(
        !message.contains("panicked") && !message.contains(".rs:"),
        "{what}: {message}"
    );
}

fn services(client: &Client) -> Value {
    let answer = client
        .get("/api/v1/services?from=0&until=9223372036854&points=1")
        .expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Types and totals of the services whose name begins so.
fn services_of(listed: &Value, name: &str) -> Vec<(String, i128)> {
    let named = |service: &&Value| service["name"].as_str() == Some(name);
    let types = listed["services"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(named)
        .flat_map(|s| s["types"].as_array());
    let mut found: Vec<(String, i128)> = types
        .flatten()
        .map(|t| {
            (
                t["id"].to_string(),
                t["total"]
                    .as_str()
                    .and_then(|total| total.parse().ok())
                    .expect("a total"),
            )
        })
        .collect();
    found.sort();
    found
}
