//! Comparisons after steps, and upside down.

use pilotlight_viewer::{Session, TreeInfo, Widths};

const BASE: &str = "main;work;hash 10\nmain;work;sort 10\nmain;idle 20";
const COMPARISON: &str = "main;work;hash 60\nmain;work;zip 20\nmain;idle 80";

fn compare(normalise: bool, steps: &[&str], invert: bool) -> (Session, TreeInfo) {
    let mut session = Session::default();
    let [base, other] =
        [BASE, COMPARISON].map(|text| session.open("a", text.as_bytes()).expect("opens").id);
    let steps: Vec<String> = steps.iter().map(|&step| step.to_owned()).collect();
    let tree = session
        .diff(base, other, 0, normalise, &steps, invert)
        .expect("a tree");
    (session, tree)
}

/// A node a line: as many blanks as it is deep, name, and the totals of both sides, or their shares in percent.
fn draw(session: &Session, tree: &TreeInfo) -> String {
    let view = session.view(tree.id).expect("is open");
    let whole = tree.diff.as_ref().and_then(|diff| diff.normalised_to);
    let by = whole.map_or(1.0, |whole| whole / 100.0);
    let line = |node: u32| {
        let d = view.detail(node).expect("a node");
        let both = d.diff.expect("a comparison");
        let blanks = " ".repeat(d.depth as usize);
        let (base, comparison) = (both.base_total / by, both.comparison_total / by);
        format!("{blanks}{} {base}→{comparison} {}\n", d.name, both.state)
    };
    (0..tree.nodes).map(line).collect()
}

#[test]
fn steps_are_taken_on_both_sides() {
    let focused = compare(false, &["focus:^work$", "hide:^main$"], false);
    assert_eq!(
        draw(&focused.0, &focused.1),
        "total 20→80 same\n work 20→80 same\n  hash 10→60 same\n  sort 10→0 gone\n  zip 0→20 new\n"
    );
    let (_, tree) = focused;
    assert_eq!(tree.whole, 200.0, "what both sides had");
    let totals = tree.diff.expect("a comparison");
    assert_eq!((totals.base, totals.comparison), (20.0, 80.0));
}

#[test]
fn shares_are_those_of_the_whole() {
    // 40 and 160 are 100 %, and what is focused on is half of both: no more than before.
    let focused = compare(true, &["focus:^work$", "hide:^main$"], false);
    assert_eq!(
        draw(&focused.0, &focused.1),
        "total 50→50 same\n work 50→50 same\n  hash 25→37.5 same\n  sort 25→0 gone\n  zip 0→12.5 new\n"
    );
    let (_, tree) = focused;
    let normalised_to = tree.diff.expect("a comparison").normalised_to;
    assert_eq!(normalised_to, Some(tree.whole / 2.0));
    let idle = compare(true, &["focus:zip"], false);
    assert_eq!(
        draw(&idle.0, &idle.1),
        "total 0→12.5 new\n main 0→12.5 new\n  work 0→12.5 new\n   zip 0→12.5 new\n"
    );
}

#[test]
fn a_step_matches_nothing_when_neither_side_has_it() {
    let (_, tree) = compare(false, &["hide:sort", "hide:zip", "hide:nowhere"], false);
    assert_eq!(tree.unmatched, [2]);
}

#[test]
fn upside_down_both_sides_stand_on_their_leaves() {
    let inverted = compare(false, &["hide:^main$"], true);
    assert_eq!(
        draw(&inverted.0, &inverted.1),
        "total 40→160 same\n hash 10→60 same\n  work 10→60 same\n idle 20→80 same\n \
         sort 10→0 gone\n  work 10→0 gone\n zip 0→20 new\n  work 0→20 new\n"
    );
    let (session, tree) = inverted;
    let work = session
        .view(tree.id)
        .expect("open")
        .detail(2)
        .expect("work");
    let both = work.function_diff.expect("a comparison");
    assert_eq!((both.base_total, both.comparison_total), (20.0, 80.0));
    assert_eq!(work.occurrences, 3);
}

