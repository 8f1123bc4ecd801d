//! What one tenant does, held against what another notices; and what remains when the worker panics
//! all the same.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use pilotlight_core::{ProfileBuilder, pprof};
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::local::Place;
use serde_json::json;

const BINARY: &str = "application/octet-stream";
const FROM: i64 = 1_795_235_400;
/// Longest wait until refusals are booked.
const BOOKED: Duration = Duration::from_secs(60);
const CPU: &str = "process_cpu:cpu:nanoseconds::";

fn place(name: &str, variables: &[(&'static str, String)]) -> Place {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    Place::fresh(&state, variables).expect("a place")
}

fn profile(values: &[i64]) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    for (n, value) in values.iter().enumerate() {
        let stack = builder.named_stack(&["main", &format!("f{n}")]);
        builder.sample(stack, None, &[*value]);
    }
    pprof::encode(&builder.finish())
}

fn push(client: &Client, name: &str, at: i64, body: &[u8]) -> Answer {
    client
        .post(
            &format!(
                "/ingest?name={name}&format=pprof&from={at}&until={}",
                at + 10
            ),
            BINARY,
            body,
        )
        .expect("an answer")
}

/// Every route that reads what is stored, once; each must be answered with success.
fn ask_everything(client: &Client) {
    let range = format!("from={}&until={}", FROM * 1000, (FROM + 3_600) * 1000);
    let query: String = form_urlencoded::byte_serialize(format!("{CPU}{{}}").as_bytes()).collect();
    for path in [
        format!(
            "/pyroscope/render?query={query}&from={FROM}&until={}",
            FROM + 3_600
        ),
        format!(
            "/pyroscope/render?query={query}&from={FROM}&until={}&groupBy=service_name&aggregation=avg",
            FROM + 3_600
        ),
        format!(
            "/pyroscope/render?format=dot&query={query}&from={FROM}&until={}",
            FROM + 3_600
        ),
        format!(
            "/pyroscope/render-diff?leftQuery={query}&leftFrom={FROM}&leftUntil={}&rightQuery={query}",
            FROM + 3_600
        ),
        format!(
            "/pyroscope/label-values?label=service_name&from={FROM}&until={}",
            FROM + 3_600
        ),
        format!("/api/v1/services?{range}"),
        format!("/api/v1/labels?{range}"),
        format!("/api/v1/timeline?query={query}&{range}"),
        format!("/api/v1/profile?query={query}&{range}"),
    ] {
        let answer = client.get(&path).expect("an answer");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
    let ask = json!({
        "profileTypeID": CPU, "labelSelector": "{}", "start": FROM * 1000, "end": (FROM + 3_600) * 1000, "step": 15,
        "name": "service_name",
    });
    for call in [
        "ProfileTypes",
        "LabelNames",
        "LabelValues",
        "Series",
        "SelectMergeStacktraces",
        "SelectSeries",
    ] {
        let path = format!("/querier.v1.QuerierService/{call}");
        let answer = client
            .post(&path, "application/json", ask.to_string().as_bytes())
            .expect("an answer");
        assert_eq!(answer.status, 200, "{call}: {}", answer.text());
    }
}

#[test]
fn a_tenant_sees_why_its_pushes_were_refused() {
    let place = place(
        "refusals",
        &[
            ("MULTITENANCY", "true".to_owned()),
            ("FLUSH_MS", "20".to_owned()),
        ],
    );
    let _worker = place.start().expect("a worker");
    let server = Client::new(&place.url());
    let (sender, other) = (server.of_tenant("sender"), server.of_tenant("other"));
    assert_eq!(push(&sender, "app", FROM, &profile(&[1])).status, 200);
    assert_eq!(push(&other, "app", FROM, &profile(&[1])).status, 200);

    let refused = |client: &Client| {
        let answer = client.get("/api/v1/admin/refusals").expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["refusals"].clone()
    };
    assert_eq!(push(&sender, "app", FROM, b"\x0a\x05\x08").status, 422);
    // Another sample, whose location does not exist.
    let partly = [&profile(&[2])[..], &[0x12, 4, 0x08, 99, 0x10, 7]].concat();
    assert_eq!(push(&sender, "app", FROM, &partly).status, 200);
    let push_v1 = "/push.v1.PusherService/Push";
    for path in ["/v1development/profiles", push_v1] {
        let answer = sender.post(path, "application/json", b"[");
        assert_eq!(answer.expect("an answer").status, 400, "{path}");
    }
    assert_eq!(push(&sender, "app{", FROM, &profile(&[1])).status, 400);
    let expected = [
        ("malformed_profile", 3),
        ("invalid_request", 1),
        ("invalid_labels", 1),
    ];
    // A refusal is booked after its answer, those of five seconds together.
    let began = Instant::now();
    let listed = loop {
        let listed = refused(&sender);
        let count = |reason: &str| {
            let mut rows = listed.as_array().expect("a list").iter();
            let row = rows.find(|row| row["reason"] == reason);
            row.and_then(|row| row["count"].as_u64()).unwrap_or(0)
        };
        if expected
            .iter()
            .all(|(reason, expect)| count(reason) == *expect)
        {
            break listed;
        }
        assert!(began.elapsed() < BOOKED, "{listed}");
        thread::sleep(Duration::from_millis(100));
    };
    let told = |row: &serde_json::Value| !row["last_message"].as_str().unwrap_or("").is_empty();
    assert!(listed.as_array().expect("a list").iter().all(told));
    assert_eq!(refused(&other), json!([]));
    let metrics = server.get("/metrics").expect("an answer").text();
    let line =
        "pilotlight_discarded_pushes_total{tenant=\"sender\",reason=\"malformed_profile\"} 3";
    assert!(metrics.lines().any(|l| l == line), "{metrics}");
}

#[test]
fn one_tenants_extremes_fail_no_other_tenants_push() {
    let place = place(
        "attack",
        &[
            ("MULTITENANCY", "true".to_owned()),
            ("FLUSH_MS", "20".to_owned()),
        ],
    );
    let _worker = place.start().expect("a worker");
    let server = Client::new(&place.url());
    let (attacker, honest) = (server.of_tenant("attacker"), server.of_tenant("honest"));
    for n in 0..3 {
        assert_eq!(
            push(&attacker, "huge", FROM + n, &profile(&[i64::MAX])).status,
            200
        );
    }
    let (done, pushes, sum) = (AtomicBool::new(false), AtomicU32::new(0), AtomicI64::new(0));
    thread::scope(|scope| {
        for thread in 0..4 {
            let (honest, done, pushes, sum) = (&honest, &done, &pushes, &sum);
            scope.spawn(move || {
                let mut n = 0;
                // Bounded, whatever becomes of the other side.
                while !done.load(Ordering::Relaxed) && n < 2_000 {
                    let answer = push(
                        honest,
                        &format!("app{thread}"),
                        FROM + n % 3_600,
                        &profile(&[n + 1]),
                    );
                    assert_eq!(answer.status, 200, "push {n}: {}", answer.text());
                    assert_eq!(answer.header("x-pilotlight-push"), Some("stored"));
                    pushes.fetch_add(1, Ordering::Relaxed);
                    sum.fetch_add(n + 1, Ordering::Relaxed);
                    n += 1;
                }
            });
        }
        let attack = thread::Builder::new()
            .spawn_scoped(scope, || (0..12).for_each(|_| ask_everything(&attacker)));
        let outcome = attack.expect("a thread").join();
        done.store(true, Ordering::Relaxed);
        outcome.expect("every question is answered");
    });
    assert!(
        pushes.load(Ordering::Relaxed) > 20,
        "{pushes:?} pushes meanwhile"
    );

    let query: String = form_urlencoded::byte_serialize(format!("{CPU}{{}}").as_bytes()).collect();
    let path = format!(
        "/pyroscope/render?query={query}&from={FROM}&until={}",
        FROM + 3_600
    );
    let cut = attacker.get(&path).expect("an answer");
    assert_eq!(cut.header("x-pilotlight-saturated"), Some("true"));
    assert_eq!(cut.json()["flamebearer"]["numTicks"], json!(i64::MAX));
    let exact = honest.get(&path).expect("an answer");
    assert_eq!(exact.header("x-pilotlight-saturated"), Some("false"));
    assert_eq!(
        exact.json()["flamebearer"]["numTicks"],
        json!(sum.load(Ordering::Relaxed)),
        "every push is there"
    );
}

#[test]
fn a_deleted_tenants_push_is_stored_again() {
    let place = place(
        "deleted",
        &[
            ("MULTITENANCY", "true".to_owned()),
            ("FLUSH_MS", "20".to_owned()),
        ],
    );
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url()).of_tenant("one");
    let (body, empty) = (profile(&[7]), profile(&[0]));
    let said = |body: &[u8]| {
        let answer = push(&client, "app", FROM, body);
        assert_eq!((answer.status, answer.text().as_str()), (200, ""));
        answer
            .header("x-pilotlight-push")
            .expect("the header")
            .to_owned()
    };
    let total = || {
        let query: String =
            form_urlencoded::byte_serialize(format!("{CPU}{{}}").as_bytes()).collect();
        let path = format!(
            "/pyroscope/render?query={query}&from={FROM}&until={}",
            FROM + 3_600
        );
        client.get(&path).expect("an answer").json()["flamebearer"]["numTicks"].as_i64()
    };
    assert_eq!(
        ["stored", "repeated"],
        [said(&body), said(&body)].each_ref().map(String::as_str)
    );
    assert_eq!([said(&empty), said(b"")], ["empty", "empty"]);
    assert_eq!(total(), Some(7));
    assert_eq!(
        client
            .delete("/api/v1/admin/tenant")
            .expect("an answer")
            .status,
        200
    );
    assert_eq!(total(), Some(0));
    assert_eq!(said(&body), "stored");
    assert_eq!(total(), Some(7));

    // A selective deletion keeps a retry from bringing back what was deleted, and says so.
    let path = format!(
        "/api/v1/admin/profiles?query=%7B%7D&from=0&until={}",
        (FROM + 3_600) * 1000
    );
    assert_eq!(
        client.delete(&path).expect("an answer").json()["objects"],
        json!(1)
    );
    assert_eq!(said(&body), "repeated");
}

#[test]
fn wrong_variables_keep_the_worker_from_starting() {
    let error = place("misconfigured", &[("FLUSH_MS", "soon".to_owned())])
        .start()
        .err()
        .expect("it does not start");
    assert!(
        error.contains("variable FLUSH_MS must be a number of milliseconds"),
        "{error}"
    );
}

#[test]
fn a_panic_asks_all_in_flight_to_come_again() {
    let core = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("local/panicking.mjs");
    let place = Place {
        core: Some(core),
        ..place("panic", &[])
    };
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url());
    let get = |path: &str| client.get(path).expect("an answer");
    assert_eq!((get("/").status, get("/").text()), (200, "0".to_owned()));
    thread::scope(|scope| {
        let slow = scope.spawn(|| get("/slow"));
        while get("/waiting").text() != "1" {
            thread::sleep(Duration::from_millis(10));
        }
        let panicked = get("/panic");
        assert_eq!(
            (panicked.status, panicked.header("retry-after")),
            (503, Some("1"))
        );
        let slow = slow.join().expect("an answer");
        assert_eq!((slow.status, slow.header("retry-after")), (503, Some("1")));
    });
    assert_eq!(
        (get("/").status, get("/").text()),
        (200, "1".to_owned()),
        "a fresh instance"
    );
}

