//! Made recordings.

use std::io::Write;

use super::record::kind;
use super::*;
use crate::imports::binary::bytes::place_at;
use crate::imports::testing::{samples, type_names};

/// Number, address, thread, time, stack, period.
const HOLDS: u64 = 1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 8;
const KERNEL: u64 = -128i64 as u64;
const USER: u64 = -512i64 as u64;
const EXEC: u16 = 1 << 13;
const BREAKS_OFF: &str = "the file is cut off; everything before the cut is read";

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// With zeros behind it.
fn text(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() + 1).next_multiple_of(8), 0);
    bytes
}

fn record(kind: u32, misc: u16, parts: &[Vec<u8>]) -> Vec<u8> {
    let body = parts.concat();
    let head = [u64::from(kind) | u64::from(misc) << 32 | (8 + body.len() as u64) << 48];
    [words(&head), body].concat()
}

/// An event of software: which, and what its samples hold.
fn attribute(config: u64, holds: u64) -> Vec<u8> {
    words(&[1 | 48 << 32, config, 4000, holds, 0, 1 << 10 | 1 << 18])
}

fn ids((process, thread): (u64, u64)) -> u64 {
    process | thread << 32
}

/// What stands at the end of each record that is no sample.
fn stamp(of: (u64, u64), time: u64) -> Vec<u8> {
    words(&[ids(of), time, 7])
}

fn sample(misc: u16, of: (u64, u64), time: u64, stack: &[u64]) -> Vec<u8> {
    let ip = 0x7005;
    let fields = [7, ip, ids(of), time, 10, stack.len() as u64];
    record(kind::SAMPLE, misc, &[words(&fields), words(stack)])
}

fn mmap(misc: u16, process: u64, range: (u64, u64), offset: u64, name: &str, time: u64) -> Vec<u8> {
    let of = (process, process);
    let fields = words(&[ids(of), range.0, range.1 - range.0, offset]);
    record(kind::MMAP, misc, &[fields, text(name), stamp(of, time)])
}

fn comm(misc: u16, of: (u64, u64), name: &str, time: u64) -> Vec<u8> {
    record(
        kind::COMM,
        misc,
        &[words(&[ids(of)]), text(name), stamp(of, time)],
    )
}

fn fork(of: (u64, u64), parent: (u64, u64), time: u64) -> Vec<u8> {
    let fields = [of.0 | parent.0 << 32, of.1 | parent.1 << 32, time];
    record(kind::FORK, 0, &[words(&fields), stamp(of, time)])
}

/// What is there of a server and its worker, and of another process.
fn kernel_records() -> Vec<u8> {
    let library = "/lib/a.so";
    [
        mmap(
            1,
            0xffff_ffff,
            (0xffff_8000, 0xffff_9000),
            0,
            "[kernel.kallsyms]_text",
            0,
        ),
        mmap(2, 6, (0x7000, 0x8000), 0x2000, library, 1),
        comm(0, (6, 6), "server", 2),
        fork((6, 7), (6, 6), 3),
        comm(0, (6, 7), "worker", 4),
        sample(1, (6, 7), 30, &[KERNEL, 0xffff_8010, USER, 0x7010, 0x7021]),
        sample(2, (6, 6), 20, &[]),
        // It has the memory of its parent, then some of its own over it, then none.
        fork((8, 8), (6, 6), 40),
        sample(2, (8, 8), 41, &[USER, 0x7010]),
        mmap(2, 8, (0x7008, 0x7018), 0, "//anon", 42),
        sample(2, (8, 8), 43, &[USER, 0x7010, 0x7019, 0x7008]),
        comm(EXEC, (8, 8), "other", 44),
        sample(2, (8, 8), 45, &[USER, 0x7010]),
        record(kind::LOST, 0, &[words(&[7, 3]), stamp((0, 0), 46)]),
    ]
    .concat()
}

