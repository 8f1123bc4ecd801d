//! Formats in JSON: keys in any order, with any white space, are the same profile.

use json_slabs::Builder;
use pilotlight_core::gzip::inflate;
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{
    LabelValue, OpenError, Profile, UnsupportedFormat, imports, open, speedscope,
};
use pilotlight_tests::corpus;
use pilotlight_tests::demo::random::Random;
use serde_json::{Value, json};

use crate::import_formats::move_lists;

/// Files of the corpus and their formats.
const FILES: &[(&str, &str)] = &[
    (
        "speedscope/speedscope/0.0.1/simple.speedscope.json",
        "speedscope",
    ),
    (
        "speedscope/speedscope/0.6.0/two-sampled.speedscope.json",
        "speedscope",
    ),
    ("reports/speedscope-no-schema-small.json", "speedscope"),
    ("reports/pyinstrument.json", "pyinstrument profile"),
    ("reports/gecko-sorted-keys.json", "Firefox profile"),
    ("firefox/gecko-1.json", "Firefox profile"),
    ("firefox/processed-1.json", "Firefox profile"),
    ("firefox/processed-3.json", "Firefox profile"),
    ("samply/ls-profile.json", "Firefox profile"),
    (
        "speedscope/Firefox/59/simple-firefox.json",
        "Firefox profile",
    ),
    (
        "firefox/hello.cjs-20231120T211435.cpuprofile",
        "V8 CPU profile",
    ),
    (
        "speedscope/node/10.11.0/example.cpuprofile",
        "V8 CPU profile",
    ),
    (
        "speedscope/node/10.11.0/Heap-20181003T105432.heapprofile",
        "V8 heap profile",
    ),
    ("firefox/test.chrome-unchunked.json", "Chrome trace"),
    (
        "speedscope/trace-event/multi-thread-with-samples.json",
        "Chrome trace",
    ),
    ("speedscope/trace-event/multiprocess.json", "Chrome trace"),
    ("speedscope/trace-event/simple-object.json", "Chrome trace"),
    (
        "speedscope/Safari/13.1/simple.html-recording.json",
        "Safari recording",
    ),
    (
        "speedscope/stackprof/object-stackprof.json",
        "stackprof profile",
    ),
    (
        "speedscope/stackprof/simple-stackprof.json",
        "stackprof profile",
    ),
    ("firefox/dhat.json.gz", "DHAT profile"),
    ("speedscope/haskell/simple.prof", "GHC profile"),
    ("reports/otlp-time-near-1970.json", "OTLP profile"),
];

