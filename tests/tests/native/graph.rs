//! Call graphs and source lines against brute force and against Go's pprof.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use pilotlight_core::call_graph::{Trimming, call_graph};
use pilotlight_core::pprof::{encode, open};
use pilotlight_core::{By, CallTree, LineTable, Profile};
use pilotlight_tests::graph::{Frame, Graph, Trim, by, graph, stacks, sums};
use pilotlight_tests::random::profiles;
use pilotlight_tests::{corpus, drawn, go};
use proptest::prelude::*;
use regex_lite::Regex;

/// A function: name and file.
type Function = (String, String);

const TRIMS: [Trim; 4] = [
    (0.005, 0.001, 80),
    (0.0, 0.0, usize::MAX),
    (0.05, 0.02, 6),
    (0.0, 0.0, 3),
];

fn function((name, file, _): &Frame) -> Function {
    (name.clone(), file.clone())
}

/// The core's graph in the judge's words.
fn told(
    profile: &Profile,
    column: usize,
    (node_fraction, edge_fraction, nodes): Trim,
) -> Graph<Function> {
    let tree = CallTree::new(profile, column, By::Function);
    let shape = tree.shape();
    let graph = call_graph(
        &tree,
        Trimming {
            node_fraction,
            edge_fraction,
            nodes,
        },
    );
    let name = |node: usize| -> Function {
        let frame = &shape.frames()[graph.nodes[node].frame];
        (
            shape.text(frame.name).to_owned(),
            shape.text(frame.file).to_owned(),
        )
    };
    let nodes = graph.nodes.iter().enumerate();
    let edges = graph.edges.iter();
    Graph {
        nodes: nodes
            .map(|(i, row)| (name(i), [row.own[0], row.total[0]].map(i128::from)))
            .collect(),
        edges: edges
            .map(|e| {
                (
                    (name(e.from), name(e.to)),
                    (i128::from(e.total[0]), e.residual),
                )
            })
            .collect(),
    }
}

fn check(name: &str, profile: &Profile) {
    for column in 0..profile.sample_types().len() {
        let stacks = by(&stacks(profile, column), function);
        for trim in TRIMS {
            assert_eq!(
                told(profile, column, trim),
                graph(&stacks, trim),
                "{name}, column {column}, {trim:?}"
            );
        }
    }
}

fn check_lines(name: &str, profile: &Profile) {
    for column in 0..profile.sample_types().len() {
        let expect = sums(&stacks(profile, column));
        let table = LineTable::new(profile, column);
        let functions: BTreeSet<Function> = expect.keys().map(function).collect();
        let mut found: BTreeMap<Frame, [i128; 2]> = BTreeMap::new();
        let mut of_files: BTreeMap<Frame, [i128; 2]> = BTreeMap::new();
        for (function, file) in &functions {
            for row in table.of(Some(function), file) {
                let frame = (function.clone(), file.clone(), row.line);
                found.insert(frame, [row.own, row.total].map(i128::from));
            }
            for row in table.of(None, file) {
                let frame = (row.function.to_owned(), file.clone(), row.line);
                of_files.insert(frame, [row.own, row.total].map(i128::from));
            }
        }
        assert_eq!(found, expect, "{name}, column {column}");
        assert_eq!(of_files, expect, "{name}, column {column}, by file");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn graphs_are_those_of_brute_force(profile in profiles()) {
        check("a random profile", &profile);
    }

    #[test]
    fn lines_are_those_of_brute_force(profile in profiles()) {
        check_lines("a random profile", &profile);
    }
}

/// Profiles of the corpus that brute force is through with in time, each in its own words.
fn some_of_the_corpus() -> Vec<(String, Profile)> {
    let small = |sample: &corpus::Sample| sample.bytes.len() < 20_000;
    let samples = corpus::profiles().into_iter().filter(small);
    let opened = samples.filter_map(|sample| {
        let profile = open(&sample.bytes, usize::MAX).ok()?.profile;
        (1..2_000)
            .contains(&profile.len())
            .then_some((sample.name, profile))
    });
    let some: Vec<(String, Profile)> = opened.step_by(3).take(8).collect();
    assert!(
        corpus::root().is_none() || some.len() > 5,
        "only {} profiles",
        some.len()
    );
    some
}

#[test]
fn the_corpus_is_as_brute_force_says() {
    for (name, profile) in some_of_the_corpus() {
        check(&name, &profile);
        check_lines(&name, &profile);
    }
}

/// Functions and calls of pprof's drawing; calls with `true` where it has them dotted.
type Drawing = (BTreeSet<String>, BTreeSet<(String, String, bool)>);

fn go_drawing(profile: &[u8], column: usize) -> Drawing {
    let folder = std::env::temp_dir().join(format!("pilotlight-graph-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    let (input, output) = (folder.join("input"), folder.join("output"));
    std::fs::write(&input, profile).expect("a writable folder");
    let run = Command::new("go")
        .args(["tool", "pprof", "-symbolize=none", "-dot", "-taghide=.*"])
        .arg(format!("-sample_index={column}"))
        .arg("-output")
        .args([&output, &input])
        .env("PPROF_BINARY_PATH", &folder)
        .env("PPROF_TMPDIR", &folder)
        .output()
        .expect("go runs");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "go tool pprof -dot: {errors}");
    let text = std::fs::read_to_string(&output).expect("pprof's output");
    std::fs::remove_dir_all(&folder).expect("our own folder");
    let node = Regex::new(r#"(?m)^N\d+ \[.* tooltip="(.*?) \([^()]*\)""#).expect("valid");
    let edge = Regex::new(r#"(?m)^N\d+ -> N\d+ \[.* tooltip="(.*?) (->|\.\.\.) (.*?) \([^()]*\)""#)
        .expect("valid");
    let nodes = node.captures_iter(&text).map(|found| found[1].to_owned());
    let edges = edge.captures_iter(&text);
    let edges = edges.map(|found| (found[1].to_owned(), found[3].to_owned(), &found[2] == "..."));
    (nodes.collect(), edges.collect())
}

/// The same of the core, which knows functions by name here, as pprof does.
fn drawing(profile: &Profile, column: usize) -> Drawing {
    let tree = CallTree::new(profile, column, By::Name);
    let graph = call_graph(&tree, Trimming::default());
    let name = |node: usize| {
        let frame = &tree.shape().frames()[graph.nodes[node].frame];
        tree.shape().text(frame.name).to_owned()
    };
    let edges = graph.edges.iter();
    (
        (0..graph.nodes.len()).map(name).collect(),
        edges
            .map(|e| (name(e.from), name(e.to), e.residual))
            .collect(),
    )
}

#[test]
fn what_is_drawn_is_what_go_draws() {
    if !go::available() {
        return;
    }
    let made = drawn::profile(
        "cpu/count\nmain;f;g;f 3\nmain;f;f 20\ng;main;g 7\nmain;a;b;c 40\nmain;a;d;c 1\nmain;pass;on;c 9",
    );
    // Of more than 80 functions those of most entropy stay: wide below, narrow above.
    let wide: Vec<String> = (0..120)
        .map(|i| {
            let (fork, value) = (i % 7, 40 + i * 3);
            format!("main;serve;step{fork};fork{fork};pass{i};leaf{i} {value}")
        })
        .collect();
    let wide = drawn::profile(&format!("cpu/count\n{}", wide.join("\n")));
    for (name, profile) in [("made", &made), ("wide", &wide)] {
        assert_eq!(
            drawing(profile, 0),
            go_drawing(&encode(profile), 0),
            "{name}"
        );
    }
}
