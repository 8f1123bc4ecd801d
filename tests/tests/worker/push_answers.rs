//! What becomes of pushes: what their senders are told, and what merged answers say of them.

use pilotlight_core::{ProfileBuilder, pprof};
use pilotlight_tests::client::Answer;
use pilotlight_tests::drawn;
use pilotlight_tests::query::rpc;
use serde_json::json;

use crate::shared;

const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

fn push(query: &str, body: &[u8]) -> Answer {
    let answer = shared::client()
        .post(
            &format!("/ingest?{query}"),
            "application/octet-stream",
            body,
        )
        .expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

#[test]
fn what_is_stored_otherwise_is_told() {
    let told = |query: &str, body: &[u8]| {
        let answer = push(query, body);
        answer.header("x-pilotlight-warning").map(str::to_owned)
    };
    assert_eq!(told("name=warned&format=groups", b"main 1\n"), None);
    assert_eq!(
        told(
            "name=warned&format=groups&from=100",
            "main 1.5\nµs\n".as_bytes()
        )
        .as_deref(),
        Some(
            "the profile: the profile starts at 100000000000 nanoseconds since 1970, which is before 2000; \
             the arrival time is used instead; \
             the profile: line 2 does not end in a number and is left out: \"\\u{b5}s\""
        )
    );
}

#[test]
fn a_merged_profile_keeps_the_period_of_its_pushes() {
    let from = shared::hour_of_last_week();
    let with_period = |period: i64, value: i64| {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        builder.header().period_type = Some(builder.value_type("cpu", "nanoseconds"));
        builder.header().period = period;
        let stack = builder.named_stack(&["main", "work"]);
        builder.sample(stack, None, &[value]);
        pprof::encode(&builder.finish())
    };
    for (service, bodies, expect) in [
        (
            "period",
            [with_period(10_000_000, 3), with_period(10_000_000, 4)],
            Some("10000000"),
        ),
        (
            "sampled",
            [b"main;work 3\n".to_vec(), b"main;work 4\n".to_vec()],
            Some("10000000"),
        ),
    ] {
        let format = if service == "period" {
            "pprof"
        } else {
            "groups"
        };
        for body in &bodies {
            push(&format!("name={service}&format={format}&from={from}"), body);
        }
        let ask = json!({
            "profileTypeID": CPU,
            "labelSelector": format!("{{service_name=\"{service}\"}}"),
            "start": from * 1_000,
            "end": (from + 60) * 1_000,
        });
        let merged = rpc(&shared::client(), "SelectMergeProfile", &ask).expect("a profile");
        assert_eq!(merged["period"].as_str(), expect, "{service}: {merged}");
        assert!(merged["periodType"].is_object(), "{service}: {merged}");
    }
}

/// Asks for four ranges around the start of a profile, in milliseconds, and says which hold it: until
/// it, until just behind it, from it on, from just behind it on.
fn around(at: i64, holds: impl Fn(i64, i64) -> bool) -> [bool; 4] {
    const HOUR: i64 = 3_600_000;
    [
        holds(at - HOUR, at),
        holds(at - HOUR, at + 1),
        holds(at, at + HOUR),
        holds(at + 1, at + HOUR),
    ]
}

/// Ranges of our own calls that lie side by side count nothing twice. Those of Pyroscope's calls
/// include their ends.
#[test]
fn a_profile_at_the_border_of_ranges() {
    let border = shared::hour_of_last_week();
    let body = pprof::encode(&drawn::profile("cpu/nanoseconds\nmain;edge 7654321"));
    push(&format!("name=border&format=pprof&from={border}"), &body);
    let client = shared::client();
    let millis = border as i64 * 1_000;
    let of_type = "process_cpu:cpu:nanoseconds::";
    let query = format!("{of_type}{{service_name=\"border\"}}");
    let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();

    let earlier = format!("baseline_from=0&baseline_until={}", millis - 86_400_000);
    for (call, sign) in [
        (format!("api/v1/timeline?query={query}"), "7654321"),
        (format!("api/v1/profile?query={query}"), "edge"),
        (format!("api/v1/export?query={query}"), "PK"),
        ("api/v1/services?".to_owned(), "\"name\":\"border\""),
        (format!("api/v1/labels?query={query}"), "[\"border\"]"),
        (format!("api/v1/functions?query={query}"), "7654321"),
        (
            format!("api/v1/function?name=edge&query={query}"),
            "7654321",
        ),
        (format!("api/v1/compare?query={query}&{earlier}"), "7654321"),
        (format!("api/v1/series?query={query}"), "7654321"),
        (format!("api/v1/flamegraph?query={query}"), "7654321"),
        (format!("pgo/border?type={of_type}"), ""),
        (format!("pyroscope/render?query={query}"), "7654321"),
    ] {
        let holds = |from: i64, until: i64| {
            let path = format!("/{call}&from={from}&until={until}");
            let answer = client.get(&path).expect("an answer");
            answer.status == 200 && answer.text().contains(sign)
        };
        assert_eq!(around(millis, holds), [false, true, true, false], "{call}");
    }

    let selector = "{service_name=\"border\"}";
    let ask = |call: &str, start: i64, end: i64| {
        let ask = json!({
            "profileTypeID": of_type, "labelSelector": selector, "matchers": [selector],
            "name": "service_name", "start": start, "end": end, "step": 15.0,
            "queryType": "HEATMAP_QUERY_TYPE_INDIVIDUAL",
        });
        let answer = rpc(&client, call, &ask).unwrap_or_else(|problem| panic!("{problem}"));
        answer.to_string()
    };
    for (call, sign) in [
        ("SelectMergeStacktraces", "7654321"),
        ("SelectMergeProfile", "edge"),
        ("Series", "border"),
        ("LabelValues", "border"),
    ] {
        let holds = |start: i64, end: i64| ask(call, start, end).contains(sign);
        assert_eq!(around(millis, holds), [true, true, true, false], "{call}");
    }
    // A step of theirs ends at its time, so the first one begins before the range.
    for call in ["SelectSeries", "SelectHeatmap"] {
        let holds = |start: i64, end: i64| ask(call, start, end).contains("7654321");
        assert_eq!(around(millis, holds), [true; 4], "{call}");
    }
}
