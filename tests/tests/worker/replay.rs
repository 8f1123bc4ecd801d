//! Recorded requests of published agents against a running Pilotlight: each is accepted, and every
//! way of asking gives the sums that the bodies hold, before and after compaction, and when
//! everything is sent twice.

use std::collections::BTreeMap;
use std::path::Path;

use pilotlight_core::pprof::{encode, encode_gzip};
use pilotlight_core::store::read_chunk;
use pilotlight_tests::client::Client;
use pilotlight_tests::local::Place;
use pilotlight_tests::oracle::Oracle;
use pilotlight_tests::recorded::Recorded;
use pilotlight_tests::series::{Key, expected};
use pilotlight_tests::{corpus, drawn};
use serde_json::{Value, json};

/// The hour of the recordings, milliseconds: 2026-11-21, 04:30 to 05:30 UTC.
const FROM: i64 = 1_795_235_400_000;
const UNTIL: i64 = FROM + 3_600_000;

/// So many objects of the running hour make a compaction due.
const DUE: usize = 64;

#[test]
fn what_agents_pushed_is_what_queries_answer() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay");
    let place = Place::fresh(&state, &[("FLUSH_MS", "1".to_owned())]).expect("a place");
    let place = place.at(UNTIL);
    let _worker = place.start().unwrap_or_else(|problem| panic!("{problem}"));
    let client = Client::new(&place.url());
    let requests: Vec<Recorded> = corpus::AGENTS
        .iter()
        .flat_map(|agent| corpus::recordings(agent))
        .collect();
    if requests.is_empty() {
        return;
    }
    let expected = expected(&requests);
    assert!(
        expected.len() >= 12,
        "the recordings hold {} services and types",
        expected.len()
    );
    for (service, id) in expected.keys() {
        assert_eq!(
            total(&client, service, id),
            0,
            "{service} has data: these tests need a server with an empty bucket"
        );
    }

    push(&client, &requests);
    check_all(&client, &expected);
    check_labels(&client, &expected);
    let before = objects(&client, &expected);
    println!(
        "pushed and found: {} services and types in {before} objects",
        expected.len()
    );

    push(&client, &requests);
    check_all(&client, &expected);
    println!("pushed again: counted once");

    fill(&client);
    compact(&client, &expected, before);
    check_all(&client, &expected);
    check_labels(&client, &expected);
    println!(
        "compacted: the same sums from {} objects",
        objects(&client, &expected)
    );

    push(&client, &requests);
    check_all(&client, &expected);
    println!("pushed again after compaction: counted once");
}

/// Sends everything as it was sent, one after the other.
fn push(client: &Client, requests: &[Recorded]) {
    for request in requests {
        let answer = client
            .replay(&request.head, &request.body)
            .unwrap_or_else(|e| panic!("{}: {e}", request.name));
        assert_eq!(
            (answer.status, answer.text().as_str()),
            (200, ""),
            "{}",
            request.name
        );
    }
}

fn check_all(client: &Client, expected: &BTreeMap<Key, Oracle>) {
    for ((service, id), oracle) in expected {
        let name = format!("{service} {id}");
        check_stacktraces(client, service, id, oracle);
        let path = format!(
            "/pyroscope/render?{}",
            query(
                service,
                "",
                id,
                &[("from", FROM / 1000), ("until", UNTIL / 1000)]
            )
        );
        let render = client.get(&path).expect("an answer").json();
        assert_eq!(
            render["flamebearer"]["numTicks"],
            json!(oracle.total(0)),
            "render: {name}"
        );
        let timeline: i128 = numbers(&render["timeline"]["samples"])
            .iter()
            .map(|n| i128::from(*n))
            .sum();
        assert_eq!(timeline, oracle.total(0), "timeline of render: {name}");
        assert_eq!(
            profile(client, service, "", id).stacks(0),
            oracle.stacks(0),
            "profile: {name}"
        );
    }
    check_services(client, expected);
    check_types(client, expected);
}

