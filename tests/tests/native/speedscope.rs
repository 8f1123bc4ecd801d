//! speedscope's JSON: real files against an independent reading, and each rule of the format.

mod push;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use pilotlight_core::ingest::{IngestError, Push, ingest};
use pilotlight_core::limits::MAX_STACK_DEPTH;
use pilotlight_core::speedscope::{MAX_PROFILES, decode, encode, sniff};
use pilotlight_core::store::{Series, chunk_head};
use pilotlight_core::{LabelValue, Profile, UnixNanos, imports};
use pilotlight_tests::corpus;
use serde_json::{Value, json};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// A file of these frames and profiles.
fn file(frames: &[&str], profiles: Value) -> Value {
    let frames: Vec<Value> = frames.iter().map(|name| json!({ "name": name })).collect();
    json!({ "$schema": SCHEMA, "shared": { "frames": frames }, "profiles": profiles })
}

fn sampled(unit: &str, samples: Value, weights: Value) -> Value {
    let (kind, name) = ("sampled", "one");
    json!({ "type": kind, "name": name, "unit": unit, "samples": samples, "weights": weights })
}

/// Events as `O0@1 C0@5`.
fn evented(unit: &str, events: &str) -> Value {
    let event = |word: &str| {
        let (kind, rest) = word.split_at(1);
        let (frame, at) = rest.split_once('@').expect("a time");
        let number = |text: &str| serde_json::from_str::<Value>(text).expect("a number");
        json!({ "type": kind, "frame": number(frame), "at": number(at) })
    };
    let events: Vec<Value> = events.split_whitespace().map(event).collect();
    json!({ "type": "evented", "name": "one", "unit": unit, "events": events })
}

/// Each stack with its label and values, in the order of the text.
fn drawn(profile: &Profile) -> String {
    let mut lines = BTreeMap::new();
    let samples = profile.samples();
    for row in 0..profile.len() {
        let mut names: Vec<&str> = profile
            .frames(samples.stacks[row])
            .map(|location| {
                let function = profile.lines(location)[0].function.expect("a function");
                profile.text(profile.functions()[function.index()].name)
            })
            .collect();
        names.reverse();
        let mut line = names.join(";");
        for label in profile.labels(samples.labels[row]) {
            let LabelValue::Text(value) = label.value else {
                panic!("a number")
            };
            write!(line, " {}={}", profile.text(label.key), profile.text(value)).expect("a text");
        }
        let values = lines
            .entry(line)
            .or_insert_with(|| vec![0; samples.values.len()]);
        for (sum, column) in values.iter_mut().zip(&samples.values) {
            *sum += column[row];
        }
    }
    let types: Vec<String> = profile
        .sample_types()
        .iter()
        .map(|&each| {
            format!(
                "{}/{}",
                profile.type_text(each).0,
                profile.type_text(each).1
            )
        })
        .collect();
    let mut text = format!("{}\n", types.join(" "));
    for (line, values) in lines {
        let values: Vec<String> = values.iter().map(i64::to_string).collect();
        writeln!(text, "{line} {}", values.join(" ")).expect("a text");
    }
    text
}

fn check(file: &Value, expect: &str) {
    let bytes = file.to_string().into_bytes();
    let decoded = decode(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(drawn(&decoded.profile), expect);
    assert_eq!(decoded.warnings, Vec::<String>::new());
    // The viewer finds it by its content, gzip or not.
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&bytes).expect("a Vec takes all");
    let packed = packed.finish().expect("a Vec takes all");
    let opened = imports::open(&packed, 1 << 20).expect("opens");
    assert_eq!(opened.format, Some("speedscope"));
}

fn refused(file: &Value, says: &str) {
    let error = decode(file.to_string().as_bytes()).expect_err(says);
    assert_eq!(error.to_string(), says);
}

