//! Trace events.

use super::{check, check_error, cpu, opened};
use crate::limits::MAX_STACK_DEPTH;

/// A text in which `'` stands for `"`.
fn quoted(text: &str) -> String {
    text.replace('\'', "\"")
}

/// Events as `X 0-2 a`, `B 3 b`, `E 4 b` of one thread, as JSON.
fn events(words: &[&str]) -> String {
    let events = words.iter().map(|event| {
        let words: Vec<&str> = event.split(' ').collect();
        let name = words
            .get(2)
            .map_or(String::new(), |name| format!(",'name':'{name}'"));
        let times = match words[1].split_once('-') {
            Some((start, end)) => {
                let number = |text: &str| text.parse::<i64>().expect("a number");
                format!("'ts':{start},'dur':{}", number(end) - number(start))
            }
            None => format!("'ts':{}", words[1]),
        };
        format!("{{'ph':'{}',{times}{name}}}", words[0])
    });
    quoted(&format!("[{}]", events.collect::<Vec<_>>().join(",\n")))
}

#[track_caller]
fn check_events(words: &[&str], warnings: &[&str], expect: &[&str]) {
    check(
        &events(words),
        warnings,
        &[&["wall/nanoseconds"][..], expect].concat(),
    );
}

#[test]
fn the_innermost_event_runs() {
    check_events(
        &["B 0 a", "B 1 b", "X 2-7 c", "X 7-11 d", "E 13 b", "E 14 a"],
        &[],
        &[
            "0 a 1000",
            "1000 a;b 1000",
            "2000 a;b;c 5000",
            "7000 a;b;d 4000",
            "11000 a;b 2000",
            "13000 a 1000",
        ],
    );
    // With a gap, and names that are missing.
    check_events(
        &["X 5-6", "B 8 b", "E 9"],
        &[],
        &["0 (unnamed) 1000", "3000 b 1000"],
    );
}

#[test]
fn events_come_in_any_order() {
    check_events(
        &["B 1 B", "E 9 B", "B 0 A", "E 10 A", "B 2 C", "E 8 C"],
        &[],
        &[
            "0 A 1000",
            "1000 A;B 1000",
            "2000 A;B;C 6000",
            "8000 A;B 1000",
            "9000 A 1000",
        ],
    );
    check_events(
        &["X 1-2 in", "X 1-3 out", "X 5-6 first", "X 5-6 second"],
        &[],
        &["0 out;in 1000", "1000 out 1000", "4000 first;second 1000"],
    );
    check_events(
        &["B 0 a", "E 2 a", "X 0-2 b", "X 5-7 c", "B 5 d", "E 7 d"],
        &[],
        &["0 a;b 2000", "5000 c;d 2000"],
    );
}

#[test]
fn unbalanced_events() {
    let stray = "end events left out, since no begin event matches them: 1";
    let unclosed = "events without an end, which end with the enclosing event: 1";
    check_events(
        &["B 0 alpha", "B 1 beta", "E 9 alpha", "E 10 beta"],
        &[stray, unclosed],
        &["0 alpha 1000", "1000 alpha;beta 8000"],
    );
    check_events(
        &["E 0 x", "B 1 a", "B 3 b", "E 4 b", "X 4-9 c"],
        &[stray, unclosed],
        &["1000 a 2000", "3000 a;b 1000", "4000 a;c 5000"],
    );
    check_events(
        &["X 0-4 a", "X 2-6 b", "X 5-7 c"],
        &["events cut off at the end of the enclosing event: 1"],
        &["0 a 2000", "2000 a;b 2000", "5000 c 2000"],
    );
}

#[test]
fn what_takes_no_time_is_left_out() {
    check_events(
        &[
            "X 1-1 a", "B 2 b", "E 2 b", "X 5-4 c", "I 3 d", "C 3 e", "b 1 f", "e 2 f", "X 2-3 g",
        ],
        &["1 asynchronous events are left out"],
        &["1000 g 1000"],
    );
    check_events(&["I 3 d"], &[], &[]);
}

#[test]
fn files_break_off() {
    let whole = events(&["X 1-2 a", "X 3-4 b"]);
    let expect = ["wall/nanoseconds", "0 a 1000", "2000 b 1000"];
    let warning = ["the file is cut off; everything before the cut is read"];
    let list = &whole[..whole.len() - 1];
    check(&format!("{list},\n]\n"), &[], &expect);
    for end in [
        "",
        ",",
        ",\n{\"ph\":\"X\",\"ts\":5,\"dur\":",
        ",{\"ph\":\"X\",\"na",
    ] {
        check(&format!("{list}{end}"), &warning, &expect);
        let object = format!("{{\"traceEvents\":{list}{end}");
        check(&object, &warning, &expect);
    }
    check(
        &format!("{{\"otherData\":{{}},\"traceEvents\":{whole}}}"),
        &[],
        &expect,
    );
}