/// The list of services has each total, and nothing more of these services.
fn check_services(client: &Client, expected: &BTreeMap<Key, Oracle>) {
    let listed = client
        .get(&format!(
            "/api/v1/services?from={FROM}&until={UNTIL}&points=60"
        ))
        .expect("an answer")
        .json();
    let mut found = BTreeMap::new();
    for service in array(&listed["services"]) {
        for kind in array(&service["types"]) {
            let total: i128 = text(&kind["total"]).parse().expect("a total");
            let points: i128 = numbers(&kind["points"])
                .iter()
                .map(|n| i128::from(*n))
                .sum();
            assert_eq!(points, total, "points of {service}");
            found.insert((text(&service["name"]), text(&kind["id"])), total);
        }
    }
    let services: Vec<&String> = expected.keys().map(|(service, _)| service).collect();
    found.retain(|(service, _), _| services.contains(&service));
    assert_eq!(
        found,
        expected
            .iter()
            .map(|(key, oracle)| (key.clone(), oracle.total(0)))
            .collect::<BTreeMap<_, _>>()
    );
}

/// Pyroscope's list of types has all of them.
fn check_types(client: &Client, expected: &BTreeMap<Key, Oracle>) {
    let answer = rpc(
        client,
        "ProfileTypes",
        &json!({ "start": FROM, "end": UNTIL }),
    );
    let listed: Vec<String> = array(&answer["profileTypes"])
        .iter()
        .map(|t| text(&t["ID"]))
        .collect();
    for (_, id) in expected.keys() {
        assert!(listed.contains(id), "{id} is not among {listed:?}");
    }
}

/// Text labels of samples make series: what is asked by label is the sum of the samples that have
/// it.
fn check_labels(client: &Client, expected: &BTreeMap<Key, Oracle>) {
    let mut checked = 0;
    for ((service, id), oracle) in expected {
        let labelled = |s: &&pilotlight_tests::oracle::OracleSample| {
            s.labels.iter().any(|l| l == "controller=slow")
        };
        let sum: i128 = oracle
            .samples
            .iter()
            .filter(labelled)
            .map(|s| i128::from(s.values[0]))
            .sum();
        if sum > 0 {
            assert_eq!(
                profile(client, service, ",controller=\"slow\"", id).total(0),
                sum,
                "{service} {id} by label"
            );
            checked += 1;
        }
    }
    assert!(checked > 0, "no recording has the label controller=slow");
}

/// The flame graph of `SelectMergeStacktraces`, node by node.
fn check_stacktraces(client: &Client, service: &str, id: &str, oracle: &Oracle) {
    let graph = stacktraces(client, service, id);
    let names: Vec<String> = array(&graph["names"]).iter().map(text).collect();
    let mut found: BTreeMap<Vec<String>, i128> = BTreeMap::new();
    // Left edge, right edge and path of each box of the level before.
    let mut above: Vec<(i64, i64, Vec<String>)> = vec![(0, i64::MAX, Vec::new())];
    for (depth, level) in array(&graph["levels"]).iter().enumerate() {
        let (mut x, mut boxes) = (0, Vec::new());
        for values in numbers(&level["values"]).chunks(4) {
            let [gap, total, own, name] = values else {
                panic!("a level of {service} {id} is cut short")
            };
            x += gap;
            let parent = above
                .iter()
                .find(|(left, right, _)| (*left..*right).contains(&x));
            let mut path = parent
                .unwrap_or_else(|| panic!("{service} {id}: a box at {x} stands on none"))
                .2
                .clone();
            if depth > 0 {
                path.push(names[*name as usize].clone());
            }
            assert!(own <= total, "{service} {id}: {path:?}");
            *found.entry(path.clone()).or_default() += i128::from(*total);
            boxes.push((x, x + total, path));
            x += total;
        }
        above = boxes;
    }
    assert_eq!(
        found,
        oracle.paths(0),
        "SelectMergeStacktraces: {service} {id}"
    );
    assert_eq!(
        text(&graph["total"]),
        oracle.total(0).to_string(),
        "SelectMergeStacktraces: {service} {id}"
    );
}

