//! Files on disk, odd records and damaged ones.

use super::*;
use crate::imports::binary::bytes::place_at;

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