const SAMPLES: [&str; 5] = [
    "0 0x2005 [a.so] [10] process=server thread=server thread_id=6",
    "10 0x2020 [a.so];0x2010 [a.so];0xffff8010 [[kernel.kallsyms]] [10] process=server thread=worker thread_id=7",
    "21 0x2010 [a.so] [10] process=server thread=server thread_id=8",
    "23 0x2007 [a.so];0x2018 [a.so];0x7010 [anon] [10] process=server thread=server thread_id=8",
    "25 0x7010 [10] process=other thread=other thread_id=8",
];

fn pipe(records: &[Vec<u8>]) -> Vec<u8> {
    [MAGIC.to_vec(), words(&[16]), records.concat()].concat()
}

fn described() -> Vec<u8> {
    record(kind::ATTRIBUTE, 0, &[attribute(0, HOLDS), words(&[7])])
}

#[test]
fn records_are_read_in_order_of_time() {
    let named = record(
        kind::EVENT_UPDATE,
        0,
        &[words(&[2, 7]), text("cpu-clock:u")],
    );
    let build = [words(&[0xffff_ffff]), vec![0xab; 16], vec![20, 0, 0, 0]];
    let build = record(
        kind::BUILD_ID,
        1 << 15,
        &[build.concat(), text("/lib/a.so")],
    );
    let decoded = decode(&pipe(&[described(), named, kernel_records(), build])).expect("good");
    assert_eq!(samples(&decoded.profile), SAMPLES);
    assert_eq!(type_names(&decoded.profile), ["cpu-clock/nanoseconds"]);
    assert_eq!(
        decoded.warnings,
        ["3 records were lost while perf was recording"]
    );
    let profile = &decoded.profile;
    let library = profile
        .mappings()
        .iter()
        .find(|mapping| profile.text(mapping.file) == "/lib/a.so")
        .expect("a library");
    assert_eq!(
        (library.start, library.limit, library.offset),
        (0x2000, 0x3000, 0x2000)
    );
    assert_eq!(profile.text(library.build_id).len(), 40);
}

#[test]
fn packed_records_are_one_stream() {
    let raw = kernel_records();
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("an encoder");
    let mut parts = vec![described()];
    let mut taken = 0;
    for part in raw.chunks(100) {
        encoder.write_all(part).expect("a Vec takes all");
        encoder.flush().expect("a Vec takes all");
        let packed = encoder.get_ref()[taken..].to_vec();
        taken = encoder.get_ref().len();
        parts.push(match taken % 2 {
            0 => record(kind::COMPRESSED, 0, &[packed]),
            _ => record(
                kind::COMPRESSED2,
                0,
                &[words(&[packed.len() as u64]), packed, vec![0; 5]],
            ),
        });
    }
    let decoded = decode(&pipe(&parts)).expect("good");
    assert_eq!(samples(&decoded.profile), SAMPLES);
}

/// A file on disk with two events, whose names and build ids stand behind the records.
fn on_disk() -> Vec<u8> {
    let records = [kernel_records(), {
        let fields = words(&[8, 0x7005, ids((6, 6)), 50, 4, 0]);
        record(kind::SAMPLE, 2, &[fields])
    }]
    .concat();
    let described = [attribute(0, HOLDS), attribute(2, HOLDS)];
    let mut bytes = vec![0; 104];
    let ids_at = bytes.len() as u64;
    bytes.extend(words(&[7, 8]));
    let events_at = bytes.len() as u64;
    for (row, attribute) in described.iter().enumerate() {
        bytes.extend(attribute);
        bytes.extend(words(&[ids_at + 8 * row as u64, 8]));
    }
    let records_at = bytes.len() as u64;
    bytes.extend(&records);
    let string = |name: &str| {
        [
            &16u32.to_le_bytes()[..],
            name.as_bytes(),
            &vec![0; 16 - name.len()],
        ]
        .concat()
    };
    let mut names = words(&[2 | 48 << 32]);
    for (name, attribute) in ["cycles:P", "sched:switch"].iter().zip(&described) {
        names.extend(attribute);
        names.extend(1u32.to_le_bytes());
        names.extend(string(name));
        names.extend(words(&[0]));
    }
    let command = [&2u32.to_le_bytes()[..], &string("perf"), &string("record")].concat();
    let build = [
        words(&[0xffff_ffff])[..4].to_vec(),
        vec![0xcd; 16],
        vec![0; 8],
    ];
    let build = record(0, 0, &[build.concat(), text("/lib/a.so")]);
    let features = [build, command, names];
    let mut at = bytes.len() as u64 + 16 * features.len() as u64;
    for feature in &features {
        bytes.extend(words(&[at, feature.len() as u64]));
        at += feature.len() as u64;
    }
    bytes.extend(features.concat());
    let head = [
        104,
        64,
        events_at,
        128,
        records_at,
        records.len() as u64,
        0,
        0,
    ];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..72].copy_from_slice(&words(&head));
    bytes[72..80].copy_from_slice(&words(&[1 << 2 | 1 << 11 | 1 << 12]));
    bytes
}