/// The series that a push leaves.
fn pushed(query: &str, content_type: &str, body: &[u8]) -> Result<Vec<Series>, IngestError> {
    let push = Push {
        query,
        content_type,
        body,
        tenant: "one",
        client: "",
        now: UnixNanos(1_790_000_000_000_000_000),
        limits: Default::default(),
    };
    let chunks = ingest(&push)?.chunks;
    Ok(chunks
        .iter()
        .flat_map(|chunk| chunk_head(&chunk.bytes).expect("a head").series)
        .collect())
}

#[test]
fn events_that_do_not_match_are_refused() {
    let Some(wrong) = corpus::read("speedscope/speedscope/invalid/out-of-order-events.json") else {
        return;
    };
    let says = "speedscope, profile 0 (\"p1\"): event 6 closes the frame \"B\", but \"A\" is open";
    assert_eq!(
        decode(&wrong.bytes).expect_err("is wrong").to_string(),
        says
    );
    let error = pushed("name=app&format=speedscope", "", &wrong.bytes).expect_err("is wrong");
    assert_eq!((error.status(), error.to_string().as_str()), (422, says));
    let of = |events| file(&["a", "b"], json!([evented("none", events)]));
    let one = "speedscope, profile 0 (\"one\"):";
    refused(
        &of("C0@1"),
        &format!("{one} event 0 closes the frame \"a\", but none is open"),
    );
    refused(
        &of("O0@1 O1@2 C1@3"),
        &format!("{one} the frame \"a\" is never closed"),
    );
    refused(
        &of("O0@1 C0@0.4"),
        &format!("{one} event 1 is earlier than the event before it"),
    );
    refused(
        &of("O0@1 O2@2"),
        &format!("{one} event 1 refers to frame 2, but \"shared\" has 2 frames"),
    );
    let deep = "O0@1 ".repeat(MAX_STACK_DEPTH + 1);
    refused(
        &of(&deep),
        &format!("{one} event {MAX_STACK_DEPTH}: a stack of more than {MAX_STACK_DEPTH} frames"),
    );
}

#[test]
fn events_are_the_time_between_them() {
    let events = "O0@10 O1@10.5 C1@12 O1@12 C1@13 C0@14 O1@20 C1@21.25";
    check(
        &file(&["a", "b"], json!([evented("seconds", events)])),
        "time/nanoseconds\na profile_name=one 1500000000\n\
         a;b profile_name=one 2500000000\nb profile_name=one 1250000000\n",
    );
    // Thirds of a nanosecond add up to what there is, and not to more.
    let thirds: String = (0..9)
        .map(|i| format!("O0@{} C0@{} ", f64::from(i) / 3e3, f64::from(i + 1) / 3e3))
        .collect();
    check(
        &file(&["a"], json!([evented("microseconds", &thirds)])),
        "time/nanoseconds\na profile_name=one 3\n",
    );
    check(&file(&[], json!([evented("none", "")])), "samples/count\n");
}

#[test]
fn samples_add_up_in_every_unit() {
    let of = |unit| {
        let samples = json!([[0, 1], [0], [0, 1], []]);
        file(
            &["a", "b"],
            json!([sampled(unit, samples, json!([1, 2.5, 3, 4]))]),
        )
    };
    for (unit, types, scale) in [
        ("none", "samples/count/1000", 1_000_i64),
        ("nanoseconds", "time/nanoseconds", 1),
        ("microseconds", "time/nanoseconds", 1_000),
        ("milliseconds", "time/nanoseconds", 1_000_000),
        ("seconds", "time/nanoseconds", 1_000_000_000),
    ] {
        let half = (5 * scale + 1) / 2;
        check(
            &of(unit),
            &format!(
                "{types}\n profile_name=one {}\na profile_name=one {half}\na;b profile_name=one {}\n",
                4 * scale,
                4 * scale
            ),
        );
    }
    let bytes = decode(of("bytes").to_string().as_bytes()).expect("good");
    assert_eq!(
        drawn(&bytes.profile),
        "space/bytes\n profile_name=one 4\na profile_name=one 3\na;b profile_name=one 4\n"
    );
    assert_eq!(
        bytes.warnings,
        ["1 value is rounded to whole numbers of bytes"]
    );
    let error = decode(of("parsecs").to_string().as_bytes()).expect_err("no unit");
    assert!(
        error
            .to_string()
            .contains("unknown variant `parsecs`, expected one of `none`")
    );
}

