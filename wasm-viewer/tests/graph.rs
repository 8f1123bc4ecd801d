//! Call graphs, source lines, and where a node is in the whole.

use pilotlight_core::{Function, Line, ProfileBuilder, pprof};
use pilotlight_viewer::{Graph, Session, TreeInfo};

fn open(session: &mut Session, text: &str) -> u32 {
    session
        .open("stacks.txt", text.as_bytes())
        .expect("opens")
        .id
}

fn tree(session: &mut Session, text: &str, steps: &[String]) -> TreeInfo {
    let profile = open(session, text);
    session.tree(profile, 0, steps, false).expect("a tree")
}

/// Nodes and edges a line each, in order of name.
fn draw(graph: &Graph) -> String {
    let name = |node: u32| graph.nodes[node as usize].name.as_str();
    let nodes = graph
        .nodes
        .iter()
        .map(|n| format!("{} {}/{}", n.name, n.total, n.own));
    let edges = graph.edges.iter().map(|e| {
        let share = (e.fraction * 100.0).round();
        format!(
            "{} -> {} {} {} {share}%",
            name(e.from),
            name(e.to),
            e.base,
            e.comparison
        )
    });
    let mut lines: Vec<String> = nodes.chain(edges).collect();
    lines.sort();
    lines.join("\n")
}

#[test]
fn a_graph_has_the_values_of_the_table() {
    let mut session = Session::default();
    let info = tree(&mut session, "main;f;f 30\nmain;g;f 10\ng 60", &[]);
    let graph = session.view(info.id).expect("open").graph();
    assert_eq!(
        draw(&graph),
        "f 40/40\ng -> f 10 0 10%\ng 70/60\nmain -> f 30 0 30%\nmain -> g 10 0 10%\nmain 40/0"
    );
    assert_eq!((graph.functions, graph.paints.len()), (3, 3));
    let steps = ["ignore:^g$".to_owned()];
    let less = tree(&mut session, "main;f;f 30\nmain;g;f 10\ng 60", &steps);
    let graph = session.view(less.id).expect("open").graph();
    assert_eq!(draw(&graph), "f 30/30\nmain -> f 30 0 100%\nmain 30/0");
}

#[test]
fn a_comparison_has_both_sides() {
    let mut session = Session::default();
    let [base, comparison] =
        ["main;f 30\nmain;g 10", "main;f 20\nmain;h 40"].map(|text| open(&mut session, text));
    let info = session
        .diff(base, comparison, 0, false, &[], false)
        .expect("a tree");
    let graph = session.view(info.id).expect("open").graph();
    assert_eq!(
        draw(&graph),
        "f 50/50\ng 10/10\nh 40/40\nmain -> f 30 20 50%\nmain -> g 10 0 10%\nmain -> h 0 40 40%\nmain 100/0"
    );
    let sides: Vec<&str> = graph
        .nodes
        .iter()
        .map(|n| n.diff.as_ref().expect("sides").state)
        .collect();
    assert!(sides.contains(&"new") && sides.contains(&"gone"));
}

#[test]
fn functions_are_marked_as_boxes_are() {
    let mut session = Session::default();
    let info = tree(&mut session, "main;f 30\nmain;g 10", &[]);
    let view = session.view_mut(info.id).expect("open");
    let graph = view.graph();
    let func = |name: &str| {
        let node = graph.nodes.iter().find(|n| n.name == name);
        node.expect("it is there").func
    };
    let funcs = ["main", "f", "g"].map(func);
    assert_eq!(view.marks(&funcs), [0, 0, 0]);
    view.search("g").expect("a pattern");
    view.select(view.node_of(func("f")));
    assert_eq!(view.marks(&funcs), [64, 68, 66], "SEARCHING, SAME, MATCH");
    assert_eq!(view.marks(&[u32::MAX]), [64], "no function of this tree");
}

#[test]
fn a_node_has_a_place() {
    let mut session = Session::default();
    let info = tree(&mut session, "main;f 30\nmain;g 10\nother 40", &[]);
    let view = session.view(info.id).expect("open");
    let main = view.node_of(3);
    assert_eq!(view.names(&[main]).expect("a node"), ["main"]);
    assert_eq!(view.place(0).expect("the root"), [0.0, 1.0]);
    assert_eq!(view.place(main).expect("a node"), [0.0, 0.5]);
    assert!(view.place(99).is_err());
}

/// `main` of main.go, which calls `work` of the same file at two lines.
fn with_lines() -> Vec<u8> {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "nanoseconds");
    let file = b.string("/src/main.go");
    let [main, work] = ["main", "work"].map(|name| {
        let name = b.string(name);
        b.function(Function {
            start_line: 1,
            ..Function::named(name, file)
        })
    });
    for (lines, value) in [([3, 20], 5), ([3, 21], 2), ([4, 20], 1)] {
        let mut stack = None;
        for (function, line) in [main, work].into_iter().zip(lines) {
            let line = Line::of(function, line);
            let location = b.location(None, 0, false, &[line]);
            stack = Some(b.stack(stack, location));
        }
        b.sample(stack, None, &[value]);
    }
    pprof::encode(&b.finish())
}

#[test]
fn lines_are_those_of_a_function_or_file_after_steps() {
    let mut session = Session::default();
    let profile = session.open("p", &with_lines()).expect("opens").id;
    let mut lines = |steps: &[&str], name: Option<&str>, file: &str| {
        let steps: Vec<String> = steps.iter().map(|&step| step.to_owned()).collect();
        let rows = session
            .lines(profile, 0, &steps, name, file)
            .expect("lines");
        let words = rows.iter().map(|l| {
            format!(
                "{}:{} {}/{} {}",
                l.function, l.line, l.own, l.total, l.total_fraction
            )
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let file = "/src/main.go";
    assert_eq!(
        lines(&[], Some("work"), file),
        "work:20 6/6 0.75, work:21 2/2 0.25"
    );
    assert_eq!(
        lines(&[], None, file),
        "main:3 0/7 0.875, main:4 0/1 0.125, work:20 6/6 0.75, work:21 2/2 0.25"
    );
    assert_eq!(
        lines(&["hide:work"], Some("main"), file),
        "main:3 7/7 0.875, main:4 1/1 0.125"
    );
    assert_eq!(lines(&["group:package"], Some("work"), file), "");
    assert_eq!(lines(&[], Some("work"), "elsewhere.go"), "");
    session.close(profile);
    assert!(session.lines(profile, 0, &[], None, file).is_err());
}
