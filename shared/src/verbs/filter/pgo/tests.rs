//! Stacks drawn as text: a location is `name:line@address`, with inlined calls outermost first as
//! `outer:1+inner:2@address`; `@address` alone has no lines. Functions begin at line 100.

use std::collections::BTreeMap;

use super::*;
use crate::formats::pprof::{encode, encode_gzip};
use crate::merge::merger::merge;
use crate::model::profile::Mapping;

const ALL: PgoOptions = PgoOptions {
    keep_locations: 0,
    aggregate_callees: false,
};

fn keep(keep_locations: usize) -> PgoOptions {
    PgoOptions {
        keep_locations,
        aggregate_callees: false,
    }
}

/// A profile of lines `root;…;leaf value`, all in one mapping.
fn drawn(text: &str) -> Profile {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "nanoseconds");
    b.header().time_nanos = 7;
    b.header().duration_nanos = 8;
    let file = b.string("/bin/app");
    let mapping = b.mapping(Mapping {
        start: 1,
        limit: 2,
        offset: 3,
        file,
        build_id: StringId::EMPTY,
        symbols: Default::default(),
    });
    for line in text.lines() {
        let (stack, value) = line.rsplit_once(' ').expect("a value");
        let mut top = None;
        for location in stack.split(';').filter(|l| !l.is_empty()) {
            let (lines, address) = location.split_once('@').unwrap_or((location, "0"));
            let lines = lines.split('+').rev().filter(|line| !line.is_empty());
            let lines: Vec<Line> = lines
                .map(|line| {
                    let (name, line) = line.split_once(':').unwrap_or((line, "0"));
                    let name = b.string(name);
                    let function = b.function(Function {
                        start_line: 100,
                        ..Function::named(name, StringId::EMPTY)
                    });
                    Line {
                        function: Some(function),
                        line: line.parse().expect("a line"),
                        column: 9,
                    }
                })
                .collect();
            let address = address.parse().expect("an address");
            let location = b.location(Some(mapping), address, false, &lines);
            top = Some(b.stack(top, location));
        }
        b.sample(top, None, &[value.parse().expect("a value")]);
    }
    b.finish()
}

/// The reverse, with one line for each sample, in order of their texts.
fn draw(profile: &Profile) -> Vec<String> {
    let location = |id: LocationId| {
        let lines = profile.lines(id).iter().rev();
        let lines = lines.map(|line| {
            let function = profile.functions[line.function.unwrap().index()];
            assert_eq!((function.start_line, line.column), (100, 0));
            match line.line {
                0 => profile.text(function.name).to_owned(),
                line_number => format!("{}:{line_number}", profile.text(function.name)),
            }
        });
        let lines = lines.collect::<Vec<_>>().join("+");
        match profile.locations[id.index()].address {
            0 => lines,
            address => format!("{lines}@{address}"),
        }
    };
    let samples = &profile.samples;
    let rows = samples.stacks.iter().zip(&samples.values[0]);
    let mut rows: Vec<String> = rows
        .map(|(&stack, value)| {
            let mut frames: Vec<String> = profile.frames(stack).map(location).collect();
            frames.reverse();
            format!("{} {value}", frames.join(";"))
        })
        .collect();
    rows.sort();
    rows
}

fn check(text: &str, options: PgoOptions, expect: &[&str]) {
    let once = pgo(&drawn(text), options);
    assert_eq!(draw(&once), expect, "{text} {options:?}");
    assert_eq!(pgo(&once, options), once, "{text} {options:?} again");
}

#[test]
fn the_innermost_locations_stay() {
    let text = "main:101@1;a:102@2;b:103@3;c:104@4 1\nother:101@9;b:103@3;c:104@4 2\nc:104@4 4\n 8";
    check(text, keep(2), &[" 8", "b:103@3;c:104@4 3", "c:104@4 4"]);
    check(text, keep(1), &[" 8", "c:104@4 7"]);
    let three = [
        " 8",
        "a:102@2;b:103@3;c:104@4 1",
        "c:104@4 4",
        "other:101@9;b:103@3;c:104@4 2",
    ];
    check(text, keep(3), &three);
    let whole = [
        " 8",
        "c:104@4 4",
        "main:101@1;a:102@2;b:103@3;c:104@4 1",
        "other:101@9;b:103@3;c:104@4 2",
    ];
    check(text, keep(4), &whole);
    check(text, keep(usize::MAX), &whole);
    check(text, ALL, &whole);
}

