//! Requests as Pyroscope's clients write them, in JSON and in protobuf, and answers.

use serde::de::DeserializeOwned;
use serde_json::json;

use super::*;

fn read<M: DeserializeOwned>(body: &str) -> M {
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{body}: {error}"))
}

fn refusal<M: DeserializeOwned>(body: &str) -> String {
    serde_json::from_str::<M>(body)
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

/// Both names of a field, and values that say the same in all their forms.
type Field = (&'static str, &'static str, &'static [&'static str]);

/// All forms of all fields of a request are the same request, and none is the empty one.
fn check<M>(fields: &[Field])
where
    M: prost::Message + DeserializeOwned + Default + PartialEq + std::fmt::Debug,
{
    for (name, camel, forms) in fields {
        let first: M = read(&format!(r#"{{"{name}":{}}}"#, forms[0]));
        assert_ne!(first, M::default(), "{name} is read");
        let again = M::decode(first.encode_to_vec().as_slice()).unwrap();
        assert_eq!(again, first, "{name} in protobuf");
        for name in [name, camel] {
            for form in *forms {
                let body =
                    format!(r#"{{"{name}":{form},"notAField":{{"a":[null]}},"not_a_field":null}}"#);
                assert_eq!(read::<M>(&body), first, "{body}");
            }
            let unset: M = read(&format!(r#"{{"{name}":null}}"#));
            assert_eq!(unset, M::default(), "{name} is not set");
        }
    }
}

const TYPE: Field = ("profile_typeID", "profileTypeID", &[r#""a:b:c::""#]);
const SELECTOR: Field = ("label_selector", "labelSelector", &[r#""{a=\"b\"}""#]);
const START: Field = (
    "start",
    "start",
    &["1700000000000", r#""1700000000000""#, "1.7e12"],
);
const END: Field = (
    "end",
    "end",
    &["9223372036854775807", r#""9223372036854775807""#],
);
const MAX_NODES: Field = (
    "max_nodes",
    "maxNodes",
    &["7", r#""7""#, "7.0", "0.7e1", r#""7e0""#],
);
const SPANS: Field = (
    "span_selector",
    "spanSelector",
    &[r#"["0123456789abcdef"]"#],
);
const CALL_SITE: Field = (
    "stack_trace_selector",
    "stackTraceSelector",
    &[
        r#"{"callSite":[{"name":"main"}],"goPgo":{"keepLocations":5,"aggregateCallees":true}}"#,
        r#"{"call_site":[{"name":"main"}],"go_pgo":{"keep_locations":"5","aggregate_callees":true}}"#,
    ],
);
const FORMAT: Field = (
    "format",
    "format",
    &["4", r#""4""#, "4.0", r#""PROFILE_FORMAT_PPROF""#],
);

#[test]
fn fields_in_every_form() {
    let matchers: Field = ("matchers", "matchers", &[r#"["{}","{a=\"b\"}"]"#]);
    check::<ProfileTypesRequest>(&[START, END]);
    check::<LabelNamesRequest>(&[matchers, START, END]);
    check::<LabelValuesRequest>(&[("name", "name", &[r#""region""#]), matchers, START, END]);
    check::<SeriesRequest>(&[
        matchers,
        ("label_names", "labelNames", &[r#"["a","b"]"#]),
        START,
        END,
    ]);
    check::<SelectMergeStacktracesRequest>(&[
        TYPE,
        SELECTOR,
        START,
        END,
        MAX_NODES,
        FORMAT,
        CALL_SITE,
        (
            "profile_id_selector",
            "profileIdSelector",
            &[r#"["7c9e6679"]"#],
        ),
        (
            "async",
            "async",
            &[
                r#"{"requestId":"x","type":1}"#,
                r#"{"request_id":"x","type":"ASYNC_QUERY_TYPE_FORCE"}"#,
            ],
        ),
        ("trace_id_selector", "traceIdSelector", &[r#"["01"]"#]),
        SPANS,
    ]);
    check::<SelectMergeSpanProfileRequest>(&[TYPE, SELECTOR, SPANS, START, END, MAX_NODES, FORMAT]);
    check::<SelectMergeProfileRequest>(&[
        TYPE,
        SELECTOR,
        START,
        END,
        MAX_NODES,
        CALL_SITE,
        (
            "profile_id_selector",
            "profileIdSelector",
            &[r#"["7c9e6679"]"#],
        ),
    ]);
    check::<SelectSeriesRequest>(&[
        TYPE,
        SELECTOR,
        START,
        END,
        ("group_by", "groupBy", &[r#"["region"]"#]),
        ("step", "step", &["15", "15.0", r#""15""#, r#""1.5e1""#]),
        ("step", "step", &[r#""Infinity""#]),
        (
            "aggregation",
            "aggregation",
            &["1", r#""1""#, r#""TIME_SERIES_AGGREGATION_TYPE_AVERAGE""#],
        ),
        CALL_SITE,
        ("limit", "limit", &["3", r#""3""#]),
        (
            "exemplar_type",
            "exemplarType",
            &["2", r#""EXEMPLAR_TYPE_INDIVIDUAL""#],
        ),
    ]);
    check::<SelectHeatmapRequest>(&[
        TYPE,
        SELECTOR,
        START,
        END,
        ("step", "step", &["15", "15.0", r#""15""#]),
        ("group_by", "groupBy", &[r#"["region"]"#]),
        (
            "query_type",
            "queryType",
            &["2", r#""2""#, r#""HEATMAP_QUERY_TYPE_SPAN""#],
        ),
        (
            "exemplar_type",
            "exemplarType",
            &["2", r#""EXEMPLAR_TYPE_INDIVIDUAL""#],
        ),
        ("limit", "limit", &["3", r#""3""#]),
    ]);
    check::<AnalyzeQueryRequest>(&[START, END, ("query", "query", &[r#""a:b:c::{}""#])]);
    check::<SetSettingsRequest>(&[(
        "setting",
        "setting",
        &[
            r#"{"name":"a","value":"b","modifiedAt":"1700000000000"}"#,
            r#"{"name":"a","value":"b","modifiedAt":1700000000000}"#,
        ],
    )]);
    check::<DeleteSettingsRequest>(&[("name", "name", &[r#""a""#])]);
    let of_type: Field = ("profile_type", "profileType", &[r#""cpu""#]);
    check::<AdHocProfilesUploadRequest>(&[
        ("name", "name", &[r#""a""#]),
        ("profile", "profile", &[r#""AAAA""#]),
        MAX_NODES,
    ]);
    check::<AdHocProfilesGetRequest>(&[("id", "id", &[r#""a""#]), of_type, MAX_NODES]);
    check::<AdHocProfilesDiffRequest>(&[
        ("left_id", "leftId", &[r#""a""#]),
        ("right_id", "rightId", &[r#""a""#]),
        of_type,
        MAX_NODES,
    ]);
    let left: Field = ("left", "left", &[r#"{"start":1}"#, r#"{"start":"1"}"#]);
    check::<DiffRequest>(&[
        left,
        (
            "right",
            "right",
            &[r#"{"max_nodes":1}"#, r#"{"maxNodes":1}"#],
        ),
    ]);
}

#[test]
fn an_unknown_name_of_an_enum_value_is_no_value() {
    let request: SelectMergeStacktracesRequest = read(r#"{"format":"PROFILE_FORMAT_NEXT"}"#);
    assert_eq!(request.format, -1);
    assert_eq!(ProfileFormat::of(request.format), None);
}

#[test]
fn refusals() {
    let start = |value: &str| refusal::<ProfileTypesRequest>(&format!(r#"{{"start":{value}}}"#));
    assert!(start(r#""x""#).starts_with("\"x\" is not a 64-bit integer at line 1"));
    assert!(start("1.5").starts_with("1.5 is not a whole number at line 1"));
    assert!(start("1e19").contains("is not a whole number at line 1"));
    assert!(start("9223372036854775808").contains("9223372036854775808 is not a 64-bit integer"));
    assert!(start(r#""9223372036854775808""#).contains("is not a 64-bit integer"));
    assert!(start("true").contains("expected a number or a string at line 1"));
    let step = refusal::<SelectSeriesRequest>(r#"{"step":"long"}"#);
    assert!(step.contains("\"long\" is not a number at line 1"));
    assert!(refusal::<SeriesRequest>(r#"{"matchers":["{}",null]}"#).contains("null"));
    let twice = refusal::<SelectMergeStacktracesRequest>(r#"{"maxNodes":1,"max_nodes":2}"#);
    assert!(twice.contains("duplicate field"));
}

#[test]
fn answers_leave_out_what_is_not_set() {
    let text = |answer: serde_json::Value| answer.to_string();
    let of = |answer: &SelectMergeStacktracesResponse| serde_json::to_value(answer).unwrap();
    assert_eq!(text(of(&SelectMergeStacktracesResponse::default())), "{}");
    let tree = SelectMergeStacktracesResponse {
        tree: vec![0, 255, 1],
        ..Default::default()
    };
    assert_eq!(of(&tree), json!({"tree": "AP8B"}));
    let scope = QueryScope {
        component_type: "Bucket".to_owned(),
        profile_bytes: u64::MAX,
        ..Default::default()
    };
    let expect = json!({"componentType": "Bucket", "profileBytes": "18446744073709551615"});
    assert_eq!(serde_json::to_value(scope).unwrap(), expect);
}

#[test]
fn settings_and_uploads_in_json() {
    let setting = Setting {
        name: "a".to_owned(),
        value: String::new(),
        modified_at: 5,
    };
    let set = SetSettingsResponse {
        setting: Some(setting),
    };
    assert_eq!(
        serde_json::to_value(set).unwrap(),
        json!({"setting": {"name": "a", "modifiedAt": "5"}})
    );
    assert_eq!(
        serde_json::to_value(DeleteSettingsResponse {}).unwrap(),
        json!({})
    );
    let uploaded = AdHocProfilesGetResponse {
        uploaded_at: 7,
        profile_types: vec!["cpu".to_owned()],
        flamebearer_profile: "{}".to_owned(),
        ..Default::default()
    };
    assert_eq!(
        serde_json::to_value(uploaded).unwrap(),
        json!({"uploadedAt": "7", "profileTypes": ["cpu"], "flamebearerProfile": "{}"})
    );
}

#[test]
fn a_profile_in_json() {
    use pilotlight_core::{ProfileBuilder, pprof};
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let stack = builder.named_stack(&["main", "work"]);
    builder.sample(stack, None, &[7]);
    let bytes = pprof::encode(&builder.finish());
    let profile: serde_json::Value = serde_json::from_slice(&pprof_json(&bytes).unwrap()).unwrap();
    assert_eq!(
        profile["sample"],
        json!([{"locationId": ["2", "1"], "value": ["7"]}])
    );
    assert_eq!(profile["stringTable"][0], "");
    assert_eq!(profile["sampleType"][0].as_object().unwrap().len(), 2);
    let inside = serde_json::to_value(PprofProfile { profile: bytes }).unwrap();
    assert_eq!(inside, json!({ "profile": profile }));
    let large = vec![0; 5 << 20];
    assert_eq!(pprof_json(&large).unwrap_err().status, 429);
}

#[test]
fn integers_as_texts() {
    let values = vec![0, 7, -7, 10, 1_000_000_007, i64::MAX, i64::MIN];
    let texts: Vec<String> = values.iter().map(i64::to_string).collect();
    let message = serde_json::to_value(super::profiles::Level { values }).unwrap();
    assert_eq!(message, json!({ "values": texts }));
}
