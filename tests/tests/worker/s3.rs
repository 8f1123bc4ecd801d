//! The worker over S3: pushed, queried, compacted, queried again, with the bucket in this process;
//! and the contract of buckets, as an operator checks it, of both kinds where the worker runs.

use std::path::Path;
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_core::store::read_chunk;
use pilotlight_s3::Server;
use pilotlight_tests::client::Client;
use pilotlight_tests::clock::now_millis;
use pilotlight_tests::drawn;
use pilotlight_tests::local::{Place, free_port};
use pilotlight_tests::oracle::Oracle;

use crate::shared::{client, hour_of_last_week, s3_variables};

/// The hour of what is pushed, seconds.
static FROM: LazyLock<u64> = LazyLock::new(hour_of_last_week);

/// Pushes: more segments than make a compaction due.
const DUE: u64 = 64;

/// Each run does one job at least.
const RUNS: usize = 5;

/// How long an hour that has just ended is left alone, and a minute of reserve.
const SLACK: Duration = Duration::from_secs(120);

#[test]
fn the_worker_over_s3() {
    let port = free_port().expect("a port");
    let bucket = s3_variables(format!("http://127.0.0.1:{port}"));
    let variables = [&bucket[..], &[("FLUSH_MS", "1".to_owned())]].concat();
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("s3");
    let place = Place::fresh(&state, &variables).expect("a place");
    let _worker = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let client = Client::new(&place.url());

    let down = client
        .post(&path(0), "application/octet-stream", &profile(0))
        .expect("an answer");
    assert_eq!(
        (down.status, down.header("retry-after")),
        (503, Some("1")),
        "without the bucket: {}",
        down.text()
    );

    let server = Server::start(port).expect("the port where the worker looks for its bucket");
    contract(&client);
    assert_eq!(server.store().keys(), [""; 0], "the check leaves nothing");

    for second in 0..DUE {
        let answer = client
            .post(&path(second), "application/octet-stream", &profile(second))
            .expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let levels = |level: &str| {
        server
            .store()
            .keys()
            .iter()
            .filter(|key| key.contains(level))
            .count()
    };
    assert!(
        levels("/l0/") >= DUE as usize,
        "{:?}",
        server.store().keys()
    );
    check(&client);

    let hour = || now_millis() / 3_600_000;
    let (began, pushed) = (Instant::now(), hour());
    for run in 1.. {
        assert_eq!(
            client
                .get("/cdn-cgi/handler/scheduled")
                .expect("an answer")
                .status,
            200
        );
        if levels("/l1/") > 0 {
            break;
        }
        if run >= RUNS {
            // Only the end of the hour is a reason to wait.
            let ended = hour() != pushed && began.elapsed() < SLACK;
            assert!(ended, "{run} runs of the cron compacted nothing");
            thread::sleep(Duration::from_secs(1));
        }
    }
    check(&client);
    // What is pushed twice is still known.
    let again = client
        .post(&path(7), "application/octet-stream", &profile(7))
        .expect("an answer");
    assert_eq!(again.status, 200, "{}", again.text());
    check(&client);
}

#[test]
fn the_contract_of_r2() {
    contract(&client());
}

/// Everything of the contract, one part a call, as an operator would on the free plan.
fn contract(client: &Client) {
    for part in ["objects", "conditions", "lists", "pages"] {
        let path = format!("/api/v1/admin/bucket-check?part={part}");
        let answer = client.post(&path, "", b"").expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["ok"], true, "{part}: {:#}", answer.json());
    }
}

fn path(second: u64) -> String {
    format!(
        "/ingest?name=over.s3&format=pprof&from={0}&until={0}",
        *FROM + second
    )
}

fn profile(second: u64) -> Vec<u8> {
    encode_gzip(&drawn::profile(&format!(
        "cpu/nanoseconds\nmain;work {}\nmain;rest 3",
        second + 1
    )))
}

/// All that was pushed is found, once.
fn check(client: &Client) {
    let query = "query=process_cpu:cpu:nanoseconds::%7Bservice_name%3D%22over.s3%22%7D";
    let path = format!(
        "/api/v1/profile?{query}&from={}&until={}",
        *FROM * 1000,
        (*FROM + 3600) * 1000
    );
    let answer = client.get(&path).expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = Oracle::read(&encode(
        &read_chunk(&answer.body, |_, _| true).expect("a chunk"),
    ));
    let work: i128 = (1..=i128::from(DUE)).sum();
    assert_eq!(found.total(0), work + 3 * i128::from(DUE));
}
