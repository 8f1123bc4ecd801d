//! Tries and trees: what independent encoders write is read as the stacks that they wrote; what is
//! damaged or hostile is an error that names a byte.

use pilotlight_core::folded;
use pilotlight_core::limits::{MAX_PROFILE_BYTES, MAX_STACK_DEPTH};
use pilotlight_core::open;
use pilotlight_core::preorder::{PreorderError, PreorderProblem, decode_tree, decode_trie};
use pilotlight_core::{Profile, limits};
use pilotlight_tests::corpus;
use pilotlight_tests::preorder::{Stacks, node, tree, trie, varint};
use proptest::prelude::*;

/// A reader and the writer that it must understand.
type Format = (
    &'static str,
    fn(&Stacks) -> Vec<u8>,
    fn(&[u8]) -> Result<Profile, PreorderError>,
);

const FORMATS: [Format; 2] = [
    ("trie", trie, |bytes| {
        decode_trie(bytes).map(|decoded| decoded.profile)
    }),
    ("tree", tree, |bytes| {
        decode_tree(bytes).map(|decoded| decoded.profile)
    }),
];

fn text(profile: &Profile) -> String {
    folded::encode(profile, 0, MAX_PROFILE_BYTES).expect("small")
}

/// What a folded text holds.
fn stacks(text: &str) -> Stacks {
    let mut stacks = Stacks::new();
    for line in text.lines() {
        let (stack, value) = line.rsplit_once(' ').expect("a value");
        let value: i64 = value.parse().expect("a number");
        if value > 0 {
            *stacks.entry(stack.to_owned()).or_default() += value as u64;
        }
    }
    stacks
}

fn lines(stacks: &Stacks) -> String {
    stacks
        .iter()
        .map(|(stack, value)| format!("{stack} {value}\n"))
        .collect()
}

fn problem(result: Result<Profile, PreorderError>) -> (usize, PreorderProblem) {
    let error = result.expect_err("is wrong");
    (error.at, error.problem)
}

#[test]
fn bytes_written_by_hand() {
    // "" → "a" → ";b" 3, "c;" → "d" 5, "" 7
    let by_hand = b"\0\0\x01\x01a\0\x02\x02;b\x03\0\x02c;\0\x02\x01d\x05\0\0\x07\0";
    let decoded = decode_trie(by_hand).expect("a trie");
    assert_eq!(text(&decoded.profile), "a;b 3\nac 7\nac;d 5\n");
    // "" → "main" 1 → "work" 300, "" 2
    let by_hand = b"\0\0\x01\x04main\x01\x02\x04work\xac\x02\0\0\x02\0";
    let decoded = decode_tree(by_hand).expect("a tree");
    assert_eq!(text(&decoded.profile), "main 3\nmain;work 300\n");
    // A letter in two pieces, and one that is none.
    let by_hand = b"\0\0\x02\x01\xc3\0\x01\x01\xa9\x01\0\x01\xff\x02\0";
    let decoded = decode_trie(by_hand).expect("a trie");
    assert_eq!(text(&decoded.profile), "é 1\n\u{fffd} 2\n");
    for (name, _, read) in FORMATS {
        let empty = read(b"\0\0\0").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(empty.is_empty());
        let root = read(b"\x04root\x05\0").expect("a root with a name");
        assert_eq!(text(&root), "root 5\n", "{name}");
        let none = read(b"\0\x05\0").expect("a value of no stack");
        assert_eq!(text(&none), " 5\n", "{name}");
    }
}

#[test]
fn real_stacks_come_back() {
    let mut texts = Vec::new();
    for name in [
        "perf-vertx-stacks-01-collapsed-all.txt",
        "recursion.txt",
        "simple.txt",
    ] {
        let Some(file) = corpus::read(&format!("speedscope/stackcollapse/{name}")) else {
            return;
        };
        texts.push((file.name, String::from_utf8(file.bytes).expect("UTF-8")));
    }
    for sample in corpus::profiles() {
        let profile = open(&sample.bytes, MAX_PROFILE_BYTES)
            .expect("a profile")
            .profile;
        texts.extend((0..profile.sample_types().len()).map(|column| {
            let folded = folded::encode(&profile, column, MAX_PROFILE_BYTES);
            (sample.name.clone(), folded.expect("small"))
        }));
    }
    assert!(texts.len() > 30);
    for (name, folded) in texts {
        let stacks = stacks(&folded);
        for (format, write, read) in FORMATS {
            let profile =
                read(&write(&stacks)).unwrap_or_else(|error| panic!("{name} as {format}: {error}"));
            assert_eq!(text(&profile), lines(&stacks), "{name} as {format}");
        }
    }
}

