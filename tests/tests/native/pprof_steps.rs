//! The steps of the page against the options of Go's pprof that mean the same, on real profiles:
//! stack by stack, and in its tables of functions and files.

use std::collections::HashMap;

use pilotlight_core::Profile;
use pilotlight_core::pprof;
use pilotlight_core::verbs::{TagPattern, focus_tags, ignore_tags};
use pilotlight_tests::{corpus, go};
use pilotlight_viewer::{Session, Sort};

/// Programs of Go, with inlined calls in two of them. Each frame has a function and a file.
const NAMED: [&str; 4] = [
    "parca/fgprof.pb.gz",
    "parca/alloc_objects.pb.gz",
    "pprof/sample.cpu",
    "speedscope/pprof/simple.prof",
];

/// One with frames of the kernel, and functions called "?". pprof's tables name what has no name by
/// its module, and have a file once for each first line of a function, so only stacks compare.
const LABELLED: &str = "parca/profile-with-labels.pb.gz";

/// Options of pprof, which it takes in this order, and our steps.
const FILTERS: [(&[&str], &[&str]); 12] = [
    (&["-focus=runtime"], &["focus:runtime"]),
    (&["-focus=^main\\.|net/http"], &["focus:^main\\.|net/http"]),
    (&["-ignore=mallocgc|park"], &["ignore:mallocgc|park"]),
    (&["-focus=main", "-ignore=gc"], &["ignore:gc", "focus:main"]),
    (&["-hide=^runtime\\."], &["hide:^runtime\\."]),
    (
        &["-hide=server\\.go$|proc\\.go$"],
        &["hide:server\\.go$|proc\\.go$"],
    ),
    (&["-show=^(main|runtime)\\."], &["show:^(main|runtime)\\."]),
    (&["-show_from=main|Serve"], &["show-from:main|Serve"]),
    (
        &["-prune_from=^runtime|^sort"],
        &["prune-from:^runtime|^sort"],
    ),
    (&["-noinlines"], &["inlines:hide"]),
    (
        &[
            "-hide=goexit",
            "-show_from=main|http",
            "-prune_from=runtime|Read",
            "-noinlines",
        ],
        &[
            "hide:goexit",
            "show-from:main|http",
            "prune-from:runtime|Read",
            "inlines:hide",
        ],
    ),
    (
        &["-focus=.", "-hide=a", "-show=e|i|o|u", "-show_from=m|r"],
        &["focus:.", "hide:a", "show:e|i|o|u", "show-from:m|r"],
    ),
];

fn samples(names: &[&str]) -> Vec<corpus::Sample> {
    if !go::available() {
        return Vec::new();
    }
    names.iter().filter_map(|name| corpus::read(name)).collect()
}

fn texts(steps: &[&str]) -> Vec<String> {
    steps.iter().map(|&step| step.to_owned()).collect()
}

#[test]
fn steps_leave_the_stacks_that_pprof_leaves() {
    let mut compared = 0;
    let samples = samples(&[&NAMED[..], &[LABELLED][..]].concat());
    for sample in &samples {
        let mut session = Session::default();
        let id = session.open("a", &sample.bytes).expect("opens").id;
        for (options, steps) in FILTERS {
            let ours = session.export_pprof(id, &texts(steps)).expect("taken");
            let theirs = go::proto_with(&sample.bytes, options);
            let [ours, theirs] = [ours, theirs].map(|bytes| {
                let opened = pprof::open(&bytes, usize::MAX).expect("a profile");
                go::sums_as_kept(&opened.profile)
            });
            compared += usize::from(!ours.is_empty());
            let (name, counts) = (&sample.name, (ours.len(), theirs.len()));
            assert!(ours == theirs, "{name} {options:?}: {counts:?} stacks");
        }
    }
    assert!(
        samples.is_empty() || compared > 40,
        "{compared} with stacks"
    );
}

/// The table of functions that the page shows.
fn table(session: &mut Session, id: u32, column: u32, steps: &[&str]) -> Table {
    let tree = session
        .tree(id, column, &texts(steps), false)
        .expect("taken");
    let view = session.view_mut(tree.id).expect("open");
    let page = view
        .table(Sort::Name, false, "", 0, u32::MAX)
        .expect("rows");
    let rows = page.rows.iter().map(|row| {
        let name = if row.name == "?" {
            "<unknown>"
        } else {
            &row.name
        };
        (name.to_owned(), (row.own as i128, row.total as i128))
    });
    rows.filter(|(_, values)| *values != (0, 0)).collect()
}

/// Flat and cumulative value by name.
type Table = HashMap<String, (i128, i128)>;

#[test]
fn tables_of_functions_and_files_are_those_of_pprof() {
    for sample in samples(&NAMED) {
        let mut session = Session::default();
        let opened = session.open("a", &sample.bytes).expect("opens");
        let column = opened.types.len() as u32 - 1;
        let unit = &opened.types[column as usize].unit;
        let index = format!("-sample_index={column}");
        for (number, (options, steps)) in FILTERS.into_iter().enumerate() {
            let all = [("-functions", "group:function"), ("-files", "group:file")];
            // Each run takes its time: files with every fourth filter.
            for &(granularity, by) in &all[..if number % 4 == 1 { 2 } else { 1 }] {
                let options = [options, &[granularity, index.as_str()][..]].concat();
                let theirs = go::top_with(&sample.bytes, unit, &options);
                let ours = table(
                    &mut session,
                    opened.id,
                    column,
                    &[steps, &[by][..]].concat(),
                );
                assert_eq!(ours, theirs, "{} {options:?}", sample.name);
            }
        }
    }
}

/// What our verb of an option makes of a profile.
fn tagged(profile: &Profile, option: &str) -> Profile {
    let (name, text) = option.split_once('=').expect("a value");
    let tags = TagPattern::new(text).expect("a pattern");
    match name {
        "-tagfocus" => focus_tags(profile, &tags).profile,
        "-tagignore" => ignore_tags(profile, &tags).profile,
        other => panic!("{other} is no option of tags"),
    }
}

#[test]
fn tags_are_filtered_as_pprof_filters_them() {
    let (labels, bytes) = (
        "parca/profile-with-labels.pb.gz",
        "parca/alloc_objects.pb.gz",
    );
    let cases = [
        (labels, "-tagfocus=thread_id=^2764734$"),
        (labels, "-tagfocus=parca,27561"),
        (labels, "-tagignore=thread_id:27561"),
        (bytes, "-tagfocus=64b:1kb"),
        (bytes, "-tagfocus=bytes=:48b"),
        (bytes, "-tagignore=4kb:"),
    ];
    let samples = samples(&[&NAMED[..], &[LABELLED][..]].concat());
    for (name, option) in cases {
        let Some(sample) = samples.iter().find(|sample| sample.name == name) else {
            continue;
        };
        let open = |bytes: &[u8]| pprof::open(bytes, usize::MAX).expect("opens").profile;
        let ours = go::sums_as_kept(&tagged(&open(&sample.bytes), option));
        let theirs = go::proto_with(&sample.bytes, &[option]);
        let theirs = go::sums_as_kept(&open(&theirs));
        let counts = (ours.len(), theirs.len());
        assert!(!ours.is_empty(), "{option} leaves nothing to compare");
        assert!(ours == theirs, "{option}: {counts:?} stacks");
    }
}
