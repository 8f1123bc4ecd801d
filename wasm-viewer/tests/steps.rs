//! Steps between an opened profile and its tree, and the same tree seen from elsewhere.

use pilotlight_core::pprof;
use pilotlight_core::{
    Function, Label, LabelValue, Line, Mapping, MappingId, ProfileBuilder, StringId, SymbolFlags,
};
use pilotlight_viewer::{Session, Sort, TreeInfo};

/// Opens folded stacks, `root;…;leaf value` a line.
fn open(session: &mut Session, text: &str) -> u32 {
    session
        .open("stacks.txt", text.as_bytes())
        .expect("opens")
        .id
}

fn tree(session: &mut Session, profile: u32, steps: &[&str]) -> TreeInfo {
    let steps: Vec<String> = steps.iter().map(|&step| step.to_owned()).collect();
    session.tree(profile, 0, &steps, false).expect("a tree")
}

/// A node a line: as many blanks as it is deep, name, total and self value.
fn draw(session: &Session, tree: &TreeInfo) -> String {
    let view = session.view(tree.id).expect("is open");
    let line = |node: u32| {
        let d = view.detail(node).expect("a node");
        let blanks = " ".repeat(d.depth as usize);
        format!("{blanks}{} {}/{}\n", d.name, d.total, d.own)
    };
    (0..tree.nodes).map(line).collect()
}

const STACKS: &str = "main;work;alloc 3\nmain;work;work;hash 4\nmain;idle 8\nother;alloc;alloc 16";

fn check(steps: &[&str], expected: &str) {
    let mut session = Session::default();
    let profile = open(&mut session, STACKS);
    let info = tree(&mut session, profile, steps);
    assert_eq!(draw(&session, &info), expected, "{steps:?}");
    assert_eq!((info.whole, info.whole_exact.as_str()), (31.0, "31"));
    assert_eq!(info.unmatched, Vec::<u32>::new(), "{steps:?}");
}

#[test]
fn each_step_does_what_pprof_does() {
    check(
        &["focus:^work$"],
        "total 7/0\n main 7/0\n  work 7/0\n   alloc 3/3\n   work 4/0\n    hash 4/4\n",
    );
    check(&["ignore:alloc|hash"], "total 8/0\n main 8/0\n  idle 8/8\n");
    check(
        &["hide:^(work|main)$"],
        "total 31/0\n alloc 3/3\n hash 4/4\n idle 8/8\n other 16/0\n  alloc 16/0\n   alloc 16/16\n",
    );
    check(
        &["show:^(work|idle)$"],
        "total 15/0\n idle 8/8\n work 7/3\n  work 4/4\n",
    );
    check(
        &["show-from:alloc"],
        "total 19/0\n alloc 19/3\n  alloc 16/16\n",
    );
    check(
        &["prune-from:^work$"],
        "total 31/0\n main 15/0\n  idle 8/8\n  work 7/3\n   work 4/4\n other 16/0\n  alloc 16/0\n   alloc 16/16\n",
    );
    check(
        &["recursion:direct"],
        "total 31/0\n main 15/0\n  idle 8/8\n  work 7/0\n   alloc 3/3\n   hash 4/4\n other 16/0\n  alloc 16/16\n",
    );
}

#[test]
fn steps_are_taken_in_order() {
    check(
        &["hide:^main$", "show-from:^work$", "recursion:cycles"],
        "total 7/0\n work 7/0\n  alloc 3/3\n  hash 4/4\n",
    );
    let mut session = Session::default();
    let profile = open(&mut session, STACKS);
    let hidden_first = tree(&mut session, profile, &["hide:^work$", "focus:^work$"]);
    assert_eq!(hidden_first.total, 0.0, "nothing is left to focus on");
    assert_eq!(hidden_first.unmatched, [1]);
    let focused_first = tree(&mut session, profile, &["focus:^work$", "hide:^work$"]);
    assert_eq!(focused_first.total, 7.0);
    let again = tree(&mut session, profile, &[]);
    assert_eq!(again.total, 31.0, "the profile itself stays as it is");
}

