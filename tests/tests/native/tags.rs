//! Values of labels as frames, against brute force and against Go's pprof (`tagroot`, `tagleaf`);
//! and patterns as they are chosen from a list, against `tagfocus` and `tagignore`.

use std::collections::BTreeMap;

use pilotlight_core::pprof::{encode, open};
use pilotlight_core::tags::{tag_keys, tag_values};
use pilotlight_core::verbs::{
    FramePattern, TagEnd, TagPattern, TagWriter, focus, focus_tags, format_value, ignore_tags,
    tag_frames,
};
use pilotlight_core::{Profile, merge};
use pilotlight_tests::brute::{Frame, Function, Place, Sample, Sums, Value, spell, sums};
use pilotlight_tests::random::{profiles, some_named_profiles};
use pilotlight_tests::{corpus, go};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// What random profiles have, and a key that none has.
const KEYS: [&str; 3] = ["region", "span", "none"];

fn texts(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|&key| key.to_owned()).collect()
}

fn framed(profile: &Profile, keys: &[&str], end: TagEnd) -> Profile {
    tag_frames(profile, &texts(keys), end).unwrap().profile
}

/// The values of a key, texts first.
fn values(sample: &Sample, key: &str) -> Vec<String> {
    let of_key = sample.labels.iter().filter(|(name, _)| name == key);
    let values = of_key.map(|(_, value)| match value {
        Value::Text(text) => text.clone(),
        Value::Number(n, unit) if *n == 0 && unit.is_empty() => String::new(),
        Value::Number(n, unit) => format_value(*n, unit),
    });
    values.filter(|text| !text.is_empty()).collect()
}