#[test]
fn damaged_parts_are_left_out() {
    let file = |events: &str| quoted(&format!("{{'traceEvents':[{events}]}}"));
    let good = "{'ph':'X','ts':1,'dur':2,'name':'a'}";
    let expect = ["wall/nanoseconds", "0 a 2000"];
    for (bad, place, problem) in [
        ("{'ph':'X','name':'a'}", 37, "an event has no \"ts\""),
        ("{'ts':'soon'}", 28, "\"soon\" is not a number"),
        ("7", 16, "expected an object"),
    ] {
        check_error(
            &file(bad),
            &format!("Chrome trace, byte {place}: {problem}"),
        );
        let (at, first) = (place + good.len() + 1, format!("{bad},{good}"));
        let warning = format!("damaged parts left out: 1; the first, at byte {at}: {problem}");
        check(&file(&format!("{good},{bad}")), &[&warning], &expect);
        let warning = format!("damaged parts left out: 2; the first, at byte {place}: {problem}");
        check(&file(&format!("{first},{bad}")), &[&warning], &expect);
    }
    check(
        &quoted(
            "{'traceEvents':[],'stackFrames':{'1':{'name':'a'},'2':{}},
            'samples':[{'ts':1,'sf':1},{'sf':1},7]}",
        ),
        &["damaged parts left out: 3; the first, at byte 56: a frame has no \"name\""],
        &["samples/count", "0 a 1"],
    );
    // A recording without one of its pieces would have wrong times.
    check(
        &quoted(&format!(
            "[{good},{{'ph':'P','name':'ProfileChunk','id':1,'args':{{'data':{{'cpuProfile':
            {{'nodes':[{{'id':1,'callFrame':{{'functionName':'f'}}}}],'samples':[1]}},
            'timeDeltas':[1]}}}}}},{{'ph':'P','name':'ProfileChunk','id':1,'ts':5,
            'args':{{'data':{{'timeDeltas':['soon']}}}}}}]"
        )),
        &[
            "a CPU profile with a damaged part is left out",
            "damaged parts left out: 1; the first, at byte 315: \"soon\" is not a number",
        ],
        &expect,
    );
}

#[test]
fn times_are_microseconds() {
    check(
        &quoted(
            "[{'ph':'X','ts':'1700000000000000','dur':'1.5','name':'a'},
            {'ph':'X','ts':1700000000000002,'tdur':1e0,'name':'b'}]",
        ),
        &[],
        &["wall/nanoseconds", "0 a 1500", "2000 b 1000"],
    );
    check(
        &quoted("[{'ph':'X','ts':-1e300,'dur':1e300,'name':'a'},{'ph':'X','ts':7,'dur':1}]"),
        &[],
        &[
            "wall/nanoseconds",
            "0 a 9223372036854775807",
            "9223372036854775807 (unnamed) 1000",
        ],
    );
}

#[test]
fn details_are_part_of_a_name() {
    check(
        &quoted(
            "[{'ph':'X','ts':0,'dur':9,'name':'Source','args':{'detail':'a.h','x':{'detail':1}}},
            {'ph':'B','ts':2,'name':'b','args':{'detail':{'y':1}}},{'ph':'B','ts':3,'name':'b',
            'args':{'detail':'z'}},{'ph':'E','ts':4,'name':'b','args':'odd'},
            {'ph':'E','ts':5,'name':'b','args':null}]",
        ),
        &[],
        &[
            "wall/nanoseconds",
            "0 Source a.h 2000",
            "2000 Source a.h;b 1000",
            "3000 Source a.h;b;b z 1000",
            "4000 Source a.h;b 1000",
            "5000 Source a.h 4000",
        ],
    );
}