#[test]
fn what_matches_nothing_is_told() {
    let mut session = Session::default();
    let profile = open(&mut session, STACKS);
    for step in ["ignore:x", "hide:x", "prune-from:x"] {
        let info = tree(&mut session, profile, &["recursion:direct", step]);
        assert_eq!((info.total, info.unmatched), (31.0, vec![1]), "{step}");
    }
    for step in ["focus:x", "show:x", "show-from:x"] {
        let info = tree(&mut session, profile, &[step]);
        assert_eq!((info.total, info.nodes), (0.0, 1), "{step}");
        assert_eq!(info.unmatched, [0], "{step}");
    }
    // Folded stacks have neither files nor modules.
    for step in ["group:file", "group:module"] {
        let info = tree(&mut session, profile, &[step]);
        assert_eq!((info.nodes, info.unmatched), (2, vec![0]), "{step}");
        let info = tree(&mut session, profile, &["focus:x", step]);
        assert_eq!(info.unmatched, [0], "{step}: nothing is left to group");
    }
}

fn module(b: &mut ProfileBuilder, file: &str) -> MappingId {
    let file = b.string(file);
    b.mapping(Mapping {
        start: 0,
        limit: 0,
        offset: 0,
        file,
        build_id: StringId::EMPTY,
        symbols: SymbolFlags::default(),
    })
}

/// A module's name doesn't count as a file.
#[test]
fn an_address_has_no_file() {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "nanoseconds");
    let lib = module(&mut b, "/lib/libc.so.6");
    let main = b.named_stack(&["main"]);
    let address = b.location(Some(lib), 0x42, false, &[]);
    let stack = b.stack(main, address);
    b.sample(Some(stack), None, &[5]);
    let mut session = Session::default();
    let bytes = pprof::encode_gzip(&b.finish());
    let profile = session.open("stripped", &bytes).expect("opens").id;
    for (step, unmatched) in [
        ("group:file", vec![0]),
        ("group:package", vec![]),
        ("group:module", vec![]),
    ] {
        let info = tree(&mut session, profile, &[step]);
        assert_eq!(info.unmatched, unmatched, "{step}");
    }
}

/// One stack of two functions of a package, in one file, below one of another library.
fn native() -> Vec<u8> {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "nanoseconds");
    let lib = module(&mut b, "/lib/libc.so.6");
    let exe = module(&mut b, "/bin/shop");
    let mut stack = None;
    for (mapping, name, file) in [
        (lib, "__libc_start", ""),
        (exe, "shop/cart.Add", "cart.go"),
        (exe, "shop/cart.sum", "cart.go"),
    ] {
        let (name, file) = (b.string(name), b.string(file));
        let function = b.function(Function::named(name, file));
        let line = Line::of(function, 1);
        let location = b.location(Some(mapping), 0, false, &[line]);
        stack = Some(b.stack(stack, location));
    }
    b.sample(stack, None, &[5]);
    pprof::encode_gzip(&b.finish())
}

#[test]
fn frames_are_grouped() {
    let mut session = Session::default();
    let profile = session.open("shop", &native()).expect("opens").id;
    let mut names = |step: &str| -> Vec<String> {
        let info = tree(&mut session, profile, &[step]);
        assert_eq!(info.unmatched, Vec::<u32>::new(), "{step}");
        let view = session.view(info.id).expect("open");
        let nodes: Vec<u32> = (1..info.nodes).collect();
        view.names(&nodes).expect("nodes")
    };
    assert_eq!(
        names("group:function"),
        ["__libc_start", "shop/cart.Add", "shop/cart.sum"]
    );
    assert_eq!(names("group:file"), ["?", "cart.go"]);
    assert_eq!(names("group:package"), ["[libc.so.6]", "shop/cart"]);
    assert_eq!(names("group:module"), ["/lib/libc.so.6", "/bin/shop"]);
}

/// Samples 1, 2 and 4 with the labels `region` and `size`.
fn labelled() -> Vec<u8> {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "count");
    let stack = b.named_stack(&["main"]);
    let (region, size) = (b.string("region"), b.string("size"));
    let bytes = b.string("bytes");
    for (i, value) in ["eu", "us", "eu,1"].into_iter().enumerate() {
        let value = LabelValue::Text(b.string(value));
        let mut labels = vec![Label { key: region, value }];
        if i > 0 {
            let value = LabelValue::Number(1024 * i as i64, bytes);
            labels.push(Label { key: size, value });
        }
        let set = b.label_set(&mut labels);
        b.sample(stack, set, &[1 << i]);
    }
    pprof::encode_gzip(&b.finish())
}

