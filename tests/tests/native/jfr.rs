//! Recordings of JDK and async-profiler: real ones against what Pyroscope's parser makes of them,
//! and damaged ones.

mod damage;
mod push;
mod real;

use std::collections::BTreeMap;

use pilotlight_core::gzip::inflate;
use pilotlight_core::jfr::{LabelsSnapshot, Options, Recording, decode, decode_with_times};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{LabelValue, Profile, imports};
use pilotlight_tests::corpus;
use pilotlight_tests::jfr::{
    CLASS, Chunk, FREE, Integers, LONG, METHOD, POOL, SYMBOL, TEXT, TRACE, Value, every_event,
};

/// What Pyroscope's tests ask for: 100 samples a second.
const PERIOD_NANOS: i64 = 10_000_000;

/// A file of the corpus, inflated.
fn read(name: &str) -> Option<Vec<u8>> {
    let file = corpus::read(name)?;
    let inflated = inflate(&file.bytes, MAX_PROFILE_BYTES).expect("whole");
    Some(inflated.unwrap_or(file.bytes))
}

fn recording(name: &str) -> Option<Vec<u8>> {
    read(&format!("jfr/{name}.jfr.gz"))
}

fn decoded(bytes: &[u8]) -> Recording {
    let options = Options {
        period_nanos: Some(PERIOD_NANOS),
        ..Options::default()
    };
    decode(bytes, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Stacks with lines, root first, and their values; what is all zero is left out.
type Folded = BTreeMap<String, Vec<i64>>;

fn folded(profile: &Profile, columns: &[usize]) -> Folded {
    let mut stacks = Folded::new();
    let samples = profile.samples();
    for (row, &stack) in samples.stacks.iter().enumerate() {
        let frame = |location| {
            let line = profile.lines(location)[0];
            let function = line.function.expect("all have one");
            let name = profile.functions()[function.index()].name;
            format!("{}:{}", profile.text(name), line.line)
        };
        let mut frames: Vec<String> = profile.frames(stack).map(frame).collect();
        frames.reverse();
        let values: Vec<i64> = columns.iter().map(|&c| samples.values[c][row]).collect();
        add(&mut stacks, frames.join(";"), &values);
    }
    stacks
}

fn add(stacks: &mut Folded, stack: String, values: &[i64]) {
    if values.iter().all(|&value| value == 0) {
        return;
    }
    let sums = stacks.entry(stack).or_insert_with(|| vec![0; values.len()]);
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Makes every chunk's clock one of nanoseconds. Pyroscope takes ticks for nanoseconds whatever the
/// recording says of its clock.
fn with_clock_of_nanoseconds(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while at < bytes.len() {
        let size = bytes[at + 8..at + 16].try_into().expect("8 bytes");
        bytes[at + 56..at + 64].copy_from_slice(&1_000_000_000u64.to_be_bytes());
        at += u64::from_be_bytes(size) as usize;
    }
    bytes
}

/// Every event that is read, its columns and their totals.
#[test]
fn every_event_has_its_column() {
    for integers in [Integers::Compressed, Integers::Raw] {
        let bytes = every_event(integers);
        let recording = decode(&bytes, &Options::default()).expect("a recording");
        assert_eq!(recording.event, "wall");
        let found: Vec<(String, i128)> = (0..recording.types.len())
            .map(|column| {
                let of = &recording.types[column];
                let total = recording.profile.total(column);
                (format!("{}:{}", of.name, of.sample_type), total)
            })
            .collect();
        let expect = [
            // Two samples that ran, three of the other kind, and a million measured.
            ("process_cpu:cpu", 5 * 20_000_000 + 1_000_000),
            ("wall:wall", (3 + 3 + 4) * 20_000_000),
            ("memory:alloc_in_new_tlab_objects", 1),
            ("memory:alloc_in_new_tlab_bytes", 1024),
            ("memory:alloc_outside_tlab_objects", 1),
            ("memory:alloc_outside_tlab_bytes", 2048),
            ("memory:alloc_sample_objects", 1),
            ("memory:alloc_sample_bytes", 4096),
            ("mutex:contentions", 2),
            // Ticks of half a nanosecond.
            ("mutex:delay", 150 + 250),
            ("block:contentions", 1),
            ("block:delay", 350),
            ("memory:live", 1),
            ("memory:malloc_objects", 1),
            ("memory:malloc_bytes", 32),
        ];
        let expect = expect.map(|(name, total)| (name.to_owned(), total));
        assert_eq!(found, expect, "{integers:?}");
        assert_eq!(recording.warnings, ["1 event has no stack and is left out"]);
        let stacks = folded(&recording.profile, &[0]);
        assert_eq!(
            stacks.into_keys().collect::<Vec<_>>(),
            ["Main.main:0;Main.work:7"]
        );
        // The viewer tells columns by their sample types alone.
        let viewed = imports::open(&bytes, MAX_PROFILE_BYTES)
            .expect("opens")
            .decoded
            .profile;
        let mut kinds: Vec<&str> = viewed
            .sample_types()
            .iter()
            .map(|of| viewed.text(of.kind))
            .collect();
        assert_eq!(
            &kinds[8..12],
            [
                "mutex_contentions",
                "mutex_delay",
                "block_contentions",
                "block_delay"
            ]
        );
        assert_eq!(kinds[viewed.default_type()], "wall");
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), 15);
    }
}

/// Stacks and values by type of profile.
fn by_type(recordings: &[Recording]) -> BTreeMap<String, Folded> {
    let mut types = BTreeMap::new();
    for recording in recordings {
        for (column, of) in recording.types.iter().enumerate() {
            let stacks: &mut Folded = types.entry(of.to_string()).or_default();
            for (stack, values) in folded(&recording.profile, &[column]) {
                add(stacks, stack, &values);
            }
        }
    }
    types
}

/// A chunk with a stack and events of it, each with a time and a thread of these ids and names.
fn chunk_of_threads(threads: &[(u64, u64, &'static str)], events: u64) -> Vec<u8> {
    use Value::{Array, Byte, Int, Long, Utf8};
    let mut chunk = Chunk::new(Integers::Compressed);
    let long = |name| (name, LONG, &[][..]);
    let text = |name| (name, TEXT, &[][..]);
    chunk.classes.push((
        FREE,
        "java.lang.Thread",
        vec![
            text("osName"),
            long("osThreadId"),
            text("javaName"),
            long("javaThreadId"),
        ],
    ));
    let fields = vec![
        long("startTime"),
        ("stackTrace", TRACE, POOL),
        ("sampledThread", FREE, POOL),
    ];
    chunk
        .classes
        .push((FREE + 1, "jdk.ExecutionSample", fields));
    let thread = |&(system, java, name): &(u64, u64, &'static str)| {
        vec![Utf8(""), Long(system), Utf8(name), Long(java)]
    };
    chunk.pools = vec![vec![
        (SYMBOL, vec![(1, vec![Utf8("f")])]),
        (CLASS, vec![(1, vec![Long(1)])]),
        (METHOD, vec![(1, vec![Long(1), Long(1)])]),
        (
            TRACE,
            vec![(1, vec![Byte(0), Array(vec![vec![Long(1), Int(1)]])])],
        ),
        (FREE, (1..).zip(threads.iter().map(thread)).collect()),
    ]];
    chunk.events = (0..events)
        .map(|event| {
            let thread = event % threads.len() as u64 + 1;
            (FREE + 1, vec![Long(event % 100), Long(1), Long(thread)])
        })
        .collect();
    chunk.write()
}

/// Virtual threads have no id of the operating system, and most have no name.
#[test]
fn virtual_threads_are_told_apart() {
    let threads = [
        (7, 1, "w"),
        (0, 41, ""),
        (0, 42, ""),
        (0, 43, "v"),
        (0, 44, "v"),
    ];
    let recording = decode_with_times(&chunk_of_threads(&threads, 5)).expect("a recording");
    let profile = &recording.profile;
    let name = |&set| match profile.labels(set)[0].value {
        LabelValue::Text(name) => profile.text(name).to_owned(),
        LabelValue::Number(..) => panic!("a name is a text"),
    };
    let names: Vec<String> = profile.samples().labels.iter().map(name).collect();
    assert_eq!(names, ["w", "thread 41", "thread 42", "v", "v (44)"]);
    assert_eq!(recording.warnings, [""; 0]);
}

/// Events of few bytes are added up, and that is told.
#[test]
fn times_that_take_too_much_are_left_out() {
    let bytes = chunk_of_threads(&[(7, 1, "w")], 100_000);
    let recording = decode_with_times(&bytes).expect("a recording");
    assert_eq!(recording.profile.samples().times, None);
    assert_eq!(
        recording.warnings,
        [
            "events are added up without times and threads, which would need too much memory for a file of this size"
        ]
    );
}

/// contexts {7: {labels {1: 2}}}, strings {1: "tier", 2: "gold", 9: "GET /"}
const LABELS: &[u8] = b"\x0a\x0a\x08\x07\x12\x06\x0a\x04\x08\x01\x10\x02\
    \x12\x08\x08\x01\x12\x04tier\x12\x08\x08\x02\x12\x04gold\x12\x09\x08\x09\x12\x05GET /";

#[test]
fn contexts_and_spans_are_labels() {
    let snapshot = LabelsSnapshot::decode(LABELS).expect("whole");
    let bytes = every_event(Integers::Compressed);
    for (labels, expect) in [
        (None, vec!["span_id=00000000000000ef"]),
        (
            Some(&snapshot),
            vec!["span_id=00000000000000ef", "span_name=GET /", "tier=gold"],
        ),
    ] {
        let options = Options {
            labels,
            ..Options::default()
        };
        let profile = decode(&bytes, &options).expect("a recording").profile;
        let sets = profile.samples().labels.iter().flatten();
        let mut found: Vec<String> = sets
            .flat_map(|&set| profile.label_sets().get(set))
            .map(|label| match label.value {
                LabelValue::Text(text) => {
                    format!("{}={}", profile.text(label.key), profile.text(text))
                }
                LabelValue::Number(..) => unreachable!("all are texts"),
            })
            .collect();
        found.sort();
        found.dedup();
        assert_eq!(found, expect);
    }
}

#[test]
fn labels_of_a_real_recording() {
    let (Some(bytes), Some(labels)) = (recording("dump1"), read("jfr/dump1.labels.pb.gz")) else {
        return;
    };
    let labels = LabelsSnapshot::decode(&labels).expect("whole");
    let options = Options {
        period_nanos: Some(PERIOD_NANOS),
        labels: Some(&labels),
        times: false,
    };
    let with = decode(&bytes, &options).expect("a recording");
    assert!(!with.profile.label_sets().is_empty());
    assert_eq!(
        folded(&with.profile, &[0]),
        folded(&decoded(&bytes).profile, &[0])
    );
}
