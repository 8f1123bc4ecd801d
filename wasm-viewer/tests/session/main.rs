//! The session behind the browser's interface, driven natively.

mod opening;

use pilotlight_core::{ProfileBuilder, pprof};
use pilotlight_viewer::{Session, Sort, Widths};

/// A pprof file from lines of `root;…;leaf value`.
fn file(kind: &str, text: &str) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type(kind, "nanoseconds");
    for line in text.lines() {
        let (names, value) = line.rsplit_once(' ').expect("a value");
        let stack = builder.named_stack(&names.split(';').collect::<Vec<_>>());
        builder.sample(stack, None, &[value.parse().expect("a number")]);
    }
    pprof::encode_gzip(&builder.finish())
}

fn open(session: &mut Session, text: &str) -> u32 {
    session
        .open("a.pprof", &file("cpu", text))
        .expect("opens")
        .id
}

/// `depth name x+width flags` of each box, left to right.
fn boxes(session: &Session, tree: u32, zoom: u32) -> Vec<String> {
    let view = session.view(tree).expect("is open");
    let words = view
        .boxes(zoom, 0.0, 1.0, 100.0, 0..10, Widths::Both)
        .expect("a node");
    let mut boxes: Vec<_> = words
        .chunks(6)
        .map(|b| {
            (
                b[2],
                f32::from_bits(b[0]),
                f32::from_bits(b[1]),
                view.names(&[b[3]]).expect("a node").remove(0),
                b[5],
            )
        })
        .collect();
    boxes.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    boxes
        .into_iter()
        .map(|(depth, x, width, name, flags)| format!("{depth} {name} {x}+{width} {flags}"))
        .collect()
}

#[test]
fn opens_draws_and_finds() {
    let mut session = Session::default();
    let profile = open(
        &mut session,
        "main;work;hash 60\nmain;work 15\nmain;idle 25",
    );
    let tree = session.tree(profile, 0, &[], false).expect("a type");
    assert_eq!(
        (tree.nodes, tree.depth, tree.total_exact.as_str()),
        (5, 4, "100")
    );
    assert_eq!(
        boxes(&session, tree.id, 0),
        [
            "0 total 0+100 0",
            "1 main 0+100 0",
            "2 idle 0+25 0",
            "2 work 25+75 0",
            "3 hash 25+60 0"
        ]
    );

    let found = session
        .view_mut(tree.id)
        .expect("open")
        .search("WORK")
        .expect("a pattern");
    assert_eq!((found.matches, found.fraction), (1, 0.75));
    let view = session.view(tree.id).expect("open");
    let work = view.match_at(-1);
    assert_eq!(view.names(&[work]).expect("a node"), ["work"]);
    assert_eq!(view.find(&view.key(work).expect("a node")), work);
    let detail = view.detail(work).expect("a node");
    assert_eq!(
        (detail.own, detail.total, detail.children, detail.fraction),
        (15.0, 75.0, 1, 0.75)
    );
    assert_eq!(
        detail
            .path
            .iter()
            .map(|p| p.name.as_str())
            .collect::<Vec<_>>(),
        ["total", "main", "work"]
    );
    assert_eq!(
        boxes(&session, tree.id, work)[2],
        "2 work 0+100 66",
        "MATCH and SEARCHING"
    );

    let view = session.view(tree.id).expect("open");
    let name = |n: u32| view.names(&[n]).expect("a node").remove(0);
    assert_eq!(name(view.step(work, "child").expect("a direction")), "hash");
    assert_eq!(
        name(view.step(work, "previous").expect("a direction")),
        "idle"
    );
    assert_eq!(view.step(work, "next").expect("a direction"), work);
    assert_eq!(view.step(0, "parent").expect("a direction"), 0);
    assert!(view.step(work, "sideways").is_err());
}