#[test]
fn a_file_on_disk_has_its_features_behind() {
    let bytes = on_disk();
    let decoded = decode(&bytes).expect("good");
    let profile = &decoded.profile;
    assert_eq!(type_names(profile), ["cycles/count", "sched:switch/count"]);
    assert_eq!((profile.total(0), profile.total(1)), (50, 4));
    let texts = |wanted: &str| profile.strings().iter().any(|text| text == wanted);
    assert!(texts(&"cd".repeat(16)) && texts("perf record"));
    // A recording that was killed has neither length nor features.
    let mut killed = bytes;
    let [start, length] = [40, 48].map(|at| place_at(&killed, at).expect("a head"));
    killed[48..56].fill(0);
    killed.truncate(start + length - 20);
    let decoded = decode(&killed).expect("as far as it goes");
    assert_eq!(type_names(&decoded.profile), ["cpu-clock/nanoseconds"]);
    assert_eq!(decoded.warnings.last().expect("is told"), BREAKS_OFF);
}

#[test]
fn what_is_odd_is_told() {
    let of = (6, 6);
    let with_id = |id: u64, time: u64| {
        let fields = words(&[id, 0x7005, ids(of), time, 10, 0]);
        record(kind::SAMPLE, 2, &[fields])
    };
    let other = record(
        kind::ATTRIBUTE,
        0,
        &[attribute(2, HOLDS | 1 << 13), words(&[8])],
    );
    let lost = |misc: u16| record(kind::LOST_SAMPLES, misc, &[words(&[2]), stamp((0, 0), 9)]);
    let decoded = decode(&pipe(&[
        described(),
        other,
        sample(2, of, 10, &[USER, 0x7010, 0]),
        sample(2, of, 11, &[USER, 0x7010, -640i64 as u64, 99]),
        with_id(8, 12),
        with_id(9, 13),
        with_id(0, 14),
        // What is added at the end.
        with_id(7, 0xffff_ffff << 32),
        lost(0),
        lost(1 << 15),
    ]))
    .expect("good");
    assert_eq!(
        samples(&decoded.profile),
        [
            "0 ?;0x7010 [10, 0] process=6 thread=6 thread_id=6",
            "1 0x7010 [10, 0] process=6 thread=6 thread_id=6",
            "2 0x7005 [0, 10] process=6 thread=6 thread_id=6",
            "4 0x7005 [10, 0] process=6 thread=6 thread_id=6",
            "4 0x7005 [10, 0] process=6 thread=6 thread_id=6",
        ]
    );
    assert_eq!(
        decoded.warnings,
        [
            "1 samples have copied stacks (--call-graph dwarf), which Pilotlight can't unwind; open the output of perf script instead, or record with --call-graph fp",
            "1 samples have their user stacks in later records (--call-graph fp,defer), which are not supported",
            "2 samples were lost while perf was recording",
            "1 samples are left out: the recording does not describe their events",
        ]
    );
    let whole = on_disk();
    let [start, length] = [40, 48].map(|at| place_at(&whole, at).expect("a head"));
    let cut = decode(&whole[..start + length]).expect("as far as it goes");
    assert_eq!(cut.warnings.last().expect("is told"), BREAKS_OFF);
}

