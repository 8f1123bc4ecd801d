//! How much time profiles cover, before and after compaction.

use std::fmt::Write;
use std::path::PathBuf;

use pilotlight_core::plans::{StepSums, Steps, window_of};
use pilotlight_core::store::{ChunkId, Series, SeriesRows, SumWindow, encode_chunk};
use pilotlight_core::{ProfileBuilder, TimeRange, UnixNanos};

use crate::support::{Bucket, labels, profile_type};

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3_600;

/// A process that pushes from one second to another, each time what it did in as many seconds.
struct Process {
    pod: &'static str,
    from: i64,
    until: i64,
    every: i64,
    a_second: i64,
}

fn process(pod: &'static str, from: i64, until: i64, every: i64, a_second: i64) -> Process {
    Process {
        pod,
        from,
        until,
        every,
        a_second,
    }
}

/// Segments of what processes push, one for each ten minutes.
fn filled(processes: &[Process]) -> Bucket {
    let mut pushes: Vec<(i64, &Process)> = processes
        .iter()
        .flat_map(|process| {
            let starts = (process.from..process.until).step_by(process.every as usize);
            starts.map(move |start| (start, process))
        })
        .collect();
    pushes.sort_by_key(|push| (push.0, push.1.pod));
    let mut bucket = Bucket::default();
    let numbered: Vec<_> = pushes.iter().enumerate().collect();
    for ten in numbered.chunk_by(|a, b| a.1.0 / 600 == b.1.0 / 600) {
        let chunks: Vec<_> = ten.iter().map(|&(n, push)| chunk(n, push)).collect();
        bucket.put_segment((ten[0].1.0 / 600 + 1) * 600_000, &chunks);
    }
    bucket
}

fn chunk(n: usize, &(start, process): &(i64, &Process)) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    let stack = builder.named_stack(&["main"]);
    let mut id = [0; 16];
    id[..8].copy_from_slice(&(n as u64).to_le_bytes());
    let series = Series {
        labels: labels(&[("service_name", "a"), ("pod", process.pod)]),
        profile_type: profile_type("process_cpu", "cpu"),
        time: UnixNanos(start * SECOND),
        duration_nanos: process.every * SECOND,
        total: 0,
    };
    let rows = SeriesRows {
        series,
        rows: vec![(stack, process.every * process.a_second)],
        links: Vec::new(),
    };
    encode_chunk(ChunkId(id), &builder.finish(), &[rows]).unwrap()
}

fn steps(bucket: &Bucket, seconds: i64, step: i64) -> StepSums {
    let range = TimeRange::of_nanos(0, seconds * SECOND);
    let window = window_of(0, step * SECOND);
    let of_type = profile_type("process_cpu", "cpu");
    let timeline = bucket
        .try_timeline("", Some(&of_type), range, window)
        .unwrap();
    let steps = Steps {
        range,
        count: (seconds / step) as usize,
        window,
    };
    StepSums::of(&timeline.all(), steps)
}

/// A service with an outage, a job of two pods that runs for five minutes of each half hour, and a
/// process of long profiles.
fn kinds() -> [(Vec<Process>, i64); 3] {
    let runs = (0..6).flat_map(|run| {
        let from = 420 + run * 1_800;
        [
            process("a", from, from + 300, 15, 3),
            process("b", from + 5, from + 305, 15, 3),
        ]
    });
    [
        (
            vec![
                process("a", 7, 4_507, 15, 10),
                process("a", 5_102, 3 * HOUR - 15, 15, 10),
            ],
            10,
        ),
        (runs.collect(), 6),
        (vec![process("a", 40, 3 * HOUR - 300, 300, 20)], 20),
    ]
}

#[test]
fn loads_are_the_same_at_each_level_and_in_steps_of_any_length() {
    for (processes, a_second) in kinds() {
        let mut bucket = filled(&processes);
        for level in 0..3 {
            if level > 0 {
                bucket.compact_all(level);
            }
            for step in [30, 60, 300, 1_800, HOUR] {
                let found = steps(&bucket, 3 * HOUR, step);
                for (value, covered) in found.values.iter().zip(&found.covered) {
                    let expect = i128::from(*covered) * i128::from(a_second) / 1_000;
                    // The pods of the job begin and end five seconds apart, at most twice in a step.
                    let rest = if a_second == 6 { 60 } else { 1 };
                    assert!(
                        (value - expect).abs() <= rest,
                        "level {level}, steps of {step} s: {value} in {covered} ms"
                    );
                }
                let all: u64 = found.covered.iter().sum();
                let seconds = match a_second {
                    10 => 4_500 + (3 * HOUR - 5_102),
                    6 => 6 * 303,
                    _ => 35 * 300,
                };
                assert!(
                    all.abs_diff(seconds as u64 * 1_000) <= 20_000,
                    "level {level}, steps of {step} s: {all} of {seconds} s"
                );
            }
        }
    }
}

fn text(key: &str, bytes: &[u8]) -> String {
    let bucket = Bucket::of_object(key, bytes);
    let of_type = profile_type("process_cpu", "cpu");
    let mut text = String::new();
    for resolution in [None, Some(SumWindow::Minute), Some(SumWindow::Hour)] {
        let timeline = bucket
            .try_timeline("", Some(&of_type), TimeRange::ALL, resolution)
            .unwrap();
        writeln!(text, "{resolution:?}").unwrap();
        for point in timeline.series.iter().flat_map(|series| &series.points) {
            let covered = [point.covered.from, point.covered.until].map(UnixNanos::millis);
            writeln!(
                text,
                "  {}: {} of {} in {covered:?}",
                point.time.millis(),
                point.total,
                point.profiles
            )
            .unwrap();
        }
    }
    text
}

/// Blocks that say how much time their profiles cover, kept for ever as those of
/// [`crate::fixtures`] are, and blessed with them.
#[test]
fn fixtures_with_durations_say_what_they_always_said() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store");
    let mut bucket = filled(&[process("a", 7, 187, 15, 3), process("b", 100, 700, 300, 2)]);
    for (level, name) in [(1, "timed-block"), (2, "timed-hour"), (3, "timed-day")] {
        bucket.compact_all(level);
        let key = bucket.catalog.last().unwrap().key.clone();
        let bytes = bucket.objects[&key].clone();
        let file = |ending| folder.join(format!("{name}-1.{ending}"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(file("bin"), &bytes).unwrap();
            std::fs::write(file("txt"), text(&key, &bytes)).unwrap();
        }
        let expect = std::fs::read_to_string(file("txt")).unwrap();
        let kept = std::fs::read(file("bin")).unwrap();
        assert_eq!(text(&key, &kept), expect, "{}", file("bin").display());
        assert_eq!(text(&key, &bytes), expect, "written today: {name}");
    }
}