/// A profile of 16 MB, of nothing but mappings with an id and nothing else: 7 bytes each, and some
/// 40 in memory.
fn swelling() -> Vec<u8> {
    const BYTES: usize = 16 << 20;
    let mut raw = vec![0x0a, 4, 0x08, 1, 0x10, 2, 0x32, 0, 0x32, 3];
    raw.extend_from_slice(b"cpu");
    raw.extend_from_slice(&[0x32, 11]);
    raw.extend_from_slice(b"nanoseconds");
    for number in 1_u32 << 21.. {
        let id = [0, 7, 14, 21]
            .map(|bits| (number >> bits & 0x7f) as u8 | if bits < 21 { 0x80 } else { 0 });
        let mapping = [&[0x1a, 5, 0x08], &id[..]].concat();
        if raw.len() + mapping.len() > BYTES {
            break;
        }
        raw.extend_from_slice(&mapping);
    }
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&raw).expect("memory");
    gzip.finish().expect("memory")
}

#[test]
fn a_failed_allocation_asks_to_come_again_and_ends_the_instance() {
    let place = place("allocation", &[("FLUSH_MS", "20".to_owned())]);
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url());
    let wasm = || {
        let metrics = client.get("/metrics").expect("an answer").text();
        let line = metrics
            .lines()
            .find(|line| line.starts_with("pilotlight_isolate_wasm_bytes "))
            .map(str::to_owned);
        line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
            .unwrap_or_else(|| panic!("{metrics}"))
    };
    assert_eq!(push(&client, "app", FROM, &profile(&[7])).status, 200);
    let before = wasm();
    let answer = push(&client, "app", FROM, &swelling());
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("1")),
        "{}",
        answer.text()
    );
    assert!(answer.text().contains("was restarted"), "{}", answer.text());
    let answer = push(&client, "app", FROM, &profile(&[7]));
    assert_eq!(
        (answer.status, answer.header("x-pilotlight-push")),
        (200, Some("repeated")),
        "what was stored is known"
    );
    assert_eq!(
        push(&client, "app", FROM, &profile(&[8])).header("x-pilotlight-push"),
        Some("stored")
    );
    assert!(
        wasm() <= before + (4 << 20),
        "the memory is a new one: {} after {before}",
        wasm()
    );
}
