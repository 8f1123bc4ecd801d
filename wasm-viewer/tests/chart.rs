//! Flame charts of profiles whose samples have times.

use pilotlight_core::{imports, pprof};
use pilotlight_viewer::{ProfileInfo, Session, SessionError, Widths};

/// Two threads; `main` runs twice in the first, with a pause between its calls of `work`.
const FILE: &str = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
"shared":{"frames":[{"name":"main"},{"name":"work"},{"name":"idle"}]},
"profiles":[{"type":"evented","name":"one","unit":"nanoseconds","startValue":0,"endValue":100,"events":[
{"type":"O","frame":0,"at":10},{"type":"O","frame":1,"at":20},{"type":"C","frame":1,"at":30},
{"type":"O","frame":1,"at":50},{"type":"C","frame":1,"at":60},{"type":"C","frame":0,"at":60},
{"type":"O","frame":0,"at":80},{"type":"C","frame":0,"at":100}]},
{"type":"sampled","name":"two","unit":"nanoseconds","samples":[[2],[2],[0,2]],"weights":[5,5,1]}]}"#;

/// Opens it as the page does: the second WASM reads it.
fn open(session: &mut Session) -> ProfileInfo {
    let opened = imports::open(FILE.as_bytes(), 1 << 20).unwrap();
    let profile = opened.decoded.profile;
    let times = profile.samples().times.clone();
    session
        .open_imported(
            "x",
            "speedscope",
            &pprof::encode(&profile),
            times,
            Vec::new(),
        )
        .unwrap()
}

fn names(session: &Session, tree: u32, nodes: &[u32]) -> Vec<String> {
    session.view(tree).unwrap().names(nodes).unwrap()
}

#[test]
fn a_chart_is_a_tree_in_the_order_of_time() {
    let mut session = Session::default();
    let info = open(&mut session);
    assert!(info.timed);
    let threads = session.threads(info.id, 0).unwrap();
    let threads: Vec<(&str, f64)> = threads.iter().map(|t| (&*t.name, t.total)).collect();
    assert_eq!(threads, [("one", 70.0), ("two", 11.0)]);

    let chart = session.chart(info.id, 0, &[], "one").unwrap();
    assert_eq!((chart.total, &*chart.unit), (90.0, "nanoseconds"));
    let view = session.view(chart.id).unwrap();
    // main 10-60, a pause, main 80-100; the largest first.
    let mains = view.children(0).unwrap();
    assert_eq!(names(&session, chart.id, &mains), ["main", "main"]);
    let first = view.detail(mains[0]).unwrap();
    assert_eq!((first.total, first.own, first.children), (50.0, 30.0, 2));
    assert_eq!((first.function_total, first.function_self), (70.0, 50.0));
    let works = view.children(mains[0]).unwrap();
    assert_eq!(names(&session, chart.id, &works), ["work", "work"]);
    // Times are those of the recording: the other thread begins 10 ns before this one.
    let start = |node| view.detail(node).unwrap().start;
    let starts = [0, mains[0], mains[1], works[0], works[1]].map(start);
    assert_eq!(starts, [10e-9, 10e-9, 80e-9, 20e-9, 50e-9].map(Some));
    assert_eq!(chart.start, Some(10e-9));
    assert_eq!(view.step(works[0], "next").unwrap(), works[1]);
    assert_eq!(view.step(works[1], "next").unwrap(), works[1]);
    // Each place has a key of its own, and pauses are not drawn.
    assert_eq!(view.find(&view.key(works[1]).unwrap()), works[1]);
    let boxes = view.boxes(0, 0.0, 1.0, 900.0, 0..9, Widths::Both).unwrap();
    let mut left: Vec<(f32, f32)> = boxes
        .chunks(6)
        .filter(|words| words[2] == 2)
        .map(|words| (f32::from_bits(words[0]), f32::from_bits(words[1])))
        .collect();
    left.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(left, [(100.0, 100.0), (400.0, 100.0)]);
}

