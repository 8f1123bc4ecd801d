//! Answers to Pyroscope's clients that would fill the worker's memory are refused, and smaller ones
//! about the same profiles are not.

use std::path::Path;

use pilotlight_core::{Function, Line, Profile, ProfileBuilder, pprof};
use pilotlight_tests::client::{Answer, Client};
use pilotlight_tests::local::Place;
use serde_json::{Value, json};

/// 2026-11-21, 04:30 UTC.
const FROM: i64 = 1_795_235_400;
const CPU: &str = "process_cpu:cpu:nanoseconds::";

fn builder() -> ProfileBuilder {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    builder
}

/// A name of a megabyte, called from 24 functions.
fn long_name() -> Profile {
    let mut builder = builder();
    let long = "f".repeat(1 << 20);
    for i in 0..24 {
        let stack = builder.named_stack(&["main", &i.to_string(), &long]);
        builder.sample(stack, None, &[1]);
    }
    builder.finish()
}

/// 600 functions, each of which calls a place where 4,096 calls are inlined.
fn inlined() -> Profile {
    let mut builder = builder();
    // A file with few bytes for so many frames would be refused.
    let name = builder.string(&"f".repeat(200_000));
    let function = builder.function(Function::named(name, name));
    let line = Line::of(function, 1);
    let inlined = builder.location(None, 1, false, &[line; 4_096]);
    for i in 0..600 {
        let caller = builder.named_stack(&[&i.to_string()]);
        let stack = builder.stack(caller, inlined);
        builder.sample(Some(stack), None, &[1]);
    }
    builder.finish()
}

fn total(value: i64) -> Profile {
    let mut builder = builder();
    let stack = builder.named_stack(&["main"]);
    builder.sample(stack, None, &[value]);
    builder.finish()
}

fn push(client: &Client, name: &str, at: i64, profile: &Profile) {
    let until = at + 10;
    let path = format!("/ingest?name={name}&format=pprof&from={at}&until={until}");
    let body = pprof::encode(profile);
    let answer = client.post(&path, "application/octet-stream", &body);
    let answer = answer.expect("an answer");
    assert_eq!(answer.status, 200, "{name}: {}", answer.text());
}

fn call(client: &Client, method: &str, ask: &Value) -> Answer {
    let path = format!("/querier.v1.QuerierService/{method}");
    let answer = client.post(&path, "application/json", ask.to_string().as_bytes());
    answer.expect("an answer")
}

/// A request for a service, with more fields.
fn ask(service: &str, more: &Value) -> Value {
    let mut ask = json!({
        "profileTypeID": CPU,
        "labelSelector": format!("{{service_name=\"{service}\"}}"),
        "start": FROM * 1_000,
        "end": (FROM + 3_600) * 1_000,
    });
    let fields = ask.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    ask
}

#[test]
fn what_would_fill_the_memory_is_refused() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large-answers");
    let place = Place::fresh(&state, &[("FLUSH_MS", "1".to_owned())]).expect("a place");
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url());
    push(&client, "long", FROM, &long_name());
    push(&client, "inlined", FROM + 20, &inlined());
    push(&client, "left", FROM + 40, &total(i64::MAX));
    push(&client, "right", FROM + 60, &total(1));

    let tree_of = |depth: u32| {
        json!({
            "format": "PROFILE_FORMAT_FUNCTION_TREE",
            "formatOptions": {"functionTree": {
                "direction": "FUNCTION_TREE_DIRECTION_CALLEES",
                "selection": "FUNCTION_TREE_SELECTION_ROOT_PATH",
                "maxDepth": depth,
            }},
        })
    };
    let refused = |answer: &Answer, why: &str| {
        assert_eq!(answer.status, 429, "{}", answer.text());
        let problem = answer.json();
        assert_eq!(problem["code"], "resource_exhausted");
        let message = problem["message"].as_str().unwrap_or_default();
        assert!(message.contains(why), "{message}");
    };
    let stacktraces =
        |service: &str, more: &Value| call(&client, "SelectMergeStacktraces", &ask(service, more));
    let names = "16 MiB";
    let tree = |max_nodes: u32| json!({"format": "PROFILE_FORMAT_TREE", "maxNodes": max_nodes});
    refused(&stacktraces("long", &tree(0)), names);
    refused(&stacktraces("long", &tree_of(3)), names);
    let dot = json!({"format": "PROFILE_FORMAT_DOT"});
    for small in [json!({}), tree(16), tree_of(2), dot.clone()] {
        let answer = stacktraces("long", &small);
        assert_eq!(answer.status, 200, "{small}: {}", answer.text());
    }
    assert!(stacktraces("long", &dot).body.len() < 40_000);

    let frames = "2458200 frames";
    for more in [json!({}), tree(1), tree_of(1), dot] {
        refused(&stacktraces("inlined", &more), frames);
    }
    let table = json!({"format": "PROFILE_FORMAT_FUNCTIONS"});
    for more in [json!({}), table] {
        let sides = json!({"left": ask("right", &more), "right": ask("inlined", &json!({}))});
        refused(&call(&client, "Diff", &sides), frames);
    }
    let whole = call(&client, "SelectMergeProfile", &ask("inlined", &json!({})));
    assert_eq!(whole.status, 200, "{}", whole.text());

    // Each side fits into 64 bits, and both together do not.
    let nothing = json!({});
    let sides = json!({"left": ask("left", &nothing), "right": ask("right", &nothing)});
    let answer = call(&client, "Diff", &sides);
    assert_eq!(answer.header("x-pilotlight-saturated"), Some("true"));
    assert_eq!(answer.json()["flamegraph"]["total"], i64::MAX.to_string());
    let sides = json!({"left": ask("right", &nothing), "right": ask("right", &nothing)});
    let answer = call(&client, "Diff", &sides);
    assert_eq!(answer.header("x-pilotlight-saturated"), Some("false"));

    let stats = call(&client, "GetProfileStats", &nothing).json();
    let [oldest, newest] = [FROM, FROM + 60].map(|seconds| (seconds * 1_000).to_string());
    let expect =
        json!({"dataIngested": true, "oldestProfileTime": oldest, "newestProfileTime": newest});
    assert_eq!(stats, expect);
}

