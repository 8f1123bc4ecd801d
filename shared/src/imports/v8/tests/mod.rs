//! Each rule of the formats, on small files.

mod traces;

use crate::imports::{ImportError, Opened, open};
use crate::limits::MAX_STACK_DEPTH;
use crate::model::profile::{LabelValue, Profile};

fn opened(text: &str) -> Result<Opened, ImportError> {
    open(text.as_bytes(), 8 << 20)
}

/// A line of sample types, and one of each sample: time, stack from the root, labels, values.
fn drawn(profile: &Profile) -> String {
    let types = profile.sample_types().iter().map(|&each| {
        let (kind, unit) = profile.type_text(each);
        format!("{kind}/{unit}")
    });
    let mut lines = vec![types.collect::<Vec<_>>().join(" ")];
    let samples = profile.samples();
    for row in 0..profile.len() {
        let mut frames: Vec<String> = profile
            .frames(samples.stacks[row])
            .map(|location| match profile.lines(location).first() {
                Some(line) => {
                    let function = &profile.functions()[line.function.expect("one").index()];
                    let name = profile.text(function.name);
                    match (profile.text(function.file), line.line, line.column) {
                        ("", 0, 0) => name.to_owned(),
                        (file, line, column) => format!("{name}@{file}:{line}:{column}"),
                    }
                }
                None => format!("{:#x}", profile.locations()[location.index()].address),
            })
            .collect();
        frames.reverse();
        let mut line = frames.join(";");
        if let Some(times) = &samples.times {
            line = format!("{} {line}", times[row]);
        }
        for label in profile.labels(samples.labels[row]) {
            let LabelValue::Text(value) = label.value else {
                panic!("a number");
            };
            line += &format!(" {}={}", profile.text(label.key), profile.text(value));
        }
        for column in &samples.values {
            line += &format!(" {}", column[row]);
        }
        lines.push(line);
    }
    lines.join("\n")
}

#[track_caller]
fn check(text: &str, warnings: &[&str], expect: &[&str]) {
    let opened = opened(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(drawn(&opened.decoded.profile), expect.join("\n"));
    assert_eq!(opened.decoded.warnings, warnings);
    // The first module of the viewer says that there is a second.
    let first = crate::open(text.as_bytes(), 8 << 20).expect_err("is of no common format");
    assert!(
        first.to_string().contains("which the viewer can open"),
        "{first}"
    );
}

#[track_caller]
fn check_error(text: &str, expect: &str) {
    let error = opened(text).expect_err("is damaged");
    assert_eq!(error.to_string(), expect);
}

/// A CPU profile of `id name children…`.
fn nodes(nodes: &[&str]) -> String {
    let nodes = nodes.iter().map(|node| {
        let words: Vec<&str> = node.split(' ').collect();
        let children = words[2..].join(",");
        format!(
            r#"{{"id":{},"callFrame":{{"functionName":"{}"}},"hitCount":3,"children":[{children}]}}"#,
            words[0], words[1]
        )
    });
    nodes.collect::<Vec<_>>().join(",")
}

fn cpu(tree: &[&str], rest: &str) -> String {
    format!(r#"{{"nodes":[{}]{rest}}}"#, nodes(tree))
}

#[test]
fn samples_last_until_the_next() {
    check(
        &cpu(
            &["1 (root) 2", "2 a 3", "3 b"],
            r#","startTime":100,"endTime":120,"samples":[2,3,1,3],"timeDeltas":[5,1,2.5,3]"#,
        ),
        &[],
        &[
            "cpu/nanoseconds",
            "5000 a 1000",
            "6000 a;b 2500",
            "8500  3000",
            "11500 a;b 8500",
        ],
    );
}

#[test]
fn samples_are_put_in_order() {
    let warning = "1 samples are out of order; they are sorted by time";
    check(
        &cpu(
            &["1 (root) 2 3", "2 a", "3 b"],
            r#","startTime":0,"samples":[2,2,3],"timeDeltas":[10,5,-9]"#,
        ),
        &[warning],
        &[
            "cpu/nanoseconds",
            "6000 b 4000",
            "10000 a 5000",
            "15000 a 0",
        ],
    );
    // Before the start.
    check(
        &cpu(
            &["1 a"],
            r#","startTime":9,"samples":[1,1],"timeDeltas":[-4,1]"#,
        ),
        &[],
        &["cpu/nanoseconds", "0 a 1000", "1000 a 0"],
    );
}

#[test]
fn places_count_from_one() {
    check(
        r#"{"nodes":[{"id":1,"callFrame":{"functionName":"","url":"http://a/b.js?c","lineNumber":0,
            "columnNumber":7,"scriptId":"3"},"children":[2],"positionTicks":[{"line":1,"ticks":1}]},
            {"id":2,"callFrame":{"functionName":"f","url":"b.js","lineNumber":-1,"columnNumber":-1}}],
            "samples":[2],"timeDeltas":[0],"endTime":1}"#,
        &[],
        &[
            "cpu/nanoseconds",
            "0 (anonymous b.js:1:8)@http://a/b.js?c:1:8;f@b.js:0:0 1000",
        ],
    );
}

