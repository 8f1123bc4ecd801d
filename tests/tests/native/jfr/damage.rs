//! Damaged recordings.

use pilotlight_tests::jfr::INT;

use super::*;

/// What is wrong, where, and in which chunk.
#[test]
fn damage_is_named() {
    let message = |bytes: &[u8]| {
        decode(bytes, &Options::default())
            .expect_err("is damaged")
            .to_string()
    };
    let whole = every_event(Integers::Compressed);
    assert_eq!(message(b""), "JFR, chunk 1, byte 0: no chunk begins here");
    assert_eq!(
        message(&[&whole[..], b"FLR"].concat()),
        format!("JFR, chunk 2, byte {}: no chunk begins here", whole.len())
    );
    assert_eq!(
        message(&whole[..whole.len() - 1]),
        "JFR, chunk 1, byte 8: the chunk runs past the end"
    );
    let mut old = whole.clone();
    old[5] = 1;
    assert_eq!(
        message(&old),
        "JFR, chunk 1, byte 4: format version 1 is not supported; expected version 2"
    );
    let mut unfinished = whole.clone();
    unfinished[8..16].fill(0);
    assert_eq!(
        message(&unfinished),
        "JFR, chunk 1, byte 8: the chunk is not finished"
    );

    let mut nested = Chunk::new(Integers::Compressed);
    nested
        .classes
        .push((FREE, "jdk.ExecutionSample", vec![("self", FREE, &[])]));
    assert!(
        message(&nested.write()).ends_with("class 11 is nested too deeply or has too many fields")
    );
    // Each class holds the next one many times.
    let mut wide = Chunk::new(Integers::Compressed);
    for id in FREE..FREE + 8 {
        let next = if id == FREE + 7 { INT } else { id + 1 };
        wide.classes.push((
            id,
            if id == FREE {
                "jdk.ExecutionSample"
            } else {
                "x"
            },
            vec![("x", next, &[][..]); 50],
        ));
    }
    assert!(message(&wide.write()).ends_with("is nested too deeply or has too many fields"));

    // The first pool leads to the second, which leads to the first.
    let mut circle = Chunk::new(Integers::Raw);
    circle.pools = vec![vec![], vec![]];
    let mut bytes = circle.write();
    let pool = u64::from_be_bytes(bytes[16..24].try_into().expect("8 bytes")) as usize;
    let first = pool - 41;
    bytes[first + 28..first + 36].copy_from_slice(&41u64.to_be_bytes());
    assert!(
        message(&bytes).ends_with("constant pools form a cycle"),
        "{}",
        message(&bytes)
    );
}

/// Each byte of a small recording, and some of real ones: no change and no cut is more than an
/// error.
#[test]
fn a_viewer_reads_the_chunks_that_are_sound() {
    let good = every_event(Integers::Compressed);
    let alone = decode_with_times(&good).expect("is sound");
    let totals = |recording: &Recording| {
        let columns = 0..recording.types.len();
        let total = |column| recording.profile.total(column);
        columns.map(total).collect::<Vec<_>>()
    };
    let check = |bytes: &[u8], times: i128, warning: &str| {
        let read = decode_with_times(bytes).expect("a chunk is sound");
        let expect: Vec<_> = totals(&alone).iter().map(|total| total * times).collect();
        assert_eq!(totals(&read), expect, "{warning}");
        let warnings = [&[warning.to_owned()][..], &alone.warnings].concat();
        assert_eq!(read.warnings, warnings);
        assert!(
            decode(bytes, &Options::default()).is_err(),
            "a push is whole"
        );
    };
    let length = good.len();
    let cut = [&good[..], &good[..length - 1]].concat();
    let at = length + 8;
    check(
        &cut,
        1,
        &format!(
            "JFR, chunk 2, byte {at}: the chunk runs past the end; this chunk and all after it are left out"
        ),
    );
    let garbage = [&good[..], b"garbage"].concat();
    check(
        &garbage,
        1,
        &format!(
            "JFR, chunk 2, byte {length}: no chunk begins here; this chunk and all after it are left out"
        ),
    );
    // The offset of the constants leads to the metadata.
    let mut damaged = good.clone();
    damaged.copy_within(24..32, 16);
    let error = decode(&damaged, &Options::default()).expect_err("is damaged");
    let between = [&good[..], &damaged, &good].concat();
    let warning = error.to_string();
    let (_, problem) = warning.split_once(": ").expect("a place");
    let read = decode_with_times(&between).expect("chunks are sound");
    let expect: Vec<_> = totals(&alone).iter().map(|total| total * 2).collect();
    assert_eq!(totals(&read), expect);
    assert!(
        matches!(&read.warnings[..], [one, _] if one.starts_with("JFR, chunk 2, byte ")
            && one.ends_with(&format!(": {problem}; this chunk is left out"))),
        "{:?}",
        read.warnings
    );
    // Where none is sound, it is an error.
    assert_eq!(decode_with_times(&damaged).err(), Some(error));
    assert!(decode_with_times(&good[..length - 1]).is_err());
}

#[test]
fn no_damage_is_a_panic() {
    let made = [Integers::Compressed, Integers::Raw].map(every_event);
    let real = ["wall_tick_sample", "new_spancontext", "nativemem"].map(recording);
    for (bytes, step) in made
        .into_iter()
        .map(|bytes| (bytes, 1))
        .chain(real.into_iter().flatten().map(|bytes| (bytes, 397)))
    {
        for at in (0..bytes.len()).step_by(step) {
            let cut = decode(&bytes[..at], &Options::default());
            assert!(cut.is_err(), "cut at {at}");
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                if let Err(error) = decode(&damaged, &Options::default()) {
                    assert!(error.offset <= bytes.len(), "{error}");
                }
            }
        }
    }
    let labels = b"\x0a\x0a\x08\x07\x12\x06\x0a\x04\x08\x01\x10\x02\x12\x08\x08\x01\x12\x04tier";
    for at in 0..labels.len() {
        for flip in 1..=255 {
            let mut damaged = labels.to_vec();
            damaged[at] ^= flip;
            drop(LabelsSnapshot::decode(&damaged));
        }
    }
}