#[test]
fn samples_are_chosen_and_parted_by_label() {
    let mut session = Session::default();
    let info = session.open("x", &labelled()).expect("opens");
    assert!(info.labelled);
    let keys = session.label_keys(info.id, 0).expect("keys");
    let keys: Vec<_> = keys
        .iter()
        .map(|k| (&*k.name, k.values, k.fraction))
        .collect();
    assert_eq!(keys, [("region", 3, 1.0), ("size", 2, 6.0 / 7.0)]);
    let values = |key: &str, filter: &str, page| {
        let page = session.label_values(info.id, 0, key, filter, page);
        page.expect("values")
    };
    let all = values("region", "", (0, 10));
    let texts: Vec<_> = all
        .rows
        .iter()
        .map(|row| (&*row.text, row.fraction))
        .collect();
    assert_eq!(
        texts,
        [("eu,1", 4.0 / 7.0), ("us", 2.0 / 7.0), ("eu", 1.0 / 7.0)]
    );
    assert_eq!((all.count, all.pattern), (3, None));
    let some = values("region", "EU", (1, 10));
    assert_eq!((some.count, &*some.rows[0].text), (2, "eu"));
    let sizes = values("size", "0", (0, 1));
    assert_eq!((sizes.count, sizes.rows.len(), sizes.pattern), (2, 1, None));
    let patterns = [
        (some.pattern, 5.0),
        (all.rows[0].pattern.clone(), 4.0),
        (all.rows[2].pattern.clone(), 1.0),
        (sizes.rows[0].pattern.clone(), 4.0),
    ];
    for (pattern, total) in patterns {
        let pattern = pattern.expect("a pattern");
        let kept = tree(&mut session, info.id, &[&format!("tagfocus:{pattern}")]);
        let left = tree(&mut session, info.id, &[&format!("tagignore:{pattern}")]);
        assert_eq!((kept.total, left.total), (total, 7.0 - total), "{pattern}");
    }
    let framed = tree(
        &mut session,
        info.id,
        &["tagignore:us", "tagroot:region,size", "tagleaf:none"],
    );
    assert_eq!(
        draw(&session, &framed),
        "total 5/0\n eu 1/0\n  (no size) 1/0\n   main 1/0\n    (no none) 1/1\n eu,1 4/0\n  2 KiB 4/0\n   main \
         4/0\n    (no none) 4/4\n"
    );
    assert_eq!(framed.unmatched, [2]);
    assert!(session.label_keys(info.id, 7).is_err());
    let plain = open(&mut session, STACKS);
    assert!(session.label_keys(plain, 0).expect("none").is_empty());
}

#[test]
fn errors_name_the_step() {
    let mut session = Session::default();
    let profile = open(&mut session, STACKS);
    let mut message = |steps: &[&str]| {
        let steps: Vec<String> = steps.iter().map(|&step| step.to_owned()).collect();
        let failed = session.tree(profile, 0, &steps, false);
        failed.expect_err("no tree").to_string()
    };
    let regex = message(&["hide:main", "focus:("]);
    assert!(regex.starts_with("step 2, focus:(: "), "{regex}");
    assert!(regex.contains("group"), "{regex}");
    assert_eq!(message(&["turn:main"]), "step 1, turn:main: unknown step");
    assert_eq!(
        message(&["focus"]),
        "step 1, focus: the regular expression is missing"
    );
    assert_eq!(
        message(&["recursion:none"]),
        "step 1, recursion:none: recursion must be direct or cycles"
    );
    assert_eq!(
        message(&["tagfocus:"]),
        "step 1, tagfocus:: the label pattern is missing"
    );
    assert_eq!(
        message(&["tagroot:a,,b"]),
        "step 1, tagroot:a,,b: expected label keys, separated by commas"
    );
    assert_eq!(
        message(&["group:line"]),
        "step 1, group:line: group must be function, file, package or module"
    );
    assert_eq!(
        message(&["hide:x"; 65]),
        "got 65 steps; at most 64 are allowed"
    );
    assert!(
        message(&[&format!("é{}", "x".repeat(300))]).len() < 120,
        "cut between letters"
    );
    assert_eq!(Session::step_problem("focus:a|b"), None);
    assert_eq!(
        Session::step_problem("group:"),
        Some("group must be function, file, package or module".to_owned())
    );
}

