//! Hostile and real recordings. Their reader keeps account of its memory by itself.

use std::time::Instant;

use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{gzip, jfr};
use pilotlight_fixtures::counting::measure;
use pilotlight_tests::corpus;
use pilotlight_tests::jfr::{
    CLASS, Chunk, FREE, Integers, LONG, METHOD, POOL, SYMBOL, TRACE, Value,
};

use crate::message::Message;
use crate::{BOUND, SIZE, ratio};

/// Hostile recordings.
static RECORDINGS: &[Recording] = &[
    recording("constants of their own", true, |chunk| {
        let symbols = (0..SIZE as u64 / 9).map(|i| (i, vec![Value::Utf8("abcd")]));
        chunk.pools = vec![vec![(SYMBOL, symbols.collect())]];
    }),
    recording("constants of two bytes", false, |chunk| {
        let symbols = (0..SIZE as u64 / 2).map(|i| (i % 128, vec![Value::Byte(0)]));
        chunk.pools = vec![vec![(SYMBOL, symbols.collect())]];
    }),
    recording("stacks of their own", false, |chunk| {
        let frames =
            |i: u64| (0..100).map(move |j| vec![Value::Long(1), Value::Int((i * 100 + j) as i32)]);
        stacks_of(chunk, SIZE as u64 / 500, |i| frames(i).collect());
    }),
    recording("equal frames in stacks that share nothing", true, |chunk| {
        let frames = |i: u64| {
            let first = std::iter::once(vec![Value::Long(1), Value::Int(1)]);
            first
                .chain(
                    (0..100)
                        .map(move |j| vec![Value::Long(1), Value::Int((i * 7 + j) as i32 % 64)]),
                )
                .collect()
        };
        stacks_of(chunk, SIZE as u64 / 210, frames);
    }),
    recording("samples with spans of their own", true, |chunk| {
        stacks_of(chunk, 1, |_| vec![vec![Value::Long(1), Value::Int(1)]]);
        let number = |name| (name, LONG, &[][..]);
        let fields = vec![
            number("startTime"),
            number("sampledThread"),
            ("stackTrace", TRACE, POOL),
            number("spanId"),
        ];
        chunk.classes.push((FREE, "jdk.ExecutionSample", fields));
        let long = |number| Value::Long(1 << 63 | number);
        chunk.events = (0..SIZE as u64 / 33)
            .map(|i| (FREE, vec![long(1), long(1), Value::Long(1), long(i)]))
            .collect();
    }),
    recording("samples of one long span each", false, |chunk| {
        stacks_of(chunk, 1, |_| vec![vec![Value::Long(1), Value::Int(1)]]);
        let fields = vec![("stackTrace", TRACE, POOL), ("spanId", LONG, &[][..])];
        chunk.classes.push((FREE, "jdk.ExecutionSample", fields));
        chunk.events = (0..SIZE as u64 / 9)
            .map(|i| (FREE, vec![Value::Long(1), Value::Long(i + 1)]))
            .collect();
    }),
    recording("methods of a class with a long name", false, |chunk| {
        let name = Value::Bytes([&[5, 0x80, 0x80, 4][..], &[b'x'; 1 << 16]].concat());
        let methods = (0..1000).map(|i| (i, vec![Value::Long(1), Value::Long(i)]));
        let symbols =
            (2..1000).map(|i| (i, vec![Value::Bytes(vec![5, 2, i as u8, (i >> 8) as u8])]));
        chunk.pools = vec![vec![
            (
                SYMBOL,
                std::iter::once((1, vec![name])).chain(symbols).collect(),
            ),
            (CLASS, vec![(1, vec![Value::Long(1)])]),
            (METHOD, methods.collect()),
            (
                TRACE,
                vec![(
                    1,
                    vec![
                        Value::Byte(0),
                        Value::Array(
                            (0..1000)
                                .map(|i| vec![Value::Long(i), Value::Int(1)])
                                .collect(),
                        ),
                    ],
                )],
            ),
        ]];
        chunk.classes.push((
            FREE,
            "jdk.ExecutionSample",
            vec![("stackTrace", TRACE, POOL)],
        ));
        chunk.events = vec![(FREE, vec![Value::Long(1)])];
    }),
    recording("classes without fields", false, |chunk| {
        chunk
            .classes
            .extend((0..SIZE as u64 / 12).map(|i| (FREE + i, "a", vec![])));
    }),
];

