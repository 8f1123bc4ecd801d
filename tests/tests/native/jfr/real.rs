//! Real recordings against what Pyroscope's parser makes of them.

use std::collections::BTreeSet;

use pilotlight_core::NodeId;
use pilotlight_core::verbs::chart;

use super::*;

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
        let period_type = profile.header().period_type.map(|of| profile.type_text(of));
        let is_sampled = ["cpu", "wall"].map(|kind| Some((kind, "nanoseconds")));
        let has_time = timed.types.iter().any(|of| of.sample_type == "cpu");
        assert_eq!(is_sampled.contains(&period_type), has_time, "{name}");
        assert_eq!(profile.header().period > 0, has_time, "{name}");
        let times = profile.samples().times.as_ref().expect("times");
        assert!(times.is_sorted(), "{name}");
        let header = profile.header();
        let (start, end) = (header.time_nanos, header.time_nanos + header.duration_nanos);
        assert!(
            times.iter().all(|&time| time >= start),
            "{name}: what began before counts from the start"
        );
        // One recording says too short a time for itself.
        let inside = times
            .iter()
            .filter(|&time| (start..end).contains(time))
            .count();
        let least = if name == "object-allocation-sample" {
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

/// Each second sample is a little late, which leaves no gap in a chart. The main thread twice missed
/// many.
#[test]
fn late_samples_are_joined_in_a_chart() {
    let Some(bytes) = recording(FAST_SLOW) else {
        return;
    };
    let timed = decode_with_times(&bytes).expect("a recording");
    let profile = &timed.profile;
    let threads: BTreeSet<_> = profile.samples().labels.iter().collect();
    let gaps = threads.into_iter().map(|thread| {
        let chart = chart(profile, profile.default_type(), |set| set == *thread);
        let chart = chart.expect("small").expect("times");
        let shape = chart.tree.shape();
        let is_gap = |node: &NodeId| shape.frame_index(*node) == chart.pause;
        shape.children(NodeId::ROOT).filter(is_gap).count()
    });
    assert_eq!(gaps.collect::<Vec<_>>(), [0, 2, 0, 0]);
}

/// A chart closes gaps by the period, so that of several recordings must not be too long for any.
#[test]
fn the_period_of_joined_recordings_is_the_shortest() {
    let names = [FAST_SLOW, "object-allocation-sample"];
    let Some(files) = names.map(recording).into_iter().collect::<Option<Vec<_>>>() else {
        return;
    };
    let period = |bytes: &[u8]| {
        let timed = decode_with_times(bytes).expect("a recording");
        timed.profile.header().period
    };
    assert_eq!(
        files.iter().map(|file| period(file)).collect::<Vec<_>>(),
        [10_000_000, 9_000_000]
    );
    for order in [[0, 1], [1, 0]] {
        let joined = order.map(|file: usize| &files[file][..]).concat();
        assert_eq!(period(&joined), 9_000_000);
    }
}
