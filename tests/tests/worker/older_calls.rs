//! Pyroscope's older HTTP calls of a running worker: comparisons, DOT, values of labels, HEAD.

use std::path::Path;

use pilotlight_core::pprof;
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::drawn;
use pilotlight_tests::local::Place;
use serde_json::json;

/// 2026-11-21, 04:30 UTC.
const FROM: i64 = 1_795_235_400;
const CPU: &str = "process_cpu:cpu:nanoseconds::";
const SPACE: &str = "memory:inuse_space:bytes::";

fn push(client: &Client, name: &str, at: i64, text: &str) {
    let path = format!(
        "/ingest?name={name}&format=pprof&from={at}&until={}",
        at + 10
    );
    let body = pprof::encode(&drawn::profile(text));
    let answer = client
        .post(&path, "application/octet-stream", &body)
        .expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
}

fn path(call: &str, pairs: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    format!("/pyroscope/{call}?{query}")
}

#[test]
fn comparisons_dot_and_values_of_labels() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("older-calls");
    let place = Place::fresh(&state, &[("FLUSH_MS", "20".to_owned())]).expect("a place");
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url());
    let ask = |call: &str, pairs: &[(&str, &str)]| -> Answer {
        client.get(&path(call, pairs)).expect("an answer")
    };
    push(
        &client,
        "shop{region=eu}",
        FROM,
        "cpu/nanoseconds\nmain;a 3\nmain;b 5",
    );
    push(
        &client,
        "shop{region=us}",
        FROM,
        "cpu/nanoseconds\nmain;b 4\nmain;c 2",
    );
    push(&client, "mail", FROM, "inuse_space/bytes\nmain;\"]}\\ 7");

    // Comparison.
    let (from, until) = (FROM.to_string(), (FROM + 60).to_string());
    let [eu, us] = ["eu", "us"].map(|region| format!("{CPU}{{region=\"{region}\"}}"));
    let times = [
        ("leftFrom", from.as_str()),
        ("leftUntil", until.as_str()),
        ("rightFrom", from.as_str()),
        ("rightUntil", until.as_str()),
    ];
    let pairs = [
        &[("leftQuery", eu.as_str()), ("rightQuery", us.as_str())],
        times.as_slice(),
    ]
    .concat();
    let answer = ask("render-diff", &pairs);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let expect = json!({
        "version": 1,
        "flamebearer": {
            "names": ["total", "main", "c", "b", "a"],
            "levels": [
                [0, 8, 0, 0, 6, 0, 0],
                [0, 8, 0, 0, 6, 0, 1],
                [0, 3, 3, 0, 0, 0, 4, 0, 5, 5, 0, 4, 4, 3, 0, 0, 0, 0, 2, 2, 2],
            ],
            "numTicks": 14,
            "maxSelf": 5,
        },
        "metadata": {"format": "double", "spyName": "", "sampleRate": 1_000_000_000, "units": "samples", "name": "cpu"},
        "timeline": null,
        "groups": {},
        "heatmap": null,
        "leftTicks": 8,
        "rightTicks": 6,
    });
    assert_eq!(answer.json(), expect);
    let limited = [pairs.as_slice(), &[("max-nodes", "2")]].concat();
    let answer = ask("render-diff", &limited);
    assert_eq!(answer.header("x-pilotlight-folded"), Some("2"));
    assert_eq!(
        answer.json()["flamebearer"]["names"],
        json!(["total", "main", "other", "b"])
    );
    let mixed = [("leftQuery", CPU), ("rightQuery", SPACE)];
    let answer = ask("render-diff", &mixed);
    assert_eq!(answer.status, 400);
    assert_eq!(
        answer.json()["message"],
        json!(format!(
            "profile types must match: leftQuery has {CPU}, rightQuery {SPACE}"
        ))
    );

    // A call graph, and what is no format.
    let range = [("from", from.as_str()), ("until", until.as_str())];
    let of = |query| [&[("query", query)], range.as_slice()].concat();
    let dot = [of(SPACE), vec![("format", "dot")]].concat();
    let answer = ask("render", &dot);
    let kind = answer.header("content-type").unwrap_or("").to_owned();
    assert!(
        answer.status == 200 && kind.starts_with("text/plain"),
        "{kind}"
    );
    assert!(
        answer
            .text()
            .starts_with("digraph \"memory:inuse_space:bytes::\" {\n")
    );
    assert!(
        answer.text().contains(r#"[label="\"]}\\\n7 B (100 %)""#),
        "{}",
        answer.text()
    );
    assert!(answer.text().contains("N1 -> N2") || answer.text().contains("N2 -> N1"));
    let unknown = [of(CPU), vec![("format", "html")]].concat();
    let answer = ask("render", &unknown);
    assert_eq!(answer.json()["flamebearer"]["numTicks"], json!(14));
    let answer = ask("render", &range);
    assert_eq!(answer.status, 400);
    let message = answer.json()["message"].as_str().unwrap_or("").to_owned();
    assert!(
        message.starts_with("\"query\" must contain a profile type,"),
        "{message}"
    );

    // Labels.
    let values = |more: &[(&str, &str)]| {
        let answer = ask("label-values", &[range.as_slice(), more].concat());
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    assert_eq!(values(&[("label", "region")]), json!(["eu", "us"]));
    assert_eq!(
        values(&[("label", "service_name")]),
        json!(["mail", "shop"])
    );
    assert_eq!(values(&[("label", "__name__")]), json!([SPACE, CPU]));
    let shop = ("query", "{service_name=\"shop\"}");
    assert_eq!(values(&[("label", "__name__"), shop]), json!([CPU]));
    assert_eq!(
        values(&[("label", "region"), ("query", &eu)]),
        json!(["eu"])
    );
    assert_eq!(values(&[("label", "nobody")]), json!([]));
    assert_eq!(ask("label-values", &[]).status, 400);

    // HEAD.
    for path in [
        path("render", &of(CPU)),
        path("render", &dot),
        path("render-diff", &pairs),
        path("label-values", &[("label", "region")]),
    ] {
        let answer = client.head(&path).expect("an answer");
        assert_eq!((answer.status, answer.body.len()), (200, 0), "{path}");
    }
}