const fn recording(name: &'static str, accepted: bool, fill: fn(&mut Chunk)) -> Recording {
    Recording {
        name,
        accepted,
        fill,
    }
}

/// A recording, and whether it is read.
struct Recording {
    name: &'static str,
    accepted: bool,
    fill: fn(&mut Chunk),
}

/// One method, and stacks of these frames; one event for each.
fn stacks_of(chunk: &mut Chunk, count: u64, frames: impl Fn(u64) -> Vec<Vec<Value>>) {
    let stacks = (1..=count).map(|i| (i, vec![Value::Byte(0), Value::Array(frames(i))]));
    chunk.pools = vec![vec![
        (SYMBOL, vec![(1, vec![Value::Utf8("a")])]),
        (CLASS, vec![(1, vec![Value::Long(1)])]),
        (METHOD, vec![(1, vec![Value::Long(1), Value::Long(1)])]),
        (TRACE, stacks.collect()),
    ]];
    let malloc = FREE + 1;
    chunk.classes.push((
        malloc,
        "profiler.LiveObject",
        vec![("stackTrace", TRACE, POOL)],
    ));
    chunk.events = (1..=count)
        .map(|i| (malloc, vec![Value::Long(i)]))
        .collect();
}

#[test]
fn hostile_recordings_allocate_in_proportion_to_their_size() {
    let mut broken = Vec::new();
    for Recording {
        name,
        accepted,
        fill,
    } in RECORDINGS
    {
        let mut chunk = Chunk::new(Integers::Compressed);
        fill(&mut chunk);
        let input = chunk.write();
        let started = Instant::now();
        let (used, outcome) = measure(|| jfr::decode(&input, &jfr::Options::default()).map(drop));
        let (ratio, took) = (ratio(&used, input.len()), started.elapsed());
        println!(
            "{ratio:7.2}x peak, {:8} bytes, {took:8.1?}: {name}: {outcome:?}",
            input.len()
        );
        if outcome.is_ok() != *accepted || ratio > BOUND {
            broken.push(format!(
                "{name}: {ratio:.1}x of {} bytes, {outcome:?}",
                input.len()
            ));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Classes of small events, and the field of their amount.
const TYPES: [(&str, &str); 10] = [
    ("jdk.ExecutionSample", ""),
    ("profiler.WallClockSample", "samples"),
    ("jdk.ObjectAllocationInNewTLAB", "tlabSize"),
    ("jdk.ObjectAllocationOutsideTLAB", "allocationSize"),
    ("jdk.ObjectAllocationSample", "weight"),
    ("jdk.JavaMonitorEnter", "duration"),
    ("jdk.ThreadPark", "duration"),
    ("profiler.LiveObject", ""),
    ("profiler.Malloc", "size"),
    ("jdk.CPUTimeSample", "samplingPeriod"),
];

/// With times each event is a row, with a value of each type.
#[test]
fn small_events_of_ten_types_keep_their_times_in_proportion_to_their_size() {
    let mut chunk = Chunk::new(Integers::Compressed);
    stacks_of(&mut chunk, 1, |_| vec![vec![Value::Long(1), Value::Int(1)]]);
    for (i, &(name, amount)) in TYPES.iter().enumerate() {
        let mut fields = vec![("startTime", LONG, &[][..]), ("stackTrace", TRACE, POOL)];
        if !amount.is_empty() {
            fields.push((amount, LONG, &[]));
        }
        chunk.classes.push((FREE + i as u64, name, fields));
    }
    chunk.events = (0..SIZE as u64 / 16)
        .map(|i| {
            let kind = i as usize % TYPES.len();
            let mut values = vec![Value::Long(1 << 56 | i), Value::Long(1)];
            if !TYPES[kind].1.is_empty() {
                values.push(Value::Long(i % 100 + 1));
            }
            (FREE + kind as u64, values)
        })
        .collect();
    let input = chunk.write();
    let events = SIZE / 16;
    println!("{} bytes an event", input.len() / events);
    let (used, recording) = measure(|| jfr::decode_with_times(&input));
    let recording = recording.expect("a good recording");
    let ratio = ratio(&used, input.len());
    println!("{ratio:7.2}x peak");
    assert_eq!(recording.warnings, Vec::<String>::new());
    assert_eq!(
        recording.profile.samples().times.as_ref().map(Vec::len),
        Some(events)
    );
    assert!(ratio <= BOUND, "{ratio:.1}x of {} bytes", input.len());
}

/// Contexts of two labels each, of one long text, and an event for each.
#[test]
fn hostile_labels_of_recordings_allocate_in_proportion_to_their_size() {
    let small = |numbers: &[(u64, u64)]| {
        let message = Message::default();
        let fields = numbers.iter();
        fields
            .fold(message, |m, &(field, number)| m.number(field, number))
            .0
    };
    let contexts = SIZE as u64 / 40;
    let labels = (0..contexts).fold(Message::default(), |m, i| {
        let pairs = Message::default()
            .bytes(1, &small(&[(1, 1), (2, 3)]))
            .bytes(1, &small(&[(1, 2), (2, i % 3 + 1)]));
        m.bytes(1, &Message(small(&[(1, i)])).bytes(2, &pairs.0).0)
    });
    let text = vec![0xff; SIZE / 4];
    let labels = (1..4).fold(labels, |m, i| {
        m.bytes(
            2,
            &Message(small(&[(1, i)]))
                .bytes(2, &text[..text.len() / i as usize])
                .0,
        )
    });
    let mut chunk = Chunk::new(Integers::Compressed);
    stacks_of(&mut chunk, 1, |_| vec![vec![Value::Long(1), Value::Int(1)]]);
    let fields = vec![("stackTrace", TRACE, POOL), ("contextId", LONG, &[][..])];
    chunk.classes.push((FREE, "jdk.ExecutionSample", fields));
    let event = |i| (FREE, vec![Value::Long(1), Value::Long(i)]);
    chunk.events = (0..contexts).map(event).collect();
    let (recording, length) = (chunk.write(), labels.0.len());
    let (used, outcome) = measure(|| {
        let snapshot = jfr::LabelsSnapshot::decode(&labels.0).expect("labels");
        let options = jfr::Options {
            labels: Some(&snapshot),
            ..jfr::Options::default()
        };
        jfr::decode(&recording, &options).map(drop)
    });
    let ratio = ratio(&used, recording.len() + length);
    println!("{ratio:7.2}x peak: {outcome:?}");
    assert!(ratio <= BOUND, "{ratio:.1}x: {outcome:?}");
}

#[test]
fn real_recordings_allocate_in_proportion_to_their_size() {
    for name in [
        "async-profiler",
        "example",
        "object-allocation-sample",
        "uint64-ref-id",
        "nativemem",
    ] {
        let Some(file) = corpus::read(&format!("jfr/{name}.jfr.gz")) else {
            return;
        };
        let raw = gzip::inflate(&file.bytes, MAX_PROFILE_BYTES)
            .expect("a good file")
            .expect("gzip");
        let (used, decoded) = measure(|| jfr::decode(&raw, &jfr::Options::default()));
        decoded.unwrap_or_else(|error| panic!("{name}: {error}"));
        let ratio = used.peak as f64 / raw.len() as f64;
        println!("{ratio:7.2}x peak: {name}");
        assert!(
            ratio <= 4.0,
            "{name}: {} bytes for {}",
            used.peak,
            raw.len()
        );
    }
}
