//! JSON means what protobuf means.

use pilotlight_core::ingest::OtlpFormat;

use crate::{START, push, stored};

fn request(profile: &str) -> String {
    format!(
        r#"{{
  "resourceProfiles": [{{
    "resource": {{"attributes": [
      {{"key": "service.name", "value": {{"stringValue": "shop"}}}},
      {{"key": "shard", "value": {{"intValue": "3"}}}},
      {{"key": "load", "value": {{"doubleValue": "NaN"}}}}
    ], "droppedAttributesCount": 0}},
    "scopeProfiles": [{{"scope": {{"name": "x"}}, "profiles": [{profile}]}}]
  }}],
  "dictionary": {{
    "mappingTable": [{{}}],
    "locationTable": [{{}}, {{"lines": [{{"functionIndex": 1, "line": "10"}}]}}, {{"line": [{{"functionIndex": 2}}]}}],
    "functionTable": [{{}}, {{"nameStrindex": 3}}, {{"name_strindex": 4}}],
    "linkTable": [{{}}, {{"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "00f067aa0ba902b7"}}],
    "stringTable": ["", "samples", "count", "main", "work", "cpu", "nanoseconds", "thread.name"],
    "attributeTable": [{{}}, {{"keyStrindex": 7, "value": {{"stringValue": "pool"}}}}],
    "stackTable": [{{}}, {{"locationIndices": [2, 1]}}],
    "later": [{{"version": [1, 2]}}]
  }}
}}"#
    )
}

fn profile(samples: &str) -> String {
    format!(
        r#"{{"sampleType": {{"typeStrindex": 1, "unitStrindex": 2, "aggregationTemporality": 1}},
        {samples},
        "timeUnixNano": "{START}", "durationNano": 5000000000,
        "periodType": {{"typeStrindex": 5, "unitStrindex": 6}}, "period": "10",
        "profileId": "0102030405060708090a0b0c0d0e0f10", "originalPayload": "AAAA", "later": null}}"#
    )
}

fn check(samples: &str, expect: i64) {
    let body = request(&profile(samples));
    let outcome = push(body.as_bytes(), OtlpFormat::Json).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(outcome.rejected_profiles, 0, "{}", outcome.reasons());
    let series: Vec<_> = stored(&outcome).into_iter().collect();
    let [(name, stacks)] = series.as_slice() else {
        panic!("one series: {series:?}")
    };
    assert_eq!(
        name,
        "process_cpu:cpu:nanoseconds:cpu:nanoseconds {load=NaN, service_name=shop, shard=3, thread.name=pool}"
    );
    assert_eq!(
        stacks.iter().collect::<Vec<_>>(),
        [(&"main;work".to_owned(), &expect)]
    );
}

#[test]
fn numbers_and_names_in_each_form() {
    let sample = |rest: &str| {
        format!(
            r#""samples": [{{"stackIndex": 1, "attributeIndices": [1], "linkIndex": 1, {rest}}}]"#
        )
    };
    check(&sample(r#""values": ["3"]"#), 30);
    check(&sample(r#""values": [3, "4", 1e1]"#), 170);
    check(
        &sample(&format!(r#""timestampsUnixNano": ["{START}", {START}]"#)),
        20,
    );
    // The name that 1.8 has.
    check(
        r#""sample": [{"stackIndex": 1, "values": [3], "attributeIndices": [1]}]"#,
        30,
    );
}

#[test]
fn what_is_no_request() {
    for (body, says) in [
        ("", "EOF"),
        ("[]", "an object (ExportProfilesServiceRequest)"),
        (r#"{"resourceProfiles": {}}"#, "a list (resourceProfiles)"),
        (
            r#"{"dictionary": {"stringTable": [1]}}"#,
            "a string (stringTable)",
        ),
        (r#"{"dictionary": {}} x"#, "trailing"),
        (
            r#"{"resourceProfiles": [{"scopeProfiles": [{"profiles": [{"locationIndices": [1]}]}]}]}"#,
            "1.7",
        ),
        (
            r#"{"resourceProfiles": [{"scopeProfiles": [{"profiles": [{"period": "x"}]}]}]}"#,
            "a whole number (period)",
        ),
    ] {
        let error = push(body.as_bytes(), OtlpFormat::Json).expect_err(body);
        assert_eq!(error.status(), 400, "{body}: {error}");
        assert!(error.to_string().contains(says), "{body}: {error}");
    }
    let nested = format!(
        r#"{{"resourceProfiles": [{{"resource": {{"attributes": [{{"value": {}"#,
        r#"{"arrayValue": {"values": ["#.repeat(10_000)
    );
    assert_eq!(
        push(nested.as_bytes(), OtlpFormat::Json)
            .unwrap_err()
            .status(),
        400
    );
}
