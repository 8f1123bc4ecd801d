//! The session behind the browser's interface, driven natively.

use pilotlight_core::{Function, Line, ProfileBuilder, StringId, pprof};
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

    let scaled = session
        .diff(base, comparison, 0, true, &[], false)
        .expect("same types")
        .diff
        .expect("a comparison");
    assert_eq!(scaled.base, scaled.comparison);
    assert_eq!(scaled.normalised_to, Some(scaled.base));
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
fn opens_text() {
    let mut session = Session::default();
    let folded = session
        .open("stacks.txt", b"main;work 60\nmain;idle 40\nodd\n")
        .expect("opens");
    assert_eq!(
        (
            folded.types[0].kind.as_str(),
            folded.types[0].total_exact.as_str()
        ),
        ("samples", "100")
    );
    assert_eq!(
        folded.warnings,
        ["line 3 does not end in a number and is left out: \"odd\""]
    );
    let legacy = session
        .open("goroutine", b"goroutine profile: total 3\n3 @ 0x1 0x2\n")
        .expect("opens");
    assert_eq!(
        (
            legacy.types[0].kind.as_str(),
            legacy.types[0].total_exact.as_str()
        ),
        ("goroutine", "3")
    );
    let damaged = session
        .open("goroutine", b"goroutine profile: total 3\n3 @\n")
        .expect_err("no stack")
        .to_string();
    assert_eq!(
        damaged,
        "legacy count profile, line 2: expected a line like \"1 @ 0x2 0x3\": \"3 @\""
    );
}

#[test]
fn says_what_is_wrong() {
    let mut session = Session::default();
    let message = |result: Result<_, pilotlight_viewer::SessionError>| match result {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        message(session.open("x", b"")),
        "the file is empty (0 bytes); expected a profile: record it again, or copy the whole file"
    );
    assert_eq!(
        message(session.open("x", b"hello")),
        "this is text in an unknown format; Pilotlight reads pprof, its predecessors (gperftools, old Go and Java), JFR, speedscope and folded stacks"
    );
    assert_eq!(
        message(session.open("x", b"\x0a\x05\x08")),
        "pprof: not a valid protobuf message at byte 0: a length runs past the end"
    );
    let kind = |result: Result<_, pilotlight_viewer::SessionError>| {
        result.map_or_else(|error| error.kind(), |_| "opens")
    };
    assert_eq!(kind(session.open("x", b"")), "empty");
    assert_eq!(kind(session.open("x", b"FLR\0\0\x02")), "unread");
    assert_eq!(kind(session.open("x", b"PERFILE2")), "unread");
    assert_eq!(kind(session.open("x", b"\x0a\x05\x08")), "damaged");
    assert_eq!(kind(session.open("x", b"\x1f\x8b\x08")), "damaged");
    let cpu = open(&mut session, "a 1");
    let wall = session
        .open("wall", &file("wall", "a 1"))
        .expect("opens")
        .id;
    assert_eq!(
        message(session.merge(&[cpu, wall])),
        "profiles measure different things and cannot be added: cpu/nanoseconds and wall/nanoseconds"
    );
    let no_type = session
        .diff(cpu, wall, 0, false, &[], false)
        .expect_err("no cpu")
        .to_string();
    assert_eq!(
        no_type,
        "the comparison has no sample type cpu/nanoseconds; it has wall/nanoseconds"
    );
    session.close(cpu);
    assert_eq!(
        session
            .tree(cpu, 0, &[], false)
            .expect_err("closed")
            .to_string(),
        format!("profile {cpu} is not open")
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

#[test]
fn says_in_which_format_a_file_is() {
    let mut session = Session::default();
    let opened = session.open("a", b"main;work 1\n").expect("opens");
    assert_eq!(opened.format, "folded stacks");
    let again = session.open("b", &file("cpu", "main 1")).expect("opens");
    assert_eq!(again.format, "pprof");
    let merged = session.merge(&[again.id, again.id]).expect("merges");
    assert_eq!(merged.format, "");
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let pprof = pprof::encode(&builder.finish());
    let imported = session
        .open_imported("c", "a Chrome trace", &pprof, None, Vec::new())
        .expect("opens");
    assert_eq!(imported.format, "a Chrome trace");
}

#[test]
fn a_profile_with_more_names_keeps_times_and_warnings() {
    let mut session = Session::default();
    let native = |name: Option<&str>| {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let main = builder.named_stack(&["main"]);
        let lines = name.map(|name| {
            let name = builder.string(name);
            Line {
                function: Some(builder.function(Function {
                    name,
                    system_name: name,
                    file: StringId::EMPTY,
                    start_line: 0,
                })),
                line: 7,
                column: 0,
            }
        });
        let location = builder.location(None, 0x10, false, lines.as_slice());
        let stack = builder.stack(main, location);
        builder.sample(main, None, &[1]);
        builder.sample(Some(stack), None, &[2]);
        pprof::encode(&builder.finish())
    };
    let (times, warned) = (Some(vec![5, 9]), vec!["odd".to_owned()]);
    let before = session
        .open_imported("a", "perf script", &native(None), times, warned)
        .expect("opens")
        .id;
    let after = session
        .open_symbolized(before, &native(Some("work")), vec!["by name".to_owned()])
        .expect("opens");
    assert_eq!((&*after.name, &*after.format), ("a", "perf script"));
    assert_eq!((after.samples, after.timed), (2, true));
    assert_eq!(after.warnings, ["odd", "by name"]);
    let tree = session.tree(after.id, 0, &[], false).expect("a type").id;
    let view = session.view(tree).expect("is open");
    assert_eq!(view.names(&[2]).expect("a node"), ["work"]);
    assert!(
        session
            .open_symbolized(before, &file("cpu", "a 1"), Vec::new())
            .is_err(),
        "there are two times"
    );
}

#[test]
fn counts_functions_with_samples_and_addresses_without_names() {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cycles", "count");
    let named = builder.named_stack(&["main", "work"]);
    let bare = builder.location(None, 0x40, false, &[]);
    let stack = builder.stack(named, bare);
    builder.sample(Some(stack), None, &[3]);
    let name = builder.string("never_sampled");
    builder.function(Function {
        name,
        system_name: name,
        file: StringId::EMPTY,
        start_line: 0,
    });
    let bytes = pprof::encode_gzip(&builder.finish());
    let info = Session::default().open("a.pprof", &bytes).expect("opens");
    assert_eq!((info.functions, info.addresses), (2, 1));
}
