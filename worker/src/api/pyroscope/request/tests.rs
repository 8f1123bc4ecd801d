//! Requests as Pyroscope's clients write them.

use super::*;

fn parse(body: &str) -> Fields {
    Fields::parse(body.as_bytes()).unwrap()
}

#[test]
fn both_spellings_and_both_forms_of_integers() {
    for body in [
        r#"{"profile_typeID":"a:b:c::","label_selector":"{}","start":"1","end":2,"max_nodes":"7","unknown":[1]}"#,
        r#"{"profileTypeID":"a:b:c::","labelSelector":"{}","start":1,"end":"2","maxNodes":7,"format":1}"#,
    ] {
        let fields = parse(body);
        assert_eq!(fields.selection().unwrap().1.to_string(), "a:b:c::");
        let range = fields.range().unwrap();
        assert_eq!(
            (
                range.from.millis(),
                range.until.millis(),
                fields.max_nodes.0
            ),
            (1, 3, 7)
        );
        assert_eq!(fields.refuse_unsupported(), Ok(()));
    }
    assert_eq!(parse("").matchers.len(), 0);
}

/// Both names of a field, and values that say the same in all their forms.
type Field = (&'static str, &'static str, &'static [&'static str]);

const FIELDS: [Field; 20] = [
    (
        "start",
        "start",
        &["1700000000000", r#""1700000000000""#, "1.7e12"],
    ),
    (
        "end",
        "end",
        &["9223372036854775807", r#""9223372036854775807""#],
    ),
    ("matchers", "matchers", &[r#"["{}","{a=\"b\"}"]"#]),
    ("name", "name", &[r#""region""#]),
    ("label_names", "labelNames", &[r#"["a","b"]"#]),
    ("profile_typeID", "profileTypeID", &[r#""a:b:c::""#]),
    ("label_selector", "labelSelector", &[r#""{a=\"b\"}""#]),
    (
        "max_nodes",
        "maxNodes",
        &["7", r#""7""#, "7.0", "0.7e1", r#""7e0""#],
    ),
    ("format", "format", &["1", r#""1""#, "1.0"]),
    ("format", "format", &[r#""PROFILE_FORMAT_TREE""#]),
    (
        "stack_trace_selector",
        "stackTraceSelector",
        &[
            r#"{"callSite":[{"name":"main"}]}"#,
            r#"{"call_site":[{"name":"x"}]}"#,
        ],
    ),
    (
        "profile_id_selector",
        "profileIdSelector",
        &[r#"["7c9e6679-7425-40de-944b-e07fc1f90ae7"]"#],
    ),
    (
        "trace_id_selector",
        "traceIdSelector",
        &[r#"["0123456789abcdef0123456789abcdef"]"#],
    ),
    (
        "span_selector",
        "spanSelector",
        &[r#"["0123456789abcdef"]"#],
    ),
    ("group_by", "groupBy", &[r#"["region"]"#]),
    ("step", "step", &["15", "15.0", r#""15""#, r#""1.5e1""#]),
    ("step", "step", &[r#""Infinity""#]),
    ("aggregation", "aggregation", &["1", r#""1""#]),
    (
        "aggregation",
        "aggregation",
        &[r#""TIME_SERIES_AGGREGATION_TYPE_AVERAGE""#],
    ),
    ("limit", "limit", &["3", r#""3""#]),
];

#[test]
fn fields_in_every_form() {
    for (name, camel, forms) in FIELDS {
        let first = parse(&format!(r#"{{"{name}":{}}}"#, forms[0]));
        assert_ne!(first, Fields::default(), "{name} is read");
        for name in [name, camel] {
            for form in forms {
                let body =
                    format!(r#"{{"{name}":{form},"notAField":{{"a":[null]}},"not_a_field":null}}"#);
                assert_eq!(parse(&body), first, "{body}");
            }
            assert_eq!(
                parse(&format!(r#"{{"{name}":null}}"#)),
                Fields::default(),
                "{name} is not set"
            );
        }
    }
    assert_eq!(
        parse(r#"{"stackTraceSelector":{"callSite":null}}"#),
        Fields::default()
    );
}

#[test]
fn selectors_are_few() {
    let of = |count| {
        parse(&format!(
            r#"{{"matchers":[{}]}}"#,
            vec![r#""{}""#; count].join(",")
        ))
        .selectors()
        .map(|s| s.len())
    };
    assert_eq!(of(MAX_SELECTORS), Ok(MAX_SELECTORS));
    assert_eq!(
        of(MAX_SELECTORS + 1).unwrap_err().message,
        "17 matchers are more than the 16 allowed"
    );
}

#[test]
fn refusals() {
    let message = |body: &str| Fields::parse(body.as_bytes()).unwrap_err().message;
    assert!(
        message(r#"{"start":"x"}"#).starts_with("request: \"x\" is not a 64-bit integer at line 1")
    );
    assert!(
        message(r#"{"start":1.5}"#).starts_with("request: 1.5 is not a whole number at line 1")
    );
    assert!(message(r#"{"start":1e19}"#).contains("is not a whole number at line 1"));
    assert!(
        message(r#"{"start":9223372036854775808}"#)
            .contains("9223372036854775808 is not a 64-bit integer")
    );
    assert!(message(r#"{"start":"9223372036854775808"}"#).contains("is not a 64-bit integer"));
    assert!(message(r#"{"step":"long"}"#).contains("\"long\" is not a number at line 1"));
    assert!(message(r#"{"max_nodes":true}"#).contains("expected a number or text at line 1"));
    assert!(message(r#"{"matchers":["{}",null]}"#).contains("null"));
    assert!(message(r#"{"maxNodes":1,"max_nodes":2}"#).contains("duplicate field"));
    assert_eq!(
        parse("{}").range().unwrap_err().message,
        "missing time range in the query"
    );
    assert_eq!(
        parse(r#"{"start":9,"end":5}"#).range().unwrap_err().status,
        400
    );
    assert_eq!(
        parse(r#"{"profile_typeID":"x"}"#)
            .selection()
            .unwrap_err()
            .status,
        400
    );
    for body in [
        r#"{"format":"PROFILE_FORMAT_TREE"}"#,
        r#"{"stackTraceSelector":{"callSite":[{"name":"main"}]}}"#,
        r#"{"span_selector":["0123456789abcdef"]}"#,
    ] {
        assert_eq!(
            parse(body).refuse_unsupported().unwrap_err().status,
            501,
            "{body}"
        );
    }
}