/// Files of formats that the corpus has none of, or only large ones.
const MADE: &[(&str, &str)] = &[
    (
        r#"{"code":[{"name":"/bin/node","type":"SHARED_LIB"},{"name":"f a.js:1:2","type":"JS"},
        {"name":"T g","type":"CPP"}],"functions":[],"ticks":[{"tm":5,"vm":0,"s":[1,7,2,9]},
        {"tm":6,"vm":1,"s":[2,1,-1,64]}]}"#,
        "V8 log",
    ),
    (
        r#"{"flamebearer":{"names":["total","a","b"],"levels":[[0,3,0,0],[0,3,1,1],[0,2,2,2]],
        "numTicks":3},"metadata":{"format":"single","units":"bytes","name":"space"},"version":1}"#,
        "flamebearer",
    ),
    (
        r#"{"duration":2,"sample_count":2,"start_call_stack":[],"frame_records":[[["a\u0000<thread>",
        "f\u0000b\u00001\u0001l2\u0001cC"],0.5]]}"#,
        "pyinstrument profile",
    ),
    (
        r#"{"threadDump":{"threadContainers":[{"threads":[{"name":"a","state":"R","stack":[
        "b\/c.D(e:1)"]}]}]}}"#,
        "Java thread dump",
    ),
    (
        r#"{"version":0,"costs":[{"description":"Memory","unit":"bytes"}],"events":[{"callchain":[1,0],
        "cost":[7]},{"callchain":[0],"cost":[5]}],"functions":[{"module":"a","name":"b"},{"name":"c"}]}"#,
        "gprof2dot JSON",
    ),
    (
        r#"{"version":5,"timelineData":[],"dataForRoots":[{"rootID":1,"displayName":"App","operations":
        [[1,1,2,1,66,1,3,5,2,0,1,0,0]],"snapshots":[[1,{"id":1,"type":11,"children":[2]}],[2,{"id":2,
        "type":5,"displayName":"A","hocDisplayNames":["Memo"],"children":[]}]],"commitData":[{"duration":
        2.5,"timestamp":7.5,"fiberActualDurations":[[1,2.5]],"fiberSelfDurations":[[2,1.5],[3,1]]}]}]}"#,
        "React profile",
    ),
    (
        r#"{"alloc_samples":0,"args":["p"],"elapsed_time_sec":2,"stacks":[[["a f:13;","b g:1;"],{"count":2,
        "c_time":0.25,"python_time":0.125}],[["c"],{"count":3}]]}"#,
        "scalene profile",
    ),
    (
        r#"{"main()==>f":{"ct":2,"wt":60,"mu":8},"f==>f@1":{"ct":3,"wt":25,"mu":1},"main()":{"ct":1,"wt":99,
        "mu":9}}"#,
        "xhprof profile",
    ),
    (
        r#"{"traceEvents":[{"name":"Profile","ph":"P","id":"1","pid":1,"tid":2,"ts":9,"args":{"data":
        {"startTime":10}}},{"name":"ProfileChunk","ph":"P","id":"1","pid":1,"tid":3,"ts":20,"args":
        {"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}},{"id":2,
        "parent":1,"callFrame":{"functionName":"f","url":"a.js","lineNumber":3}}],"samples":[2,2]},
        "timeDeltas":[1,2]}}}]}"#,
        "Chrome trace",
    ),
    (
        r#"{"shared":{"stackTable":{"prefix":[null,0],"frame":[0,1]},"frameTable":{"func":[0,1]},
        "funcTable":{"name":[0,1]},"stringArray":["a","b"]},"meta":{"interval":1,"startTime":5,
        "preprocessedProfileVersion":60},"threads":[{"name":"T","samples":{"stack":[0,1],"time":
        [1.5,2],"weight":[3,4],"weightType":"tracing-ms"}}]}"#,
        "Firefox profile",
    ),
];

/// How often a file is shuffled, a large one less often.
const SEEDS: u64 = 12;
const SEEDS_OF_LARGE: u64 = 3;
const LARGE: usize = 40 << 10;

/// JSON in which the keys of each object stand in an order by chance, with white space by chance.
fn shuffled(value: &Value, random: &mut Random, text: &mut String) {
    let space = |random: &mut Random, text: &mut String| {
        const SPACES: [&str; 8] = ["", "", "", "", " ", "\n", "\r\n\t", "  "];
        text.push_str(SPACES[random.below(SPACES.len())]);
    };
    space(random, text);
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            for end in (1..fields.len()).rev() {
                fields.swap(end, random.below(end + 1));
            }
            text.push('{');
            for (number, (key, value)) in fields.into_iter().enumerate() {
                text.push_str(if number > 0 { "," } else { "" });
                space(random, text);
                *text += &Value::from(key.as_str()).to_string();
                space(random, text);
                text.push(':');
                shuffled(value, random, text);
            }
            space(random, text);
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                text.push_str(if number > 0 { "," } else { "" });
                shuffled(item, random, text);
            }
            space(random, text);
            text.push(']');
        }
        other => *text += &other.to_string(),
    }
    space(random, text);
}

