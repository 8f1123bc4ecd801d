//! Small files of each JSON format, cut off and changed at every byte.

use super::{FORMATS, open};

/// A file of each format, and its name.
const FILES: &[(&str, &str)] = &[
    (
        "Firefox profile",
        r#"{"meta":{"interval":1,"startTime":9,"categories":[{"name":"JS"}]},"libs":[{"path":"x"}],
        "threads":[{"samples":{"stack":[1,null],"timeDeltas":[1,2],"weight":[1,2]},"stackTable":{
        "prefix":[null,0],"frame":[0,1]},"frameTable":{"func":[0,1],"address":[5,5],"inlineDepth":
        [0,1],"category":[0,0]},"funcTable":{"name":[0,1],"resource":[0,0]},"resourceTable":{"lib":
        [0]},"stringArray":["0x5","b"]}]}"#,
    ),
    (
        "Firefox profile",
        r#"{"meta":{"interval":1,"startTime":9},"libs":"[{\"name\":\"x\",\"start\":1,\"end\":99}]",
        "threads":[{"samples":{"schema":{"stack":0,"time":1},"data":[[1,2],[0,3]]},"stackTable":{
        "schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},"frameTable":{"schema":{"location":
        0},"data":[[0],[1]]},"stringTable":["0x9","f (a.js:1:2)"]}]}"#,
    ),
    (
        "DHAT profile",
        r#"{"dhatFileVersion":2,"mode":"heap","bklt":true,"tu":"µs","te":1,"pps":[{"tb":1,"tbk":1,
        "fs":[1,0]}],"ftbl":["0x1: f (a.c:1)","g (in x)"]}"#,
    ),
    (
        "flamebearer",
        r#"{"flamebearer":{"names":["total","a"],"levels":[[0,2,0,0],[0,1,1,1,0,1,1,0]]},
        "metadata":{"format":"single","sampleRate":100,"units":"samples","name":"cpu"}}"#,
    ),
    (
        "GHC profile",
        r#"{"rts_arguments":[],"tick_interval":1,"cost_centres":[{"id":1,"label":"f","module":"M",
        "src_loc":"a.hs:(1,2)-(3,4)"}],"profile":{"id":1,"ticks":1,"children":[{"id":1,"alloc":1}]}}"#,
    ),
    (
        "OTLP profile",
        r#"{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1},
        "samples":[{"stackIndex":1,"values":["3"],"timestampsUnixNano":["5"]}]}]}]}],"dictionary":{
        "stringTable":["","a"],"functionTable":[{},{"nameStrindex":1}],"locationTable":[{},{"lines":
        [{"functionIndex":1}]}],"stackTable":[{},{"locationIndices":[1]}]}}"#,
    ),
    (
        "Safari recording",
        r#"{"recording":{"displayName":"a","startTime":1,"endTime":2,"sampleStackTraces":[{
        "timestamp":1,"stackFrames":[{"name":"a","url":"b","line":1,"column":2}]}],
        "sampleDurations":[0.5]}}"#,
    ),
    (
        "stackprof profile",
        r#"{"mode":"wall","interval":9,"samples":2,"frames":{"5":{"name":"f","line":1}},
        "raw":[1,5,2],"raw_lines":[1,3,2],"raw_timestamp_deltas":[1,2]}"#,
    ),
];

#[test]
fn each_is_told_by_its_content_and_no_damage_panics() {
    for (name, text) in FILES {
        let opened = open(text.as_bytes(), 1 << 20).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(opened.format, Some(*name));
        assert!(!opened.decoded.profile.is_empty(), "{name}");
        let format = FORMATS.iter().find(|format| format.name == *name);
        let decode = format.expect("in the table").decode;
        for at in 0..text.len() {
            let _ = decode(&text.as_bytes()[..at]);
            for change in [0x01, 0x0c, 0x10, 0x80] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] ^= change;
                let _ = decode(&bytes);
            }
        }
    }
}