#[test]
fn values_with_and_without_decimals_compare_and_add_up() {
    let mut session = Session::default();
    let [whole, parts] = ["main;a 50\nmain;b 2", "main;a 50.5\nmain;b 2"]
        .map(|text| session.open("a", text.as_bytes()).expect("opens").id);
    for (base, other, totals, changed) in [
        (whole, parts, ["52000", "52500"], "50000→50500"),
        (parts, whole, ["52500", "52000"], "50500→50000"),
    ] {
        for steps in [&[][..], &["focus:^main$".to_owned()]] {
            let tree = session.diff(base, other, 0, false, steps, false);
            let tree = tree.expect("a tree");
            assert_eq!(tree.unit, "count/1000");
            assert_eq!(tree.whole, 104_500.0);
            let both = tree.diff.as_ref().expect("a comparison");
            assert_eq!([&both.base_exact, &both.comparison_exact], totals);
            let drawn = draw(&session, &tree);
            assert!(drawn.contains(&format!("a {changed}")), "{drawn}");
        }
    }
    let merged = session.merge(&[whole, parts]).expect("one unit");
    let sum = &merged.types[0];
    assert_eq!(
        (sum.unit.as_str(), sum.total_exact.as_str()),
        ("count/1000", "104500")
    );
}

/// `name width` of each box in 100 pixels, from the root down.
fn widths((session, tree): &(Session, TreeInfo), widths: Widths) -> String {
    let view = session.view(tree.id).expect("is open");
    let words = view.boxes(0, 0.0, 1.0, 100.0, 0..10, widths);
    let words = words.expect("boxes");
    let mut boxes: Vec<&[u32]> = words.chunks(6).collect();
    boxes.sort_by_key(|b| b[3]);
    let text = |b: &[u32]| {
        let name = &view.names(&b[3..4]).expect("a node")[0];
        format!("{name} {:.1}", f32::from_bits(b[1]))
    };
    let boxes: Vec<String> = boxes.into_iter().map(text).collect();
    boxes.join(", ")
}

#[test]
fn boxes_are_as_wide_as_both_sides_or_as_one() {
    let compared = compare(false, &["hide:^main$"], false);
    let of = |side: &str| widths(&compared, Widths::parse(side).expect("a side"));
    assert_eq!(
        of("both"),
        "total 100.0, idle 50.0, work 50.0, hash 35.0, sort 5.0, zip 10.0"
    );
    assert_eq!(
        of("base"),
        "total 100.0, idle 50.0, work 50.0, hash 25.0, sort 25.0"
    );
    assert_eq!(
        of("comparison"),
        "total 100.0, idle 50.0, work 50.0, hash 37.5, zip 12.5"
    );
    assert!(Widths::parse("neither").is_err());
}

#[test]
fn shares_of_a_few_samples_are_not_rounded() {
    let mut session = Session::default();
    let mut open = |text: &str| session.open("a", text.as_bytes()).expect("opens").id;
    let base = open("main;work 10\nmain;idle 5\nmain;work;sub 3");
    let other = open("main;work 20\nmain;idle 1\nmain;new 4");
    let [many, few] = [open("a 100000\nb 437"), open("a 1\nb 1")];
    let shares = |session: &mut Session, base, other| {
        let tree = session.diff(base, other, 0, true, &[], false);
        draw(session, &tree.expect("a tree"))
    };
    let drawn = shares(&mut session, base, other);
    assert!(drawn.contains("  idle 27.77777777777"), "{drawn}");
    assert!(
        drawn.contains("→4 same") && drawn.contains("→16 new") && drawn.contains("→80 same"),
        "{drawn}"
    );
    let drawn = shares(&mut session, few, many);
    assert!(drawn.contains(" b 50→0.43509"), "{drawn}");
}