#[test]
fn callees_are_one_wherever_they_were() {
    let text = "a:110@1;b:120@2 1\na:110@1;b:121@3 2\na:111@4;b:120@2 4";
    let aggregated = ["a:110@1;b 3", "a:111@4;b 4"];
    for keep_locations in [0, 2, 5] {
        let options = PgoOptions {
            keep_locations,
            aggregate_callees: true,
        };
        check(text, options, &aggregated);
    }
    check(
        text,
        keep(5),
        &[
            "a:110@1;b:120@2 1",
            "a:110@1;b:121@3 2",
            "a:111@4;b:120@2 4",
        ],
    );
    // Only the innermost line is that of a callee: where it was inlined stays.
    check(
        "a:110@1;b:120+c:130@2 1\na:110@1;b:120+c:131@3 2\na:110@1;b:121+c:130@4 4",
        PgoOptions::default(),
        &["a:110@1;b:120+c 3", "a:110@1;b:121+c 4"],
    );
}

/// Upstream trimmed such a location everywhere, and lost the lines of calls.
#[test]
fn a_location_that_is_callee_and_caller_keeps_its_line_as_caller() {
    check(
        "main:101@1;a:110@2 1\nmain:101@1;a:110@2;b:120@3 2\nmain:101@1;a:111@4 4",
        PgoOptions::default(),
        &["main:101@1;a 5", "main:101@1;a:110@2;b 2"],
    );
}

/// Upstream panicked.
#[test]
fn callees_without_a_line_are_one() {
    check(
        "main:101@1;@2 1\nmain:101@1;@3 2\n@4;b:120@5 4\n@6 8\n@7 16",
        PgoOptions::default(),
        &[" 24", "@4;b 4", "main:101@1; 3"],
    );
    // Without lines throughout, addresses are all that tells a caller from its callee.
    check(
        "@1;@2 1\n@1;@3 2",
        PgoOptions::default(),
        &["@1;@2 1", "@1;@3 2"],
    );
}

#[test]
fn functions_that_call_themselves_keep_their_places() {
    for text in [
        "f:110@1;f:110@2 1",
        "f:110@1;f:110@1 1",
        "f:110@1;g:105+f:111@2 1",
        "g:105+f:110@1;h:1@3;g:106+f:111+g:107@2 1",
    ] {
        check(text, PgoOptions::default(), &[text]);
    }
    // Further out it says nothing of the innermost call.
    check(
        "f:110@1;g:105@2;f:110@3 1",
        PgoOptions::default(),
        &["f:110@1;g:105@2;f 1"],
    );
}

#[test]
fn long_chains_of_inlined_calls_stay_as_they_are() {
    let chain = |length: usize| {
        let names: Vec<String> = (0..length).map(|i| format!("f{i}:1")).collect();
        names.join("+")
    };
    let (short, long) = (chain(MAX_COMPARED), chain(MAX_COMPARED + 1));
    for text in [format!("{long}@1;b:2@3 1"), format!("b:2@3;{long}@1 1")] {
        check(&text, PgoOptions::default(), &[&text]);
    }
    check(
        &format!("{short}@1;b:2@3 1"),
        PgoOptions::default(),
        &[&format!("{short}@1;b 1")],
    );
}

#[test]
fn names_are_those_of_the_linker_and_nothing_else_is_said() {
    let mut b = ProfileBuilder::new();
    b.sample_type("alloc_space", "bytes");
    b.sample_type("cpu", "nanoseconds");
    b.sample_type("samples", "count");
    b.header().comments = vec![StringId::EMPTY];
    let names = [
        ("main.Map[...]", "main.Map[go.shape.int]"),
        ("main.main", ""),
        ("work", "./node_modules/app/index.js:work:12"),
        ("", "main.leaf"),
    ];
    let mut stack = None;
    for (name, system_name) in names {
        let (name, system_name) = (b.string(name), b.string(system_name));
        let function = b.function(Function {
            name,
            system_name,
            file: StringId::EMPTY,
            start_line: 100,
        });
        let line = Line::of(function, 101);
        let location = b.location(None, 0, true, &[line]);
        stack = Some(b.stack(stack, location));
    }
    let (key, value) = (b.string("region"), b.string("eu"));
    let label = |value| crate::Label {
        key,
        value: crate::LabelValue::Text(value),
    };
    for labels in [&mut [][..], &mut [label(value)], &mut [label(key)]] {
        let labels = b.label_set(labels);
        b.sample(stack, labels, &[1, 10, 100]);
    }
    b.sample(None, None, &[1, 0, 1]);
    let trimmed = pgo(&b.finish(), ALL);
    assert_eq!(
        draw(&trimmed),
        ["main.Map[go.shape.int]:101;main.main:101;work:101;main.leaf:101 30"]
    );
    let types = trimmed.sample_types.iter().map(|&t| trimmed.type_text(t));
    assert_eq!(types.collect::<Vec<_>>(), [("cpu", "nanoseconds")]);
    assert_eq!(trimmed.header, Default::default());
    assert!(trimmed.mappings.is_empty() && trimmed.label_sets.is_empty());
    let both = trimmed.functions.iter().map(|f| f.name == f.system_name);
    assert!(both.eq([true; 4]));
    assert!(trimmed.locations.iter().all(|l| !l.folded));
}

