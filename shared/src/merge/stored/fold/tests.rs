//! Folded sums against exact ones.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::merge::merger::merge;
use crate::model::profile::Function;
use crate::testing::draw;
use crate::tree::call_tree::{CallTree, NodeId};
use crate::tree::frames::By;

/// A profile of lines of `root;…;leaf value`, a frame being calls that are inlined into each other,
/// each a function's name of one letter and a line of one digit; a frame without is an address.
fn profile(text: &str) -> Profile {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    builder.header().period = 10;
    for sample in text.lines() {
        let (frames, value) = sample.split_once(' ').expect("a value");
        let stack =
            frames
                .split(';')
                .filter(|frame| !frame.is_empty())
                .fold(None, |caller, frame| {
                    let location = location(frame.as_bytes(), &mut builder);
                    Some(builder.stack(caller, location))
                });
        builder.sample(stack, None, &[value.parse().expect("a number")]);
    }
    builder.finish()
}

fn location(frame: &[u8], builder: &mut ProfileBuilder) -> LocationId {
    let mut lines = Vec::new();
    for call in frame.chunks(2).rev() {
        let &[letter, digit] = call else {
            return builder.location(None, frame[0].into(), false, &[]);
        };
        let name = builder.string(&char::from(letter).to_string());
        let function = Function {
            name,
            system_name: name,
            // Functions of a name that differ otherwise are one node.
            start_line: i64::from(digit) / 2,
            file: name,
        };
        lines.push(crate::model::profile::Line::of(
            builder.function(function),
            digit.into(),
        ));
    }
    builder.location(None, 0, false, &lines)
}

/// The total of each path of names.
fn totals(profile: &Profile) -> BTreeMap<String, i64> {
    if profile.sample_types.is_empty() {
        return BTreeMap::new();
    }
    let tree = CallTree::new(profile, 0, By::Name);
    let nodes = (0..tree.shape().len() as u32).map(NodeId);
    let path = |node| {
        let path = tree.shape().path(node);
        path.iter()
            .map(|&n| tree.shape().name(n))
            .collect::<Vec<_>>()
            .join(";")
    };
    nodes
        .map(|node| (path(node), tree.total_value(node)))
        .collect()
}

/// The sum of profiles, folded to so many bytes after each.
fn folded(all: &[Profile], most: usize) -> StoredMerger {
    let mut merger = StoredMerger::default();
    for profile in all {
        merger.add(profile).unwrap();
        merger.fold(most);
    }
    merger
}

/// The total of each function, of its outermost calls.
fn function_totals(paths: &BTreeMap<String, i64>) -> BTreeMap<&str, i128> {
    let mut totals = BTreeMap::new();
    for (path, &total) in paths {
        let (callers, name) = path.rsplit_once(';').unwrap_or(("", path));
        if !callers.split(';').any(|caller| caller == name) {
            *totals.entry(name).or_default() += i128::from(total);
        }
    }
    totals
}

/// Every node of the exact tree is wrong by no more than the bound, and there is no other; gives
/// that and how many nodes are left.
fn check(all: &[Profile], most: usize) -> (u64, usize) {
    let merger = folded(all, most);
    let (bounds, merged) = (merger.error_bounds(), merger.finish());
    let bound = bounds.node;
    let exact = merge(all).unwrap();
    let (found, expect) = (totals(&merged.profile), totals(&exact.profile));
    assert_eq!(merged.profile.total(0), exact.profile.total(0));
    let has_negative = all
        .iter()
        .any(|p| p.samples.values[0].iter().any(|&v| v < 0));
    for (path, total) in &expect {
        let lacks = i128::from(*total) - i128::from(found.get(path).copied().unwrap_or(0));
        assert!(
            lacks.unsigned_abs() <= bound.into(),
            "{path} lacks {lacks}, bound {bound}"
        );
        assert!(lacks >= 0 || has_negative, "{path} lacks {lacks}");
    }
    let (of_found, of_exact) = (function_totals(&found), function_totals(&expect));
    for (name, total) in of_exact {
        let lacks = total - of_found.get(name).copied().unwrap_or(0);
        assert!(
            lacks.unsigned_abs() <= bounds.function.into(),
            "{name} lacks {lacks}"
        );
    }
    assert!(
        found
            .keys()
            .all(|path| has_negative || expect.contains_key(path))
    );
    (bound, found.len())
}

