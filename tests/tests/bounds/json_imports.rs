//! Hostile files of the JSON formats that people open.

use pilotlight_core::imports::open;
use pilotlight_core::limits::MAX_PROFILE_BYTES;

use crate::{Case, SIZE, case};

pub(crate) static JSON_IMPORTS: &[Case] = &[
    import("Firefox samples of one stack", true, || {
        let samples = |rows: usize| list(rows, |_| "0".to_owned());
        let columns = |rows| format!("{{\"stack\":[{0}],\"time\":[{0}]}}", samples(rows));
        thread(TABLES, &columns(SIZE / 4))
    }),
    import("Firefox samples without cells", true, || {
        let rows = list(SIZE / 3, |_| "[]".to_owned());
        let schema = r#"{"stack":0,"time":1,"weight":2}"#;
        thread(
            TABLES,
            &format!("{{\"schema\":{schema},\"data\":[{rows},[0,1,2]]}}"),
        )
    }),
    import("Firefox stacks of their own", true, || {
        let rows = SIZE / 22;
        let numbers = list(rows, |row| row.to_string());
        let parents = list(rows, |row| (row / 2).to_string());
        let tables = format!(
            r#""stackTable":{{"prefix":[null,{parents}],"frame":[0,{}]}},"frameTable":{{"func":[0]}},
            "funcTable":{{"name":[0]}},"stringArray":["a"]"#,
            list(rows, |_| "0".to_owned())
        );
        thread(&tables, &format!("{{\"stack\":[{numbers}]}}"))
    }),
    import("Firefox frames of their own", true, || {
        let rows = SIZE / 30;
        let numbers = list(rows, |row| row.to_string());
        let tables = format!(
            r#""stackTable":{{"frame":[{numbers}]}},"frameTable":{{"func":[{}],"line":[{numbers}]}},
            "funcTable":{{"name":[0]}},"stringArray":["a"]"#,
            list(rows, |_| "0".to_owned())
        );
        thread(&tables, &format!("{{\"stack\":[{numbers}]}}"))
    }),
    import("Firefox calls inlined without end", true, || {
        let rows = SIZE / 40;
        let numbers = list(rows, |row| row.to_string());
        let parents = list(rows - 1, |row| match (row + 1) % 16_000 {
            0 => "null".to_owned(),
            _ => row.to_string(),
        });
        let zeros = list(rows, |_| "0".to_owned());
        let tables = format!(
            r#""stackTable":{{"prefix":[null,{parents}],"frame":[{numbers}]}},"frameTable":{{
            "func":[{zeros}],"address":[{zeros}],"inlineDepth":[{}]}},
            "funcTable":{{"name":[0]}},"stringArray":["a"]"#,
            list(rows, |row| (row % 4_096).to_string())
        );
        thread(&tables, &format!("{{\"stack\":[{numbers}]}}"))
    }),
    import("Firefox threads", false, || {
        let thread = r#"{"samples":{"stack":[0]}}"#;
        format!(
            "{{\"meta\":{{\"interval\":1}},\"threads\":[{}]}}",
            list(SIZE / 26, |_| { thread.to_owned() })
        )
        .into_bytes()
    }),
    import("Safari frames", true, || {
        let frame = r#"{"name":"","url":"","line":1,"column":1}"#;
        let frames = list(SIZE / 42 / 260, |_| frame.to_owned());
        let traces = list(260, |_| {
            format!("{{\"timestamp\":1,\"stackFrames\":[{frames}]}}")
        });
        let durations = list(260, |_| "1".to_owned());
        format!(
            r#"{{"recording":{{"displayName":"","sampleStackTraces":[{traces}],
            "sampleDurations":[{durations}]}}}}"#
        )
        .into_bytes()
    }),
    import("stackprof samples", true, || {
        stackprof(
            r#""1":{"name":""}"#,
            &list(SIZE / 6, |_| "1,1,1".to_owned()),
        )
    }),
    import("stackprof frames", true, || {
        stackprof(&list(SIZE / 14, |row| format!("\"{row}\":{{}}")), "")
    }),
    import("React renders", true, || {
        react("", &list(SIZE / 6, |_| "[1,1]".to_owned()))
    }),
    import("React components of their own", false, || {
        react("", &list(SIZE / 12, |row| format!("[{},1]", row + 1)))
    }),
    import("React components that are mounted", false, || {
        let mounts = list(SIZE / 22, |row| format!("1,{row},5,{},0,0,0,0", row / 2));
        react(&format!("[1,1,0,{mounts}]"), "[1,1]")
    }),
    import("React operations without any", true, || {
        react(
            &format!("[{}]", list(SIZE / 2, |_| "6".to_owned())),
            "[1,1]",
        )
    }),
    import("React names of nothing", true, || {
        let names = list(SIZE / 2, |_| "0".to_owned());
        react(&format!("[1,1,{},{names}]", SIZE / 2), "[1,1]")
    }),
    import("flamebearer nodes", true, || {
        let nodes = list(SIZE / 8, |_| "0,0,1,0".to_owned());
        flamebearer(&format!("[0,0,0,0],[{nodes}]"))
    }),
    import("flamebearer levels", false, || {
        flamebearer(&list(SIZE / 10, |_| "[0,0,0,0]".to_owned()))
    }),
    import("flamebearer levels of nothing", true, || {
        flamebearer(&list(SIZE / 3, |_| "[]".to_owned()))
    }),
    import("DHAT program points", true, || {
        dhat(
            &list(SIZE / 27, |_| r#"{"tb":1,"tbk":1,"fs":[0]}"#.to_owned()),
            "\"a\"",
        )
    }),
    import("DHAT frames", true, || {
        dhat("", &list(SIZE / 3, |_| "\"\"".to_owned()))
    }),
    import("GHC cost centres", true, || {
        let node = r#"{"id":1,"ticks":1}"#;
        let nodes = list(SIZE / 19, |_| node.to_owned());
        format!(
            r#"{{"rts_arguments":[],"cost_centres":[{{"id":1,"label":"","module":""}}],
            "profile":{{"id":1,"children":[{nodes}]}}}}"#
        )
        .into_bytes()
    }),
];