#[test]
fn processes_and_threads_are_labels() {
    let name = |what: &str, pid: u32, tid: u32, name: &str| {
        format!(
            "{{'ph':'M','name':'{what}_name','pid':{pid},'tid':{tid},'args':{{'name':'{name}'}}}}"
        )
    };
    let span = |pid: &str, tid: &str| {
        format!("{{'ph':'X','ts':1,'dur':1,'name':'a','pid':{pid},'tid':{tid}}}")
    };
    let file = [
        span("1", "2"),
        span("1", "3"),
        span("1", "'2'"),
        name("process", 1, 0, "p"),
        name("thread", 1, 2, "main"),
        name("process_sort", 1, 2, "none"),
        span("4", "5"),
        name("thread", 4, 6, "pool"),
        name("thread", 4, 7, "pool"),
        span("4", "6"),
        span("4", "null"),
        "{'ph':'X','ts':1,'dur':1,'name':'a'}".to_owned(),
    ];
    check(
        &quoted(&format!("[{}]", file.join(","))),
        &[],
        &[
            "wall/nanoseconds",
            "0 a;a process=p thread=main 1000",
            "0 a process=p thread=3 1000",
            "0 a process=4 thread=5 1000",
            "0 a process=4 thread=pool (6) 1000",
            "0 a process=4 1000",
            "0 a 1000",
        ],
    );
}

#[test]
fn profiles_come_whole_or_in_pieces() {
    let whole = cpu(
        &["1 (root) 2", "2 a"],
        r#","startTime":10,"endTime":13,"samples":[2,2],"timeDeltas":[1,1]"#,
    );
    let file = format!(
        "[{{'ph':'I','name':'CpuProfile','pid':1,'tid':2,'ts':99,'args':{{'data':
            {{'cpuProfile':{whole}}}}}}},
        {{'ph':'P','name':'ProfileChunk','pid':1,'tid':9,'ts':50,'id':'0x1','args':{{'data':{{
            'cpuProfile':{{'nodes':[{{'id':3,'parent':2,'callFrame':{{'functionName':'c'}}}}],
            'samples':[3,2]}},'lines':[0,0],'timeDeltas':[1,2],'endTime':30}}}}}},
        {{'args':{{'data':{{'cpuProfile':{{'nodes':[{{'callFrame':{{'functionName':'(root)'}},
            'id':1}},{{'callFrame':{{'functionName':'b'}},'id':2,'parent':1}}],'samples':[2]}},
            'timeDeltas':[4]}}}},'name':'ProfileChunk','ph':'P','pid':1,'tid':9,'ts':40,'id':'0x1'}},
        {{'ph':'P','name':'Profile','pid':1,'tid':3,'ts':20,'id':'0x1','args':{{'data':{{
            'startTime':20}}}}}},
        {{'ph':'P','name':'Profile','pid':1,'tid':4,'ts':20,'id':'0x2','args':{{'data':7}}}},
        {{'ph':'X','name':'e','pid':1,'tid':3,'ts':9,'dur':1}}]"
    );
    check(
        &quoted(&file),
        &[],
        &[
            "wall/nanoseconds cpu/nanoseconds",
            "0 e process=1 thread=3 1000 0",
            "2000 a process=1 thread=2 0 1000",
            "3000 a process=1 thread=2 0 1000",
            "15000 b process=1 thread=3 0 1000",
            "16000 b;c process=1 thread=3 0 2000",
            "18000 b process=1 thread=3 0 3000",
        ],
    );
}

#[test]
fn samples_have_frames() {
    let file = |parent: u32| {
        quoted(&format!(
            "{{'traceEvents':[{{'ph':'M','name':'thread_name','pid':1,'tid':'1','args':{{
                'name':'js'}}}}],
            'samples':[{{'ts':'30','pid':1,'tid':'1','weight':'2','sf':2}},
                {{'ts':'20','pid':1,'tid':'1','weight':'1','sf':1,'cpu':'-1','name':''}},
                {{'ts':10,'tid':2,'sf':'7'}},{{'ts':10,'weight':-1}}],
            'stackFrames':{{'2':{{'name':'f','category':'JavaScript','parent':{parent},'line':'3',
                'column':'4'}},'1':{{'name':'[root]','category':'root'}}}}}}"
        ))
    };
    check(
        &file(1),
        &[
            "1 samples refer to missing frames",
            "1 samples have a negative weight and count as 0",
        ],
        &[
            "samples/count",
            "10000 [root] process=1 thread=js 1",
            "20000 [root];f@:3:4 process=1 thread=js 2",
            "0  thread=2 1",
            "0  0",
        ],
    );
    let error = opened(&file(2)).expect_err("a circle").to_string();
    assert!(error.ends_with(": its callers form a loop"), "{error}");
}

#[test]
fn depth_is_bounded() {
    let mut words = vec!["B 1 a"; MAX_STACK_DEPTH + 1];
    words.push("X 9-10 b");
    check_error(
        &events(&words),
        "Chrome trace, time 1 µs: more than 16384 events run at once",
    );
}
