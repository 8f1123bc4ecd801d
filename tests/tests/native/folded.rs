//! Folded stacks: real files against a fold by brute force, and profiles written and read again.

use std::collections::BTreeMap;

use pilotlight_core::folded::{decode, encode, sniff};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{By, CallTree, open};
use pilotlight_tests::{corpus, drawn};
use proptest::prelude::*;

const STACKCOLLAPSE: [&str; 6] = [
    "perf-vertx-stacks-01-collapsed-all.txt",
    "recursion.txt",
    "simple.txt",
    "simple-crlf.txt",
    "simple-utf16-le.txt",
    "simple-with-invalids.txt",
];

/// Text of a file in whichever encoding.
fn text(bytes: &[u8]) -> String {
    match bytes {
        [0xff, 0xfe, rest @ ..] => {
            let units: Vec<u16> = rest
                .chunks(2)
                .map(|pair| u16::from(pair[0]) | u16::from(pair[1]) << 8)
                .collect();
            String::from_utf16(&units).expect("UTF-16")
        }
        _ => String::from_utf8(bytes.to_vec()).expect("UTF-8"),
    }
}

#[test]
fn real_files_fold_as_their_lines_do() {
    for name in STACKCOLLAPSE {
        let Some(file) = corpus::read(&format!("speedscope/stackcollapse/{name}")) else {
            return;
        };
        let mut expect: BTreeMap<String, i64> = BTreeMap::new();
        let mut others = Vec::new();
        for (number, line) in (1..).zip(text(&file.bytes).split('\n')) {
            let line = line.trim();
            match line
                .rfind(' ')
                .map(|blank| (&line[..blank], line[blank + 1..].parse::<i64>()))
            {
                Some((stack, Ok(value))) => *expect.entry(stack.to_owned()).or_default() += value,
                _ if line.is_empty() || line.starts_with('#') => {}
                _ => others.push(number),
            }
        }
        let expect: String = expect
            .iter()
            .map(|(stack, value)| format!("{stack} {value}\n"))
            .collect();
        let decoded =
            open(&file.bytes, MAX_PROFILE_BYTES).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(
            encode(&decoded.profile, 0, MAX_PROFILE_BYTES).expect("small"),
            expect,
            "{name}"
        );
        let (count, lines) = match decoded.warnings.split_first() {
            Some((count, lines)) => (count.as_str(), lines),
            None => ("0 of", &[][..]),
        };
        assert!(
            count.starts_with(&format!("{} of", others.len())),
            "{name}: {count}"
        );
        assert_eq!(lines.len(), others.len(), "{name}: {lines:?}");
        for (warning, number) in lines.iter().zip(&others) {
            assert!(
                warning.starts_with(&format!("line {number} does not end in a number")),
                "{name}: {warning}"
            );
        }
        let with_invalids = name == "simple-with-invalids.txt";
        assert_eq!(
            others,
            if with_invalids { vec![2, 8] } else { vec![] },
            "{name}"
        );
    }
}

#[test]
fn nothing_else_in_the_corpus_is_taken_for_folded_stacks() {
    let Some(root) = corpus::root() else { return };
    let mut folders = vec![root.clone()];
    let (mut seen, mut found) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)
            .expect("a readable folder")
            .map(|entry| entry.expect("an entry"))
        {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).expect("a readable file");
            let bytes = pilotlight_core::gzip::inflate(&bytes, MAX_PROFILE_BYTES)
                .ok()
                .flatten()
                .unwrap_or(bytes);
            seen += 1;
            let name = path
                .strip_prefix(&root)
                .expect("below the root")
                .to_string_lossy()
                .into_owned();
            if sniff(&bytes) {
                found.push(name);
            }
        }
    }
    assert!(seen > 100, "the corpus has shrunk to {seen} files");
    let ends = [".folded.txt", "firefox/flamegraph.txt"];
    let is_folded =
        |name: &String| name.contains("collapse") || ends.iter().any(|end| name.ends_with(end));
    found.retain(|name| !is_folded(name));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn every_real_profile_is_stable_once_written() {
    for sample in corpus::profiles() {
        let profile = open(&sample.bytes, MAX_PROFILE_BYTES)
            .unwrap_or_else(|e| panic!("{}: {e}", sample.name))
            .profile;
        for sample_type in 0..profile.sample_types().len() {
            let once = encode(&profile, sample_type, MAX_PROFILE_BYTES).expect("small");
            if once.is_empty() {
                continue;
            }
            let again = decode(once.as_bytes()).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
            assert_eq!(again.warnings, Vec::<String>::new(), "{}", sample.name);
            assert_eq!(
                encode(&again.profile, 0, MAX_PROFILE_BYTES).expect("small"),
                once,
                "{}",
                sample.name
            );
            assert_eq!(
                again.profile.total(0),
                profile.total(sample_type),
                "{}",
                sample.name
            );
        }
    }
}

#[test]
fn every_field_of_a_profile_leaves_the_stacks_alone() {
    let profile = drawn::every_field();
    assert_eq!(
        encode(&profile, 0, 1 << 20).expect("small"),
        " 4\n\
         main.main;orders.(*Service).Place;Cart::add(Item) 9223372036854775807\n\
         main.main;orders.(*Service).Place;Cart::add(Item);orders.(*Service).Place;Cart::add(Item) 3\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn writing_folds_what_a_tree_folds(rows in prop::collection::vec((prop::collection::vec("[abc ;\n\u{feff}é]{0,3}", 0..5), -9i64..99), 0..20)) {
        let mut builder = pilotlight_core::ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        for (names, value) in &rows {
            let stack = builder.named_stack(&names.iter().map(String::as_str).collect::<Vec<_>>());
            builder.sample(stack, None, &[*value]);
        }
        let profile = builder.finish();
        let once = encode(&profile, 0, 1 << 20).expect("small");
        if once.is_empty() {
            prop_assert_eq!(CallTree::new(&profile, 0, By::Name).total(), 0);
            return Ok(());
        }
        let again = decode(once.as_bytes()).expect("our own");
        prop_assert_eq!(again.warnings, Vec::<String>::new());
        prop_assert_eq!(encode(&again.profile, 0, 1 << 20).expect("small"), once);
        let total = CallTree::new(&again.profile, 0, By::Name).total();
        prop_assert_eq!(total, CallTree::new(&profile, 0, By::Name).total());
    }
}