const TABLES: &str = r#""stackTable":{"prefix":[null],"frame":[0]},"frameTable":{"func":[0]},
    "funcTable":{"name":[0]},"stringArray":["a"]"#;

fn thread(tables: &str, samples: &str) -> Vec<u8> {
    format!(
        r#"{{"meta":{{"interval":1}},"threads":[{{"name":"a",{tables},"samples":{samples}}}]}}"#
    )
    .into_bytes()
}

fn stackprof(frames: &str, raw: &str) -> Vec<u8> {
    format!(r#"{{"mode":"cpu","interval":1,"samples":1,"frames":{{{frames}}},"raw":[{raw}]}}"#)
        .into_bytes()
}

fn react(operations: &str, durations: &str) -> Vec<u8> {
    format!(
        r#"{{"version":5,"dataForRoots":[{{"operations":[{operations}],"snapshots":[[1,{{"id":1}}]],
        "commitData":[{{"fiberSelfDurations":[{durations}]}}]}}]}}"#
    )
    .into_bytes()
}

fn flamebearer(levels: &str) -> Vec<u8> {
    format!(r#"{{"flamebearer":{{"names":["a"],"levels":[{levels}]}}}}"#).into_bytes()
}

fn dhat(points: &str, frames: &str) -> Vec<u8> {
    format!(r#"{{"dhatFileVersion":2,"bklt":true,"pps":[{points}],"ftbl":[{frames}]}}"#)
        .into_bytes()
}

/// So many items.
fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

const fn import(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| match open(bytes, MAX_PROFILE_BYTES) {
            Ok(opened) => opened.format.is_some(),
            Err(_) => false,
        },
        ..case(name, accepted, make)
    }
}