#[test]
fn hits_stand_for_samples() {
    let expect = ["samples/count", " 3", "a 3"];
    check(&cpu(&["1 (root) 2", "2 a"], ""), &[], &expect);
    check(
        &cpu(&["1 (root) 2", "2 a"], r#","samples":[2]"#),
        &[],
        &expect,
    );
}

#[test]
fn old_files_are_trees() {
    let file = |stamps: &str| {
        format!(
            r#"{{"head":{{"functionName":"(root)","id":1,"hitCount":0,"children":[
                {{"children":[{{"functionName":"b","id":3}}],"functionName":"a","url":"x.js",
                "lineNumber":4,"id":2}},{{"functionName":"c","id":4,"children":[]}}]}},
                "startTime":1,"endTime":2,"samples":[2,3,4],"timestamps":[{stamps}]}}"#
        )
    };
    check(
        &file("5000000,5000001,5000003"),
        &[],
        &[
            "cpu/nanoseconds",
            "0 a@x.js:5:0 1000",
            "1000 a@x.js:5:0;b 2000",
            "3000 c 0",
        ],
    );
    let ends = opened(&file("5,6,8,9")).expect("opens").decoded;
    assert_eq!(ends.profile.samples.values, [[1000, 2000, 1000]]);
    let odd = opened(&file("5,6")).expect("opens").decoded;
    assert_eq!(odd.warnings, ["a list has 3 samples but 2 times"]);
}

#[test]
fn odd_nodes() {
    let samples = r#","samples":[2,9],"timeDeltas":[1,1]"#;
    check(
        &cpu(&["1 (root) 2 7", "2 a", "2 b"], samples),
        &[
            "1 nodes repeat the ID of another node; the first one is used",
            "1 parent or child IDs refer to missing nodes",
            "1 samples refer to missing nodes",
        ],
        &["cpu/nanoseconds", "1000 a 1000", "2000  0"],
    );
    for tree in [["1 a 2", "2 b 1"], ["1 a 1", "2 b"]] {
        check_error(
            &cpu(&tree, samples),
            "V8 CPU profile, node 1: its callers form a loop",
        );
    }
    check_error(
        r#"{"nodes":[{"id":1,"callFrame":{}}]}"#,
        "V8 CPU profile, byte 33: a node has no \"functionName\"",
    );
    check_error(
        r#"{"nodes":[{"callFrame":{},"id":-1}]}"#,
        "V8 CPU profile, byte 33: node number -1 does not fit in 32 bits",
    );
    check_error(
        r#"{"nodes":[{"callFrame":7}]}"#,
        "V8 CPU profile, byte 23: expected an object",
    );
}

#[test]
fn depth_is_bounded() {
    let deep = |depth: usize| {
        let node = r#"{"functionName":"a","selfSize":1,"children":["#;
        format!(r#"{{"head":{}{}}}"#, node.repeat(depth), "]}".repeat(depth))
    };
    let profile = opened(&deep(MAX_STACK_DEPTH))
        .expect("opens")
        .decoded
        .profile;
    assert_eq!(profile.stacks().len(), MAX_STACK_DEPTH);
    let error = opened(&deep(MAX_STACK_DEPTH + 1))
        .expect_err("too deep")
        .to_string();
    assert!(
        error.ends_with(": a stack has more than 16384 frames"),
        "{error}"
    );

    let chain: Vec<String> = (1..=MAX_STACK_DEPTH + 1)
        .map(|id| format!("{id} a {}", id + 1))
        .collect();
    let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
    check_error(
        &cpu(&chain, ""),
        "V8 CPU profile, node 16385: a stack has more than 16384 frames",
    );
}

#[test]
fn heaps() {
    check(
        r#"{"head":{"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"selfSize":0,
            "id":1,"children":[{"callFrame":{"functionName":"a","url":"a.js","lineNumber":1,
            "columnNumber":2},"selfSize":8,"id":2,"children":[]}]},
            "samples":[{"size":8,"nodeId":2,"ordinal":1}]}"#,
        &[],
        &["inuse_space/bytes", "a@a.js:2:3 8"],
    );
    check_error(
        r#"{"head":{"functionName":"a","selfSize":1,"children":[null]}}"#,
        "V8 heap profile, byte 57: a child is null",
    );
}