#[test]
fn a_cut_is_an_error_at_every_byte() {
    let stacks = stacks("main;work 300\nmain;idle 7\nmain;worker;run 1\nother 2\n");
    for (name, write, read) in FORMATS {
        let bytes = write(&stacks);
        assert!(read(&bytes).is_ok(), "{name}");
        for end in 0..bytes.len() {
            let error = read(&bytes[..end]).expect_err("is cut");
            assert!(error.at <= end, "{name}, {end} bytes: {error}");
            assert!(error.to_string().starts_with(&format!("{name}, byte ")));
        }
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let _ = read(&bytes);
        }
        let longer = [&bytes[..], b"\n"].concat();
        assert_eq!(
            problem(read(&longer)),
            (bytes.len(), PreorderProblem::Trailing(1)),
            "{name}"
        );
    }
}

#[test]
fn what_is_announced_has_to_follow() {
    for (_, _, read) in FORMATS {
        let children = node(b"a", 1, 1 << 60);
        assert_eq!(
            problem(read(&[&children[..], &[0; 30]].concat())),
            (
                0,
                PreorderProblem::Children {
                    nodes: 1 << 60,
                    left: 30
                }
            )
        );
        let twice = [node(b"", 0, u64::MAX), node(b"", 0, u64::MAX), vec![0; 9]].concat();
        assert!(matches!(
            problem(read(&twice)).1,
            PreorderProblem::Children { .. }
        ));
        // Each node announces three more, of which not all can follow.
        let nested = node(b"", 0, 3).repeat(1 << 20);
        let (at, problem_of) = problem(read(&nested));
        assert!(at < nested.len() && matches!(problem_of, PreorderProblem::Children { .. }));
        let name = [&varint(1 << 40)[..], b"abc"].concat();
        assert_eq!(
            problem(read(&name)),
            (0, PreorderProblem::Name { length: 1 << 40 })
        );
        let value = [&b"\x01a"[..], &varint(1 << 63), b"\0"].concat();
        assert_eq!(problem(read(&value)), (0, PreorderProblem::Value(1 << 63)));
        for number in [
            &[0xff; 11][..],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
        ] {
            assert_eq!(problem(read(number)), (0, PreorderProblem::Number));
        }
    }
}

#[test]
fn depth_has_a_limit_where_it_is_that_of_a_stack() {
    // Without names, or with pieces of one, depth is no matter.
    let chain = |name: &[u8], depth: usize, value| {
        let mut bytes = node(name, value, 1).repeat(depth);
        bytes.extend(node(name, 1, 0));
        bytes
    };
    let deep = chain(b"", 1_000_000, 0);
    for (_, _, read) in FORMATS {
        assert_eq!(text(&read(&deep).expect("no frames")), " 1\n");
    }
    let piece = chain(b"a", 1_000_000, 0);
    assert_eq!(
        decode_trie(&piece)
            .expect("one frame")
            .profile
            .strings()
            .len(),
        4
    );
    let too_deep = PreorderProblem::TooDeep {
        cap: MAX_STACK_DEPTH,
    };
    let most = chain(b"a", MAX_STACK_DEPTH - 1, 0);
    assert!(decode_tree(&most).is_ok());
    assert_eq!(
        problem(decode_tree(&piece).map(|decoded| decoded.profile)),
        (4 * MAX_STACK_DEPTH, too_deep.clone())
    );
    let frames = chain(b"a;", 1_000_000, 0);
    assert_eq!(
        problem(decode_trie(&frames).map(|decoded| decoded.profile)).1,
        too_deep
    );
    // Each piece is a name of its own, twice as long in all with every step.
    let names = chain(b"a", 1_000_000, 1);
    assert!(matches!(
        problem(decode_trie(&names).map(|decoded| decoded.profile)).1,
        PreorderProblem::OutOfProportion { .. }
    ));
    // One long name, spelled out again and again.
    let long = node(&vec![b'a'; 1 << 20], 0, 1 << 20);
    let again = [long, node(b"", 1, 0).repeat(1 << 20)].concat();
    assert!(matches!(
        problem(decode_trie(&again).map(|decoded| decoded.profile)).1,
        PreorderProblem::OutOfProportion { .. }
    ));
    let length = limits::MAX_PROFILE_BYTES + 1;
    assert!(matches!(
        problem(decode_tree(&vec![0; length]).map(|decoded| decoded.profile)).1,
        PreorderProblem::TooLarge { .. }
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_stacks_come_back(
        rows in prop::collection::btree_map("[abé]{1,3}(;[abé]{1,3}){0,4}", 1u64..1 << 40, 0..30),
    ) {
        for (_, write, read) in FORMATS {
            prop_assert_eq!(text(&read(&write(&rows)).expect("our own")), lines(&rows));
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for (_, _, read) in FORMATS {
            if let Err(error) = read(&bytes) {
                prop_assert!(error.at <= bytes.len());
            }
        }
    }
}
