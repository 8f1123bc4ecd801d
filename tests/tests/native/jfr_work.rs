//! Hostile recordings whose events name one long thing again and again: refused by a count of steps,
//! or read once. Without the count they took time in the square of their size.

use std::iter;

use pilotlight_core::LabelValue;
use pilotlight_core::jfr::{JfrProblem, LabelsSnapshot, Options, Recording, decode};
use pilotlight_tests::corpus;
use pilotlight_tests::jfr::{
    ARRAY, CLASS, Chunk, FREE, INT, Integers, LONG, METHOD, POOL, Pool, STATE, SYMBOL, TEXT, TRACE,
    Value,
};

use Value::{Array, Byte, Bytes, Int, Long, TextOf, Utf8};

/// Bytes of the long thing.
const LONG_TEXT: usize = 64 << 10;
/// How often it is named.
const TIMES: u64 = 5_000;

/// A text of one byte a character.
fn long_text() -> Value {
    let length = [
        LONG_TEXT as u8 | 0x80,
        (LONG_TEXT >> 7) as u8 | 0x80,
        (LONG_TEXT >> 14) as u8,
    ];
    Bytes([&[5][..], &length, &[b'x'; LONG_TEXT]].concat())
}

fn chunk() -> Chunk {
    Chunk::new(Integers::Compressed)
}

/// Pools of one stack of one frame, beside these.
fn with_stack(mut others: Vec<Pool>) -> Vec<Vec<Pool>> {
    others.extend([
        (SYMBOL, vec![(1, vec![Utf8("a")])]),
        (CLASS, vec![(1, vec![Long(1)])]),
        (METHOD, vec![(1, vec![Long(1), Long(1)])]),
        (
            TRACE,
            vec![(1, vec![Byte(0), Array(vec![vec![Long(1), Int(1)]])])],
        ),
    ]);
    vec![others]
}

fn problem(recording: &[u8]) -> Result<Recording, JfrProblem> {
    decode(recording, &Options::default()).map_err(|error| error.problem)
}

fn check_refused(name: &str, recording: &[u8]) {
    let refused = problem(recording).map(drop);
    let expect = Err(JfrProblem::TooMuchWork(recording.len()));
    assert_eq!(refused, expect, "{name}");
}

#[test]
fn settings_of_one_long_text() {
    let mut chunk = chunk();
    chunk.pools = vec![vec![(TEXT, vec![(1, vec![long_text()])])]];
    let text = |name| (name, TEXT, &[][..]);
    let fields = vec![("id", LONG, &[][..]), text("name"), text("value")];
    chunk.classes.push((FREE, "jdk.ActiveSetting", fields));
    let setting = |name| (FREE, vec![Long(0), name, TextOf(1)]);
    chunk.events = (0..TIMES).map(|_| setting(Utf8("event"))).collect();
    check_refused("values", &chunk.write());
    chunk.events = (0..TIMES).map(|_| setting(TextOf(1))).collect();
    check_refused("names", &chunk.write());
    chunk.events.truncate(2);
    assert!(problem(&chunk.write()).is_ok());
}

#[test]
fn states_of_one_long_name() {
    let mut chunk = chunk();
    chunk.pools = with_stack(vec![
        (TEXT, vec![(1, vec![long_text()])]),
        (STATE, (0..TIMES).map(|i| (i, vec![TextOf(1)])).collect()),
    ]);
    let fields = vec![("stackTrace", TRACE, POOL), ("state", STATE, POOL)];
    chunk.classes.push((FREE, "jdk.ExecutionSample", fields));
    chunk.events = (0..TIMES).map(|i| (FREE, vec![Long(1), Long(i)])).collect();
    check_refused("states", &chunk.write());
}

/// A class with a long list of what nobody reads, and many methods.
#[test]
fn methods_of_a_long_class() {
    let mut chunk = chunk();
    let class = chunk.classes.iter_mut().find(|(id, _, _)| *id == CLASS);
    let fields = &mut class.expect("a class").2;
    fields.push(("modifiers", INT, ARRAY));
    let list = iter::repeat_n(vec![Int(1)], LONG_TEXT).collect();
    let frames = (0..TIMES).map(|i| vec![Long(i), Int(1)]).collect();
    chunk.pools = vec![vec![
        (SYMBOL, vec![(1, vec![Utf8("a")])]),
        (CLASS, vec![(1, vec![Long(1), Array(list)])]),
        (
            METHOD,
            (0..TIMES).map(|i| (i, vec![Long(1), Long(1)])).collect(),
        ),
        (TRACE, vec![(1, vec![Byte(0), Array(frames)])]),
    ]];
    chunk.classes.push((
        FREE,
        "jdk.ExecutionSample",
        vec![("stackTrace", TRACE, POOL)],
    ));
    chunk.events = vec![(FREE, vec![Long(1)])];
    check_refused("methods", &chunk.write());
}

