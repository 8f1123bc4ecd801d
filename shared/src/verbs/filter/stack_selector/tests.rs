//! Stacks that are selected, by their first functions and by those on them.

use super::*;
use crate::testing::{draw, profile};
use crate::verbs::{FramePattern, FunctionNames};
use crate::{By, CallTree, Line, NodeId, ProfileBuilder};

fn tree(profile: &Profile) -> CallTree {
    CallTree::new(profile, 0, By::Name)
}

fn call_site(profile: &Profile, names: &[&str]) -> Profile {
    let call_site = names.iter().map(|&name| name.to_owned()).collect();
    let frames = FrameFilter::default();
    StackSelector {
        call_site,
        frames,
        ..StackSelector::default()
    }
    .select(profile)
}

#[test]
fn keeps_the_prefix() {
    let p = profile("main;a;b 1\nmain;a 2\nmain;b;a 4\na;main 8\nmain 16\n 32");
    let check = |names: &[&str], expect: &str| {
        let kept = call_site(&p, names);
        assert_eq!(draw(&tree(&kept)), expect, "{names:?}");
        let again = call_site(&kept, names);
        assert_eq!(draw(&tree(&again)), expect, "{names:?}");
    };
    check(&["main", "a"], "total 3/0\n main 3/0\n  a 3/2\n   b 1/1\n");
    check(&["a"], "total 8/0\n a 8/0\n  main 8/8\n");
    check(&["b"], "total 0/0\n");
    check(&["main", "a", "b", "c"], "total 0/0\n");
    check(&["a\0main"], "total 0/0\n");
    check(&[], &draw(&tree(&p)));
}

/// Inlined functions, functions without a name, and addresses, by the names that the tree has.
#[test]
fn every_node_of_a_tree_can_be_asked_for() {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "count");
    let [name, other, system, file] =
        ["work", "inlined", "_Zwork", "/bin/app"].map(|text| b.string(text));
    let empty = crate::StringId::EMPTY;
    let functions = [
        (name, system),
        (other, empty),
        (empty, system),
        (empty, empty),
    ]
    .map(|(name, system_name)| {
        Some(b.function(crate::Function {
            name,
            system_name,
            file,
            start_line: 0,
        }))
    });
    let line = |function| Line {
        function,
        line: 1,
        column: 0,
    };
    let chains: [Vec<usize>; 4] = [vec![1, 0], vec![2], vec![3], vec![]];
    let mut stack = None;
    for (i, chain) in chains.iter().enumerate() {
        let lines: Vec<Line> = chain.iter().map(|&f| line(functions[f])).collect();
        let location = b.location(None, 16 * i as u64, false, &lines);
        stack = Some(b.stack(stack, location));
        b.sample(stack, None, &[1 << i]);
    }
    let p = b.finish();
    let all = tree(&p);
    assert_eq!(
        draw(&all),
        "total 15/0\n work 15/0\n  inlined 15/1\n   _Zwork 14/2\n    ? 12/4\n     0x30 8/8\n"
    );
    for node in (0..all.shape().len() as u32).map(NodeId) {
        let path = all.shape().path(node);
        let names: Vec<&str> = path[1..].iter().map(|&n| all.shape().name(n)).collect();
        let kept = call_site(&p, &names);
        assert_eq!(tree(&kept).total(), all.total_value(node));
    }
}

fn names(names: &[&str], patterns: &[&str]) -> FunctionNames {
    let pattern = |pattern: &&str| FramePattern::new(pattern).unwrap();
    FunctionNames {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        patterns: patterns.iter().map(pattern).collect(),
    }
}

fn filtered(profile: &Profile, included: FunctionNames, excluded: FunctionNames) -> Profile {
    let frames = FrameFilter { included, excluded };
    let call_site = Vec::new();
    StackSelector {
        call_site,
        frames,
        ..StackSelector::default()
    }
    .select(profile)
}

fn check(profile: &Profile, included: FunctionNames, excluded: FunctionNames, total: i64) {
    let once = filtered(profile, included.clone(), excluded.clone());
    let twice = filtered(&once, included, excluded);
    for kept in [&once, &twice] {
        assert_eq!(tree(kept).total(), total);
    }
}

