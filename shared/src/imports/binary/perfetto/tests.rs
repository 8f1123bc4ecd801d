//! Made traces. The golden texts have totals of larger ones.

mod heaps;
mod times;

use super::*;
use crate::formats::protobuf::Writer;
use crate::imports::testing::{samples, type_names};

fn message(write: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut Writer(&mut bytes));
    bytes
}

/// Numbers of fields that are numbers.
fn numbers(fields: &[(u32, u64)]) -> Vec<u8> {
    message(|w| {
        for &(field, number) in fields {
            w.varint(u64::from(field) << 3);
            w.varint(number);
        }
    })
}

/// Fields that are messages or texts.
fn inner(fields: &[(u32, &[u8])]) -> Vec<u8> {
    message(|w| {
        fields
            .iter()
            .for_each(|(field, bytes)| w.bytes(*field, bytes))
    })
}

fn packet(fields: &[(u32, u64)], messages: &[(u32, &[u8])]) -> Vec<u8> {
    inner(&[(1, &[numbers(fields), inner(messages)].concat())])
}

fn named(id: u64, name: &[u8]) -> Vec<u8> {
    [numbers(&[(1, id)]), inner(&[(2, name)])].concat()
}

/// Function 1 is `main`, and stack 1 it alone; stack 2 has a place in a file within, stack 3 a frame
/// that is not there.
fn interned() -> Vec<u8> {
    inner(&[
        (7, &numbers(&[(1, 1), (2, 1)])),
        (7, &numbers(&[(1, 2), (2, 1), (2, 2)])),
        (7, &numbers(&[(1, 3), (2, 1), (2, 9)])),
        (6, &numbers(&[(1, 1), (2, 1)])),
        (6, &numbers(&[(1, 2), (3, 1), (4, 0x40)])),
        (5, &named(1, b"main")),
        (17, &named(1, b"lib")),
        (17, &named(2, b"a.so")),
        (16, &named(3, b"\x0a\xff")),
        (19, &numbers(&[(1, 1), (2, 3), (7, 1), (7, 2)])),
    ])
}

fn clocks(sequence: u64, read: &[&[(u32, u64)]]) -> Vec<u8> {
    let read: Vec<Vec<u8>> = read
        .iter()
        .map(|clock| inner(&[(1, &numbers(clock))]))
        .collect();
    packet(&[(10, sequence)], &[(6, &read.concat())])
}

fn perf_sample(stack: u64) -> Vec<u8> {
    numbers(&[(2, 5), (3, 6), (4, stack)])
}

#[test]
fn samples_have_threads_and_times_of_one_clock() {
    let tree = inner(&[
        (
            1,
            &[numbers(&[(1, 5)]), inner(&[(3, b"server"), (3, b"-v")])].concat(),
        ),
        (
            2,
            &[numbers(&[(1, 6), (3, 5)]), inner(&[(2, b"worker")])].concat(),
        ),
    ]);
    let trace = [
        clocks(1, &[&[(1, 6), (2, 1000)], &[(1, 5), (2, 400)]]),
        packet(
            &[(8, 500), (58, 5), (10, 1), (13, 1)],
            &[(12, &interned()), (66, &perf_sample(2))],
        ),
        packet(&[(8, 1050), (10, 1), (13, 2)], &[(66, &perf_sample(1))]),
        packet(&[(8, 1060), (10, 1)], &[(66, &perf_sample(3))]),
        // Another writer has numbers of its own, and none of them yet.
        packet(&[(8, 1000), (10, 2), (13, 2)], &[(66, &perf_sample(1))]),
        packet(&[(10, 2)], &[(66, &numbers(&[(17, 4)]))]),
        packet(&[(10, 1)], &[(2, &tree)]),
    ]
    .concat();
    let decoded = decode(&trace).expect("good");
    let whose = "process=server thread=worker thread_id=6";
    assert_eq!(
        samples(&decoded.profile),
        [
            format!("50 main;0x40 [a.so] [1] {whose}"),
            format!("0 main [1] {whose}"),
            format!("10 main;? [1] {whose}"),
        ]
    );
    assert_eq!(type_names(&decoded.profile), ["samples/count"]);
    let mapping = decoded.profile.mappings()[0];
    assert_eq!(decoded.profile.text(mapping.file), "/lib/a.so");
    assert_eq!(decoded.profile.text(mapping.build_id), "0aff");
    assert_eq!(
        decoded.warnings,
        [
            "4 samples were lost while the trace was recorded",
            "1 packets depend on lost packets and are left out",
            "1 stacks and frames are missing from the trace",
        ]
    );
}

