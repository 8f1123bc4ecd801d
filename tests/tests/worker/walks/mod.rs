//! What Grafana's pages ask, call by call, of both generations of Profiles Drilldown: the answers
//! are what was pushed, and the same, byte for byte, when compaction has made blocks of it. So are
//! the answers of all other queries.
//!
//! `tests/golden/walks.py` writes the pushes, the requests and the answers, in another language and
//! without our code.

mod content;
mod others;

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::local::{Levels, Local, Place};
use pilotlight_tests::query::array;
use serde_json::{Value, json};

/// A visit without work is followed by one that looks elsewhere; so many leave nothing to do.
const QUIET_RUNS: usize = 4;
/// Far more than six hours and two days need.
const MOST_RUNS: u64 = 100;

#[test]
fn grafanas_pages_find_what_was_pushed() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/walks.json");
    let golden = fs::read(golden).expect("the golden file");
    let golden: Value = serde_json::from_slice(&golden).expect("JSON");
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("walks");
    let place = Place::fresh(&state, &[("FLUSH_MS", "1".to_owned())]).expect("a place");
    let mut worker = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let client = Client::new(&place.url());
    for push in array(&golden["pushes"]) {
        // When the profile ends.
        let at = push["at"].as_i64().expect("a time") + 10;
        set_clock(&client, at * 1_000);
        send(&client, push);
    }
    let now = golden["now"].as_i64().expect("a time");
    set_clock(&client, now);

    let range = ["from", "until"].map(|end| golden[end].as_i64().expect("a time"));
    let walks = array(&golden["walks"]);
    let (walked, others) = (walk(&client, walks), others::ask(&client, range));
    assert!(walked.len() > 150 && others.len() > 50, "so few calls");
    let before = Levels::from(worker.objects().expect("the objects"));
    compact(&client, &mut worker, now);
    let after = Levels::from(worker.objects().expect("the objects"));
    println!(
        "{} calls of walks and {} others; {before}, then {after}",
        walked.len(),
        others.len()
    );
    assert!(before.segments > 100 && after.segments == 0, "{after}");
    same(&walked, &walk(&client, walks));
    same(&others, &others::ask(&client, range));
}

/// Pushes one profile as an agent does.
fn send(client: &Client, push: &Value) {
    let pair = |(name, value): (&String, &Value)| json!({ "name": name, "value": value });
    let labels = push["labels"].as_object().expect("labels");
    let mut labels: Vec<Value> = labels.iter().map(pair).collect();
    labels.push(json!({ "name": "__name__", "value": push["name"] }));
    let series = json!({ "labels": labels, "samples": [{ "rawProfile": push["profile"] }] });
    let body = json!({ "series": [series] }).to_string();
    let path = "/push.v1.PusherService/Push";
    let answer = client.post(path, "application/json", body.as_bytes());
    let answer = answer.expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
}

/// Makes the calls one after the other and looks at what each is answered.
fn walk(client: &Client, walks: &[Value]) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for walk in walks {
        for step in array(&walk["steps"]) {
            let name = format!("{}: {}", walk["name"], step["name"]);
            let answer = ask(client, step);
            if let Err(problem) = content::check(&answer, &step["expect"]) {
                panic!("{name}\n{step}\n{problem}\n{}", answer.text());
            }
            // What a query reads is other objects afterwards.
            if step["expect"]["queried"].is_null() {
                found.push((name, answer.body));
            }
        }
    }
    found
}

fn ask(client: &Client, step: &Value) -> Answer {
    // The proxy of Grafana passes on what a browser says.
    let accept = step["accept"].as_str().unwrap_or("*/*").to_owned();
    let client = client.with_header("accept", accept);
    let answer = match (&step["get"], &step["post"], &step["proto"]) {
        (Value::String(path), ..) => client.get(path),
        (_, Value::String(path), Value::String(body)) => {
            let body = STANDARD.decode(body).expect("base64");
            client.post(path, "application/proto", &body)
        }
        (_, Value::String(path), _) => client.post(
            path,
            "application/json",
            step["json"].to_string().as_bytes(),
        ),
        _ => panic!("no request: {step}"),
    };
    answer.expect("an answer")
}

/// Runs the schedule when both days are over, until there is nothing left to do.
fn compact(client: &Client, worker: &mut Local, now: i64) {
    const HOUR: i64 = 3_600_000;
    let mut runs = 0;
    let mut run = || {
        runs += 1;
        assert!(runs < MOST_RUNS, "compaction comes to no end");
        let path = format!("/cdn-cgi/handler/scheduled?time={}", 60_000 * runs);
        assert_eq!(client.get(&path).expect("an answer").status, 200);
    };
    set_clock(client, now + 24 * HOUR);
    let (mut last, mut quiet) = (Vec::new(), 0);
    while quiet < QUIET_RUNS {
        run();
        let objects = worker.objects().expect("the objects");
        quiet = if objects == last { quiet + 1 } else { 0 };
        last = objects;
    }
    // The catalog is published after half an hour; some minutes later what was replaced goes.
    for minutes in [40, 80] {
        set_clock(client, now + 24 * HOUR + minutes * 60_000);
        (0..3).for_each(|_| run());
    }
}

fn set_clock(client: &Client, millis: i64) {
    let set = client.get(&format!("/clock?millis={millis}"));
    assert_eq!(set.expect("an answer").text(), "set");
}

/// The same answers to the same calls.
fn same(before: &[(String, Vec<u8>)], after: &[(String, Vec<u8>)]) {
    for ((name, before), (_, after)) in before.iter().zip(after) {
        assert!(
            before == after,
            "{name}, before and after compaction:\n{}\n{}",
            String::from_utf8_lossy(before),
            String::from_utf8_lossy(after)
        );
    }
    assert_eq!(before.len(), after.len());
}