fn frame(key: &str, values: &[String]) -> Frame {
    let name = match values {
        [] => format!("(no {key})"),
        values => values.join(","),
    };
    let function = Function {
        system_name: name.clone(),
        name,
        file: key.to_owned(),
        ..Function::default()
    };
    let place = Place {
        function: Some(function),
        line: (0, 0),
    };
    Frame {
        places: vec![place],
        ..Frame::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frames_of_labels(p in profiles(), first in 0..3usize, second in 0..3usize) {
        let keys = [KEYS[first], KEYS[second]];
        for end in [TagEnd::Root, TagEnd::Leaf] {
            let mut expect = spell(&p);
            for sample in &mut expect {
                let mut chain: Vec<Frame> =
                    keys.iter().map(|key| frame(key, &values(sample, key))).collect();
                sample.stack = match end {
                    TagEnd::Root => {
                        chain.append(&mut sample.stack);
                        chain
                    }
                    TagEnd::Leaf => {
                        sample.stack.append(&mut chain);
                        std::mem::take(&mut sample.stack)
                    }
                };
            }
            let result = tag_frames(&p, &texts(&keys), end).unwrap();
            prop_assert_eq!(sums(&spell(&result.profile)), sums(&expect));
            let has_value = |s: &Sample| keys.iter().any(|key| !values(s, key).is_empty());
            prop_assert_eq!(result.matched, spell(&p).iter().any(has_value));
        }
    }

    #[test]
    fn what_is_listed_is_what_is_kept(p in profiles()) {
        let column = 0;
        for key in tag_keys(&p, column) {
            let listed = tag_values(&p, column, key.name);
            prop_assert_eq!(listed.len(), key.values);
            let mut by_value: BTreeMap<String, i128> = BTreeMap::new();
            for sample in spell(&p) {
                let labels = sample.labels.iter().filter(|(name, _)| name == key.name);
                let mut words: Vec<String> = labels.map(|(_, value)| format!("{value:?}")).collect();
                words.sort();
                words.dedup();
                for word in words {
                    *by_value.entry(word).or_default() += i128::from(sample.values[column]);
                }
            }
            let writer = TagWriter::new(&p);
            for value in &listed {
                let word = match value.label.value {
                    pilotlight_core::LabelValue::Text(text) => Value::Text(p.text(text).to_owned()),
                    pilotlight_core::LabelValue::Number(n, unit) => {
                        Value::Number(n, p.text(unit).to_owned())
                    }
                };
                prop_assert_eq!(value.total, by_value[&format!("{word:?}")], "{:?}", value);
                let Some(text) = writer.exactly(&value.label) else {
                    continue;
                };
                let pattern = TagPattern::new(&text).unwrap();
                let kept = focus_tags(&p, &pattern).profile;
                // Equal amounts in different units are one to a pattern.
                if matches!(word, Value::Text(_)) {
                    prop_assert_eq!(kept.total(column), value.total, "{}", text);
                }
            }
        }
    }
}

/// As pprof has it: a frame of no value has no name, and none has a name of the linker. Samples with
/// numbers of these keys are left out, as numbers are written otherwise.
fn as_go(profile: &Profile) -> Sums {
    let mut samples = spell(profile);
    samples.retain(|sample| {
        let mut labels = sample.labels.iter();
        !labels
            .any(|(key, value)| KEYS.contains(&key.as_str()) && matches!(value, Value::Number(..)))
    });
    for sample in &mut samples {
        sample
            .labels
            .retain(|(_, value)| *value != Value::Text(String::new()));
        for frame in &mut sample.stack {
            let file = frame.module.take();
            frame.module = file.filter(|file| !file.is_empty() && !file.ends_with("/input"));
            let functions = frame
                .places
                .iter_mut()
                .filter_map(|place| place.function.as_mut());
            for function in functions.filter(|f| KEYS.contains(&f.file.as_str())) {
                function.system_name.clear();
                if function.name == format!("(no {})", function.file) {
                    function.name.clear();
                }
            }
        }
    }
    sums(&samples)
}

fn check_with_go(bytes: &[u8], options: &[&str], ours: &Profile) {
    let theirs = open(&go::proto_with(bytes, options), usize::MAX)
        .unwrap()
        .profile;
    let (ours, theirs) = (as_go(ours), as_go(&theirs));
    assert!(!ours.is_empty(), "{options:?} leave nothing to compare");
    let counts = (ours.len(), theirs.len());
    assert!(ours == theirs, "{options:?}: {counts:?} stacks");
}

#[test]
fn go_makes_the_same_frames_of_labels() {
    if !go::available() {
        return;
    }
    let mut runner = TestRunner::deterministic();
    let many = some_named_profiles(20..21)
        .new_tree(&mut runner)
        .unwrap()
        .current();
    let p = merge(&many).unwrap().profile;
    let bytes = encode(&p);
    let root = framed(&p, &["region"], TagEnd::Root);
    check_with_go(&bytes, &["-tagroot=region"], &root);
    let leaf = framed(&p, &["span", "none", "region"], TagEnd::Leaf);
    check_with_go(&bytes, &["-tagleaf=span,none,region"], &leaf);
    let both = framed(
        &framed(&p, &["span", "region"], TagEnd::Root),
        &["region"],
        TagEnd::Leaf,
    );
    check_with_go(&bytes, &["-tagroot=span,region", "-tagleaf=region"], &both);
    let eu = focus(&root, &FramePattern::new("^eu$").unwrap()).profile;
    check_with_go(&bytes, &["-tagroot=region", "-focus=^eu$"], &eu);
}

#[test]
fn go_keeps_what_is_chosen_from_the_list() {
    if !go::available() {
        return;
    }
    let Some(sample) = corpus::read("parca/profile-with-labels.pb.gz") else {
        return;
    };
    let p = open(&sample.bytes, usize::MAX).unwrap().profile;
    let writer = TagWriter::new(&p);
    let mut compared = 0;
    for key in tag_keys(&p, 0) {
        for value in tag_values(&p, 0, key.name).iter().take(3) {
            let Some(text) = writer.exactly(&value.label) else {
                continue;
            };
            let pattern = TagPattern::new(&text).unwrap();
            for (option, ours) in [
                ("tagfocus", focus_tags(&p, &pattern).profile),
                ("tagignore", ignore_tags(&p, &pattern).profile),
            ] {
                if ours.is_empty() {
                    continue;
                }
                check_with_go(&sample.bytes, &[&format!("-{option}={text}")], &ours);
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "the file has labels");
}
