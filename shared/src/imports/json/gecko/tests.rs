//! Profiles drawn as text.

use super::*;
use crate::base::limits::MAX_STACK_DEPTH;
use crate::imports::testing::drawn;

/// Tables of a processed thread: `main` calls `f (a.js:1:2)` and an address of a library.
const TABLES: &str = r#"
    "stackTable":{"length":3,"prefix":[null,0,0],"frame":[0,1,2]},
    "frameTable":{"func":[0,1,2],"address":[-1,-1,66],"line":[7,null,null],
        "column":[8,null,null],"category":[null,1,null]},
    "funcTable":{"name":[0,1,2],"resource":[-1,-1,0],"fileName":[3,null,null],
        "lineNumber":[5,null,null],"isJS":[false,true,false]},
    "resourceTable":{"lib":[0],"name":[0]}"#;

const STRINGS: &str = r#"["main","f (x.js -> a.js:1:2)","0x42","m.c"]"#;

fn read(text: &str) -> Result<Decoded, FormatError> {
    decode(text.as_bytes())
}

fn draw(text: &str) -> String {
    draw_with(text, &[])
}

fn draw_with(text: &str, warnings: &[&str]) -> String {
    let decoded = read(text).expect("opens");
    assert_eq!(decoded.warnings, warnings);
    drawn(&decoded.profile)
}

/// Of a file in which one sample has no stack.
fn draw_one_without_stack(text: &str) -> String {
    draw_with(
        text,
        &["1 sample has no stack and is left out of the total"],
    )
}

fn message(text: &str) -> String {
    read(text).expect_err("is damaged").to_string()
}

fn file(thread: &str, more: &str) -> String {
    format!(
        r#"{{"meta":{{"interval":0.5,"startTime":1000.5,"preprocessedProfileVersion":48,
            "categories":[{{"name":"Other"}},{{"name":"JavaScript"}}]}},
        "libs":[{{"name":"x.so","path":"/lib/x.so","breakpadId":"AB0","codeId":null}}],
        "threads":[{{"name":"T","pid":"9","tid":1,{thread}}}]{more}}}"#
    )
}

const DRAWN: &str = "samples/count\n\
    main m.c:7:8;f a.js:1:2 thread=T process=9 category=JavaScript 1 @1500000\n\
    main m.c:7:8;0x42 [x.so] thread=T process=9 1 @2000000\n \
    thread=T process=9 0 @3000000\n";

