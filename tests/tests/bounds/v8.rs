//! Hostile files of V8 and Chrome.

use pilotlight_core::imports::open;
use pilotlight_core::limits::MAX_PROFILE_BYTES;

use crate::{Case, SIZE, case};

/// Files of about [`SIZE`].
pub(crate) static V8: &[Case] = &[
    v8("nodes of their own", true, || {
        let node = |i| format!("{{\"functionName\":\"{i:x}\"}}");
        list(
            "{\"nodes\":[{\"callFrame\":{\"functionName\":\"a\"}},",
            node,
            "]}",
        )
    }),
    v8("nodes in a row", false, || {
        let node = |i| format!("{{\"id\":{i},\"parent\":{},\"functionName\":\"\"}}", i + 1);
        list(
            "{\"nodes\":[{\"callFrame\":{\"functionName\":\"a\"}},",
            node,
            "]}",
        )
    }),
    v8("nodes in each other", false, || {
        let node = "{\"hitCount\":1,\"functionName\":\"\",\"children\":[";
        format!("{{\"head\":{}", node.repeat(SIZE / node.len())).into_bytes()
    }),
    v8("children of no one", true, || {
        let start = "{\"nodes\":[{\"callFrame\":{\"functionName\":\"a\"},\"children\":[";
        list(start, |i| (i % 9).to_string(), "]}]}")
    }),
    v8("samples", true, || {
        let samples = "1,".repeat(SIZE / 4);
        format!("{{\"nodes\":[{{\"id\":1,\"callFrame\":{{\"functionName\":\"a\"}}}}],\"samples\":[{samples}],\"timeDeltas\":[{samples}]}}")
            .into_bytes()
    }),
    v8("samples that go back", true, || {
        let (samples, deltas) = ("1,".repeat(SIZE / 5), "-1,".repeat(SIZE / 5));
        format!("{{\"nodes\":[{{\"id\":1,\"callFrame\":{{\"functionName\":\"a\"}}}}],\"samples\":[{samples}],\"timeDeltas\":[{deltas}]}}")
            .into_bytes()
    }),
    v8("events of their own", true, || {
        list(
            "[",
            |i| format!("{{\"ph\":\"X\",\"ts\":{i},\"dur\":1,\"name\":\"{i:x}\"}}"),
            "]",
        )
    }),
    v8("events that overlap", true, || {
        list(
            "[",
            |i| format!("{{\"ph\":\"X\",\"ts\":{i},\"dur\":999}}"),
            "]",
        )
    }),
    v8("beginnings", false, || {
        list("[", |i| format!("{{\"ph\":\"B\",\"ts\":{i}}}"), "]")
    }),
    v8("beginnings and ends", true, || {
        list(
            "[",
            |i| format!("{{\"ph\":\"{}\",\"ts\":{i}}}", ["B", "E"][i % 2]),
            "]",
        )
    }),
    v8("ends", true, || {
        list("[", |i| format!("{{\"ph\":\"E\",\"ts\":{i}}}"), "]")
    }),
    v8("threads", true, || {
        list(
            "[",
            |i| format!("{{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"tid\":{i}}}"),
            "]",
        )
    }),
    v8("profiles of nothing", true, || {
        list(
            "[{\"ph\":\"I\",\"ts\":1},",
            |_| "{\"name\":\"CpuProfile\"}".to_owned(),
            "]",
        )
    }),
    v8("counted samples", true, || {
        list(
            "{\"traceEvents\":[],\"samples\":[",
            |_| "{\"ts\":1}".to_owned(),
            "]}",
        )
    }),
    v8("frames of their own", true, || {
        let frame = |i| format!("\"{i:x}\":{{\"name\":\"{i:x}\"}}");
        list("{\"traceEvents\":[],\"stackFrames\":{", frame, "}}")
    }),
    v8("ticks", true, || {
        list(LOG, |_| "{\"tm\":1}".to_owned(), "]}")
    }),
    v8("codes", true, || {
        list(
            "{\"functions\":[],\"ticks\":[],\"code\":[",
            |_| "1".to_owned(),
            "]}",
        )
    }),
];

const LOG: &str = "{\"code\":[],\"functions\":[],\"ticks\":[";

const fn v8(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| open(bytes, MAX_PROFILE_BYTES).is_ok(),
        ..case(name, accepted, make)
    }
}

/// Items until [`SIZE`].
fn list(start: &str, item: impl Fn(usize) -> String, end: &str) -> Vec<u8> {
    let mut text = start.to_owned();
    for i in 0.. {
        if text.len() >= SIZE {
            break;
        }
        text.push_str(&item(i));
        text.push(',');
    }
    text.push_str(end);
    text.into_bytes()
}
