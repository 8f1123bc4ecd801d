//! Made recordings.

mod counters;
mod damage;

use std::io::Write;

use super::record::kind;
use super::*;
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