#[test]
fn processed() {
    let samples = r#""samples":{"stack":[1,2,null],"time":[1.5,2,3],"weight":null}"#;
    let own = file(&format!("{TABLES},\"stringArray\":{STRINGS},{samples}"), "");
    assert_eq!(draw_one_without_stack(&own), DRAWN);
    let decoded = read(&own).expect("opens");
    let header = decoded.profile.header();
    assert_eq!(
        (header.time_nanos, header.duration_nanos, header.period),
        (1_000_500_000, 1_500_000, 500_000)
    );
    let mapping = decoded.profile.mappings()[0];
    assert_eq!(decoded.profile.text(mapping.build_id), "AB0");
    // Strings are shared since version 56, and so are all tables since 60.
    let shared = format!(",\"shared\":{{\"stringArray\":{STRINGS}}}");
    assert_eq!(
        draw_one_without_stack(&file(&format!("{TABLES},{samples}"), &shared)),
        DRAWN
    );
    let shared = format!(",\"shared\":{{{TABLES},\"stringArray\":{STRINGS}}}");
    assert_eq!(draw_one_without_stack(&file(samples, &shared)), DRAWN);
    // So are files of sources since 58; later, prefixes and times are differences.
    let shared = shared
        .replace(r#""fileName":[3,null,null]"#, r#""source":[1,null,null]"#)
        .replace(
            "\"stringArray\"",
            r#""sources":{"id":[null],"filename":[0,3]},"stringArray""#,
        )
        .replace(r#""prefix":[null,0,0]"#, r#""prefixOffset":[0,1,2]"#);
    let samples = samples.replace(r#""time":[1.5,2,3]"#, r#""timeDeltas":[1.5,0.5,1]"#);
    assert_eq!(draw_one_without_stack(&file(&samples, &shared)), DRAWN);
}

#[test]
fn raw() {
    let thread = r#"{"name":"T","tid":1,"samples":{"schema":{"stack":0,"time":1,"eventDelay":2},
            "data":[[1,1.5,0],[2,2],[0,2.5],[4,3],[]]},
        "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,2],[0,3],[3,4]]},
        "frameTable":{"schema":{"location":0,"relevantForJS":1,"line":5},
            "data":[[0],[1,false,{"a":[1]},null,"x",3],[2],[3],[4]]},
        "stringTable":["(root)","f (a.js:1:2)","0x142","g (in libc.so)","0x900"]}"#;
    let sorted = r#"{"name":"T","tid":1,"samples":{"data":[[1,1.5,0],[2,2],[0,2.5],[4,3],[]],
            "schema":{"eventDelay":2,"stack":0,"time":1}},
        "stackTable":{"data":[[null,0],[0,1],[1,2],[0,3],[3,4]],"schema":{"frame":1,"prefix":0}},
        "frameTable":{"data":[[0],[1,false,{"a":[1]},null,"x",3],[2],[3],[4]],
            "schema":{"line":5,"location":0,"relevantForJS":1}},
        "stringTable":["(root)","f (a.js:1:2)","0x142","g (in libc.so)","0x900"]}"#;
    let libs = r#"[{"name":"/lib/x.so","start":256,"end":512}]"#;
    let process = format!(
        r#"{{"meta":{{"interval":1,"startTime":1005,"version":3}},"libs":{libs},"threads":[{thread}]}}"#
    );
    let expect = |later: i64| {
        let lines = [
            ("f a.js:3", 1, 1_500_000),
            ("f a.js:3;0x42 [x.so]", 1, 2_000_000),
            ("", 1, 2_500_000),
            ("g;0x900", 1, 3_000_000),
            ("", 0, 3_000_000),
        ];
        lines
            .map(|(stack, value, at)| format!("{stack} thread=T {value} @{}\n", at + later))
            .concat()
    };
    assert_eq!(
        draw_one_without_stack(&process),
        format!("samples/count\n{}", expect(0))
    );
    let sorted = process.replace(thread, sorted);
    assert_eq!(
        draw_one_without_stack(&sorted),
        format!("samples/count\n{}", expect(0))
    );
    // Processes inside have times of their own, and old ones are written as texts.
    let outer = format!(
        r#"{{"meta":{{"interval":1,"startTime":1000}},"libs":"[]","threads":[{}],
            "processes":[{process}]}}"#,
        serde_json::Value::from(process.as_str())
    );
    let both = [expect(5_000_000), expect(5_000_000)].concat();
    assert_eq!(
        draw_with(
            &outer,
            &["2 samples have no stack and are left out of the total"]
        ),
        format!("samples/count\n{both}")
    );
    let tools =
        format!(r#"{{"label":"x","profile":{process},"fileType":"Recorded Performance Data"}}"#);
    assert_eq!(
        draw_one_without_stack(&tools),
        format!("samples/count\n{}", expect(0))
    );
    for (samples, expect) in [
        (r#""data":[[1]]"#, "a table has \"data\" but no \"schema\""),
        (
            r#""data":7,"schema":{"stack":0}"#,
            "invalid type: integer `7`, expected rows",
        ),
        (
            r#""schema":{"stack":64}"#,
            "the schema puts column \"stack\" at index 64, which is too large",
        ),
    ] {
        let text = message(&format!(r#"{{"threads":[{{"samples":{{{samples}}}}}]}}"#));
        assert_eq!(text, format!("Firefox profile, a thread: {expect}"));
    }
}

#[test]
fn weights() {
    let tables = format!("{TABLES},\"stringArray\":{STRINGS}");
    let of = |samples: &str| draw(&file(&format!("{tables},\"samples\":{samples}"), ""));
    assert_eq!(
        of(r#"{"stack":[0,0],"weight":[1.25,-2],"weightType":"tracing-ms"}"#),
        "time/nanoseconds\nmain m.c:7:8 thread=T process=9 1250000\n\
         main m.c:7:8 thread=T process=9 -2000000\n"
    );
    assert_eq!(
        of(r#"{"stack":[0],"weight":[4096],"weightType":"bytes"}"#),
        "space/bytes\nmain m.c:7:8 thread=T process=9 4096\n"
    );
    let other = format!(
        r#",{{"tid":"x","processName":"P",{tables},"samples":{{"stack":[0],"weight":[3]}}}}"#
    );
    let bytes = r#""samples":{"stack":[0],"weight":[5],"weightType":"bytes"}"#;
    let one = file(&format!("{tables},{bytes}"), "");
    let two = format!("{}{other}]}}", one.strip_suffix("]}").expect("the end"));
    assert_eq!(
        draw(&two),
        "space/bytes\nsamples/count\nmain m.c:7:8 thread=T process=9 5 0\n\
         main m.c:7:8 thread=x process=P 0 3\n"
    );
}

#[test]
fn inlined_calls_are_lines_of_one_location() {
    let text = |samples: &str| {
        let tables = r#""stackTable":{"prefix":[null,0,1,2,3],"frame":[0,1,2,3,0]},
            "frameTable":{"func":[0,1,2,3],"address":[16,32,32,32],"inlineDepth":[0,0,1,2],
                "line":[1,2,3,4]},
            "funcTable":{"name":[0,1,2,3]},"stringArray":["main","outer","middle","inner"]"#;
        file(&format!("{tables},\"samples\":{{\"stack\":{samples}}}"), "")
    };
    let decoded = read(&text("[4,1]")).expect("opens");
    let profile = &decoded.profile;
    let shape = |row: usize| {
        let frames = profile.frames(profile.samples().stacks[row]);
        let lines = frames.map(|location| {
            let lines = profile.lines(location).iter().map(|line| line.line);
            lines.collect::<Vec<_>>()
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(shape(0), [vec![1], vec![4, 3, 2], vec![1]]);
    assert_eq!(shape(1), [[2], [1]]);
}

#[test]
fn times_that_go_back_are_those_before() {
    let samples = r#""samples":{"stack":[0,0,0],"time":[5,3,null]}"#;
    let text = file(&format!("{TABLES},\"stringArray\":{STRINGS},{samples}"), "");
    let decoded = read(&text).expect("opens");
    let times = decoded.profile.samples().times.as_deref();
    assert_eq!(times, Some(&[5_000_000; 3][..]));
    assert_eq!(
        decoded.warnings,
        ["thread 0 (T): 1 samples are earlier than the previous sample and get its time"]
    );
}

#[test]
fn what_is_wrong() {
    let with = |from: &str, to: &str| {
        let samples = r#""samples":{"stack":[1,2]}"#;
        let text = file(&format!("{TABLES},\"stringArray\":{STRINGS},{samples}"), "");
        assert!(text.contains(from), "{from}");
        message(&text.replace(from, to))
    };
    for (from, to, expect) in [
        (
            r#""prefix":[null,0,0]"#,
            r#""prefix":[2,0,0]"#,
            "thread 0 (T), stack 0: its prefix is not an earlier stack",
        ),
        (
            r#""prefix":[null,0,0]"#,
            r#""prefixOffset":[0,2,1]"#,
            "thread 0 (T), stack 1: its prefix is not an earlier stack",
        ),
        (
            r#""frame":[0,1,2]"#,
            r#""frame":[0,1,1e99]"#,
            "thread 0 (T), stack 2: its frame is not in the table of 3 frames",
        ),
        (
            r#""func":[0,1,2]"#,
            r#""func":[0,1,9]"#,
            "thread 0 (T), frame 2: its function is not in the function table",
        ),
        (
            r#""name":[0,1,2]"#,
            r#""name":[0,1,9]"#,
            "thread 0 (T), frame 2: the name of its function is not in the string table",
        ),
        (
            r#""stack":[1,2]"#,
            r#""stack":[1,3]"#,
            "thread 0 (T), sample 1: its stack is not in the table of 3 stacks",
        ),
    ] {
        assert_eq!(with(from, to), format!("Firefox profile, {expect}"));
    }
    let rows = MAX_STACK_DEPTH + 1;
    let prefixes: Vec<String> = (0..rows).map(|row| row.to_string()).collect();
    let deep = format!(
        r#""stackTable":{{"prefix":[null,{}],"frame":[{}0]}}"#,
        prefixes.join(","),
        "0,".repeat(rows)
    );
    let stack = r#""stackTable":{"length":3,"prefix":[null,0,0],"frame":[0,1,2]}"#;
    let samples = format!(r#""samples":{{"stack":[{rows}]}}"#);
    let text = file(&format!("{TABLES},\"stringArray\":{STRINGS},{samples}"), "");
    assert_eq!(
        message(&text.replace(stack, &deep)),
        "Firefox profile, thread 0 (T), stack 16384: it has more than 16384 frames"
    );
}

#[test]
fn one_damaged_thread_is_left_out() {
    let own = format!(r#"{TABLES},"stringArray":{STRINGS},"samples":{{"stack":[1,2]}}"#);
    let good = file(&own, "");
    let expect = draw(&good);
    let with = |bad: &str| {
        let text = file(&format!(r#"{own}}},{{"name":"bad",{bad}"#), "");
        let decoded = read(&text).expect("a thread is sound");
        (drawn(&decoded.profile), decoded.warnings)
    };
    for (from, to, problem) in [
        (
            r#""frame":[0,1,2]"#,
            r#""frame":[0,77,2]"#,
            "thread 1 (bad), stack 1: its frame is not in the table of 3 frames",
        ),
        (
            r#""prefix":[null,0,0]"#,
            r#""prefix":[null,2,0]"#,
            "thread 1 (bad), stack 1: its prefix is not an earlier stack",
        ),
        (
            r#""func":[0,1,2]"#,
            r#""func":[9,1,2]"#,
            "thread 1 (bad), frame 0: its function is not in the function table",
        ),
        (
            r#""name":[0,1,2]"#,
            r#""name":[0,1,9]"#,
            "thread 1 (bad), frame 2: the name of its function is not in the string table",
        ),
        (
            r#""stack":[1,2]"#,
            r#""stack":[1,7]"#,
            "thread 1 (bad), sample 1: its stack is not in the table of 3 stacks",
        ),
        (
            r#"{"stack":[1,2]}"#,
            "7",
            "thread bad: invalid type: integer `7`, expected a table",
        ),
    ] {
        assert!(own.contains(from), "{from}");
        let (drawn, warnings) = with(&own.replace(from, to));
        assert_eq!(drawn, expect);
        assert_eq!(warnings, [format!("{problem}; this thread is left out")]);
    }
    // Of shared tables, a damaged row is that of the threads that use it.
    let shared = format!(r#","shared":{{{TABLES},"stringArray":{STRINGS}}}"#);
    let shared = shared.replace(r#""frame":[0,1,2]"#, r#""frame":[0,1,77]"#);
    let samples = |stack: u8| format!(r#""samples":{{"stack":[{stack}]}}"#);
    let text = file(
        &format!(r#"{}}},{{"name":"bad",{}"#, samples(1), samples(2)),
        &shared,
    );
    let decoded = read(&text).expect("a thread is sound");
    assert_eq!(decoded.profile.total(0), 1);
    assert_eq!(
        decoded.warnings,
        [
            "thread 1 (bad), stack 2: its frame is not in the table of 3 frames; this thread is left out"
        ]
    );
}

#[test]
fn one_damaged_process_is_left_out() {
    let own = format!(r#"{TABLES},"stringArray":{STRINGS},"samples":{{"stack":[1,2]}}"#);
    let process = file(&own, "");
    let expect = draw(&process).replacen("samples/count\n", "", 1);
    let with = |processes: &str| file(&own, &format!(r#","processes":[{processes}]"#));
    for (bad, problem) in [
        ("7", "invalid type: integer `7`, expected a process"),
        (
            r#"{"threads":{}}"#,
            "invalid type: map, expected a list of threads",
        ),
        (
            r#"{"meta":{"interval":"1"},"threads":[]}"#,
            "invalid type: string \"1\", expected f64",
        ),
    ] {
        let decoded = read(&with(&format!("{process},{bad},{process}"))).expect("two are sound");
        assert_eq!(
            drawn(&decoded.profile),
            format!("samples/count\n{}", expect.repeat(3))
        );
        assert_eq!(
            decoded.warnings,
            [format!("process 1: {problem}; this process is left out")]
        );
    }
    assert_eq!(
        message(r#"{"meta":{"interval":1},"threads":[],"processes":[7]}"#),
        "Firefox profile, process 0: invalid type: integer `7`, expected a process"
    );
    let deep = format!("{}{}", r#"{"processes":["#.repeat(80), "]}".repeat(80));
    let text = message(&deep);
    assert!(
        text.contains("lists and objects are nested more than 128 levels deep"),
        "{text}"
    );
}

#[test]
fn nothing_is_a_profile_without_samples() {
    let decoded = read(r#"{"meta":{"interval":1},"threads":[]}"#).expect("opens");
    assert!(decoded.profile.is_empty());
    assert_eq!(decoded.warnings, ["no thread in the file has samples"]);
}
