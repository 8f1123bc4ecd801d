//! Limits as they are written, and what they allow.

use super::*;

const NOW: UnixNanos = UnixNanos(1_790_000_000 * SECOND);

fn limits(json: &str) -> Limits {
    Limits::default().with(&parse(json.as_bytes()).unwrap())
}

#[test]
fn the_defaults() {
    let shown = serde_json::to_string(&Limits::default().shown()).unwrap();
    assert_eq!(
        shown,
        "{\"ingestion_burst_size_mb\":64,\"ingestion_rate_mb\":4,\"max_flamegraph_nodes_default\":8192,\
         \"max_flamegraph_nodes_max\":1048576,\"max_label_names_per_series\":30,\
         \"max_profile_size_bytes\":16777216,\"max_query_length\":\"0s\",\"max_query_lookback\":\"0s\",\
         \"reject_newer_than\":\"10m\",\"reject_older_than\":\"0s\"}"
    );
    for (place, limit) in Limit::ALL.into_iter().enumerate() {
        assert_eq!(limit as usize, place);
    }
}

#[test]
fn what_is_given_takes_the_place_of_a_default() {
    let given = r#"{"ingestion_rate_mb":0.5,"reject_older_than":"1h30m","max_query_length":"1d"}"#;
    let limits = limits(given);
    assert_eq!(
        limits.rate(),
        Some(Rate {
            bytes: 1 << 19,
            burst: 64 << 20
        })
    );
    let shown = limits.shown();
    assert_eq!(shown["ingestion_rate_mb"], Given::Number(0.5));
    assert_eq!(shown["reject_older_than"], Given::Text("1h30m".to_owned()));
    let none = self::limits(r#"{"ingestion_rate_mb":0}"#);
    assert_eq!(none.rate(), None);
    let of_tomorrow: OwnLimits = serde_json::from_str(r#"{"max_x":7}"#).unwrap();
    assert_eq!(Limits::default().with(&of_tomorrow), Limits::default());
}

#[test]
fn what_is_no_limit_is_named() {
    let check = |json: &str, expect: &str| {
        let message = parse(json.as_bytes()).unwrap_err();
        assert!(message.contains(expect), "{message}");
    };
    check(
        r#"{"a":1,"ingestion_rate":2}"#,
        "unknown limit a, ingestion_rate; the limits are ing",
    );
    check(
        r#"{"ingestion_rate_mb":-1}"#,
        "ingestion_rate_mb must be a number from 0",
    );
    check(
        r#"{"ingestion_rate_mb":"4"}"#,
        "ingestion_rate_mb must be a number",
    );
    check(
        r#"{"max_profile_size_bytes":16777217}"#,
        "from 0 to 16777216",
    );
    check(r#"{"max_label_names_per_series":1.5}"#, "from 0 to 30");
    check(
        r#"{"max_query_length":60}"#,
        "max_query_length must be a duration like 90s",
    );
    check(r#"{"max_query_length":"1x"}"#, "must be a duration like");
    check(r#"{"max_query_length":"100y"}"#, "up to ten years");
    check("[]", "limits must be a JSON object");
    check(
        r#"{"max_query_length":null}"#,
        "limits must be a JSON object",
    );
}

#[test]
fn pushes() {
    let default = Limits::default().of_push(NOW);
    assert_eq!(default.max_profile_bytes, MAX_PUSH_BYTES);
    assert_eq!(
        default.window,
        (UnixNanos(i64::MIN), NOW.plus(600 * SECOND))
    );
    let own = r#"{"max_profile_size_bytes":9,"max_label_names_per_series":3,
                  "reject_older_than":"1m","reject_newer_than":"0"}"#;
    let own = limits(own).of_push(NOW);
    assert_eq!((own.max_profile_bytes, own.max_labels), (9, 3));
    assert_eq!(own.window, (NOW.plus(-60 * SECOND), UnixNanos(i64::MAX)));
}

#[test]
fn queries() {
    let own = limits(r#"{"max_query_length":"1h","max_query_lookback":"1d"}"#);
    let hours_ago = |from: i64, until: i64| TimeRange {
        from: NOW.plus(-from * 3_600 * SECOND),
        until: NOW.plus(-until * 3_600 * SECOND),
    };
    let range = |from, until| own.of_query(hours_ago(from, until), NOW);
    assert_eq!(range(2, 1), Ok(hours_ago(2, 1)));
    assert_eq!(range(30, 23), Ok(hours_ago(24, 23)), "the start is moved");
    assert_eq!(range(30, 26), Ok(hours_ago(24, 24)), "nothing is seen");
    assert_eq!(
        range(3, 1).unwrap_err().message,
        "the query time range exceeds the limit (max_query_length, actual: 2h, limit: 1h)"
    );
    let led = |from, until, lead_minutes: i64| {
        let range = hours_ago(from, until);
        let lead = lead_minutes * 60 * SECOND;
        own.of_query(ReadRange { range, lead }, NOW)
    };
    assert_eq!(
        led(3, 1, 60),
        Ok(hours_ago(3, 1)),
        "what is asked for is an hour"
    );
    assert_eq!(led(3, 1, 59).map_err(|problem| problem.status), Err(400));
    assert_eq!(led(25, 23, 60), Ok(hours_ago(24, 23)));
    assert_eq!(
        led(3, 2, 600),
        Ok(hours_ago(3, 2)),
        "a lead longer than the range"
    );
    let all = TimeRange::ALL;
    assert_eq!(Limits::default().of_query(all, NOW), Ok(all));
}

#[test]
fn queries_of_two_tenants() {
    let own = limits(r#"{"max_query_length":"1h","ingestion_rate_mb":8}"#);
    let other =
        limits(r#"{"max_query_length":"2h","max_query_lookback":"1d","ingestion_rate_mb":2}"#);
    let expect =
        limits(r#"{"max_query_length":"1h","max_query_lookback":"1d","ingestion_rate_mb":8}"#);
    assert_eq!(own.with_queries_of(&other), expect);
    assert_eq!(own.with_queries_of(&own), own);
    assert_eq!(own.with_queries_of(&Limits::default()), own);
}

#[test]
fn nodes() {
    let default = Limits::default().nodes();
    assert_eq!([default.default, default.most], [8_192, 1 << 20]);
    assert_eq!(default.checked(None), Ok(8_192));
    assert_eq!(default.checked(Some(0)), Ok(8_192));
    assert_eq!(default.checked(Some(1)), Ok(1));
    assert_eq!(default.checked(Some(1 << 20)), Ok(1 << 20));
    let message = |limits: NodeLimits, nodes| limits.checked(Some(nodes)).unwrap_err().message;
    assert_eq!(
        message(default, (1 << 20) + 1),
        "max flamegraph nodes limit 1048577 is greater than allowed 1048576"
    );
    assert_eq!(
        message(default, -1),
        "max flamegraph nodes limit must be set (max allowed 1048576)"
    );
    assert!(message(default, i64::MAX).contains("9223372036854775807"));

    let own = limits(r#"{"max_flamegraph_nodes_default":100,"max_flamegraph_nodes_max":1000}"#);
    assert_eq!(own.nodes().checked(None), Ok(100));
    assert_eq!(own.nodes().checked(Some(1_000)), Ok(1_000));
    assert!(message(own.nodes(), 1_001).ends_with("greater than allowed 1000"));
    let small = limits(r#"{"max_flamegraph_nodes_max":10}"#).nodes();
    assert_eq!(
        small.checked(None),
        Ok(10),
        "the default is no more than may be asked for"
    );
    let off = limits(r#"{"max_flamegraph_nodes_default":0,"max_flamegraph_nodes_max":0}"#);
    assert_eq!(off.nodes(), default);
    assert_eq!(off.with_queries_of(&own).nodes(), own.nodes());
    assert_eq!(Limits::default().with_queries_of(&own).nodes(), own.nodes());
}