#[test]
fn upside_down_the_table_stays() {
    let mut session = Session::default();
    let profile = open(&mut session, "main;work;alloc 3\nmain;alloc 4\nmain 8");
    let upright = session.tree(profile, 0, &[], false).expect("a tree");
    let inverted = session.tree(profile, 0, &[], true).expect("a tree");
    assert_eq!(
        draw(&session, &inverted),
        "total 15/0\n alloc 7/0\n  main 4/4\n  work 3/0\n   main 3/3\n main 8/8\n"
    );
    assert_eq!((inverted.whole, inverted.cut), (15.0, None));
    assert!(inverted.inverted && !upright.inverted);
    let mut table = |tree: &TreeInfo| {
        let view = session.view_mut(tree.id).expect("open");
        view.table(Sort::Total, true, "", 0, 10).expect("a table")
    };
    assert_eq!(table(&upright), table(&inverted));
    let view = session.view(inverted.id).expect("open");
    let main = view.detail(view.children(0).expect("the root")[0]);
    let main = main.expect("a node");
    assert_eq!(
        (main.name.as_str(), main.total, main.function_total),
        ("main", 8.0, 15.0),
        "a node is its chain's, the function is all of it"
    );
    assert_eq!(main.occurrences, 3, "in the tree that is drawn");
    assert_eq!(view.occurrences(main.node).expect("main").len(), 3);
    let view = session.view_mut(inverted.id).expect("open");
    let found = view.search("alloc").expect("a pattern");
    assert_eq!((found.matches, found.total), (1, 7.0), "the same share");
}

#[test]
fn upside_down_from_a_tree_as_from_the_profile() {
    let mut session = Session::default();
    let profile = open(&mut session, STACKS);
    for steps in [&[][..], &["focus:alloc".to_owned()]] {
        let made = session.tree(profile, 0, steps, true).expect("a tree");
        let upright = session.tree(profile, 0, steps, false).expect("a tree");
        let view = session.view_mut(upright.id).expect("open");
        view.search("main").expect("a pattern");
        let turned = session.tree(profile, 0, steps, true).expect("a tree");
        session.drop_tree(upright.id);
        let after = session.tree(profile, 0, steps, true).expect("a tree");
        for tree in [turned, after] {
            assert_eq!(draw(&session, &tree), draw(&session, &made));
            let id = made.id;
            assert_eq!(TreeInfo { id, ..tree }, made);
        }
    }
}

#[test]
fn a_sandwich_has_callers_and_callees() {
    let mut session = Session::default();
    let profile = open(&mut session, STACKS);
    let whole = tree(&mut session, profile, &[]);
    let sandwich = session.sandwich(whole.id, "alloc").expect("a tree");
    assert!(sandwich.callers.inverted && !sandwich.callees.inverted);
    assert_eq!(
        draw(&session, &sandwich.callers),
        "total 19/0\n alloc 19/0\n  other 16/16\n  work 3/0\n   main 3/3\n"
    );
    assert_eq!(
        draw(&session, &sandwich.callees),
        "total 19/0\n alloc 19/3\n  alloc 16/16\n"
    );
    assert_eq!(sandwich.callers.whole, 31.0);
    let func = |tree: &TreeInfo, node: u32| {
        let view = session.view(tree.id).expect("open");
        view.detail(node).expect("a node").func
    };
    let node = session
        .view(whole.id)
        .expect("open")
        .node_of(func(&sandwich.callers, 1));
    assert_eq!(
        session.view(whole.id).expect("open").names(&[node]),
        Ok(vec!["alloc".to_owned()]),
        "functions keep their numbers"
    );
    let nothing = session.sandwich(whole.id, "nothing").expect("a tree");
    assert_eq!((nothing.callers.nodes, nothing.callees.total), (1, 0.0));
    assert!(session.sandwich(99, "alloc").is_err());
}

#[test]
fn a_sandwich_of_a_comparison_has_both_sides() {
    let mut session = Session::default();
    let base = open(&mut session, "main;a;b 3\nmain;b 4");
    let comparison = open(&mut session, "main;a;b 5\nmain;c 6");
    let diff = session
        .diff(base, comparison, 0, false, &[], false)
        .expect("a tree");
    let sandwich = session.sandwich(diff.id, "b").expect("a tree");
    let totals = sandwich.callers.diff.expect("both sides");
    assert_eq!((totals.base, totals.comparison), (7.0, 5.0));
    let totals = sandwich.callees.diff.expect("both sides");
    assert_eq!((totals.base, totals.comparison), (7.0, 5.0));
    let view = session.view(sandwich.callers.id).expect("open");
    let b = view.detail(1).expect("b").diff.expect("both sides");
    assert_eq!((b.base_total, b.comparison_total), (7.0, 5.0));
}