/// All that a profile says: its header, its types, and its samples in an order of their own.
fn described(profile: &Profile) -> String {
    let header = profile.header();
    let comments = header.comments.iter().map(|&text| profile.text(text));
    let mut lines = vec![format!(
        "{} {} {} {:?} {:?} {:?}",
        header.time_nanos,
        header.duration_nanos,
        header.period,
        header.period_type.map(|of| profile.type_text(of)),
        profile.default_type(),
        comments.collect::<Vec<_>>(),
    )];
    for &of in profile.sample_types() {
        lines.push(format!("{:?}", profile.type_text(of)));
    }
    let samples = profile.samples();
    let head = lines.len();
    for row in 0..profile.len() {
        let mut line = String::new();
        for location in profile.frames(samples.stacks[row]) {
            let place = profile.locations()[location.index()];
            let module = place
                .mapping
                .map_or("", |of| profile.text(profile.mappings()[of.index()].file));
            line += &format!("{:x} {module} ", place.address);
            for inlined in profile.lines(location) {
                let function = profile.functions()[inlined.function.expect("one").index()];
                let (name, file) = (profile.text(function.name), profile.text(function.file));
                let (start, line_of, column) = (function.start_line, inlined.line, inlined.column);
                line += &format!("{name} {file}:{start}:{line_of}:{column}, ");
            }
            line.push(';');
        }
        let labels = profile.labels(samples.labels[row]).iter();
        let mut labels: Vec<String> = labels
            .map(|label| {
                let key = profile.text(label.key);
                match label.value {
                    LabelValue::Text(value) => format!("{key}={}", profile.text(value)),
                    LabelValue::Number(value, unit) => {
                        format!("{key}={value} {}", profile.text(unit))
                    }
                }
            })
            .collect();
        labels.sort();
        let values: Vec<i64> = samples.values.iter().map(|column| column[row]).collect();
        let time = samples.times.as_ref().map(|times| times[row]);
        lines.push(format!("{line} {labels:?} {values:?} {time:?}"));
    }
    lines[head..].sort();
    lines.join("\n")
}

/// Opens a text and says what is in it, with its warnings.
fn opened(text: &str, format: &str) -> (String, Vec<String>) {
    let opened = imports::open(text.as_bytes(), MAX_PROFILE_BYTES)
        .unwrap_or_else(|error| panic!("{format}: {error}: {:.400}", text));
    assert_eq!(opened.format, Some(format), "{text:.400}");
    // The first reader names it, for the viewer to load the second one.
    let first = open(text.as_bytes(), MAX_PROFILE_BYTES);
    let named = matches!(
        first,
        Err(OpenError::Unsupported(UnsupportedFormat::Imported(_)))
    );
    assert!(named, "{format}: {text:.400}");
    (described(&opened.decoded.profile), opened.decoded.warnings)
}

/// The small files, as text with their formats.
fn files() -> Vec<(String, &'static str)> {
    let mut files: Vec<_> = MADE
        .iter()
        .map(|&(text, format)| (text.to_owned(), format))
        .collect();
    for &(name, format) in FILES {
        let Some(file) = corpus::read(name) else {
            break;
        };
        let inflated = inflate(&file.bytes, MAX_PROFILE_BYTES).expect("gzip");
        let text = String::from_utf8(inflated.unwrap_or(file.bytes)).expect("UTF-8");
        files.push((text, format));
    }
    files
}

#[test]
fn keys_in_any_order_are_the_same_profile() {
    for (text, format) in files() {
        let expect = opened(&text, format);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let seeds = if text.len() > LARGE {
            SEEDS_OF_LARGE
        } else {
            SEEDS
        };
        for seed in 0..seeds {
            let mut shuffled_text = String::new();
            shuffled(&value, &mut Random::of(&[seed]), &mut shuffled_text);
            let found = opened(&shuffled_text, format);
            assert_eq!(found, expect, "seed {seed}: {text:.200}");
            if format == "speedscope" {
                let pushed = speedscope::decode(shuffled_text.as_bytes()).expect("good");
                let whole = speedscope::decode(text.as_bytes()).expect("good");
                assert_eq!(described(&pushed.profile), described(&whole.profile));
            }
        }
        // As many tools sort them.
        assert_eq!(opened(&value.to_string(), format), expect, "{text:.200}");
    }
}

