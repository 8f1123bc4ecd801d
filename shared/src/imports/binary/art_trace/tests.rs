//! Made traces.

use super::*;
use crate::imports::testing::{samples, type_names};

fn trace(settings: &str, version: u16, records: &[(u16, u32, &[u32])]) -> Vec<u8> {
    let mut bytes = format!(
        "*version\n{version}\n{settings}vm=art\n*threads\n7\tmain\n*methods\n\
         0\ta.Z\tmain\t()V\tZ.java\n0x4\ta/b/C\tf\t()V\tC.java\n0x8\ta.D\tg\t()V\n*end\n"
    )
    .into_bytes();
    let start = bytes.len();
    bytes.extend(b"SLOW");
    bytes.extend(version.to_le_bytes());
    bytes.extend(32u16.to_le_bytes());
    bytes.extend([0; 8]);
    if version == 3 {
        bytes.extend(14u16.to_le_bytes());
    }
    bytes.resize(start + 32, 0);
    for (thread, word, times) in records {
        bytes.extend(thread.to_le_bytes());
        bytes.extend(word.to_le_bytes());
        times
            .iter()
            .for_each(|time| bytes.extend(time.to_le_bytes()));
    }
    bytes
}

#[test]
fn time_passes_between_records() {
    let bytes = trace(
        "clock=dual\n",
        3,
        &[
            (7, 4, &[0, 10]),
            (7, 8, &[1, 12]),
            (9, 12, &[0, 13]),
            (7, 9, &[4, 15]),
            (7, 6, &[4, 25]),
            (9, 9, &[5, 26]),
        ],
    );
    let decoded = decode(&bytes).expect("good");
    assert_eq!(
        type_names(&decoded.profile),
        ["cpu/nanoseconds", "wall/nanoseconds"]
    );
    assert_eq!(
        samples(&decoded.profile),
        [
            "0 a.b.C.f [1000, 2000] thread=main thread_id=7",
            "2000 a.b.C.f;a.D.g [3000, 3000] thread=main thread_id=7",
            "5000 a.b.C.f [0, 10000] thread=main thread_id=7",
            "3000 0xc [5000, 13000] thread=9 thread_id=9",
        ]
    );
    assert_eq!(
        decoded.warnings,
        ["1 method exits have no matching entry and are left out"]
    );
}

#[test]
fn calls_may_end_without_a_record() {
    let bytes = trace(
        "clock=wall\ndata-file-overflow=true\n",
        2,
        &[
            (7, 4, &[1]),
            (7, 8, &[2]),
            (7, 5, &[3]),
            (7, 8, &[4]),
            (7, 9, &[9]),
        ],
    );
    let decoded = decode(&[&bytes[..], b"x"].concat()).expect("good");
    assert_eq!(type_names(&decoded.profile), ["wall/nanoseconds"]);
    assert_eq!(
        samples(&decoded.profile),
        [
            "0 a.b.C.f [1000] thread=main thread_id=7",
            "1000 a.b.C.f;a.D.g [1000] thread=main thread_id=7",
            "3000 a.D.g [5000] thread=main thread_id=7",
        ]
    );
    assert_eq!(
        decoded.warnings,
        [
            "the buffer was full before the trace ended",
            "the last record is cut off"
        ]
    );
}

#[test]
fn damage_is_named() {
    for (bytes, expect) in [
        (b"*version\n3\n".to_vec(), ": the *end line is missing"),
        (
            b"SLOW\xf3\0".to_vec(),
            ": this is a streamed trace, which Pilotlight can't open yet",
        ),
        (
            b"*version\n3\n*methods\n4\n*end\nSLOW".to_vec(),
            ", line 4: not a method",
        ),
        (
            b"*version\n3\n*end\nFAST".to_vec(),
            ", byte 16: no records begin here",
        ),
        (
            b"*version\n3\n*end\nSLOW\x04\0\x20\0".to_vec(),
            ", byte 20: version 4 is not supported; expected 1, 2 or 3",
        ),
        (trace("", 2, &[]), ": there are no samples"),
    ] {
        let error = decode(&bytes).expect_err(expect).to_string();
        assert_eq!(error, format!("Android method trace{expect}"));
    }
}