#[test]
fn profiles_of_a_file_keep_apart_by_name_and_unit() {
    let mut profiles = vec![
        sampled("none", json!([[0], [0]]), json!([1, 2])),
        sampled("bytes", json!([[0]]), json!([8])),
        sampled("none", json!([[0]]), json!([4])),
    ];
    profiles[2]["name"] = json!("two");
    profiles.push(sampled("none", json!([[0]]), json!([16])));
    profiles[3]
        .as_object_mut()
        .expect("an object")
        .remove("name");
    let mut file = file(&["a"], json!(profiles));
    file["activeProfileIndex"] = json!(1);
    check(
        &file,
        "samples/count space/bytes\na 16 0\na profile_name=one 3 8\na profile_name=two 4 0\n",
    );
}

#[test]
fn frames_have_files_and_lines() {
    let text = format!(
        r#"{{"profiles":[{{"weights":[1,2,4,8],"samples":[[0],[1],[2],[3]],"unit":"none","type":"sampled"}}],
        "shared":{{"frames":[{{"name":"caf\u00e9","file":"a.py","line":7,"col":3}},{{"name":"café","file":"a.py","line":8}},
        {{"name":"café","file":null,"line":null,"more":[{{}}]}},{{"name":"café","file":"a.py","line":7,"col":3}}]}},"$schema":"{SCHEMA}"}}"#
    );
    let profile = decode(text.as_bytes()).expect("opens").profile;
    assert_eq!(drawn(&profile), "samples/count\ncafé 15\n");
    // Two functions, of which one has two lines; the last frame is the first again.
    let lines: Vec<(i64, i64)> = profile
        .location_ids()
        .map(|location| {
            (
                profile.lines(location)[0].line,
                profile.lines(location)[0].column,
            )
        })
        .collect();
    assert_eq!(
        (profile.functions().len(), lines),
        (2, vec![(7, 3), (8, 0), (0, 0)])
    );
    assert_eq!(profile.samples().values, [[9, 2, 4]]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let one = "speedscope, profile 0 (\"one\"):";
    let of = |samples, weights| file(&["a"], json!([sampled("none", samples, weights)]));
    refused(
        &of(json!([[0]]), json!([])),
        &format!("{one} 1 samples, but 0 weights"),
    );
    refused(
        &of(json!([[0]]), json!(null)),
        &format!("{one} \"weights\" is missing"),
    );
    refused(
        &of(json!(null), json!([])),
        &format!("{one} \"samples\" is missing"),
    );
    refused(
        &of(json!([[0], [0, 9]]), json!([1, 1])),
        &format!("{one} sample 1 refers to frame 9, but \"shared\" has 1 frames"),
    );
    let mut wrong = of(json!([[0]]), json!([1]));
    wrong["profiles"][0]["type"] = json!("evented");
    refused(&wrong, &format!("{one} \"events\" is missing"));
    wrong["$schema"] = json!("https://example.com/schema.json");
    refused(
        &wrong,
        "speedscope: the key \"$schema\" does not name speedscope's schema",
    );
    let json = |text: String| decode(text.as_bytes()).expect_err("is wrong").to_string();
    let deep = vec![0; MAX_STACK_DEPTH + 1];
    let said = json(of(json!([deep]), json!([1])).to_string());
    assert_eq!(said, format!("{one} a stack has more than 16384 frames"));
    let many = vec![sampled("none", json!([]), json!([])); MAX_PROFILES + 1];
    let said = json(file(&[], json!(many)).to_string());
    assert!(said.contains("there are more than 5000 profiles"), "{said}");
    let said = json(of(json!([[-1]]), json!([1])).to_string());
    assert!(said.contains("invalid value: integer `-1`"), "{said}");
    assert!(json("{\"profiles\":1}".to_owned()).contains("a list of profiles"));
    assert!(json("{".repeat(1 << 20)).starts_with("speedscope: "));
    assert!(json("[".repeat(1 << 20)).starts_with("speedscope: "));
}

