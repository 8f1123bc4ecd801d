//! Limits of a tenant at the built worker: who changes them, what they refuse, and how a refusal
//! looks on each way in.

use std::path::Path;

use pilotlight_core::{ProfileBuilder, pprof};
use pilotlight_tests::clock::now_millis;
use pilotlight_tests::local::Place;
use pilotlight_tests::local::client::{Answer, Client};
use serde_json::{Value, json};

const LIMITS: &str = "/api/v1/admin/limits";

fn now() -> i64 {
    now_millis() / 1_000
}

/// A profile of some value, which started so many seconds ago.
fn push(client: &Client, value: i64, seconds_ago: i64) -> Answer {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let stack = builder.named_stack(&["main", "work"]);
    builder.sample(stack, None, &[value]);
    let from = now() - seconds_ago;
    let path = format!("/ingest?name=app%7Ba=b%7D&format=pprof&from={from}&until={from}");
    let body = pprof::encode(&builder.finish());
    let answer = client.post(&path, "application/octet-stream", &body);
    answer.expect("an answer")
}

fn refused(answer: &Answer, status: u16, says: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert!(answer.text().contains(says), "{}", answer.text());
}

/// A call of the query service over a range of seconds ago.
fn query(client: &Client, call: &str, ago: [i64; 2], mut message: Value) -> Answer {
    let now = now();
    let [start, end] = ago.map(|seconds| ((now - seconds) * 1000).to_string());
    message["profileTypeID"] = "process_cpu:cpu:nanoseconds::".into();
    message["labelSelector"] = r#"{service_name="app"}"#.into();
    message["start"] = start.into();
    message["end"] = end.into();
    let path = format!("/querier.v1.QuerierService/{call}");
    let body = message.to_string();
    let answer = client.post(&path, "application/json", body.as_bytes());
    answer.expect("an answer")
}

/// The limits of queries through Connect, alone and with another tenant.
fn queries_of_connect(client: &Client, set: impl Fn(Value) -> Value) {
    let [shop, other, both] =
        ["shop", "other", "shop|other"].map(|tenants| client.of_tenant(tenants));
    set(json!({ "max_query_length": "1h" }));
    assert_eq!(push(&shop, 70, 60).status, 200);
    assert_eq!(push(&other, 800, 60).status, 200);
    let steps = || json!({ "step": 600 });
    for (call, list) in [("SelectSeries", "points"), ("SelectHeatmap", "slots")] {
        let answer = query(&shop, call, [3_600, 0], steps());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let found = answer.json();
        assert_eq!(
            found["series"][0][list].as_array().map(Vec::len),
            Some(1),
            "{found}"
        );
        for tenant in [&shop, &both] {
            let answer = query(tenant, call, [7_200, 0], steps());
            refused(&answer, 400, "(max_query_length, actual: 2h, limit: 1h)");
            assert!(answer.text().contains("invalid_argument"));
        }
    }
    let total = |client, call, ago| {
        let answer = query(client, call, ago, json!({}));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["flamegraph"]["total"]
            .as_str()
            .map(str::to_owned)
    };
    let hour = [3_600, 0];
    for (client, expect) in [(&shop, "70"), (&other, "800"), (&both, "870")] {
        let found = total(client, "SelectMergeStacktraces", hour);
        assert_eq!(found.as_deref(), Some(expect));
    }
    set(json!({ "max_query_lookback": "30s" }));
    for tenant in [&shop, &both] {
        let answer = query(tenant, "SelectSeries", [7_200, 0], steps());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json().get("series"), None, "beyond the look-back");
    }
    let answer = query(&other, "SelectSeries", [7_200, 0], steps());
    assert_eq!(answer.json()["series"].as_array().map(Vec::len), Some(1));
}

/// A limit of nodes holds for every call that draws a flame graph.
fn nodes_of_flame_graphs(client: &Client, set: impl Fn(Value) -> Value) {
    let [shop, other] = ["shop", "other"].map(|tenant| client.of_tenant(tenant));
    set(json!({ "max_flamegraph_nodes_default": 1, "max_flamegraph_nodes_max": 2 }));
    let hour = [3_600, 0];
    let of = |client, nodes: i64| {
        let given = json!({ "maxNodes": nodes });
        query(client, "SelectMergeStacktraces", hour, given)
    };
    let folded = of(&shop, 0);
    assert_ne!(folded.header("x-pilotlight-folded"), Some("0"));
    assert!(folded.text().contains("\"other\""), "{}", folded.text());
    assert_eq!(of(&shop, 2).status, 200);
    refused(
        &of(&shop, 3),
        400,
        "max flamegraph nodes limit 3 is greater than allowed 2",
    );
    assert_eq!(of(&other, 3).status, 200);
    let get = |path: &str| shop.get(path).expect("an answer");
    let selected = "process_cpu:cpu:nanoseconds::%7B%7D&from=now-1h";
    let old = get(&format!("/pyroscope/render?query={selected}&max-nodes=3"));
    refused(&old, 400, "must be a number from 0 to 2");
    let report = |nodes| {
        get(&format!(
            "/api/v1/flamegraph?query={selected}&nodes={nodes}"
        ))
    };
    refused(&report(3), 400, "is greater than allowed 2");
    assert_eq!(report(2).status, 200);
}