#[test]
fn a_chart_of_what_is_left_by_steps() {
    let mut session = Session::default();
    let info = open(&mut session);
    let steps = ["focus:work".to_owned()];
    let chart = session.chart(info.id, 0, &steps, "one").unwrap();
    assert_eq!(chart.total, 40.0);
    assert_eq!(
        chart.start,
        Some(20e-9),
        "since the recording's first sample"
    );
    let tree = session.tree(info.id, 0, &steps, false).unwrap();
    assert_eq!((tree.start, &tree.left), (None, &None));
    // What is left is of all threads, in the chart as in the tree.
    let left = chart.left.unwrap();
    assert_eq!((&*left.kind, &*left.unit), (&*tree.kind, &*tree.unit));
    assert_eq!((left.total, &left.total_exact), (20.0, &tree.total_exact));
    assert_eq!((chart.whole, tree.whole), (81.0, 81.0));
    let nothing = session.chart(info.id, 0, &steps, "two").unwrap();
    assert_eq!((nothing.nodes, nothing.total), (1, 0.0));
    assert_eq!(nothing.left.unwrap().total, 20.0, "as in the other thread");
    let error = session.chart(info.id, 7, &[], "one").unwrap_err();
    assert_eq!(error, SessionError::NoType(7));
    let untimed = session.open("y", b"main;work 1").unwrap();
    assert!(!untimed.timed);
    let error = session.chart(untimed.id, 0, &[], "").unwrap_err();
    assert_eq!(error, SessionError::NoTimes);
}

#[test]
fn two_parts_of_the_time_are_compared() {
    let mut session = Session::default();
    let info = open(&mut session);
    let mut part = |steps: &[&str]| {
        let steps: Vec<String> = steps.iter().map(|&step| step.to_owned()).collect();
        session.part(info.id, &steps).unwrap()
    };
    let first = part(&["time:0-0.00000005"]);
    let second = part(&["time:0.00000005-1"]);
    assert_eq!((first.types[0].total, second.types[0].total), (51.0, 30.0));
    let steps = ["hide:main".to_owned(), "hide:nothing".to_owned()];
    let diff = session.diff(first.id, second.id, 0, false, &steps, false);
    let diff = diff.unwrap();
    assert_eq!(diff.unmatched, [1]);
    let totals = diff.diff.unwrap();
    // The first has 10 ns of work and all that is idle, the second 10 ns of work.
    assert_eq!((totals.base, totals.comparison), (21.0, 10.0));
    session.close(first.id);
    session.close(second.id);
    assert_eq!(
        session.tree(info.id, 0, &[], false).unwrap().total,
        81.0,
        "it stays as it is"
    );
}

#[test]
fn a_heatmap_without_what_is_idle() {
    let file = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2,3]},
        {"id":2,"callFrame":{"functionName":"(idle)"}},{"id":3,"callFrame":{"functionName":"run"}}],
        "startTime":0,"endTime":100,"samples":[2,3,2],"timeDeltas":[0,40,10]}"#;
    let read = imports::open(file.as_bytes(), 1 << 20).unwrap();
    let times = read.decoded.profile.samples().times.clone();
    let pprof = pprof::encode(&read.decoded.profile);
    let mut session = Session::default();
    let info = session
        .open_imported("x", "", &pprof, times, Vec::new())
        .unwrap();
    let total = |with_idle| {
        let map = session.heatmap(info.id, 0, with_idle).unwrap().unwrap();
        assert!(map.has_idle);
        map.cells.iter().sum::<f64>().round()
    };
    assert_eq!((total(true), total(false)), (100_000.0, 10_000.0));
}

#[test]
fn threads_of_one_name_have_charts_of_their_own() {
    let sample = |thread: u32, time: &str| {
        format!("pool {thread} {time}: 1 cycles:\n\t401000 work (/bin/x)\n\n")
    };
    let text = [sample(7, "1.001"), sample(8, "1.001"), sample(8, "1.002")].concat();
    let opened = imports::open(text.as_bytes(), 1 << 20).unwrap();
    let profile = opened.decoded.profile;
    let times = profile.samples().times.clone();
    let mut session = Session::default();
    let bytes = pprof::encode(&profile);
    let info = session
        .open_imported("x", "perf script", &bytes, times, Vec::new())
        .unwrap();
    let threads = session.threads(info.id, 0).unwrap();
    let mut names: Vec<&str> = threads.iter().map(|t| &*t.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["pool (7)", "pool (8)"]);
    session.chart(info.id, 0, &[], "pool (8)").unwrap();
    // Alone after a filter, it is still called that.
    let alone = ["tagfocus:thread_id=8:9".to_owned()];
    session.chart(info.id, 0, &alone, "pool (8)").unwrap();
}