#[test]
fn logs() {
    let file = |ticks: &str| {
        format!(
            r#"{{"code":[{{"name":"/lib/libc.so","type":"SHARED_LIB"}},
            {{"name":"T main","type":"CPP"}},
            {{"name":"run lib/a.js:3:14","type":"JS","kind":"Opt","func":0}},
            {{"name":" a.js:1:1","type":"JS"}},{{"name":"","type":"CODE","kind":"Stub"}}],
            "functions":[{{"name":"x","codes":[2]}}],"ticks":[{ticks}]}}"#
        )
    };
    check(
        &file(
            r#"{"tm":5,"vm":0,"s":[0,4,3,9,2,1,1,1]},{"tm":3,"vm":7,"s":[4,0,-1,4096]},{"tm":7,"s":[]}"#,
        ),
        &["some ticks are out of order; they are sorted by time"],
        &[
            "samples/count",
            "3000 0x1000;(CODE) 1",
            "5000 main;run@lib/a.js:3:14;(anonymous a.js:1:1)@a.js:1:1;/lib/libc.so 1",
            "7000  1",
        ],
    );
    let error = opened(&file(r#"{"tm":1,"s":[5,0]}"#)).expect_err("no such code");
    assert!(
        error
            .to_string()
            .ends_with("code 5 does not exist; the log has 5 (numbered from 0)"),
        "{error}"
    );
    let error = opened(&file(r#"{"s":[5,0]}"#)).expect_err("no such code");
    assert!(
        error
            .to_string()
            .ends_with("code 5 does not exist; the log has 5 (numbered from 0)"),
        "{error}"
    );
    let error = opened(&file("{}")).expect_err("no time");
    assert!(
        error.to_string().ends_with("a tick has no \"tm\""),
        "{error}"
    );
}

#[test]
fn each_byte_matters_to_nobody() {
    let trace = r#"{"traceEvents":[{"name":"p","ph":"M","pid":1,"args":{"name":"é"}},
        {"name":"a","ph":"X","ts":"1.5","dur":3,"pid":1,"tid":2,"args":{"detail":"\u00e9"}},
        {"name":"b","ph":"B","ts":2},{"ph":"E","ts":3},{"ph":"b","ts":3},
        {"name":"ProfileChunk","ph":"P","id":"1","ts":1,"args":{"data":{"cpuProfile":{"nodes":[
        {"id":1,"callFrame":{"functionName":"c"}}],"samples":[1,1]},"timeDeltas":[3,-4]}}}],
        "samples":[{"ts":1,"sf":2}],"stackFrames":{"2":{"name":"d","parent":2},"3":{"name":"e"}}}"#;
    let old = r#"{"head":{"functionName":"a","id":1,"hitCount":2,"selfSize":5,"children":[
        {"functionName":"b","id":2}]},"samples":[1,2],"timestamps":[7,8,9]}"#;
    let log =
        r#"{"code":[{"name":"T a","type":"CPP"}],"functions":[],"ticks":[{"tm":1,"s":[0,1]}]}"#;
    let new = cpu(
        &["1 (root) 2", "2 a"],
        r#","startTime":1,"samples":[1,2],"timeDeltas":[1,2]"#,
    );
    for file in [trace, old, log, &new] {
        for at in 0..file.len() {
            let _ = open(&file.as_bytes()[..at], 1 << 20);
            for flip in [1, 4, 0x10, 0x80] {
                let mut bytes = file.as_bytes().to_vec();
                bytes[at] ^= flip;
                let _ = open(&bytes, 1 << 20);
            }
        }
    }
}
