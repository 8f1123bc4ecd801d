//! Hostile files of call graphs, dumps of threads, heaps and flame graphs.

use crate::text_imports::{import, lines};
use crate::{Case, SIZE};

/// Those whose rows would pass the bound are refused.
pub(crate) static TREE_IMPORTS: &[Case] = &[
    import("pstats functions of their own", false, || {
        pstats(|i| {
            [
                key(i),
                b"\xa9\x05\xe9\0\0\0\0\xe9\0\0\0\0\xe9\0\0\0\0\xe9\0\0\0\0{0".to_vec(),
            ]
            .concat()
        })
    }),
    import("pstats callers of their own", false, || {
        let head = [
            key(0),
            b")\x05i\0\0\0\0i\0\0\0\0i\0\0\0\0i\0\0\0\0{".to_vec(),
        ]
        .concat();
        pstats(|i| {
            let head = if i == 0 { head.clone() } else { Vec::new() };
            [head, key(i), b"\xe9\0\0\0\0".to_vec()].concat()
        })
    }),
    import("pyinstrument nodes of nothing", false, || {
        json(PYINSTRUMENT, |_| "{},".to_owned(), "]}}")
    }),
    import("pyinstrument nodes in each other", false, || {
        let nodes = SIZE / 16 / 15_000;
        let deep = format!(
            "{}{},",
            r#"{"children":["#.repeat(15_000),
            "]}".repeat(15_000)
        );
        format!("{PYINSTRUMENT}{}]}}}}", deep.repeat(nodes)).into_bytes()
    }),
    import("pyinstrument samples", true, || {
        json(
            r#"{"sample_count":1,"start_call_stack":[],"frame_records":["#,
            |i| format!("[[\"f{}\"],1],", i % 9),
            "]}",
        )
    }),
    import("Java threads of their own", false, || {
        lines("Full thread dump X\n", |i| {
            format!("\"{i:x}\" #1 prio=5\n at {i:x}()\n")
        })
    }),
    import("equal Java threads", true, || {
        lines("Full thread dump X\n", |_| {
            "\"a\" #1 prio=5\n at b.c()\n".to_owned()
        })
    }),
    import("a debugger's threads of their own", false, || {
        lines("", |i| format!("TID {i}:\n#0 {i:x}"))
    }),
    import("a frame of a debugger that does not end", true, || {
        lines("TID 1:\n#0 f (\n", |_| "    (((\"\\".to_owned())
    }),
    import("a tree of sample of names of their own", false, || {
        lines("Analysis of sampling a\nCall graph:\n 1 T\n", |i| {
            format!("  1 {i:x}")
        })
    }),
    import("a tree of sample that goes deeper and deeper", true, || {
        lines("Analysis of sampling a\nCall graph:\n9999999 T\n", |i| {
            format!("{}{} f", " ".repeat(i as usize + 1), 9_999_999 - i)
        })
    }),
    import("callers of massif that share nothing", false, || {
        lines(
            "desc: x\ncmd: x\ntime_unit: i\nheap_tree=peak\nn1: 9 (x) y\n",
            |i| {
                let depth = i as usize % 200 + 1;
                format!("{}n1: {} {i:x}", " ".repeat(depth), 999 - depth)
            },
        )
    }),
    import("stacks of bpftrace of their own", false, || {
        lines("", |i| format!("@[\n {i:x}g\n]: 1"))
    }),
    import("samples of R", false, || {
        lines("sample.interval=1\n", |_| "\"f\"".to_owned())
    }),
    import("functions of R of their own", false, || {
        lines("sample.interval=1\n", |i| format!("\"{i:x}\" "))
    }),
    import("bars of a flame graph of their own", true, || {
        lines("<svg></svg> brendangregg/flamegraph\n", |i| {
            format!("<title>{i:x} (1 s, 1%)</title><rect x=\"{i}\" y=\"1\">")
        })
    }),
    import("bars of a flame graph on each other", true, || {
        lines(
            "<svg></svg> brendangregg/flamegraph\n<title>all (99999 s, 1%)</title><rect x=\"0\" y=\"0\">",
            |i| {
                format!(
                    "<title>f (9 s, 1%)</title><rect x=\"0\" y=\"{}\">",
                    i % 16_000 + 1
                )
            },
        )
    }),
    import("bars of async-profiler", true, || {
        lines(ASYNC, |_| "n(8,1)".to_owned())
    }),
    import("names of async-profiler", false, || {
        lines(&ASYNC.replace("\n];\nf(0,0,0,9)", ""), |i| {
            format!("'~{i:x}'")
        })
    }),
    import("heaptrack allocations of no place", false, || {
        lines("v 1 3\nX m\n", |_| "a 1 0\n+ 0".to_owned())
    }),
    import("heaptrack traces", true, || {
        lines("v 1 3\nX m\ni 1\n", |i| {
            format!("t 1 {i:x}\na 1 {:x}\n+ 0", i + 1)
        })
    }),
    import("events of gprof2dot", true, || {
        json(
            r#"{"costs":[{"description":"a"}],"functions":[{"name":"f"}],"events":["#,
            |_| "{\"callchain\":[0],\"cost\":[1]},".to_owned(),
            "]}",
        )
    }),
    import("calls of xhprof of their own", false, || {
        json("{", |i| format!("\"{i:x}==>f\":{{\"ct\":1}},"), "\"a\":1}")
    }),
    import("stacks of scalene", true, || {
        json(
            r#"{"alloc_samples":0,"args":[],"stacks":["#,
            |_| "[[],1],".to_owned(),
            "]}",
        )
    }),
];

const PYINSTRUMENT: &str =
    r#"{"sample_count":1,"duration":1,"root_frame":{"function":"f","time":1,"children":["#;

const ASYNC: &str =
    "<html>async-profiler\nfunction u(key, width\nconst cpool = [\n'a',\n' b'\n];\nf(0,0,0,9)\n";

/// The key of a function: three values that later ones may refer to.
fn key(number: usize) -> Vec<u8> {
    let mut key = b"\xa9\x03\xda\0\xe9\0\0\0\0\xda\x04".to_vec();
    key.extend((number as u32).to_le_bytes());
    key
}

/// A file of entries that are made until [`SIZE`].
fn pstats(entry: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let mut bytes = b"{".to_vec();
    for i in 0.. {
        if bytes.len() >= SIZE {
            break;
        }
        bytes.extend(entry(i));
    }
    bytes.extend(b"00");
    bytes
}

/// JSON of items that are made until [`SIZE`].
fn json(head: &str, item: impl Fn(u64) -> String, end: &str) -> Vec<u8> {
    let mut text = head.to_owned();
    for i in 0.. {
        if text.len() >= SIZE {
            break;
        }
        text.push_str(&item(i));
    }
    (text + end).into_bytes()
}