#[test]
fn so_are_those_of_a_container_of_arrays() {
    let Some(file) = corpus::read("firefox/processed-3.json") else {
        return;
    };
    let mut value: Value = serde_json::from_slice(&file.bytes).expect("JSON");
    let mut builder = Builder::new();
    move_lists(&mut value, &mut builder);
    let mut text = String::new();
    shuffled(&value, &mut Random::of(&[1]), &mut text);
    let moved = builder.finish(text.as_bytes());
    let [expect, found] = [&file.bytes, &moved].map(|bytes| {
        let opened = imports::open(bytes, MAX_PROFILE_BYTES).expect("opens");
        described(&opened.decoded.profile)
    });
    assert_eq!(found, expect);
}

#[test]
fn what_stands_before_the_keys_that_matter_may_be_long() {
    // Words of other formats in texts and below, 200 kB of them.
    let decoy = json!({
        "text": "\"traceEvents\":[{\"ph\":1,\"ts\":2}],\"flamebearer\":{}}]}",
        "traceEvents": [{"meta": {"interval": 1}, "nodes": [{"callFrame": 1}]}],
        "dhatFileVersion": 2,
        "resourceProfiles": [{}],
    });
    let long = Value::from(vec![decoy; 1_000]).to_string();
    assert!(long.len() > 150 << 10);
    for (text, format) in files() {
        let Some(rest) = text.trim_start().strip_prefix('{') else {
            continue;
        };
        for key in ["otherData", "metadata", "$comment"] {
            if !text.contains(&format!("\"{key}\"")) {
                let found = opened(&format!("{{\"{key}\":{long},{rest}"), format);
                assert_eq!(found, opened(&text, format), "{key}: {text:.200}");
            }
        }
    }
}

#[test]
fn large_tables_may_come_before_what_they_need() {
    // Each list before what explains it.
    let many = |item: &str| vec![item; 30_000].join(",");
    let ones = many("1");
    let times = many("10");
    for (text, format, total) in [
        (
            format!(
                r#"{{"samples":[{ones}],"timeDeltas":[{times}],"endTime":300010,"startTime":0,
                "nodes":[{{"callFrame":{{"functionName":"f"}},"id":1}}]}}"#
            ),
            "V8 CPU profile",
            300_000_000,
        ),
        (
            format!(
                r#"{{"profiles":[{{"samples":[{}],"weights":[{ones}],"unit":"none","name":"x",
                "type":"sampled"}}],"shared":{{"frames":[{{"name":"f"}}]}},"exporter":"x",
                "$schema":"https://www.speedscope.app/file-format-schema.json"}}"#,
                many("[0]")
            ),
            "speedscope",
            30_000,
        ),
        (
            format!(
                r#"{{"samples":[{}],"stackFrames":{{"1":{{"name":"f"}}}},"traceEvents":[]}}"#,
                many(r#"{"sf":1,"ts":5,"tid":1,"pid":1}"#)
            ),
            "Chrome trace",
            30_000,
        ),
        (
            format!(
                r#"{{"threads":[{{"samples":{{"data":[{}],"schema":{{"time":1,"stack":0}}}},
                "stackTable":{{"data":[[null,0]],"schema":{{"prefix":0,"frame":1}}}},"frameTable":
                {{"data":[[0]],"schema":{{"location":0}}}},"stringTable":["f"]}}],
                "meta":{{"version":3,"interval":1}}}}"#,
                many("[0,5]")
            ),
            "Firefox profile",
            30_000,
        ),
    ] {
        let opened = imports::open(text.as_bytes(), MAX_PROFILE_BYTES).expect("opens");
        assert_eq!(opened.format, Some(format));
        assert_eq!(opened.decoded.profile.total(0), total, "{format}");
    }
}