#[test]
fn children_and_occurrences_are_all_there_the_largest_first() {
    let mut session = Session::default();
    let profile = open(
        &mut session,
        "main;alloc;next 20\nmain;alloc;scan 50\nmain;alloc;zero 30\nmain;next 40\nother;next 20\nmain 5",
    );
    let tree = session.tree(profile, 0, &[], false).expect("a type").id;
    let view = session.view(tree).expect("open");
    let names = |nodes: &[u32]| view.names(nodes).expect("nodes");
    let main = view.children(0).expect("the root")[0];
    let alloc = view.children(main).expect("main")[0];
    assert_eq!(
        names(&view.children(0).expect("the root")),
        ["main", "other"]
    );
    assert_eq!(
        names(&view.children(alloc).expect("alloc")),
        ["scan", "zero", "next"],
        "also those left of the heaviest"
    );
    assert_eq!(
        view.step(alloc, "child"),
        Ok(view.children(alloc).expect("alloc")[0])
    );

    let next = view.children(alloc).expect("alloc")[2];
    let totals = |nodes: Vec<u32>| {
        nodes
            .iter()
            .map(|&n| view.detail(n).expect("a node").total)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        totals(view.occurrences(next).expect("next")),
        [40.0, 20.0, 20.0]
    );
    assert_eq!(view.detail(next).expect("next").occurrences, 3);
    assert_eq!(view.occurrences(0), Ok(vec![0]), "the root is once");
    let func = view.detail(next).expect("next").func;
    assert_eq!(view.node_of(func), view.occurrences(next).expect("next")[0]);
    assert!(view.children(99).is_err());
}

#[test]
fn table_sorts_and_filters() {
    let mut session = Session::default();
    let profile = open(&mut session, "main;b 5\nmain;a 5\nmain;c 10");
    let tree = session.tree(profile, 0, &[], false).expect("a type").id;
    let view = session.view_mut(tree).expect("open");
    let mut names = |sort: &str, descending, filter: &str| -> Vec<String> {
        let page = view
            .table(
                Sort::parse(sort).expect("a column"),
                descending,
                filter,
                0,
                10,
            )
            .expect("a table");
        page.rows.into_iter().map(|r| r.name).collect()
    };
    assert_eq!(names("self", true, ""), ["c", "a", "b", "main"]);
    assert_eq!(names("total", true, ""), ["main", "c", "a", "b"]);
    assert_eq!(names("name", true, ""), ["main", "c", "b", "a"]);
    assert_eq!(names("self", false, "/^[ab]$/"), ["a", "b"]);
    assert!(view.table(Sort::Own, true, "/(/", 0, 10).is_err());
}

#[test]
fn merges_and_compares() {
    let mut session = Session::default();
    let base = open(&mut session, "main;old 10\nmain;same 10");
    let comparison = open(&mut session, "main;new 30\nmain;same 10");
    let merged = session.merge(&[base, comparison]).expect("same types");
    assert_eq!(merged.types[0].total_exact, "60");
    let exported = session.export_pprof(merged.id, &[]).expect("open");
    assert_eq!(
        session.open("again", &exported).expect("our own").types,
        merged.types
    );

    let tree = session
        .diff(base, comparison, 0, false, &[], false)
        .expect("same types");
    let totals = tree.diff.expect("a comparison");
    assert_eq!((totals.base, totals.comparison), (20.0, 40.0));
    let drawn = boxes(&session, tree.id, 0);
    assert_eq!(
        drawn[2..],
        [
            "2 new 0+50 8",
            "2 old 50+16.666666 16",
            "2 same 66.666664+33.333332 0"
        ]
    );
    let view = session.view(tree.id).expect("open");
    let detail = view
        .detail(view.step(0, "child").expect("main"))
        .expect("a node")
        .diff
        .expect("a comparison");
    assert_eq!(
        (detail.base_total, detail.comparison_total, detail.state),
        (20.0, 40.0, "same")
    );
    let view = session.view_mut(tree.id).expect("open");
    let found = view.search("same").expect("a pattern");
    assert_eq!(found.side_fractions, Some([0.5, 0.25]));

    let scaled = session
        .diff(base, comparison, 0, true, &[], false)
        .expect("same types")
        .diff
        .expect("a comparison");
    assert_eq!(scaled.base, scaled.comparison);
    assert_eq!(scaled.normalised_to, Some(scaled.base));
}

