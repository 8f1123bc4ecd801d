//! Reports of small profiles, to the number.

#![allow(clippy::disallowed_macros)]

mod comparison;
mod series;

use super::*;
use crate::base::units::UnixNanos;
use crate::merge::stored::ErrorBounds;
use crate::model::builder::ProfileBuilder;
use crate::model::profile::{Function, Line, Profile};
use crate::testing::profile;
use crate::tree::search::Pattern;
use crate::views::pyroscope::TooLarge;
use serde_json::{Value, json};

const RANGE: TimeRange = TimeRange::of_nanos(0, 60_000_000_000);

fn answer(profile: Profile) -> QueryAnswer {
    QueryAnswer {
        profile,
        profiles: 3,
        objects: 1,
        bytes: 1,
        saturated: false,
        rounded: false,
        error_bounds: ErrorBounds::default(),
    }
}

fn sourced(stacks: &str) -> (Source, QueryAnswer) {
    let answer = answer(profile(stacks));
    (Source::new("cpu{}", RANGE, &answer), answer)
}

fn json_of(report: &impl Serialize) -> Value {
    serde_json::to_value(report).unwrap()
}

#[test]
fn the_functions_with_the_largest_values() {
    let (source, answer) = sourced("main;f;g;f 3\nmain;f 2\nmain 1\nz 4");
    let report = |order, search| {
        let pattern = Pattern::parse(search).unwrap();
        TopFunctions::new(source.clone(), &answer, order, pattern.as_ref(), 2).unwrap()
    };
    let found = json_of(&report(FunctionOrder::Own, ""));
    let expect = json!({
        "query": "cpu{}", "from": 0, "until": 60_000, "unit": "count", "profiles": 3, "total": 10,
        "rounded": false, "saturated": false, "errorBound": 0,
        "functions": [
            {"name": "f", "file": "", "self": 5, "total": 5, "selfShare": 0.5, "totalShare": 0.5},
            {"name": "z", "file": "", "self": 4, "total": 4, "selfShare": 0.4, "totalShare": 0.4},
        ],
        "coverage": {"functions": 4, "shown": 2, "selfShare": 0.9},
    });
    assert_eq!(found, expect);
    let names = |report: &TopFunctions| -> Vec<String> {
        report.functions.iter().map(|f| f.name.clone()).collect()
    };
    assert_eq!(names(&report(FunctionOrder::Total, "")), ["main", "f"]);
    for search in ["MAI", "/^M.IN$/"] {
        let searched = report(FunctionOrder::Own, search);
        assert_eq!(
            (names(&searched), searched.coverage.functions),
            (vec!["main".to_owned()], 1)
        );
    }
}

#[test]
fn one_function_with_what_calls_it_and_what_it_calls() {
    let (source, answer) = sourced("main;f;g 3\nmain;f 2\nx;f;g 4\nx;f;f;h 1\nf 5\nother 10");
    let found = json_of(&FunctionReport::new(source, &answer, "f", 2).unwrap());
    for (key, expect) in [
        ("name", json!("f")),
        ("total", json!(25)),
        ("self", json!(7)),
        ("functionTotal", json!(15)),
        ("selfShare", json!(0.28)),
        ("totalShare", json!(0.6)),
        (
            "callers",
            json!([
                {"name": "main", "value": 5, "share": 5.0 / 15.0},
                {"name": "x", "value": 5, "share": 5.0 / 15.0},
            ]),
        ),
        (
            "callees",
            json!([
                {"name": "g", "value": 7, "share": 7.0 / 15.0},
                {"name": "f", "value": 1, "share": 1.0 / 15.0},
            ]),
        ),
        (
            "paths",
            json!([
                {"functions": ["f"], "value": 5, "share": 5.0 / 15.0},
                {"functions": ["main", "f"], "value": 5, "share": 5.0 / 15.0},
            ]),
        ),
        ("lines", json!([])),
        (
            "coverage",
            json!({"callers": 3, "callees": 3, "lines": 0, "paths": 3}),
        ),
    ] {
        assert_eq!(found[key], expect, "{key}");
    }
}

#[test]
fn a_recursive_function_has_the_calls_of_all_its_levels() {
    let (source, answer) = sourced("main;f;f;x 90\nmain;f;g;f;y 10\nf;x;f;x 1");
    let report = FunctionReport::new(source, &answer, "f", 9).unwrap();
    let calls = |calls: &[Call]| -> Vec<String> {
        let call = |call: &Call| format!("{} {}", call.name, call.value);
        calls.iter().map(call).collect()
    };
    assert_eq!(calls(&report.callees), ["x 91", "f 90", "g 10", "y 10"]);
    assert_eq!(calls(&report.callers), ["main 100", "f 90", "g 10", "x 1"]);
}

