//! What the older calls read and answer.

use pilotlight_core::plans::{QueryAnswer, Timeline};
use pilotlight_core::{Profile, ProfileType, TimeRange, UnixNanos, dot, pyroscope};
use serde_json::{Value, json};

use super::render::Format;
use super::{label_values, render, render_diff};
use crate::api::pyroscope::flamegraph::{self, tree};
use crate::api::pyroscope::series::Aggregation;
use crate::api::query::tests::answer_of;
use crate::http::parameters::Parameters;
use crate::platform::errors::Problem;
use crate::platform::limits::{DEFAULT_NODES, Limits, NodeLimits};

const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

/// What each call answers, as text: graphs of several sizes, timelines of both kinds.
pub(in crate::api::pyroscope) fn every_answer(
    merged: &QueryAnswer,
    profile_type: &ProfileType,
    timeline: &Timeline,
    range: TimeRange,
) -> Vec<String> {
    fn text(answer: impl serde::Serialize) -> String {
        serde_json::to_string(&answer).expect("an answer as JSON")
    }
    let mut texts = Vec::new();
    let steps = render::Steps::of(range);
    for max_nodes in [0, 1, 2, DEFAULT_NODES] {
        let graph = flamegraph::flame_graph(merged, max_nodes).expect("small");
        for how in [Aggregation::Sum, Aggregation::Average] {
            for group_by in [None, Some("service_name"), Some("none")] {
                let answer = render::answer(&graph, profile_type, timeline, steps, group_by, how);
                texts.push(answer.map_or_else(|problem| problem.message, text));
            }
        }
        let tree = tree(merged).expect("small");
        let graph = pyroscope::flame_graph_diff(&tree, &tree, max_nodes);
        texts.push(text(render_diff::answer(&graph, profile_type)));
        texts.push(dot::dot(&tree, profile_type, max_nodes));
    }
    texts
}

fn parameters(pairs: &[(&str, &str)]) -> Parameters {
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    Parameters::parse(&query, UnixNanos::from_millis(1_700_000_000_000))
}

fn nodes() -> NodeLimits {
    Limits::default().nodes()
}

fn millis(range: TimeRange) -> (i64, i64) {
    (range.from.millis(), range.until.millis())
}

fn message<T: std::fmt::Debug>(result: Result<T, Problem>) -> String {
    let problem = result.expect_err("is wrong");
    assert_eq!(problem.status, 400);
    problem.message
}

#[test]
fn formats_and_nodes() {
    let format = |more: &[(&str, &str)]| {
        let pairs = [&[("query", CPU), ("from", "now-1h")], more].concat();
        render::Ask::of(&parameters(&pairs), nodes()).map(|ask| ask.format)
    };
    let json = |max_nodes, group_by: Option<&str>| {
        Ok(Format::Json {
            max_nodes,
            group_by: group_by.map(str::to_owned),
            aggregation: Aggregation::Sum,
        })
    };
    assert_eq!(format(&[]), json(8_192, None));
    assert_eq!(format(&[("format", "json")]), json(8_192, None));
    assert_eq!(format(&[("format", "collapsed")]), json(8_192, None));
    assert_eq!(format(&[("max-nodes", "7")]), json(7, None));
    assert_eq!(format(&[("maxNodes", "8")]), json(8, None));
    assert_eq!(format(&[("max-nodes", "0")]), json(8_192, None));
    let twice = [("groupBy", "region"), ("groupBy", "pod")];
    assert_eq!(format(&twice), json(8_192, Some("region")));
    let dot = |max_nodes| Ok(Format::Dot { max_nodes });
    assert_eq!(format(&[("format", "dot")]), dot(100));
    let nodes = |nodes| format(&[("format", "dot"), ("max-nodes", nodes)]);
    assert_eq!(nodes("30"), dot(30));
    // What Grafana sends for flame graphs.
    assert_eq!(nodes("16384"), dot(1_000));
    assert_eq!(
        message(format(&[("max-nodes", "many")])),
        "max-nodes must be a number from 0 to 1048576 (got \"many\")"
    );
    assert_eq!(
        message(format(&[("aggregation", "max")])),
        "aggregation must be sum or average (got \"max\")"
    );
}

#[test]
fn queries_without_a_profile_type_are_told() {
    let render = |pairs: &[(&str, &str)]| message(render::Ask::of(&parameters(pairs), nodes()));
    let untyped = "\"query\" must contain a profile type, such as process_cpu:cpu:nanoseconds:cpu:nanoseconds{}";
    assert_eq!(render(&[]), untyped);
    assert_eq!(render(&[("query", "{service_name=\"x\"}")]), untyped);
    let wrong = render(&[("query", "process_cpu:cpu:nanoseconds:cpu:nanoseconds{")]);
    assert!(wrong.starts_with("query: "), "{wrong}");
    let right = [("leftQuery", CPU), ("rightQuery", "{}")];
    assert_eq!(
        message(render_diff::Ask::of(&parameters(&right), nodes())),
        untyped.replace("query", "rightQuery")
    );
}

