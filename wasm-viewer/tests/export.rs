//! Profiles handed on: what is opened again has the totals and functions that were seen.

use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::{Profile, flamebearer, folded, imports, pprof, speedscope};
use pilotlight_viewer::{Session, TreeInfo};

const STACKS: &str = "main;work;alloc 3\nmain;work;work;hash 4\nmain;idle 8\nother;alloc;alloc 16";

/// Steps of each kind.
const STEPS: [&[&str]; 9] = [
    &[],
    &["focus:^work$"],
    &["ignore:idle"],
    &["hide:^(work|main)$"],
    &["show:alloc|main"],
    &["show-from:alloc"],
    &["prune-from:^work$", "recursion:direct"],
    &["recursion:cycles"],
    &["hide:^main$", "group:package"],
];

fn texts(steps: &[&str]) -> Vec<String> {
    steps.iter().map(|&step| step.to_owned()).collect()
}

fn opened() -> (Session, u32) {
    let mut session = Session::default();
    let id = session.open("a", STACKS.as_bytes()).expect("opens").id;
    (session, id)
}

/// A node a line: depth, name, total and self value.
fn drawn(session: &Session, tree: &TreeInfo) -> Vec<String> {
    let view = session.view(tree.id).expect("is open");
    let line = |node: u32| {
        let d = view.detail(node).expect("a node");
        format!("{} {} {} {}", d.depth, d.name, d.total, d.own)
    };
    (0..tree.nodes).map(line).collect()
}

fn stacks(profile: &Profile) -> String {
    folded::encode(profile, 0, 1 << 20).expect("small")
}

#[test]
fn what_is_seen_comes_back_as_pprof() {
    for steps in STEPS {
        let (mut session, id) = opened();
        let seen = session.tree(id, 0, &texts(steps), false).expect("a tree");
        let bytes = session.export_pprof(id, &texts(steps)).expect("open");
        let again = session.open("b", &bytes).expect("our own").id;
        let tree = session.tree(again, 0, &[], false).expect("a tree");
        assert_eq!(drawn(&session, &tree), drawn(&session, &seen), "{steps:?}");
        assert_eq!(tree.total_exact, seen.total_exact);
    }
}

#[test]
fn what_is_seen_comes_back_in_every_text() {
    for steps in STEPS {
        let (session, id) = opened();
        let bytes = session.export_pprof(id, &texts(steps)).expect("open");
        let profile = pprof::decode(&bytes).expect("our own").profile;
        let expected = stacks(&profile);
        let text = session.export_folded(id, 0, &texts(steps)).expect("small");
        assert_eq!(text, expected, "{steps:?}");
        let json = speedscope::encode(&profile, 0, 1 << 20).expect("small");
        for json in [
            json,
            flamebearer::encode(&profile, 0).expect("nothing negative"),
        ] {
            let again = imports::open(json.as_bytes(), MAX_PROFILE_BYTES).expect("our own");
            let again = again.decoded.profile;
            assert_eq!(again.total(0), profile.total(0), "{steps:?}");
            assert_eq!(stacks(&again), expected, "{steps:?}");
        }
    }
}

#[test]
fn what_was_filtered_out_is_not_in_the_file() {
    let (session, id) = opened();
    let has = |steps: &[&str], name: &str| {
        let bytes = session.export_pprof(id, &texts(steps)).expect("open");
        bytes
            .windows(name.len())
            .any(|part| part == name.as_bytes())
    };
    assert!(has(&[], "alloc") && has(&["hide:idle"], "alloc"));
    assert!(!has(&["hide:alloc"], "alloc"));
    assert!(!has(&["focus:idle"], "alloc"));
    assert!(!has(&["group:package"], "alloc"));
    let wrong = session.export_pprof(id, &texts(&["focus:("]));
    assert!(
        wrong
            .expect_err("no expression")
            .to_string()
            .starts_with("step 1, focus:(: ")
    );
}
