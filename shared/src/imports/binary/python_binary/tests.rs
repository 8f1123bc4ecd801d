//! Made recordings.

use super::*;
use crate::imports::testing::{samples, type_names};

const TEXTS: &[u8] = b"\x04a.py\x04main\x04work";
/// Of `main`, of `work`, and of one without a place.
const FRAMES: &[u8] = &[
    0, 1, 10, 0, 8, 0, 255, 0, 2, 24, 0, 1, 0, 255, 0, 2, 1, 0, 1, 0, 7,
];

fn thread(id: u8) -> Vec<u8> {
    [&[id, 0, 0, 0, 0, 0, 0, 0][..], &[0; 4]].concat()
}

fn records(records: &[(u8, &[u8])]) -> Vec<u8> {
    let each = records
        .iter()
        .map(|(id, rest)| [thread(*id), rest.to_vec()].concat());
    each.collect::<Vec<_>>().concat()
}

fn file(samples: &[u8], short: bool) -> Vec<u8> {
    let mut bytes = b"HCAT\x01\0\0\0\x03\x0f\0\0".to_vec();
    bytes.extend([0; 8]);
    bytes.extend(500u64.to_le_bytes());
    bytes.extend(vec![0; if short { 8 } else { 12 }]);
    let texts = (HEAD + samples.len()) as u64;
    bytes.extend(texts.to_le_bytes());
    bytes.extend((texts + TEXTS.len() as u64).to_le_bytes());
    bytes.extend([0, 0, 0, 0, 2, 0, 0, 0]);
    bytes.resize(HEAD, 0);
    bytes.extend(samples);
    bytes.extend(TEXTS);
    bytes.extend(FRAMES);
    bytes.extend([3, 0, 0, 0, 3, 0, 0, 0]);
    bytes.extend([0; 24]);
    bytes
}

fn all() -> Vec<u8> {
    records(&[
        (7, &[1, 100, 3, 2, 1, 0]),
        (7, &[0, 3, 5, 0, 6, 4, 0, 4]),
        (9, &[1, 50, 1, 1, 0]),
        (7, &[2, 1, 2, 1, 2, 2, 1]),
        (7, &[3, 1, 1, 3, 0]),
    ])
}

#[test]
fn stacks_are_told_by_what_changes() {
    let packed = zstd::encode_all(&all()[..], 3).expect("packs");
    for (bytes, kind) in [
        (file(&all(), false), "cpu/nanoseconds"),
        (file(&packed, false), "cpu/nanoseconds"),
        (file(&all(), true), "wall/nanoseconds"),
    ] {
        let profile = decode(&bytes).expect("good").profile;
        assert_eq!(type_names(&profile), [kind]);
        assert_eq!(
            samples(&profile),
            [
                "50000 main;work [500000] state=running thread=7",
                "55000 main;work [500000] state=idle thread=7",
                "61000 main;work [1000000] state=unknown thread=7",
                "0 main [500000] state=running thread=9",
                "62000 main;work;work [500000] state=running thread=7",
                "63000  [500000] state=running thread=7",
            ]
        );
        let line = profile.lines(LocationId::new(0))[0];
        assert_eq!((line.line, line.column), (5, 5));
        let synthetic = profile.lines(LocationId::new(2))[0];
        assert_eq!((synthetic.line, synthetic.column), (0, 0));
    }
}

#[test]
fn damage_is_named() {
    for (samples, expect) in [
        (vec![1], ", byte 0 of the samples: the data ends too early"),
        (
            records(&[(7, &[4])]),
            ", byte 0 of the samples: an unknown kind of record",
        ),
        (
            records(&[(7, &[2, 1, 1, 5, 0])]),
            ", byte 0 of the samples: a sample keeps more frames than the last stack has",
        ),
        (
            records(&[(7, &[1, 1, 1, 1, 3])]),
            ", byte 0 of the samples: a sample refers to a missing frame",
        ),
        (Vec::new(), ": there are no samples"),
    ] {
        let error = decode(&file(&samples, false))
            .expect_err(expect)
            .to_string();
        assert_eq!(error, format!("CPython profile{expect}"));
    }
    let cut = &file(&all(), false)[..100];
    let error = decode(cut).expect_err("cut").to_string();
    assert_eq!(
        error,
        "CPython profile: the file is cut off, or its header is damaged"
    );
}