/// Pyroscope's own example first: included functions are all on a stack, excluded ones are not.
#[test]
fn stacks_have_what_is_included_and_nothing_excluded() {
    let none = FunctionNames::default;
    let p = profile("root;a 1\nroot;a;b 1\nroot;b 1\nroot;forbidden 1\nroot;a;forbidden 1");
    check(&p, names(&["a", "b"], &[]), none(), 1);
    check(&p, none(), names(&["forbidden"], &[]), 3);
    check(&p, names(&["a"], &[]), names(&["forbidden"], &[]), 2);

    let p = profile("main;a;b;a 1\nmain;b;ab 2\na 4\n 8");
    check(&p, none(), none(), 15);
    check(&p, none(), names(&["a"], &[]), 10);
    check(&p, none(), names(&[], &["^a$", "c"]), 10);
    check(&p, names(&["a"], &[]), none(), 5);
    check(&p, names(&["a", "main"], &[]), none(), 1);
    check(&p, names(&["b"], &["^a", "ab"]), none(), 2);
    check(&p, names(&["ab"], &[]), names(&[], &["b$"]), 0);
    check(&p, names(&[], &[""]), none(), 7);
    check(&p, names(&["c"], &[]), none(), 0);
    check(&p, none(), names(&[], &["a|b"]), 8);
}

/// As many as fit into the set, and what stands in it last.
#[test]
fn many_functions_are_included() {
    let all: Vec<String> = (0..64).map(|i| format!("f{i:02}")).collect();
    let short = all[..63].join(";");
    let p = profile(&format!("{short} 1\n{} 2\nf63 4", all.join(";")));
    let texts: Vec<&str> = all.iter().map(String::as_str).collect();
    check(&p, names(&texts, &[]), FunctionNames::default(), 2);
    check(&p, names(&texts[..63], &[]), FunctionNames::default(), 3);
    check(
        &p,
        names(&texts[..63], &["63"]),
        FunctionNames::default(),
        2,
    );
}

#[test]
fn call_site_and_frames_are_both_asked_for() {
    let p = profile("main;a;b 1\nmain;b 2\nb;a 4");
    let selector = StackSelector {
        call_site: vec!["main".to_owned()],
        frames: FrameFilter {
            included: names(&["b"], &[]),
            excluded: names(&["a"], &[]),
        },
        ..StackSelector::default()
    };
    assert_eq!(tree(&selector.select(&p)).total(), 2);
}

/// What stacks that end with a function count is the self value of that function in the tree.
#[test]
fn leaves_count_self_values() {
    let p = profile("main;a;b 1\nmain;b 2\nb;a 4\na;a 8\n 16");
    let of = |leaf: FunctionNames| {
        let selector = StackSelector {
            leaf,
            ..StackSelector::default()
        };
        let kept = selector.select(&p);
        assert_eq!(selector.select(&kept), kept);
        tree(&kept).total()
    };
    assert_eq!(of(names(&["a"], &[])), 12);
    assert_eq!(of(names(&["b"], &[])), 3);
    assert_eq!(of(names(&["main", "c"], &[])), 0);
    assert_eq!(of(names(&["b"], &["^a$"])), 15);
    assert_eq!(of(FunctionNames::default()), 31);
}

/// Inlined functions one by one, functions without names, and addresses.
#[test]
fn functions_on_a_stack_have_the_names_of_a_tree() {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "count");
    let [outer, inner, nameless] = ["outer", "inner", ""].map(|name| {
        let name = b.string(name);
        b.function(crate::Function {
            name,
            system_name: crate::StringId::EMPTY,
            file: crate::StringId::EMPTY,
            start_line: 0,
        })
    });
    let line = |function| Line {
        function,
        line: 1,
        column: 0,
    };
    let mut stack = None;
    for (i, (address, lines)) in [
        (0x10, vec![line(Some(inner)), line(Some(outer))]),
        (0x20, vec![line(Some(nameless))]),
        (0x30, vec![line(None)]),
    ]
    .into_iter()
    .enumerate()
    {
        let location = b.location(None, address, false, &lines);
        stack = Some(b.stack(stack, location));
        b.sample(stack, None, &[1 << i]);
    }
    let p = b.finish();
    let none = FunctionNames::default;
    check(&p, none(), names(&["inner"], &[]), 0);
    check(&p, names(&["inner", "outer", "?"], &[]), none(), 6);
    check(&p, none(), names(&["?"], &[]), 1);
    check(&p, names(&["0x30"], &["outer"]), none(), 4);
    check(&p, none(), names(&[], &["^0x"]), 3);
}
