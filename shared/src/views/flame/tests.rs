//! Boxes of small trees, by hand.

use super::*;
use crate::testing::profile;
use crate::{By, CallTree, Scale, diff};

fn check(view: Viewport, expect: &str) {
    let tree = CallTree::new(
        &profile("a;b 50\na;c 25\nz;q1 0\nz;q2 24\nz;t1 0\nz;t2 1"),
        0,
        By::Name,
    );
    let boxes = layout(&tree, view);
    let mut text: Vec<String> = boxes
        .iter()
        .map(|b| {
            format!(
                "{} {} {}+{} {:?}",
                b.depth,
                tree.shape().name(b.node),
                b.x,
                b.width,
                b.kind
            )
        })
        .collect();
    text.sort();
    assert_eq!(text.join("\n"), expect);
}

fn view(zoom: u32, x0: f64, x1: f64, width: f64) -> Viewport {
    Viewport {
        zoom: NodeId(zoom),
        x0,
        x1,
        width,
        depth0: 0,
        depth1: 10,
    }
}

#[test]
fn whole() {
    check(
        view(0, 0.0, 1.0, 100.0),
        "0 total 0+100 Node\n1 a 0+75 Node\n1 z 75+25 Node\n2 b 0+50 Node\n2 c 50+25 Node\n2 q2 75+24 Node\n2 t2 99+1 Node",
    );
}

#[test]
fn zoomed_and_cut() {
    check(
        view(1, 0.0, 1.0, 75.0),
        "0 total 0+75 Ancestor\n1 a 0+75 Node\n2 b 0+50 Node\n2 c 50+25 Node",
    );
    check(
        view(1, 0.8, 1.0, 15.0),
        "0 total 0+15 Ancestor\n1 a -60+75 Node\n2 c -10+25 Node",
    );
    let only = Viewport {
        depth0: 2,
        depth1: 3,
        ..view(0, 0.0, 0.5, 50.0)
    };
    check(only, "2 b 0+50 Node");
    check(view(0, 1.0, 1.0, 50.0), "");
}

#[test]
fn a_side_alone_has_its_own_widths() {
    let [base, comparison] = [profile("a;b 60\na;c 20"), profile("a;b 5\na;new 15")];
    let tree = diff((&base, 0), (&comparison, 0), By::Name, Scale::Absolute);
    let drawn = |side, view| -> Vec<String> {
        let text = |b: &FlameBox| format!("{} {}+{}", tree.shape().name(b.node), b.x, b.width);
        let mut drawn: Vec<_> = layout_side(&tree, side, view).iter().map(text).collect();
        drawn.sort();
        drawn
    };
    let whole = view(0, 0.0, 1.0, 80.0);
    assert_eq!(
        drawn(0, whole),
        ["a 0+80", "b 0+60", "c 60+20", "total 0+80"]
    );
    assert_eq!(
        drawn(1, whole),
        ["a 0+80", "b 0+20", "new 20+60", "total 0+80"]
    );
    let new = (0..5).find(|&node| tree.shape().name(NodeId(node)) == "new");
    let zoomed = view(new.expect("a node"), 0.0, 1.0, 80.0);
    assert_eq!(drawn(0, zoomed), [""; 0]);
    assert_eq!(drawn(1, zoomed), ["a 0+80", "new 0+80", "total 0+80"]);
    assert_eq!(drawn(2, whole), [""; 0], "there is no third side");
}

#[test]
fn a_node_has_a_place_in_the_whole() {
    let tree = CallTree::new(&profile("a;b 50\na;c 25\nz 25"), 0, By::Name);
    let places: Vec<String> = (0..5)
        .map(|node| place(&tree, NodeId(node)))
        .map(|[left, right]| format!("{left}-{right}"))
        .collect();
    assert_eq!(places, ["0-1", "0-0.75", "0-0.5", "0.5-0.75", "0.75-1"]);
    let nothing = CallTree::new(&profile("a 0"), 0, By::Name);
    assert_eq!(place(&nothing, NodeId::ROOT), [0.0, 0.0]);
}

#[test]
fn narrow_neighbours_become_one_box() {
    let lines: Vec<String> = (0..1000)
        .map(|i| format!("f{i:04} {}", 1 + i64::from(i == 500)))
        .collect();
    let tree = CallTree::new(&profile(&lines.join("\n")), 0, By::Name);
    let boxes = layout(&tree, view(0, 0.0, 1.0, 100.0));
    assert_eq!(boxes.len(), 2);
    assert_eq!(
        (boxes[1].kind, tree.shape().name(boxes[1].node)),
        (BoxKind::Run, "f0500")
    );
    assert!((boxes[1].width - 100.0).abs() < 0.01);
}

#[test]
fn below_narrow_neighbours_are_callees_of_the_heaviest() {
    let lines: Vec<String> = (0..1000).map(|i| format!("f{i:04};g;h 1")).collect();
    let tree = CallTree::new(&profile(&lines.join("\n")), 0, By::Name);
    let boxes = layout(&tree, view(0, 0.0, 1.0, 100.0));
    let rows: Vec<_> = boxes.iter().map(|b| (b.depth, b.width.round())).collect();
    assert_eq!(rows, [(0, 100.0), (1, 100.0), (2, 100.0), (3, 100.0)]);
    // Of a chart, each few pixels have their own.
    let boxes = layout_chart(&tree, usize::MAX, view(0, 0.0, 1.0, 100.0));
    let row = |depth| boxes.iter().filter(move |b| b.depth == depth);
    assert_eq!((row(1).count(), row(3).count()), (50, 50));
    let covered: f32 = row(3).map(|b| b.width).sum();
    assert!((covered - 100.0).abs() < 0.1);
}