#[test]
fn any_cut_and_any_flipped_bit_is_an_error_or_a_profile() {
    let text = file(
        &["a", "b"],
        json!([
            evented("seconds", "O0@1 O1@2 C1@3.5 C0@4"),
            sampled("bytes", json!([[0, 1], [1]]), json!([1, 2e3])),
        ]),
    )
    .to_string();
    let bytes = text.as_bytes();
    assert!(sniff(bytes) && decode(bytes).is_ok());
    for end in 0..bytes.len() {
        assert!(decode(&bytes[..end]).is_err());
    }
    for bit in 0..bytes.len() * 8 {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let _ = decode(&bytes);
    }
}

#[test]
fn what_is_written_here_has_no_times() {
    let times = |exporter: &str| {
        let weights = sampled("milliseconds", json!([[0], [1]]), json!([10, 20]));
        let mut file = file(&["a", "b"], json!([weights]));
        file["exporter"] = exporter.into();
        let opened = imports::open(file.to_string().as_bytes(), 1 << 20).expect("opens");
        opened.decoded.profile.samples().times.is_some()
    };
    assert!(times("speedscope@1.20.0"));
    assert!(!times("Pilotlight"));
    let profile = decode(file(&["a"], json!([])).to_string().as_bytes());
    let profile = profile.expect("decodes").profile;
    let text = encode(&profile, 0, 1 << 20).expect("fits");
    assert!(text.ends_with(r#""exporter":"Pilotlight"}"#), "{text}");
}

#[test]
fn a_viewer_reads_the_profiles_that_are_sound() {
    let good = evented("milliseconds", "O0@0 C0@10");
    let bad = evented("milliseconds", "O0@0 O1@1 C0@5 C1@5");
    let bytes = |profiles| file(&["a", "b"], profiles).to_string().into_bytes();
    let left_out = "speedscope, profile 1 (\"one\"): event 2 closes the frame \"a\", but \"b\" is open; this profile is left out";
    let alone = imports::open(&bytes(json!([good, good])), 1 << 20).expect("opens");
    let opened = imports::open(&bytes(json!([good, bad, good])), 1 << 20).expect("opens");
    assert_eq!(
        drawn(&opened.decoded.profile),
        drawn(&alone.decoded.profile)
    );
    assert_eq!(opened.decoded.profile.total(0), 20_000_000);
    assert_eq!(opened.decoded.warnings, [left_out]);
    let error = imports::open(&bytes(json!([bad])), 1 << 20).expect_err("nothing is sound");
    assert!(error.to_string().contains("profile 0"), "{error}");
    let unknown = json!({ "type": "heap", "name": "new", "unit": "bytes" });
    let opened = imports::open(&bytes(json!([null, good, unknown])), 1 << 20).expect("opens");
    assert_eq!(opened.decoded.profile.total(0), 10_000_000);
    assert_eq!(
        opened.decoded.warnings,
        [
            "speedscope, profile 0 (\"\"): invalid type: null, expected a profile; this profile is left out",
            "speedscope, profile 2 (\"new\"): unknown variant `heap`, expected `evented` or `sampled`; this profile is left out",
        ]
    );
    let error = imports::open(&bytes(json!([null])), 1 << 20).expect_err("nothing is sound");
    assert!(error.to_string().contains("profile 0"), "{error}");
    // A push is taken whole or not at all.
    let both = bytes(json!([good, bad]));
    assert!(pushed("name=app&format=speedscope", "", &both).is_err());
    let Some(reported) = corpus::read("reports/speedscope-one-bad-thread.json") else {
        return;
    };
    let opened = imports::open(&reported.bytes, 1 << 20).expect("opens");
    assert_eq!(opened.decoded.profile.total(0), 10_000_000);
    assert_eq!(opened.decoded.warnings.len(), 1);
}