#[test]
fn clocks_count_on_and_slices_have_tracks() {
    let thread = [numbers(&[(1, 5), (2, 6)]), inner(&[(5, b"ui")])].concat();
    let event = |kind: u64, name: u64| numbers(&[(9, kind), (10, name), (11, 8)]);
    let defaults = [numbers(&[(58, 64)]), inner(&[(11, &numbers(&[(11, 7)]))])].concat();
    let names = inner(&[(2, &named(1, b"Task")), (2, &named(2, b"Layout"))]);
    let step = |time: u64, field: u32, data: &[u8]| packet(&[(8, time), (10, 3)], &[(field, data)]);
    let streaming = [numbers(&[(1, 1), (1, 1)]), inner(&[(2, &[0, 2])])].concat();
    let trace = [
        clocks(
            3,
            &[&[(1, 3), (2, 5000)], &[(1, 64), (2, 4), (3, 1), (4, 1000)]],
        ),
        packet(
            &[(10, 3)],
            &[(60, &[numbers(&[(1, 7)]), inner(&[(4, &thread)])].concat())],
        ),
        packet(
            &[(10, 3)],
            &[(
                60,
                &[numbers(&[(1, 8), (5, 7)]), inner(&[(2, b"main")])].concat(),
            )],
        ),
        packet(
            &[(10, 3), (13, 1)],
            &[(59, &defaults), (12, &[interned(), names].concat())],
        ),
        step(1, 54, &streaming),
        step(1, 11, &event(1, 1)),
        step(2, 11, &event(1, 2)),
        step(3, 11, &event(2, 0)),
        step(0, 11, &event(2, 0)),
        step(0, 11, &event(2, 0)),
    ]
    .concat();
    let decoded = decode(&trace).expect("good");
    assert_eq!(
        type_names(&decoded.profile),
        ["samples/count", "wall/nanoseconds"]
    );
    let whose = "process=5 thread=ui thread_id=6";
    assert_eq!(
        samples(&decoded.profile),
        [
            format!("0 main [1, 0] {whose}"),
            format!("2000 main [1, 0] {whose}"),
            "1000 Task [0, 2000] process=5 thread=ui thread_id=6 track=main".to_owned(),
            "3000 Task;Layout [0, 3000] process=5 thread=ui thread_id=6 track=main".to_owned(),
        ]
    );
    assert_eq!(
        decoded.warnings,
        ["end events left out, since no begin event matches them: 1"]
    );
}

#[test]
fn stack_samples_have_weights() {
    let weight = inner(&[(
        2,
        &[inner(&[(2, b"wall-time")]), numbers(&[(3, 1), (5, 10)])].concat(),
    )]);
    let sample = [
        inner(&[(1, &numbers(&[(2, 5), (3, 6)]))]),
        numbers(&[(6, 1), (11, 7)]),
    ]
    .concat();
    let bytes = inner(&[(2, b"size"), (4, b"KiB")]);
    let own = [
        inner(&[(5, &numbers(&[(2, 1), (2, 1)])), (9, &bytes)]),
        numbers(&[(11, 3)]),
    ]
    .concat();
    let trace = [
        packet(
            &[(8, 10), (10, 1), (41, 1)],
            &[
                (59, &inner(&[(100, &weight)])),
                (12, &interned()),
                (135, &sample),
            ],
        ),
        packet(&[(8, 30), (10, 1)], &[(135, &own)]),
        packet(
            &[(8, 40), (10, 1)],
            &[(135, &numbers(&[(2, 9), (6, 1), (10, 4), (11, 5)]))],
        ),
    ]
    .concat();
    let decoded = decode(&trace).expect("good");
    assert_eq!(
        type_names(&decoded.profile),
        ["wall-time/nanoseconds", "size/KiB", "weight/count"]
    );
    assert_eq!(
        samples(&decoded.profile),
        [
            "0 main [70, 0, 0] process=5 thread=6 thread_id=6",
            "20 main;main [0, 3, 0]",
            "30 main [0, 0, 5]",
        ]
    );
}

