//! Made reports.

use super::*;
use crate::formats::protobuf::Writer;
use crate::imports::testing::{samples, type_names};

fn message(write: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut Writer(&mut bytes));
    bytes
}

fn report(records: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = [MAGIC, &[1, 0]].concat();
    for (field, inner) in records {
        let record = message(|w| w.bytes(*field, inner));
        bytes.extend((record.len() as u32).to_le_bytes());
        bytes.extend(record);
    }
    bytes.extend([0; 4]);
    bytes
}

fn frame(address: u64, file: u64, symbol: u64) -> Vec<u8> {
    message(|w| {
        w.number(1, address);
        w.number(2, file);
        w.varint(3 << 3);
        w.varint(symbol);
    })
}

fn sample(time: u64, frames: &[Vec<u8>], event: u64) -> (u32, Vec<u8>) {
    let sample = message(|w| {
        w.number(1, time);
        w.number(2, 7);
        frames.iter().for_each(|frame| w.bytes(3, frame));
        w.number(4, 250);
        w.number(5, event);
    });
    (1, sample)
}

#[test]
fn tables_may_come_last() {
    let bytes = report(&[
        (
            5,
            message(|w| {
                w.bytes(1, b"cpu-clock");
                w.bytes(1, b"sched:sched_switch");
            }),
        ),
        sample(100, &[frame(0x10, 1, 1), frame(0x20, 1, u64::MAX)], 0),
        sample(90, &[frame(0x30, 2, 0)], 1),
        (2, message(|w| w.number(2, 3))),
        (
            3,
            message(|w| {
                w.number(1, 1);
                w.bytes(2, b"/lib/a.so");
                w.bytes(3, b"f");
                w.bytes(3, b"g");
            }),
        ),
        (
            4,
            message(|w| {
                w.number(1, 7);
                w.number(2, 6);
                w.bytes(3, b"worker");
            }),
        ),
    ]);
    let decoded = decode(&bytes).expect("good");
    assert_eq!(
        type_names(&decoded.profile),
        ["cpu-clock/nanoseconds", "sched:sched_switch/count"]
    );
    assert_eq!(decoded.profile.default_type(), 0);
    assert_eq!(
        samples(&decoded.profile),
        [
            "10 0x20 [a.so];g [250, 0] process=6 thread=worker thread_id=7",
            "0 0x30 [0, 250] process=6 thread=worker thread_id=7",
        ]
    );
    assert_eq!(decoded.warnings, ["simpleperf lost 3 samples"]);
}

#[test]
fn damage_is_named() {
    let cut = report(&[sample(1, &[], 0)]);
    for (bytes, expect) in [
        (
            b"SIMPLEPERF\x02\0".to_vec(),
            ": unsupported version; expected version 1",
        ),
        (
            b"SIMPLEPERF\x01\0\x05\0".to_vec(),
            ", byte 12: the record is cut off",
        ),
        (cut[..20].to_vec(), ", byte 12: the record is cut off"),
        (report(&[]), ": there are no samples"),
        (
            report(&[sample(1, &[], 4)]),
            ", byte 12: there is no event 4",
        ),
    ] {
        let error = decode(&bytes).expect_err(expect).to_string();
        assert_eq!(error, format!("simpleperf{expect}"));
    }
}