fn stacktraces(client: &Client, service: &str, id: &str) -> Value {
    let selector = format!("{{service_name=\"{service}\"}}");
    let ask = json!({ "profileTypeID": id, "labelSelector": selector, "start": FROM, "end": UNTIL, "maxNodes": 100_000 });
    rpc(client, "SelectMergeStacktraces", &ask)["flamegraph"].clone()
}

fn total(client: &Client, service: &str, id: &str) -> i64 {
    // Protobuf's JSON leaves out what is zero.
    match &stacktraces(client, service, id)["total"] {
        Value::Null => 0,
        total => text(total).parse().expect("a total"),
    }
}

/// The merged profile that the site gets, read by the other reader.
fn profile(client: &Client, service: &str, matchers: &str, id: &str) -> Oracle {
    let answer = merged(client, service, matchers, id);
    Oracle::read(&encode(
        &read_chunk(&answer.body, |_, _| true).expect("a chunk"),
    ))
}

fn merged(
    client: &Client,
    service: &str,
    matchers: &str,
    id: &str,
) -> pilotlight_tests::client::Answer {
    let query = query(service, matchers, id, &[("from", FROM), ("until", UNTIL)]);
    let answer = client
        .get(&format!("/api/v1/profile?{query}"))
        .expect("an answer");
    assert_eq!(answer.status, 200, "{service} {id}: {}", answer.text());
    answer
}

/// How many objects the queries read, all together.
fn objects(client: &Client, expected: &BTreeMap<Key, Oracle>) -> usize {
    let count = |(service, id): &Key| {
        let answer = merged(client, service, "", id);
        answer
            .header("x-pilotlight-objects")
            .and_then(|n| n.parse::<usize>().ok())
            .expect("the number of objects")
    };
    expected.keys().map(count).sum()
}

/// Pushes of another service, one object each, until there are enough for a compaction.
fn fill(client: &Client) {
    for i in 0..DUE {
        let profile = drawn::profile(&format!("cpu/nanoseconds\nmain;work {}", i + 1));
        let path = format!(
            "/ingest?name=filler&format=pprof&from={0}&until={0}",
            FROM / 1000 + i as i64
        );
        let answer = client
            .post(&path, "application/octet-stream", &encode_gzip(&profile))
            .expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
}

/// Runs the cron until the queries read fewer objects.
fn compact(client: &Client, expected: &BTreeMap<Key, Oracle>, before: usize) {
    /// Each run does one job; the first may find another tenant's.
    const RUNS: usize = 10;
    for run in 1..=RUNS {
        let answer = client.get("/cdn-cgi/handler/scheduled").expect("an answer");
        assert_eq!(answer.status, 200, "cron: {}", answer.text());
        if objects(client, expected) < before {
            // And some more: there must be nothing left that changes the sums.
            for _ in 0..2 {
                assert_eq!(
                    client
                        .get("/cdn-cgi/handler/scheduled")
                        .expect("an answer")
                        .status,
                    200
                );
            }
            println!("compacted in run {run}");
            return;
        }
    }
    panic!("{RUNS} runs of the cron compacted nothing: queries still read {before} objects");
}

fn rpc(client: &Client, call: &str, ask: &Value) -> Value {
    let path = format!("/querier.v1.QuerierService/{call}");
    let answer = client
        .post(&path, "application/json", ask.to_string().as_bytes())
        .expect("an answer");
    assert_eq!(answer.status, 200, "{call} {ask}: {}", answer.text());
    answer.json()
}

fn query(service: &str, matchers: &str, id: &str, numbers: &[(&str, i64)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair(
        "query",
        &format!("{id}{{service_name=\"{service}\"{matchers}}}"),
    );
    for (name, number) in numbers {
        query.append_pair(name, &number.to_string());
    }
    query.finish()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| panic!("{value} is not a text"), str::to_owned)
}

/// Numbers, which protobuf's JSON gives as text.
fn numbers(value: &Value) -> Vec<i64> {
    let number = |v: &Value| {
        v.as_i64()
            .or_else(|| v.as_str()?.parse().ok())
            .unwrap_or_else(|| panic!("{v} is no number"))
    };
    array(value).iter().map(number).collect()
}