#[test]
fn a_tenant_has_limits_of_its_own() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits");
    let defaults = json!({ "max_query_length": "30d" }).to_string();
    let variables = [
        ("MULTITENANCY", "true".to_owned()),
        ("FLUSH_MS", "20".to_owned()),
        ("LIMITS", defaults),
    ];
    let place = Place::fresh(&state, &variables).expect("a place");
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url());
    let (shop, other) = (client.of_tenant("shop"), client.of_tenant("other"));
    let set = |limits: Value| {
        let answer = shop.put(LIMITS, &limits.to_string()).expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };

    let shown = shop.get(LIMITS).expect("an answer").json();
    assert_eq!(shown["limits"]["ingestion_rate_mb"], 4);
    assert_eq!(shown["limits"]["max_query_length"], "30d");
    assert_eq!(shown["own"], json!({}));
    let wrong = shop.put(LIMITS, r#"{"ingestion_rate":1,"max_query_length":"1d"}"#);
    refused(
        &wrong.expect("an answer"),
        400,
        "unknown limit ingestion_rate;",
    );
    let wrong = shop.put(LIMITS, r#"{"max_query_length":"long"}"#);
    refused(&wrong.expect("an answer"), 400, "max_query_length must be");

    // What a push holds.
    assert_eq!(push(&shop, 1, 86_400).status, 200, "a day old");
    refused(
        &push(&shop, 1, -3_600),
        422,
        "outside of the ingestion window",
    );
    let own = json!({ "reject_older_than": "1h", "reject_newer_than": "2h" });
    assert_eq!(set(own.clone())["own"], own);
    refused(
        &push(&shop, 2, 86_400),
        422,
        "outside of the ingestion window",
    );
    assert_eq!(push(&shop, 1, -3_600).status, 200);
    assert_eq!(
        push(&other, 2, 86_400).status,
        200,
        "another tenant's are as before"
    );
    set(json!({ "max_profile_size_bytes": 10 }));
    refused(&push(&shop, 3, 0), 422, "max_profile_size_bytes, actual: ");
    set(json!({ "max_label_names_per_series": 1 }));
    refused(&push(&shop, 4, 0), 422, "2 label names");

    // What a query asks for.
    let services = |from: &str| {
        let answer = shop.get(&format!("/api/v1/services?from={from}&until=now"));
        answer.expect("an answer")
    };
    refused(
        &services("now-31d"),
        400,
        "max_query_length, actual: 31d, limit: 30d",
    );
    let count = |from: &str| {
        let answer = services(from).json();
        answer["services"].as_array().map(Vec::len)
    };
    assert_eq!(count("now-2d"), Some(1));
    set(json!({ "max_query_lookback": "1h" }));
    assert_eq!(count("now-2d"), Some(0), "its profile is a day old");
    let selected = "query=process_cpu:cpu:nanoseconds::%7B%7D";
    let report = |path: &str| {
        shop.get(&format!("/api/v1/{path}&{selected}"))
            .expect("an answer")
    };
    let asked = report("functions?from=now-2d").json();
    let millis = |name: &str| asked[name].as_i64().unwrap_or(0);
    let hours = (millis("until") - millis("from")) as f64 / 3.6e6;
    assert!((hours - 1.0).abs() < 0.1, "what was read: {asked}");
    refused(&report("compare?from=now-1h"), 400, "max_query_lookback");
    assert_eq!(report("compare?from=now-20m&until=now-5m").status, 200);

    queries_of_connect(&client, set);
    nodes_of_flame_graphs(&client, set);

    // How fast it pushes.
    set(json!({ "ingestion_rate_mb": 0.000001, "ingestion_burst_size_mb": 0 }));
    assert_eq!(push(&shop, 5, 0).status, 200);
    let late = push(&shop, 6, 0);
    refused(&late, 429, "push rate limit (");
    assert!(late.text().contains("\"code\":\"resource_exhausted\""));
    let seconds = late
        .header("retry-after")
        .and_then(|text| text.parse().ok());
    assert!(
        seconds.is_some_and(|seconds: u32| seconds > 1),
        "{seconds:?}"
    );
    let path = "/push.v1.PusherService/Push";
    let grpc = shop.post(path, "application/grpc-web+proto", &[0; 5]);
    let grpc = grpc.expect("an answer");
    refused(&grpc, 200, "grpc-status:8\r\ngrpc-message:push rate limit");
    let connect = shop
        .post(path, "application/json", b"{}")
        .expect("an answer");
    refused(&connect, 429, "push rate limit (");
    let path = "/v1development/profiles";
    let otlp = shop
        .post(path, "application/json", b"{}")
        .expect("an answer");
    refused(&otlp, 429, "push rate limit (");
    assert!(otlp.header("retry-after").is_some());
    assert_eq!(push(&other, 6, 0).status, 200);

    let none = shop.delete(LIMITS).expect("an answer").json();
    assert_eq!(none["own"], json!({}));
    assert_eq!(push(&shop, 6, 0).status, 200);
    let metrics = client.get("/metrics").expect("an answer").text();
    let counted =
        "pilotlight_discarded_pushes_total{tenant=\"shop\",reason=\"not_in_ingestion_window\"}";
    assert!(metrics.contains(counted), "{metrics}");
}
