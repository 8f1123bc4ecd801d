//! Recordings of JDK and async-profiler: real ones against what Pyroscope's parser makes of them,
//! and damaged ones.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use pilotlight_core::gzip::inflate;
use pilotlight_core::ingest::{Chunk as Pushed, IngestError, Push, ingest};
use pilotlight_core::jfr::{LabelsSnapshot, Options, Recording, decode, decode_with_times};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::store::{ChunkHead, Series, chunk_head};
use pilotlight_core::{LabelValue, Profile, UnixNanos, imports};
use pilotlight_tests::corpus;
use pilotlight_tests::jfr::{
    CLASS, Chunk, FREE, INT, Integers, LONG, METHOD, POOL, SYMBOL, TEXT, TRACE, Value, every_event,
};

/// What Pyroscope's tests ask for: 100 samples a second.
const PERIOD_NANOS: i64 = 10_000_000;

/// Recording, group, its sample types, and the text that is expected.
struct Expected {
    recording: &'static str,
    /// Place among the expected texts of the recording.
    number: u32,
    group: &'static str,
    kinds: &'static [&'static str],
}

const fn expected(
    recording: &'static str,
    number: u32,
    group: &'static str,
    kinds: &'static [&'static str],
) -> Expected {
    Expected {
        recording,
        number,
        group,
        kinds,
    }
}

const CPU: &[&str] = &["cpu__nanoseconds"];
const WALL: &[&str] = &["wall__nanoseconds"];
const IN_TLAB: &[&str] = &[
    "alloc_in_new_tlab_objects__count",
    "alloc_in_new_tlab_bytes__bytes",
];
const OUTSIDE_TLAB: &[&str] = &[
    "alloc_outside_tlab_objects__count",
    "alloc_outside_tlab_bytes__bytes",
];
const ALLOC_SAMPLE: &[&str] = &["alloc_sample_objects__count", "alloc_sample_bytes__bytes"];
const CONTENTIONS: &[&str] = &["contentions__count", "delay__nanoseconds"];
const MALLOC: &[&str] = &["malloc_objects__count", "malloc_bytes__bytes"];

const KAFKA: &str = "cortex-dev-01__kafka-0__cpu__0";
const KAFKA_ALLOC: &str = "cortex-dev-01__kafka-0__cpu_lock_alloc__0";
const FAST_SLOW: &str = "FastSlow_2024_01_16_180855";

/// Every expected text of the corpus.
const EXPECTED: &[Expected] = &[
    expected(FAST_SLOW, 0, "memory", ALLOC_SAMPLE),
    expected(FAST_SLOW, 1, "process_cpu", CPU),
    expected(FAST_SLOW, 2, "wall", WALL),
    expected("async-profiler", 0, "memory", IN_TLAB),
    expected("async-profiler", 1, "memory", OUTSIDE_TLAB),
    expected("async-profiler", 2, "process_cpu", CPU),
    expected(KAFKA, 0, "process_cpu", CPU),
    expected(KAFKA_ALLOC, 0, "memory", IN_TLAB),
    expected(KAFKA_ALLOC, 1, "process_cpu", CPU),
    expected("dump1", 0, "process_cpu", CPU),
    expected("example", 0, "memory", IN_TLAB),
    expected("example", 1, "memory", OUTSIDE_TLAB),
    expected("example", 2, "mutex", CONTENTIONS),
    expected("example", 3, "process_cpu", CPU),
    expected("nativemem", 0, "memory", MALLOC),
    expected("new_spancontext", 0, "process_cpu", CPU),
    expected("object-allocation-sample", 0, "block", CONTENTIONS),
    expected("object-allocation-sample", 1, "memory", ALLOC_SAMPLE),
    expected("object-allocation-sample", 2, "process_cpu", CPU),
    expected("uint64-ref-id", 0, "block", CONTENTIONS),
    expected("uint64-ref-id", 1, "memory", IN_TLAB),
    expected("uint64-ref-id", 2, "memory", OUTSIDE_TLAB),
    expected("uint64-ref-id", 3, "memory", ALLOC_SAMPLE),
    expected("uint64-ref-id", 4, "process_cpu", CPU),
    expected("wall", 0, "process_cpu", CPU),
    expected("wall", 1, "wall", WALL),
    expected("wall_tick_sample", 0, "process_cpu", CPU),
    // From before samples of running threads counted as CPU; the same numbers as those after.
    expected("wall_tick_sample", 0, "wall", WALL),
    expected("wall_tick_sample", 1, "wall", WALL),
];

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

