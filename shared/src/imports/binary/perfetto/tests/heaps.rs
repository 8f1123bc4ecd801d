//! Dumps of heapprofd.

use super::*;

const HEAD: [(u32, u64); 3] = [(8, 1), (10, 1), (13, 1)];
const NEXT: [(u32, u64); 2] = [(8, 2), (10, 1)];

/// A part of a dump: fields of each sample.
fn dump(samples: &[&[(u32, u64)]]) -> Vec<u8> {
    let samples: Vec<Vec<u8>> = samples
        .iter()
        .map(|fields| inner(&[(2, &numbers(fields))]))
        .collect();
    let process = [
        numbers(&[(1, 5)]),
        inner(&[(11, b"malloc")]),
        samples.concat(),
    ];
    inner(&[(5, &process.concat())])
}

fn continued(dump: Vec<u8>) -> Vec<u8> {
    [dump, numbers(&[(6, 1)])].concat()
}

fn check(trace: &[Vec<u8>], expect: &[&str]) {
    let decoded = decode(&trace.concat()).expect("good");
    let shown: Vec<String> = expect
        .iter()
        .map(|row| format!("{row} heap=malloc process=5"))
        .collect();
    assert_eq!(samples(&decoded.profile), shown);
    assert_eq!(type_names(&decoded.profile)[3], "inuse_space/bytes");
    assert_eq!(decoded.warnings, [""; 0]);
}

#[test]
fn the_last_dump_of_a_heap_holds() {
    let first = dump(&[&[(1, 1), (2, 100), (5, 1)]]);
    let last = dump(&[&[(1, 1), (2, 300), (3, 200), (5, 4), (6, 3)]]);
    let most = dump(&[&[(1, 2), (8, 50), (9, 2)]]);
    check(
        &[
            packet(&HEAD, &[(12, &interned()), (37, &first)]),
            packet(&NEXT, &[(37, &continued(last))]),
            packet(&NEXT, &[(37, &most)]),
        ],
        &["main [4, 300, 1, 100]", "main;0x40 [a.so] [0, 0, 2, 50]"],
    );
}

#[test]
fn stacks_come_after_the_samples_of_their_dump() {
    let part = |stack: u64| continued(dump(&[&[(1, stack), (2, 100), (5, 1)]]));
    let expect = ["main [1, 100, 1, 100]", "main;0x40 [a.so] [1, 100, 1, 100]"];
    let parts = [
        packet(&HEAD, &[(37, &part(1))]),
        packet(&NEXT, &[(37, &part(2))]),
        packet(&NEXT, &[(12, &interned())]),
    ];
    let end = packet(&NEXT, &[(37, b"")]);
    check(&[parts.concat(), end], &expect);
    // The end is lost, and numbers mean something else from then on.
    check(&[parts.concat(), packet(&HEAD, &[])], &expect);
    check(&[parts.concat()], &expect);
}

#[test]
fn what_was_freed_before_the_last_dump_was_allocated() {
    let first = dump(&[&[(1, 1), (2, 64), (3, 64), (5, 2), (6, 2)]]);
    let second = dump(&[&[(1, 2), (2, 10), (5, 1)]]);
    // The first stack again, after heapprofd has forgotten it.
    let third = dump(&[&[(1, 1), (2, 8), (5, 1)], &[(1, 2), (2, 30), (5, 3)]]);
    check(
        &[
            packet(&HEAD, &[(12, &interned()), (37, &first)]),
            packet(&NEXT, &[(37, &second)]),
        ],
        &["main [2, 64, 0, 0]", "main;0x40 [a.so] [1, 10, 1, 10]"],
    );
    check(
        &[
            packet(&HEAD, &[(12, &interned()), (37, &first)]),
            packet(&NEXT, &[(37, &second)]),
            packet(&NEXT, &[(37, &third)]),
        ],
        &[
            "main [2, 64, 0, 0]",
            "main;0x40 [a.so] [3, 30, 3, 30]",
            "main [1, 8, 1, 8]",
        ],
    );
}