#[test]
fn a_function_is_found_by_a_part_of_its_name() {
    let (source, answer) = sourced("main;json.Decode 3\nmain;json.Encode 2");
    let report = |name: &str| FunctionReport::new(source.clone(), &answer, name, 5);
    assert_eq!(report("decode").unwrap().name, "json.Decode");
    let message = |name: &str| report(name).unwrap_err().to_string();
    assert_eq!(
        message("json"),
        "no function is named \"json\"; 2 names contain it: \"json.Decode\", \"json.Encode\""
    );
    assert_eq!(
        message("xml"),
        "no function in these profiles is named \"xml\""
    );
    assert_eq!(message(""), "no function in these profiles is named \"\"");
}

#[test]
fn deep_paths_keep_their_inner_end() {
    let names: Vec<String> = (0..100).map(|i| format!("f{i}")).collect();
    let (source, answer) = sourced(&format!("{} 1", names.join(";")));
    let report = FunctionReport::new(source, &answer, "f99", 5).unwrap();
    let path = &report.paths[0].functions;
    assert_eq!((path.len(), path[0].as_str()), (25, "…"));
    assert_eq!(path[1..], names[76..]);
}

fn compared(scale: ComparisonScale, before: &str, after: &str) -> Comparison {
    let (before, after) = (sourced(before), sourced(after));
    Comparison::new(
        ComparisonSide::new(before.0, &before.1).unwrap(),
        ComparisonSide::new(after.0, &after.1).unwrap(),
        FunctionOrder::Own,
        scale,
        3,
    )
    .unwrap()
}

#[test]
fn a_flame_graph_as_a_list() {
    let (source, answer) = sourced("main;a 5\nmain;b 3\nmain;c 1\nmain;d 1");
    let report = FlameGraphReport::new(source, &answer, 2).unwrap();
    let expect = json!([
        {"depth": 0, "name": "main", "self": 0, "total": 10},
        {"depth": 1, "name": "a", "self": 5, "total": 5},
        {"depth": 1, "name": "other", "self": 5, "total": 5},
    ]);
    assert_eq!(json_of(&report)["nodes"], expect);
    assert_eq!(json_of(&report.coverage), json!({"shown": 3, "folded": 3}));
}

#[test]
fn texts_stay_within_their_bytes() {
    let stacks: Vec<String> = (0..500)
        .map(|i| format!("main;{}{i} {i}", "long_name_".repeat(50)))
        .collect();
    let (source, answer) = sourced(&stacks.join("\n"));
    for most in [500, 2_000, 8_000] {
        let texts = [
            TopFunctions::new(source.clone(), &answer, FunctionOrder::Own, None, 500)
                .unwrap()
                .markdown(most),
            FunctionReport::new(source.clone(), &answer, "main", 500)
                .unwrap()
                .markdown(most),
            FlameGraphReport::new(source.clone(), &answer, 500)
                .unwrap()
                .markdown(most),
            compared(ComparisonScale::Absolute, "a 1", &stacks.join("\n")).markdown(most),
        ];
        for text in texts {
            assert!(text.len() <= most, "{} of {most}", text.len());
        }
    }
}

#[test]
fn names_are_bounded() {
    let long = "x".repeat(1 << 20);
    let stacks: Vec<String> = (0..40).map(|i| format!("m{i};{long} 1")).collect();
    let (source, answer) = sourced(&stacks.join("\n"));
    let graph = FlameGraphReport::new(source.clone(), &answer, 1_000);
    assert_eq!(graph, Err(TooLarge::Names));
    let function = FunctionReport::new(source.clone(), &answer, &long, 100);
    assert_eq!(function, Err(FunctionError::TooLarge(TooLarge::Names)));
    assert!(TopFunctions::new(source, &answer, FunctionOrder::Own, None, 100).is_ok());
}

#[test]
fn names_of_files_are_bounded() {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "count");
    let file = builder.string(&"x".repeat(1 << 20));
    for i in 0..40 {
        let name = builder.string(&format!("f{}", i % 20));
        let function = builder.function(Function::named(name, file));
        let line = Line::of(function, i);
        let location = builder.location(None, 0, false, &[line]);
        let stack = builder.stack(None, location);
        builder.sample(Some(stack), None, &[1]);
    }
    let answer = answer(builder.finish());
    let source = Source::new("cpu{}", RANGE, &answer);
    let functions = |limit| {
        let (source, order) = (source.clone(), FunctionOrder::Own);
        TopFunctions::new(source, &answer, order, None, limit).map(|report| report.functions.len())
    };
    assert_eq!(functions(10), Ok(10));
    assert_eq!(functions(20), Err(TooLarge::Names), "one file of all");
}

#[test]
fn a_table_has_rows_after_one_that_was_cut() {
    let mut document = markdown::Document::new(310);
    let rows = |text: &str, count| vec![[text.to_owned()]; count];
    document.table(1, ["a"], rows(&"x".repeat(50), 5));
    document.table(1, ["b"], rows("y", 1));
    let text = document.finish();
    assert!(text.contains("| b |\n| --- |\n| y |"), "{text}");
    assert!(text.contains("more rows don't fit"), "{text}");
}
