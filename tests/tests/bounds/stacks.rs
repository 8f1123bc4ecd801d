//! Hostile JSON of speedscope, tries and trees.

use pilotlight_core::folded;
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::preorder::{decode_tree, decode_trie};
use pilotlight_fixtures::counting::measure;
use pilotlight_fixtures::synthetic;
use pilotlight_tests::preorder::{self, Stacks, node};

use crate::{Case, SIZE, case};

/// Tries and trees keep account of what they make.
pub(crate) static STACKS: &[Case] = &[
    speedscope("frames of their own", true, || {
        json("", "", |i| format!("{{\"name\":\"{i:x}\"}}"))
    }),
    speedscope("equal frames with lines", true, || {
        json("", "", |i| format!("{{\"name\":\"a\",\"line\":{i}}}"))
    }),
    speedscope("empty samples", true, || {
        let samples = vec!["[]"; SIZE / 5].join(",");
        let weights = vec!["1"; SIZE / 5].join(",");
        json(&samples, &weights, |_| ONE_FRAME.to_owned())
    }),
    speedscope("weights without samples", false, || {
        json("", &vec!["1"; SIZE / 2].join(","), |_| ONE_FRAME.to_owned())
    }),
    speedscope("one deep sample", false, || {
        let deep = format!("[{}]", vec!["0"; SIZE / 2].join(","));
        json(&deep, "1", |_| ONE_FRAME.to_owned())
    }),
    speedscope("deep samples that share nothing", true, || {
        let rest = ",0".repeat(1_000);
        let deep = |i| format!("[{i}{rest}]");
        let samples: Vec<String> = (0..SIZE / 2_000).map(deep).collect();
        let weights = vec!["1"; samples.len()].join(",");
        json(&samples.join(","), &weights, |_| ONE_FRAME.to_owned())
    }),
    speedscope("events", true, || {
        let event = |i: usize| {
            let (kind, time) = (["O", "C"][i % 2], i / 9);
            format!("{{\"type\":\"{kind}\",\"frame\":0,\"at\":{time}}}")
        };
        let events: Vec<String> = (0..SIZE / 70 * 2).map(event).collect();
        profiles(&format!(
            "{{\"type\":\"evented\",\"unit\":\"none\",\"events\":[{}]}}",
            events.join(",")
        ))
    }),
    speedscope("small profiles", false, || {
        let small = "{\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[],\"weights\":[]}";
        profiles(&vec![small; SIZE / small.len()].join(","))
    }),
    trie("a trie of names of its own", false, || own_names(b"")),
    tree("a tree of names of its own", false, || own_names(b"")),
    trie("a trie of frames of its own", false, || own_names(b";")),
    tree("a deep tree of few names", true, || {
        let deep = |i: u64| {
            [
                node(&[b'a' + i as u8], 1, 1).repeat(9_999),
                node(b"b", 1, 0),
            ]
            .concat()
        };
        [node(b"", 0, 20), (0..20).flat_map(deep).collect()].concat()
    }),
    trie("a trie whose pieces are one name", false, || {
        let mut bytes = node(b"a", 1, 1).repeat(SIZE / 4);
        bytes.extend(node(b"a", 1, 0));
        bytes
    }),
    trie("a trie of open nodes", true, || open_nodes(b"")),
    tree("a tree of open nodes", true, || open_nodes(b"")),
];

const ONE_FRAME: &str = "{\"name\":\"a\"}";

const fn speedscope(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| pilotlight_core::speedscope::decode(bytes).is_ok(),
        ..case(name, accepted, make)
    }
}

const fn trie(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| pilotlight_core::preorder::decode_trie(bytes).is_ok(),
        ..case(name, accepted, make)
    }
}

const fn tree(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| pilotlight_core::preorder::decode_tree(bytes).is_ok(),
        ..case(name, accepted, make)
    }
}

/// A file of speedscope with one profile; as many frames as it takes to have [`SIZE`].
fn json(samples: &str, weights: &str, frame: impl Fn(usize) -> String) -> Vec<u8> {
    let (mut frames, mut length) = (Vec::new(), samples.len() + weights.len());
    // Deep samples begin with a frame of their own.
    while length < SIZE || frames.len() < 4_000 {
        frames.push(frame(frames.len()));
        length += frames[frames.len() - 1].len() + 1;
    }
    let frames = frames.join(",");
    let profile = format!(
        "{{\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[{samples}],\"weights\":[{weights}]}}"
    );
    format!("{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{{\"frames\":[{frames}]}},\"profiles\":[{profile}]}}")
        .into_bytes()
}

fn profiles(profiles: &str) -> Vec<u8> {
    format!("{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{{\"frames\":[{ONE_FRAME}]}},\"profiles\":[{profiles}]}}")
        .into_bytes()
}

/// A node for each text of three letters, each with a value.
fn own_names(end: &[u8]) -> Vec<u8> {
    let letters = || 33..97u8;
    let mut bytes = node(b"", 0, 64);
    for a in letters() {
        bytes.extend(node(b"", 0, 64 * 64));
        for (b, c) in letters().flat_map(|b| letters().map(move |c| (b, c))) {
            bytes.extend(node(&[&[a, b, c], end].concat(), 1, 0));
        }
    }
    bytes
}

/// Nodes that all have one more child, which comes at the end.
fn open_nodes(name: &[u8]) -> Vec<u8> {
    let mut bytes = node(name, 0, 2).repeat(SIZE / 6);
    bytes.extend(node(name, 0, 0).repeat(SIZE / 6 + 1));
    bytes
}

/// What keeps account of its memory must not refuse what is honest.
#[test]
fn large_tries_and_trees_are_read() {
    let profile = synthetic::profile(20_000);
    let text = folded::encode(&profile, 0, MAX_PROFILE_BYTES).expect("small");
    let rows = text
        .lines()
        .map(|line| line.rsplit_once(' ').expect("a value"));
    let stacks: Stacks = rows
        .map(|(stack, value)| (stack.to_owned(), value.parse().expect("a number")))
        .collect();
    let formats = [
        (preorder::trie(&stacks), decode_trie as fn(&[u8]) -> _),
        (preorder::tree(&stacks), decode_tree),
    ];
    for (bytes, read) in formats {
        let (used, decoded) = measure(|| read(&bytes));
        let total = decoded.expect("is read").profile.total(0);
        assert_eq!(total, profile.total(0));
        let ratio = used.peak as f64 / bytes.len() as f64;
        println!("{ratio:7.2}x peak of {} bytes", bytes.len());
        assert!(ratio <= 8.0, "{} for {}", used.peak, bytes.len());
    }
}