/// Lines such as `a:1;b:2 [3 4]`. Where JDK has no line it writes -1, which Pyroscope reads as
/// unsigned and we as none.
fn parse(text: &str) -> Folded {
    let mut stacks = Folded::new();
    for line in text.lines() {
        let (stack, values) = line.rsplit_once(" [").expect("values in brackets");
        let values: Vec<i64> = values
            .trim_end_matches(']')
            .split(' ')
            .map(|value| value.parse().expect("a number"))
            .collect();
        add(&mut stacks, stack.replace(":4294967295", ":0"), &values);
    }
    stacks
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

#[test]
fn real_recordings_are_read_as_pyroscope_reads_them() {
    let Some(root) = corpus::root() else { return };
    let files = std::fs::read_dir(root.join("jfr")).expect("a folder");
    let texts = files.filter(|file| {
        let name = file.as_ref().expect("readable").file_name();
        name.to_string_lossy()
            .ends_with("_expected_collapsed.txt.gz")
    });
    assert_eq!(texts.count(), EXPECTED.len(), "every text is looked at");
    for Expected {
        recording: name,
        number,
        group,
        kinds,
    } in EXPECTED
    {
        let bytes = with_clock_of_nanoseconds(recording(name).expect("a recording"));
        let recording = decoded(&bytes);
        let columns: Vec<usize> = (0..recording.types.len())
            .filter(|&column| {
                let of = &recording.types[column];
                let kind = format!("{}__{}", of.sample_type, of.sample_unit);
                of.name == *group && kinds.contains(&kind.as_str())
            })
            .collect();
        assert_eq!(columns.len(), kinds.len(), "{name}: {:?}", recording.types);
        let file = format!(
            "jfr/{name}_{number}_{group}_{}_expected_collapsed.txt.gz",
            kinds.join("+")
        );
        let text = String::from_utf8(read(&file).expect("a text")).expect("UTF-8");
        let (found, expect) = (folded(&recording.profile, &columns), parse(&text));
        for (stack, values) in &expect {
            assert_eq!(found.get(stack), Some(values), "{file}: {stack}");
        }
        assert_eq!(found.len(), expect.len(), "{file}");
    }
}

#[test]
fn no_other_columns_than_expected() {
    if corpus::root().is_none() {
        return;
    }
    for Expected {
        recording: name, ..
    } in EXPECTED
    {
        let found = decoded(&recording(name).expect("a recording")).types.len();
        let of_recording = EXPECTED.iter().filter(|of| of.recording == *name);
        let mut kinds: Vec<_> = of_recording.map(|of| (of.group, of.kinds)).collect();
        kinds.sort();
        kinds.dedup();
        let expect: usize = kinds.iter().map(|(_, kinds)| kinds.len()).sum();
        assert_eq!(found, expect, "{name}");
    }
}

#[test]
fn what_the_java_agent_records() {
    let totals = |name: &str| {
        let bytes = read(&format!("agents/java/{name}.jfr"))?;
        let recording = decode(&bytes, &Options::default()).expect("a recording");
        let types = recording.types.iter().enumerate();
        let totals = types.map(|(column, of)| (of.to_string(), recording.profile.total(column)));
        Some((recording.event.clone(), totals.collect::<Vec<_>>()))
    };
    let (Some(itimer), Some(wall)) = (totals("out-itimer"), totals("out-wall")) else {
        return;
    };
    let named = |totals: &[(&str, i128)]| -> Vec<(String, i128)> {
        let own = |&(name, total): &(&str, i128)| (name.to_owned(), total);
        totals.iter().map(own).collect()
    };
    let (event, totals) = itimer;
    assert_eq!(event, "itimer");
    assert_eq!(
        totals,
        named(&[
            ("process_cpu:cpu:nanoseconds:cpu:nanoseconds", 1_970_000_000),
            ("memory:alloc_in_new_tlab_objects:count:space:bytes", 3_966),
            (
                "memory:alloc_in_new_tlab_bytes:bytes:space:bytes",
                519_831_552
            ),
            ("mutex:contentions:count:mutex:count", 2),
            ("mutex:delay:nanoseconds:mutex:count", 1_047_759_388),
            ("memory:live:count:objects:count", 9),
        ])
    );
    let (event, totals) = wall;
    assert_eq!(event, "wall");
    // Two seconds, of which one thread ran all the time and some twenty others waited.
    assert_eq!(
        totals[..2],
        named(&[
            ("process_cpu:cpu:nanoseconds:cpu:nanoseconds", 2_030_000_000),
            ("wall:wall:nanoseconds:wall:nanoseconds", 44_010_000_000),
        ])
    );
    assert_eq!(totals.len(), 7);
}

/// A recording of JDK alone, in the viewer.
#[test]
fn what_jdk_records() {
    let Some(file) = corpus::read("speedscope/java-flight-recorder/heavy.jfr") else {
        return;
    };
    let opened = imports::open(&file.bytes, MAX_PROFILE_BYTES).expect("opens");
    let profile = opened.decoded.profile;
    let kinds: Vec<&str> = profile
        .sample_types()
        .iter()
        .map(|of| profile.text(of.kind))
        .collect();
    assert_eq!(kinds, ["cpu", "alloc_sample_objects", "alloc_sample_bytes"]);
    let totals = [0, 1, 2].map(|column| profile.total(column));
    // 346 samples of 20 ms, which the recording says by itself.
    assert_eq!(totals, [346 * 20_000_000, 23, 878_273_840]);
    assert_eq!(
        opened.decoded.warnings,
        ["2 events have no stack and are left out"]
    );
    assert_eq!(kinds[profile.default_type()], "cpu");
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
        assert_eq!(
            recording.warnings,
            ["1 events have no stack and are left out"]
        );
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

/// Two recordings in one file, of CPU and of wall clock, with intervals of their own: each counts as it does alone.
#[test]
fn joined_recordings_keep_their_settings() {
    let names = ["example", "FastSlow_2024_01_16_180855", "wall", "dump1"];
    let Some(files) = names.map(recording).into_iter().collect::<Option<Vec<_>>>() else {
        return;
    };
    let alone = |file: &[u8]| decode(file, &Options::default()).expect("a recording");
    let mut events = BTreeSet::new();
    for (i, first) in files.iter().enumerate() {
        events.insert(alone(first).event);
        for second in &files[i + 1..] {
            let parts = [alone(first), alone(second)];
            let expect = by_type(&parts);
            let about = parts.each_ref().map(|part| part.profile.header());
            let start = about.map(|of| of.time_nanos).into_iter().min();
            let end = about.map(|of| of.time_nanos + of.duration_nanos);
            for order in [[first, second], [second, first]] {
                let joined = alone(&order.map(Vec::as_slice).concat());
                assert_eq!(by_type(std::slice::from_ref(&joined)), expect);
                let header = joined.profile.header();
                assert_eq!(Some(header.time_nanos), start);
                assert_eq!(
                    Some(header.time_nanos + header.duration_nanos),
                    end.into_iter().max()
                );
            }
        }
    }
    assert!(events.len() > 1, "{events:?}");
}

/// With times each event is a row, in the order of time, of a thread that has a name; the sums are those of events added up.
#[test]
fn events_have_their_times_and_threads() {
    let names = EXPECTED
        .iter()
        .map(|of| of.recording)
        .collect::<BTreeSet<_>>();
    for name in names {
        let Some(bytes) = recording(name) else { return };
        let timed = decode_with_times(&bytes).expect("a recording");
        let sums = decode(&bytes, &Options::default()).expect("a recording");
        assert_eq!(
            by_type(std::slice::from_ref(&timed)),
            by_type(std::slice::from_ref(&sums)),
            "{name}"
        );
        assert_eq!(sums.profile.samples().times, None);
        let profile = &timed.profile;
        let times = profile.samples().times.as_ref().expect("times");
        assert!(times.is_sorted(), "{name}");
        let header = profile.header();
        let (start, end) = (header.time_nanos, header.time_nanos + header.duration_nanos);
        // Threads that wait may have begun to before the recording; one recording says too short a time for itself.
        let inside = times
            .iter()
            .filter(|&time| (start..end).contains(time))
            .count();
        let least = if ["object-allocation-sample", "uint64-ref-id"].contains(&name) {
            0.75
        } else {
            1.0
        };
        assert!(
            inside as f64 >= least * times.len() as f64,
            "{name}: {inside} of {} times, {start} to {end}",
            times.len()
        );
        let thread = |set| {
            let mut labels = profile.labels(set).iter();
            labels.any(|label| profile.text(label.key) == "thread")
        };
        let of_threads = profile.samples().labels.iter().filter(|&&set| thread(set));
        assert_eq!(of_threads.count(), times.len(), "{name}");
    }
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

/// What is wrong, where, and in which chunk.
#[test]
fn damage_is_named() {
    let message = |bytes: &[u8]| {
        decode(bytes, &Options::default())
            .expect_err("is damaged")
            .to_string()
    };
    let whole = every_event(Integers::Compressed);
    assert_eq!(message(b""), "JFR, chunk 1, byte 0: no chunk begins here");
    assert_eq!(
        message(&[&whole[..], b"FLR"].concat()),
        format!("JFR, chunk 2, byte {}: no chunk begins here", whole.len())
    );
    assert_eq!(
        message(&whole[..whole.len() - 1]),
        "JFR, chunk 1, byte 8: the chunk runs past the end"
    );
    let mut old = whole.clone();
    old[5] = 1;
    assert_eq!(
        message(&old),
        "JFR, chunk 1, byte 4: format version 1 is not supported; expected version 2"
    );
    let mut unfinished = whole.clone();
    unfinished[8..16].fill(0);
    assert_eq!(
        message(&unfinished),
        "JFR, chunk 1, byte 8: the chunk is not finished"
    );

    let mut nested = Chunk::new(Integers::Compressed);
    nested
        .classes
        .push((FREE, "jdk.ExecutionSample", vec![("self", FREE, &[])]));
    assert!(
        message(&nested.write()).ends_with("class 11 is nested too deeply or has too many fields")
    );
    // Each class holds the next one many times.
    let mut wide = Chunk::new(Integers::Compressed);
    for id in FREE..FREE + 8 {
        let next = if id == FREE + 7 { INT } else { id + 1 };
        wide.classes.push((
            id,
            if id == FREE {
                "jdk.ExecutionSample"
            } else {
                "x"
            },
            vec![("x", next, &[][..]); 50],
        ));
    }
    assert!(message(&wide.write()).ends_with("is nested too deeply or has too many fields"));

    // The first pool leads to the second, which leads to the first.
    let mut circle = Chunk::new(Integers::Raw);
    circle.pools = vec![vec![], vec![]];
    let mut bytes = circle.write();
    let pool = u64::from_be_bytes(bytes[16..24].try_into().expect("8 bytes")) as usize;
    let first = pool - 41;
    bytes[first + 28..first + 36].copy_from_slice(&41u64.to_be_bytes());
    assert!(
        message(&bytes).ends_with("constant pools form a cycle"),
        "{}",
        message(&bytes)
    );
}

/// Each byte of a small recording, and some of real ones: no change and no cut is more than an
/// error.
#[test]
fn a_viewer_reads_the_chunks_that_are_sound() {
    let good = every_event(Integers::Compressed);
    let alone = decode_with_times(&good).expect("is sound");
    let totals = |recording: &Recording| {
        let columns = 0..recording.types.len();
        let total = |column| recording.profile.total(column);
        columns.map(total).collect::<Vec<_>>()
    };
    let check = |bytes: &[u8], times: i128, warning: &str| {
        let read = decode_with_times(bytes).expect("a chunk is sound");
        let expect: Vec<_> = totals(&alone).iter().map(|total| total * times).collect();
        assert_eq!(totals(&read), expect, "{warning}");
        let warnings = [&[warning.to_owned()][..], &alone.warnings].concat();
        assert_eq!(read.warnings, warnings);
        assert!(
            decode(bytes, &Options::default()).is_err(),
            "a push is whole"
        );
    };
    let length = good.len();
    let cut = [&good[..], &good[..length - 1]].concat();
    let at = length + 8;
    check(
        &cut,
        1,
        &format!(
            "JFR, chunk 2, byte {at}: the chunk runs past the end; this chunk and all after it are left out"
        ),
    );
    let garbage = [&good[..], b"garbage"].concat();
    check(
        &garbage,
        1,
        &format!(
            "JFR, chunk 2, byte {length}: no chunk begins here; this chunk and all after it are left out"
        ),
    );
    // The offset of the constants leads to the metadata.
    let mut damaged = good.clone();
    damaged.copy_within(24..32, 16);
    let error = decode(&damaged, &Options::default()).expect_err("is damaged");
    let between = [&good[..], &damaged, &good].concat();
    let warning = error.to_string();
    let (_, problem) = warning.split_once(": ").expect("a place");
    let read = decode_with_times(&between).expect("chunks are sound");
    let expect: Vec<_> = totals(&alone).iter().map(|total| total * 2).collect();
    assert_eq!(totals(&read), expect);
    assert!(
        matches!(&read.warnings[..], [one, _] if one.starts_with("JFR, chunk 2, byte ")
            && one.ends_with(&format!(": {problem}; this chunk is left out"))),
        "{:?}",
        read.warnings
    );
    // Where none is sound, it is an error.
    assert_eq!(decode_with_times(&damaged).err(), Some(error));
    assert!(decode_with_times(&good[..length - 1]).is_err());
}

#[test]
fn no_damage_is_a_panic() {
    let made = [Integers::Compressed, Integers::Raw].map(every_event);
    let real = ["wall_tick_sample", "new_spancontext", "nativemem"].map(recording);
    for (bytes, step) in made
        .into_iter()
        .map(|bytes| (bytes, 1))
        .chain(real.into_iter().flatten().map(|bytes| (bytes, 397)))
    {
        for at in (0..bytes.len()).step_by(step) {
            let cut = decode(&bytes[..at], &Options::default());
            assert!(cut.is_err(), "cut at {at}");
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                if let Err(error) = decode(&damaged, &Options::default()) {
                    assert!(error.offset <= bytes.len(), "{error}");
                }
            }
        }
    }
    let labels = b"\x0a\x0a\x08\x07\x12\x06\x0a\x04\x08\x01\x10\x02\x12\x08\x08\x01\x12\x04tier";
    for at in 0..labels.len() {
        for flip in 1..=255 {
            let mut damaged = labels.to_vec();
            damaged[at] ^= flip;
            drop(LabelsSnapshot::decode(&damaged));
        }
    }
}

fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// As Pyroscope's Java agent sends a recording: parts that are gzip by themselves.
fn form(parts: &[(&str, Vec<u8>)]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, bytes) in parts {
        let head = format!(
            "--x\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n"
        );
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(b"--x--\r\n");
    ("multipart/form-data; boundary=x".to_owned(), body)
}

const AGENT: &str = "name=shop.cart%7Bprocess.runtime.version%3D21.0.1%2B12%20(LTS)%7D&units=samples&aggregationType=sum\
    &from=1795236030&until=1795236040&spyName=javaspy&sampleRate=100&format=jfr";

fn pushed(query: &str, content_type: &str, body: &[u8]) -> Result<Option<ChunkHead>, IngestError> {
    let push = Push {
        query,
        content_type,
        body,
        tenant: "one",
        client: "192.0.2.1",
        now: UnixNanos(1_795_236_050_000_000_000),
        limits: Default::default(),
    };
    let chunks = ingest(&push)?.chunks;
    let head = |chunk: &Pushed| chunk_head(&chunk.bytes).expect("our own");
    Ok(chunks.first().map(head))
}

/// Type, total and labels of each series.
fn series(head: &ChunkHead) -> Vec<(String, u64, Vec<String>)> {
    let of = |series: &Series| {
        let labels = series.labels.iter();
        (
            series.profile_type.to_string(),
            series.total as u64,
            labels
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
        )
    };
    head.series.iter().map(of).collect()
}

#[test]
fn the_java_agent_pushes() {
    let Some(bytes) = read("agents/java/out-wall.jfr") else {
        return;
    };
    let (content_type, body) = form(&[("jfr", gzip(&bytes, 1))]);
    let head = pushed(AGENT, &content_type, &body)
        .expect("taken")
        .expect("a chunk");
    let labels = [
        "jfr_event=wall",
        "process.runtime.version=21.0.1+12 (LTS)",
        "pyroscope_spy=javaspy",
        "service_name=shop.cart",
    ];
    let found = series(&head);
    assert_eq!(found.len(), 7);
    for (_, _, of) in &found {
        assert_eq!(of, &labels);
    }
    let total = |name: &str| found.iter().find(|(of, _, _)| of == name).map(|of| of.1);
    assert_eq!(
        total("wall:wall:nanoseconds:wall:nanoseconds"),
        Some(44_010_000_000)
    );
    assert_eq!(total("mutex:contentions:count:mutex:count"), Some(2));
    // The times are those of the request.
    assert_eq!(head.series[0].time, UnixNanos(1_795_236_030_000_000_000));
    assert_eq!(head.series[0].duration_nanos, 10_000_000_000);

    // Sent again, compressed otherwise, it is the same.
    let (content_type, again) = form(&[("jfr", gzip(&bytes, 9)), ("labels", Vec::new())]);
    assert_ne!(body, again);
    let again = pushed(AGENT, &content_type, &again)
        .expect("taken")
        .expect("a chunk");
    assert_eq!(again.id, head.id);
    let half = AGENT.replace("sampleRate=100", "sampleRate=50");
    let half = pushed(&half, &content_type, &body)
        .expect("taken")
        .expect("a chunk");
    assert_ne!(half.id, head.id);
    assert!(series(&half).iter().any(|of| of.1 == 2 * 44_010_000_000));

    // Bare, gzip or not, and by a sender that calls it pprof.
    for (query, body) in [
        (AGENT.to_owned(), bytes.clone()),
        (AGENT.to_owned(), gzip(&bytes, 6)),
        (AGENT.replace("format=jfr", "format=pprof"), bytes.clone()),
    ] {
        let bare = pushed(&query, "", &body).expect("taken").expect("a chunk");
        assert_eq!(series(&bare), found);
    }
    // Without times it has those of the recording.
    let own = pushed("name=a&format=jfr", "", &bytes)
        .expect("taken")
        .expect("a chunk");
    assert_eq!(own.series[0].time, UnixNanos(1_795_236_037_722_155_000));
}

#[test]
fn a_recording_has_its_own_times_where_the_request_does_not_know_the_date() {
    let bytes = every_event(Integers::Compressed);
    let times = |query: &str| {
        let head = pushed(query, "", &bytes).expect("taken").expect("a chunk");
        let series = &head.series[0];
        (series.time, series.duration_nanos)
    };
    let own = times("name=a&format=jfr");
    assert_eq!(own.0, UnixNanos(1_700_000_000_000_000_000));
    assert_eq!(times("name=a&format=jfr&from=0&until=1795236040"), own);
    assert_eq!(times("name=a&format=jfr&from=1000&until=1795236040"), own);
    let stated = times("name=a&format=jfr&from=1795236030&until=1795236040");
    assert_eq!(
        stated,
        (UnixNanos(1_795_236_030_000_000_000), 10_000_000_000)
    );
}

#[test]
fn labels_of_a_push_make_series() {
    let bytes = every_event(Integers::Compressed);
    let (content_type, body) = form(&[("jfr", gzip(&bytes, 1)), ("labels", gzip(LABELS, 1))]);
    let head = pushed(AGENT, &content_type, &body)
        .expect("taken")
        .expect("a chunk");
    let tiers = series(&head);
    let gold = |of: &&(String, u64, Vec<String>)| of.2.contains(&"tier=gold".to_owned());
    let types: Vec<&str> = tiers.iter().filter(gold).map(|of| of.0.as_str()).collect();
    assert_eq!(
        types,
        [
            "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
            "wall:wall:nanoseconds:wall:nanoseconds"
        ]
    );
    assert!(
        tiers
            .iter()
            .all(|of| of.2.iter().all(|label| !label.contains("span")))
    );

    let refused = |parts: &[(&str, Vec<u8>)]| {
        let (content_type, body) = form(parts);
        let error = pushed(AGENT, &content_type, &body).expect_err("is damaged");
        (error.status(), error.to_string())
    };
    assert_eq!(
        refused(&[("jfr", b"FLR".to_vec())]),
        (422, "JFR, chunk 1, byte 0: no chunk begins here".to_owned())
    );
    assert_eq!(
        refused(&[("jfr", bytes), ("labels", b"\x0a\x05".to_vec())]),
        (
            422,
            "JFR push labels, byte 0: a length runs past the end".to_owned()
        )
    );
}