#[test]
fn both_sides_have_one_type_and_their_own_times() {
    let ask = |pairs: &[(&str, &str)]| render_diff::Ask::of(&parameters(pairs), nodes());
    let left = format!("{CPU}{{region=\"eu\"}}");
    let queries = [("leftQuery", left.as_str()), ("rightQuery", CPU)];
    let times = [
        ("leftFrom", "now-1d"),
        ("leftUntil", "now-23h"),
        ("rightFrom", "1699996400"),
        ("max-nodes", "9"),
    ];
    let found = ask(&[queries.as_slice(), &times].concat()).expect("an ask");
    assert_eq!(found.profile_type.to_string(), CPU);
    assert_eq!(found.max_nodes, 9);
    let [left, right] = found.sides;
    assert_eq!(
        (left.selector.to_string(), right.selector.to_string()),
        ("{region=\"eu\"}".to_owned(), "{}".to_owned())
    );
    assert_eq!(millis(left.range), (1_699_913_600_000, 1_699_917_200_000));
    assert_eq!(millis(right.range), (1_699_996_400_000, 1_700_000_000_000));
    let memory = "memory:inuse_space:bytes:space:bytes";
    assert_eq!(
        message(ask(&[("leftQuery", CPU), ("rightQuery", memory)])),
        format!("profile types must match: leftQuery has {CPU}, rightQuery {memory}")
    );
    let late = [queries[0], queries[1], ("rightUntil", "then")];
    assert_eq!(message(ask(&late)), "rightUntil: \"then\" is not a time");
}

#[test]
fn labels_with_and_without_a_range() {
    let ask = |pairs: &[(&str, &str)]| label_values::Ask::of(&parameters(pairs));
    assert_eq!(message(ask(&[])), "label parameter is required");
    let found = ask(&[("label", "__name__")]).expect("an ask");
    assert_eq!(found.label, "__profile_type__");
    assert!(found.selectors.is_empty() && found.range.is_none());
    let found = ask(&[
        ("label", "pod"),
        ("query", "{region=\"eu\"}"),
        ("from", "now-1h"),
    ])
    .expect("an ask");
    assert_eq!(found.label, "pod");
    assert_eq!(found.selectors[0].to_string(), "{region=\"eu\"}");
    assert_eq!(
        found.range.map(millis),
        Some((1_699_996_400_000, 1_700_000_000_000))
    );
    let found = ask(&[("label", "pod"), ("until", "now-1d")]).expect("an ask");
    assert_eq!(
        found.range.map(millis),
        Some((1_699_827_200_000, 1_699_913_600_000))
    );
    assert!(message(ask(&[("label", "pod"), ("query", "{")])).starts_with("query: "));
}

#[test]
fn a_comparison_as_json() {
    let profile_type: ProfileType = CPU.parse().expect("a profile type");
    let answer = |left: &[(&[&str], i64)], right: &[(&[&str], i64)]| -> Value {
        let [left, right] = [left, right].map(|stacks| {
            let mut builder = pilotlight_core::ProfileBuilder::new();
            builder.sample_type("cpu", "nanoseconds");
            for (names, value) in stacks {
                let stack = builder.named_stack(names);
                builder.sample(stack, None, &[*value]);
            }
            tree(&answer_of(builder.finish())).expect("small")
        });
        let graph = pyroscope::flame_graph_diff(&left, &right, 0);
        serde_json::to_value(render_diff::answer(&graph, &profile_type)).expect("JSON")
    };
    let about = json!({"format": "double", "spyName": "", "sampleRate": 1_000_000_000, "units": "samples", "name": "cpu"});
    assert_eq!(
        answer(&[(&["a"], 3)], &[(&["a"], 1), (&["b"], 4)]),
        json!({
            "version": 1,
            "flamebearer": {
                "names": ["total", "b", "a"],
                "levels": [[0, 3, 0, 0, 5, 0, 0], [0, 3, 3, 0, 1, 1, 2, 0, 0, 0, 0, 4, 4, 1]],
                "numTicks": 8,
                "maxSelf": 4,
            },
            "metadata": about,
            "timeline": null,
            "groups": {},
            "heatmap": null,
            "leftTicks": 3,
            "rightTicks": 5,
        })
    );
    let nothing = tree(&answer_of(Profile::default())).expect("small");
    let graph = pyroscope::flame_graph_diff(&nothing, &nothing, 0);
    assert_eq!(graph.levels, [[0; 7]]);
}