#[test]
fn damage_is_named() {
    let sample = sample(2, (6, 6), 1, &[1]);
    for (bytes, expect) in [
        (MAGIC.to_vec(), ": the file is cut off within its header"),
        (pipe(&[]), ": there are no samples"),
        (pipe(&[described()]), ": there are no samples"),
        (
            pipe(&[described(), vec![9, 0, 0, 0, 0, 0, 7, 0]]),
            ", byte 80: a record is shorter than its header",
        ),
        (
            pipe(&[
                described(),
                record(kind::SAMPLE, 2, &[sample[8..56].to_vec()]),
            ]),
            ", sample 1 (in time order): the sample is cut off",
        ),
        (
            on_disk()[..200].to_vec(),
            ": the file is cut off within its header",
        ),
        (
            // Its events are beyond the end.
            [&on_disk()[..24], &[255; 8], &on_disk()[32..]].concat(),
            ": the file's header is damaged",
        ),
        (
            pipe(&[described(), record(kind::COMPRESSED, 0, &[vec![1; 9]])]),
            ": zstd: damaged or cut short (Unknown frame descriptor)",
        ),
    ] {
        let error = decode(&bytes).expect_err(expect).to_string();
        assert_eq!(error, format!("perf.data{expect}"));
    }
    let mut reversed = on_disk();
    reversed[..8].reverse();
    let error = crate::imports::open(&reversed, 1 << 20)
        .expect_err("is not read")
        .to_string();
    assert!(
        error.starts_with(
            "this is a big-endian perf recording (perf.data), which Pilotlight can't open yet;"
        ),
        "{error}"
    );
}

#[test]
fn a_group_counts_all_its_events_between_samples() {
    const HOLDS_COUNTERS: u64 = HOLDS & !(1 << 8) | 1 << 4;
    let with_counters = |config: u64, inherits: u64| {
        let read_format = 1 | 1 << 2 | 1 << 3 | 1 << 4;
        let flags = 1 << 10 | 1 << 18 | inherits << 1;
        words(&[
            1 | 48 << 32,
            config,
            4000,
            HOLDS_COUNTERS,
            read_format,
            flags,
        ])
    };
    let counted = |thread: u64, time: u64, cpu_clock: u64, faults: u64| {
        let head = [7, 0x7005, ids((6, thread)), time];
        // How many, the time they were on, and of each its value, its id and what it lost.
        let counters = [2, 99, cpu_clock, 7, 0, faults, 8, 0];
        record(
            kind::SAMPLE,
            2,
            &[words(&head), words(&counters), words(&[0])],
        )
    };
    let described = |inherits: u64| {
        let describe = |config: u64, id: u64| {
            let parts = [with_counters(config, inherits), words(&[id])];
            record(kind::ATTRIBUTE, 0, &parts)
        };
        [describe(0, 7), describe(2, 8)].concat()
    };
    let totals = |inherits: u64| {
        let records = [
            counted(6, 10, 100, 3),
            counted(6, 11, 250, 3),
            counted(7, 12, 300, 4),
            // It began anew.
            counted(6, 13, 50, 9),
        ];
        let file = pipe(&[described(inherits), records.concat()]);
        let profile = decode(&file).expect("good").profile;
        assert_eq!(
            type_names(&profile),
            ["cpu-clock/nanoseconds", "page-faults/count"]
        );
        (profile.total(0), profile.total(1))
    };
    // 100 + 150 + 50 + 50 and 3 + 0 + 1 + 5.
    assert_eq!(totals(0), (350, 9));
    // Thread 7 has counters of its own: 100 + 150 + 50 and 300; 3 + 6 and 4.
    assert_eq!(totals(1), (600, 13));
}