/// Functions that every push has, and the value of each.
const HEAVY: (usize, i64) = (100, 1_000_000);

/// Heavy functions, and 25,000 light ones with long names that no other push has.
fn varied(push: usize) -> Profile {
    let mut builder = builder();
    for i in 0..HEAVY.0 {
        let stack = builder.named_stack(&["main", &format!("heavy{i}")]);
        builder.sample(stack, None, &[HEAVY.1]);
    }
    let tail = "x".repeat(90);
    for i in 0..25_000 {
        let stack = builder.named_stack(&["main", &format!("light{push}_{i}_{tail}")]);
        builder.sample(stack, None, &[1]);
    }
    builder.finish()
}

/// More functions than fit memory: what needs all of them is refused, all else says by how much it
/// may be wrong, and is not wrong by more.
#[test]
fn what_is_folded_has_a_bound() {
    const PUSHES: usize = 14;
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("varied-answers");
    let place = Place::fresh(&state, &[("FLUSH_MS", "1".to_owned())]).expect("a place");
    let _worker = place.start().expect("a worker");
    let client = Client::new(&place.url());
    for i in 0..PUSHES {
        push(&client, "varied", FROM + 60 * i as i64, &varied(i));
    }
    let stacktraces = |more: &Value| call(&client, "SelectMergeStacktraces", &ask("varied", more));
    let refused = stacktraces(&json!({"format": "PROFILE_FORMAT_PPROF"}));
    assert_eq!(refused.status, 413, "{}", refused.text());
    assert!(
        refused.text().contains("more than 32 MiB"),
        "{}",
        refused.text()
    );

    let pushes = PUSHES as i64;
    let exact = |heavy: usize, light: i64| pushes * (heavy as i64 * HEAVY.1 + light);
    let bound = |answer: &Answer| -> i64 {
        assert_eq!(answer.status, 200, "{}", answer.text());
        let bound = answer.header("x-pilotlight-error-bound");
        let bound = bound.and_then(|text| text.parse().ok());
        let bound = bound.unwrap_or_else(|| panic!("no bound: {:?}", answer.text()));
        assert!((1..=exact(0, 25_000)).contains(&bound), "{bound}");
        bound
    };
    let number = |value: &Value| value.as_str().and_then(|text| text.parse::<i64>().ok());
    let whole = stacktraces(&json!({"maxNodes": 1_000}));
    bound(&whole);
    let total = |answer: &Answer| number(&answer.json()["flamegraph"]["total"]).unwrap_or(0);
    assert_eq!(
        total(&whole),
        exact(HEAVY.0, 25_000),
        "that of all is exact"
    );

    // Which stacks have a function is not known of those that were folded.
    for (filter, expect) in [
        (json!({"includeFunctionNames": ["heavy7"]}), exact(1, 0)),
        (
            json!({"excludeFunctionNameRegexes": ["^heavy"]}),
            exact(0, 25_000),
        ),
        (
            json!({"includeFunctionNameRegexes": ["^light"]}),
            exact(0, 25_000),
        ),
    ] {
        let more = json!({"maxNodes": 1_000, "stackTraceSelector": {"frameFilter": filter}});
        let answer = stacktraces(&more);
        let found = total(&answer);
        assert!(
            found.abs_diff(expect) <= bound(&answer) as u64,
            "{filter}: {found}"
        );
    }

    let table = json!({"format": "PROFILE_FORMAT_FUNCTIONS", "formatOptions": {"functions": {"limit": 101}}});
    let answer = stacktraces(&table);
    let bound = bound(&answer);
    let answer = answer.json();
    let rows = answer["functions"]["functions"].as_array().expect("rows");
    let heavy = rows
        .iter()
        .filter(|row| row["name"].as_str().is_some_and(|n| n.starts_with("heavy")));
    let totals: Vec<i64> = heavy.filter_map(|row| number(&row["total"])).collect();
    assert_eq!(totals.len(), HEAVY.0);
    assert!(
        totals
            .iter()
            .all(|total| (total - exact(1, 0)).abs() <= bound),
        "{totals:?}"
    );
}
