//! Recordings of JDK and async-profiler: real ones against what Pyroscope's parser makes of them,
//! and damaged ones.

use std::collections::BTreeMap;

use pilotlight_core::gzip::inflate;
use pilotlight_core::jfr::{LabelsSnapshot, Options, Recording, decode};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{Profile, open};
use pilotlight_tests::corpus;

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
        labels: None,
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
fn what_is_there() {
    for name in ["out-itimer", "out-wall"] {
        let Some(bytes) = read(&format!("agents/java/{name}.jfr")) else {
            return;
        };
        let r = decode(&bytes, &Options::default()).unwrap();
        println!(
            "{name} {:?} {:?} {:?} {:?}",
            r.event,
            r.types.iter().map(|t| t.to_string()).collect::<Vec<_>>(),
            (0..r.types.len())
                .map(|i| r.profile.total(i))
                .collect::<Vec<_>>(),
            r.profile.header()
        );
    }
    for e in EXPECTED {
        let bytes = recording(e.recording).unwrap();
        let r = decode(&bytes, &Options::default()).unwrap();
        println!(
            "{} {:?} {:?} {:?} {:?}",
            e.recording,
            r.event,
            r.types.len(),
            (0..r.types.len())
                .map(|i| r.profile.total(i))
                .collect::<Vec<_>>(),
            r.warnings
        );
    }
}
