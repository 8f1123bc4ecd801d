//! Files that are opened, and what is wrong with them.

use pilotlight_core::{Function, Line, StringId};

use super::*;

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
                function: Some(builder.function(Function::named(name, StringId::EMPTY))),
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
    builder.function(Function::named(name, StringId::EMPTY));
    let bytes = pprof::encode_gzip(&builder.finish());
    let info = Session::default().open("a.pprof", &bytes).expect("opens");
    assert_eq!((info.functions, info.addresses), (2, 1));
}