#[test]
fn profiles_without_a_type_of_the_compiler_are_trimmed_by_their_first() {
    let mut b = ProfileBuilder::new();
    b.sample_type("alloc_objects", "count");
    b.sample_type("alloc_space", "bytes");
    let stack = b.named_stack(&["a", "b"]);
    b.sample(stack, None, &[3, 4096]);
    let trimmed = pgo(&b.finish(), PgoOptions::default());
    assert_eq!(trimmed.samples.values, [[3]]);
    let nothing = pgo(&Profile::default(), PgoOptions::default());
    assert_eq!(nothing, Profile::default());
}

#[test]
fn weights_fit_into_64_bits() {
    // Three calls: two samples with one frame more than calls, and a half of the limit each.
    let half = i64::MAX / 2 + 1;
    let text = format!(
        "a:1@1;b:2@2 {half}\na:1@1;c:3@3+d:4@4 1000\na:1@1;e:5@5 {half}\n{}",
        "a:1@1;f:6@6 1"
    );
    let text = text.replace("c:3@3+d:4@4", "c:3+d:4@4");
    let trimmed = pgo(&drawn(&text), PgoOptions::default());
    let found: BTreeMap<String, i64> = draw(&trimmed)
        .iter()
        .map(|row| row.rsplit_once(' ').unwrap())
        .map(|(stack, value)| (stack.to_owned(), value.parse().unwrap()))
        .collect();
    // Two frames of two samples of 2^62 are 2^64, and a little more: divided by four it fits.
    let expect = [
        ("a:1@1;b", half >> 2),
        ("a:1@1;c:3+d", 250),
        ("a:1@1;e", half >> 2),
    ];
    assert_eq!(
        found,
        expect
            .map(|(stack, value)| (stack.to_owned(), value))
            .into()
    );
    let extreme = format!(
        "a:1@1;b:2@2 {0}\na:1@1;b:3@3 {0}\nb:1@1 {1}",
        i64::MIN,
        i64::MAX
    );
    let trimmed = pgo(&drawn(&extreme), PgoOptions::default());
    let weights = trimmed.samples.values[0]
        .iter()
        .map(|v| i128::from(*v).abs());
    assert!(weights.sum::<i128>() <= i128::from(i64::MAX));
}

#[test]
fn hosts_and_their_order_give_the_same_bytes() {
    let hosts = [
        "main:101@1;a:110@2;b:120@3 1\nmain:101@1;c:130@4 2",
        "main:101@1;a:110@2;b:121@5 3\nmain:101@9;c:130@4 4",
        "x:101@7;a:110@2;b:122@6 5",
    ];
    let hosts = hosts.map(drawn);
    let merged = |order: [usize; 3]| merge(order.map(|i| &hosts[i])).unwrap().profile;
    for options in [PgoOptions::default(), keep(2), keep(1), ALL] {
        let all = encode_gzip(&pgo(&merged([0, 1, 2]), options));
        assert_eq!(all[4..8], [0; 4], "no time in the gzip");
        assert_eq!(encode_gzip(&pgo(&merged([2, 0, 1]), options)), all);
        let each = hosts.each_ref().map(|host| pgo(host, options));
        let sum = merge(&each).unwrap().profile;
        assert_eq!(encode(&pgo(&merged([1, 2, 0]), options)), encode(&sum));
    }
}

#[test]
fn rows_are_bounded() {
    let profile = drawn("a;b;c;d;e 1\na;b 2\nf 3");
    for (options, most) in [
        (keep(1), 3),
        (keep(2), 6),
        (keep(usize::MAX), u64::MAX),
        (ALL, 9),
    ] {
        assert_eq!(options.most_rows(&profile), most);
        assert!(pgo(&profile, options).stacks.len() as u64 <= most);
    }
}