#[test]
fn searches_for_shares_of_the_whole_sides() {
    let mut session = Session::default();
    let base = open(
        &mut session,
        "main;parse;json 40\nmain;parse 20\nmain;rest 40",
    );
    let comparison = open(
        &mut session,
        "main;parse;json 40\nmain;parse 25\nmain;rest 65",
    );
    let focused = ["focus:parse".to_owned()];
    for (normalise, shares) in [
        (true, [0.4, 40.0 / 130.0]),
        (false, [40.0 / 60.0, 40.0 / 65.0]),
    ] {
        let tree = session
            .diff(base, comparison, 0, normalise, &focused, false)
            .expect("same types");
        let view = session.view_mut(tree.id).expect("open");
        let found = view.search("json").expect("a pattern").side_fractions;
        let found = found.expect("a comparison");
        for (found, share) in found.into_iter().zip(shares) {
            assert!((found - share).abs() < 1e-6, "{found} of {share}");
        }
    }
}

#[test]
fn scales() {
    let mut session = Session::default();
    let profile = open(&mut session, "main;a 30\nmain;b 10");
    let scaled = session.scale(profile, 0, 3.0, 4.0).expect("a ratio");
    assert_eq!(scaled.types[0].total_exact, "30");
    let tree = session
        .diff(profile, scaled.id, 0, false, &[], false)
        .expect("same types")
        .diff
        .expect("a comparison");
    assert_eq!(
        (tree.base, tree.comparison, tree.normalised_to),
        (40.0, 30.0, None)
    );
    for (numerator, denominator) in [
        (1.0, 0.0),
        (0.5, 1.0),
        (0.0, 1.0),
        (-1.0, 1.0),
        (f64::NAN, 1.0),
    ] {
        assert!(
            session.scale(profile, 0, numerator, denominator).is_err(),
            "{numerator}/{denominator}"
        );
    }
    let large = open(&mut session, &format!("a {}", i64::MAX));
    assert!(session.scale(large, 0, 2.0, 1.0).is_err());
}

#[test]
fn expressions_of_filters_are_checked_as_the_worker_does() {
    for text in [
        "eu-.*|us",
        "[0-f]",
        "[Q-d]",
        "[[:^alpha:]]",
        r"\d+\.\bgo",
        r"\\",
        "\"'`",
        "a/b",
        "a\nb",
        r"\{\}",
        "",
    ] {
        assert_eq!(Session::regex_problem(text), None, "{text}");
    }
    let problem = |text: &str| Session::regex_problem(text).expect(text);
    assert!(problem("eu-(").contains("group"), "{}", problem("eu-("));
    assert!(
        problem("a)(b").contains("closing ')'"),
        "{}",
        problem("a)(b")
    );
    assert!(
        problem("a\\")
            .ends_with("saw start of escape sequence, but saw end of pattern before it finished")
    );
    assert!(
        problem("(?i)[0-f]").ends_with(": [0-f] is not supported when case is ignored"),
        "{}",
        problem("(?i)[0-f]")
    );
    assert!(
        problem("eu-(").starts_with("invalid regular expression: "),
        "the page cuts this off"
    );
}

#[test]
fn is_handed_on_as_folded_stacks_with_the_totals_of_its_boxes() {
    let mut session = Session::default();
    let text = "main;idle 25\nmain;work 15\nmain;work;hash 60\n";
    let profile = open(&mut session, text);
    assert_eq!(session.export_folded(profile, 0, &[]).as_deref(), Ok(text));
    let wrong = session
        .export_folded(profile, 1, &[])
        .expect_err("one type");
    assert_eq!(
        wrong.to_string(),
        "folded stacks: sample type 1 (counted from 0) does not exist; the profile has 1"
    );

    let tree = session.tree(profile, 0, &[], false).expect("a type").id;
    let other = open(&mut session, "main;work 15\nmain;idle 5");
    let both = session
        .diff(profile, other, 0, false, &[], false)
        .expect("both")
        .id;
    let view = session.view(tree).expect("open");
    assert_eq!(view.totals(&[0, 1]), Ok(vec![100.0, 0.0, 100.0, 0.0]));
    assert!(view.totals(&[0, 99]).is_err());
    let view = session.view(both).expect("open");
    assert_eq!(view.totals(&[0]), Ok(vec![100.0, 20.0]));
}