#[test]
fn damage_is_named() {
    let perf = |data: &[u8]| {
        packet(
            &[(8, 1), (10, 1), (13, 1)],
            &[(12, &interned()), (66, data)],
        )
    };
    let packed = |data: &[u8]| packet(&[(10, 1)], &[(50, data)]);
    for (bytes, expect) in [
        (packet(&[(8, 1)], &[]), ": there are no samples"),
        (
            perf(&[0x20]),
            ", packet at byte 0: not a valid protobuf message at byte 101: a number runs past the end",
        ),
        (
            packed(b"xyz"),
            ", byte 0: deflate: damaged or cut short (corrupt deflate stream)",
        ),
    ] {
        let error = decode(&bytes).expect_err(expect).to_string();
        assert_eq!(error, format!("Perfetto trace{expect}"));
    }
    let whole = [perf(&perf_sample(1)), perf(&perf_sample(2))].concat();
    let cut = decode(&whole[..whole.len() - 3]).expect("one sample");
    assert_eq!((cut.profile.total(0), cut.warnings.len()), (1, 1));
}

#[test]
fn traces_are_told_from_what_begins_alike() {
    let sniffed = |bytes: &[u8]| sniff(Start::of(bytes));
    let trace = packet(&[(8, 1 << 40), (10, 1)], &[(66, &perf_sample(1))]);
    assert!(sniffed(&trace));
    // The first packet is larger than what is looked at.
    assert!(sniffed(&packet(&[(10, 1)], &[(50, &[7; 100_000])])));
    let pprof = inner(&[(1, &numbers(&[(1, 1), (2, 2)])), (2, &[8, 1]), (6, b"")]);
    let otlp = inner(&[(1, &inner(&[(1, b"\x0a\x01"), (2, b"\x01")]))]);
    for other in [
        &pprof,
        &otlp,
        b"\nmain;f 1\n".as_slice(),
        b"\n",
        b"",
        b"\x0a\x02\x08",
    ] {
        assert!(!sniffed(other), "{other:?}");
    }
    let error = crate::open(&trace, 1 << 20)
        .expect_err("is not its own")
        .to_string();
    assert!(
        error.starts_with("this is a Perfetto trace, which the viewer can open"),
        "{error}"
    );
}

#[test]
fn a_lost_sample_more_than_can_be_counted() {
    let lost = numbers(&[(17, u64::MAX), (18, 1), (4, 1)]);
    let trace = packet(
        &[(8, 1), (10, 1), (13, 1)],
        &[(12, &interned()), (66, &lost)],
    );
    let decoded = decode(&trace).expect("good");
    let expect = format!(
        "{} samples were lost while the trace was recorded",
        u64::MAX
    );
    assert_eq!(decoded.warnings, [expect]);
}

#[test]
fn asynchronous_events_are_counted() {
    let phase = |phase: u8| inner(&[(6, &numbers(&[(2, u64::from(phase))]))]);
    let event = |data: &[u8]| packet(&[(8, 1), (10, 1)], &[(11, data)]);
    let trace = [
        packet(
            &[(8, 1), (10, 1), (13, 1)],
            &[(12, &interned()), (66, &perf_sample(1))],
        ),
        event(&phase(b'b')),
        event(&phase(b'e')),
        event(&phase(b'S')),
        event(&phase(b'T')),
        event(&phase(b'F')),
    ]
    .concat();
    let decoded = decode(&trace).expect("good");
    assert_eq!(decoded.warnings, ["2 asynchronous events are left out"]);
}

#[test]
fn long_names_of_events_and_build_ids_are_cut() {
    let event = |kind: u64| numbers(&[(9, kind), (10, 1)]);
    let names = inner(&[
        (2, &named(1, "é".repeat(9000).as_bytes())),
        (7, &numbers(&[(1, 1), (2, 1)])),
        (6, &numbers(&[(1, 1), (3, 1), (4, 0x40)])),
        (16, &named(1, &[b'a'; 9000])),
        (19, &numbers(&[(1, 1), (2, 1)])),
    ]);
    let trace = [
        packet(
            &[(8, 1), (10, 1), (13, 1)],
            &[(12, &names), (66, &perf_sample(1))],
        ),
        packet(&[(8, 1), (10, 1)], &[(11, &event(1))]),
        packet(&[(8, 3), (10, 1)], &[(11, &event(2))]),
    ]
    .concat();
    let profile = decode(&trace).expect("good").profile;
    let lengths: Vec<usize> = profile
        .functions()
        .iter()
        .map(|function| profile.text(function.name).len())
        .collect();
    assert_eq!(lengths, [4096]);
    let build = profile.mappings()[0].build_id;
    assert_eq!(profile.text(build).len(), 128);
}