#[test]
fn names_alone_lose_nothing() {
    let all = [
        profile("a1;b1 1\na2;b1c4 2\na2;b2;c1 4\n 8\na1;x 16"),
        profile("a3;b3;c1 32\na1;x 64"),
    ];
    assert_eq!(check(&all, usize::MAX), (0, 5));
    let merged = folded(&all, usize::MAX).finish();
    assert_eq!(merged.profile.header().period, 10);
    let tree = CallTree::new(&merged.profile, 0, By::Name);
    let expect = "total 127/8\n a 119/0\n  0x78 80/80\n  b 39/1\n   c 38/38\n";
    assert_eq!(draw(&tree), expect);
    assert_eq!(merged.profile.stacks().len(), 4, "one row for each name");
}

#[test]
fn the_lightest_go_and_what_they_count_stays() {
    let mut merger = StoredMerger::default();
    merger
        .add(&profile("a1;b1 5\na1;c1 2\na1;c1;d1 2\ne1 3\nf1 3"))
        .unwrap();
    merger.drop_lightest(3);
    let tree = CallTree::new(&merger.by_name().finish().profile, 0, By::Name);
    // Of `c`, `e`, `f` the first is heavier, and there is no place for the others.
    assert_eq!(draw(&tree), "total 15/6\n a 9/0\n  b 5/5\n  c 4/4\n");
}

#[test]
fn of_equal_ones_the_first_stay() {
    let mut merger = StoredMerger::default();
    merger
        .add(&profile("a1;b1;c1;d1 7\ne1 7\nf1;g1 7"))
        .unwrap();
    merger.drop_lightest(2);
    assert_eq!(merger.error_bounds().node, 7);
    let tree = CallTree::new(&merger.by_name().finish().profile, 0, By::Name);
    assert_eq!(draw(&tree), "total 21/14\n a 7/0\n  b 7/7\n");
}

#[test]
fn the_ends_of_64_bits() {
    let (most, least) = (i64::MAX, i64::MIN);
    let all = [
        profile(&format!("a1;b1 {most}\na1;c1 {least}\nd1 1")),
        profile(&format!("a1;b1 {least}\na1;c1 {most}")),
    ];
    let (bound, _) = check(&all, 0);
    assert!(bound > 0);
    let merger = folded(
        &[
            profile(&format!("a1 {most}\nb1 {most}")),
            profile("a1 1\nb1 1"),
        ],
        0,
    );
    assert_eq!(merger.rows.len(), 1);
    assert_eq!(merger.finish().profile.total(0), most.into());
}

#[test]
fn nothing_is_folded_of_nothing() {
    let mut merger = StoredMerger::default();
    merger.fold(0);
    merger.add(&profile("a1 1")).unwrap();
    assert_eq!(merger.finish().profile.total(0), 1);
}

proptest! {
    #[test]
    fn the_bound_holds(
        all in prop::collection::vec("(([a-d][12]([ab][12])?;){0,4}[a-hxy][12]? [0-9]{1,3}\n){1,20}", 1..6),
        most in 0usize..6000,
    ) {
        let all: Vec<Profile> = all.iter().map(|text| profile(text.trim_end())).collect();
        check(&all, most);
    }

    #[test]
    fn the_bound_holds_whatever_the_signs(
        all in prop::collection::vec("(([a-d][12];){0,3}[a-d][12] -?[0-9]{1,2}\n){1,12}", 1..5),
        most in 0usize..4000,
    ) {
        let all: Vec<Profile> = all.iter().map(|text| profile(text.trim_end())).collect();
        check(&all, most);
    }
}