/// In each of many chunks, classes that hold the same classes in classes.
#[test]
fn classes_in_classes_in_every_chunk() {
    let mut chunk = chunk();
    let (outer, inner) = (FREE, FREE + 1);
    chunk
        .classes
        .push((outer, "outer", vec![("x", inner, &[][..]); 60]));
    chunk
        .classes
        .push((inner, "inner", vec![("y", INT, &[][..]); 60]));
    let samples = (FREE + 2..FREE + 82).map(|id| {
        let fields = vec![("stackTrace", TRACE, POOL), ("z", outer, &[])];
        (id, "jdk.ExecutionSample", fields)
    });
    chunk.classes.extend(samples);
    check_refused("classes", &chunk.write().repeat(200));
}

/// A text of another encoding is copied for each class of its name.
#[test]
fn classes_of_one_long_name() {
    let name: &'static str = "x".repeat(LONG_TEXT).leak();
    let mut chunk = chunk();
    chunk
        .classes
        .extend((0..TIMES).map(|i| (FREE + i, name, vec![])));
    let mut bytes = chunk.write();
    let run = bytes
        .windows(1_000)
        .position(|run| run.iter().all(|&byte| byte == b'x'));
    bytes[run.expect("the name")] = 0xff;
    let refused = problem(&bytes).map(drop);
    assert_eq!(refused, Err(JfrProblem::OutOfProportion(bytes.len())));
}

/// A message of protobuf, whose lengths stay below 2^21.
fn message(field: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    let head = [
        field << 3 | 2,
        length as u8 | 0x80,
        (length >> 7) as u8 | 0x80,
        (length >> 14) as u8,
    ];
    [&head[..], &parts.concat()].concat()
}

/// Threads take turns, and each has a context of its own: its labels are made once.
#[test]
fn contexts_that_take_turns() {
    let text = |id: u8, text: &str| message(2, &[&[8, id], &message(2, &[text.as_bytes()])]);
    // Context i has the labels a…e, all with the text i.
    let context = |id: u8| {
        let pairs: Vec<u8> = (11..16)
            .flat_map(|key| message(1, &[&[8, key, 16, id]]))
            .collect();
        message(1, &[&[8, id], &message(2, &[&pairs])])
    };
    let value = "v".repeat(LONG_TEXT);
    let labels = [
        context(1),
        context(2),
        (11..16)
            .flat_map(|id| text(id, &char::from(b'a' + id - 11).to_string()))
            .collect(),
        text(1, "one"),
        text(2, &value),
    ]
    .concat();
    let snapshot = LabelsSnapshot::decode(&labels).expect("labels");
    let mut chunk = chunk();
    chunk.pools = with_stack(vec![]);
    let fields = vec![("stackTrace", TRACE, POOL), ("contextId", LONG, &[])];
    chunk.classes.push((FREE, "jdk.ExecutionSample", fields));
    chunk.events = (0..40_000)
        .map(|i| (FREE, vec![Long(1), Long(1 + i % 2)]))
        .collect();
    let options = Options {
        period_nanos: Some(1),
        labels: Some(&snapshot),
        times: false,
    };
    let profile = decode(&chunk.write(), &options)
        .expect("a recording")
        .profile;
    assert_eq!(
        (
            profile.label_sets().len(),
            profile.samples().values[0].len()
        ),
        (2, 2)
    );
    assert_eq!(profile.total(0), 40_000);
    for (&set, value) in profile.samples().labels.iter().zip(["one", &value]) {
        let labels = profile.label_sets().get(set.expect("labels"));
        let texts = labels.iter().map(|label| match label.value {
            LabelValue::Text(text) => (profile.text(label.key), profile.text(text)),
            LabelValue::Number(..) => ("", ""),
        });
        let mut texts: Vec<_> = texts.collect();
        texts.sort_unstable();
        assert_eq!(texts, ["a", "b", "c", "d", "e"].map(|key| (key, value)));
    }
}

/// What real recordings take is far from what is allowed: a recording and its own events again, a
/// hundred times, are still read.
#[test]
fn real_recordings_are_not_refused() {
    for name in [
        "async-profiler",
        "example",
        "wall",
        "nativemem",
        "new_spancontext",
    ] {
        let Some(file) = corpus::read(&format!("jfr/{name}.jfr.gz")) else {
            return;
        };
        let raw = pilotlight_core::gzip::inflate(&file.bytes, usize::MAX)
            .expect("whole")
            .expect("gzip");
        let times = (8 << 20) / raw.len() + 1;
        problem(&raw.repeat(times)).unwrap_or_else(|problem| panic!("{name}: {problem}"));
    }
}
