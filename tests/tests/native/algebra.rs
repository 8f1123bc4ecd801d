//! What the core's docs promise of its verbs, held against made-up profiles and against real ones.

use pilotlight_core::flame::{BoxKind, FlameBox, Viewport, layout};
use pilotlight_core::pprof::{decode, encode, open};
use pilotlight_core::{
    By, CallTree, NodeId, Profile, Scale, Selector, Shape, Tree, canonical, diff, function_table,
    merge,
};
use pilotlight_tests::corpus;
use pilotlight_tests::oracle::Oracle;
use proptest::prelude::*;

mod made;

use made::{profile, profile_of};

fn merged(profiles: &[&Profile]) -> Profile {
    let merged = merge(profiles.iter().copied()).expect("equal sample types");
    assert_eq!(merged.saturated, 0);
    merged.profile
}

fn oracle(profile: &Profile) -> Oracle {
    Oracle::read(&encode(profile))
}

fn empty_like(profile: &Profile) -> Profile {
    let mut builder = pilotlight_core::ProfileBuilder::new();
    for &t in profile.sample_types() {
        let (kind, unit) = profile.type_text(t);
        builder.sample_type(kind, unit);
    }
    builder.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn encoded_and_decoded_is_the_same(p in profile()) {
        let again = decode(&encode(&p)).unwrap();
        prop_assert_eq!(again.warnings, Vec::<String>::new());
        prop_assert_eq!(encode(&again.profile), encode(&decode(&encode(&again.profile)).unwrap().profile));
        prop_assert_eq!(canonical(&again.profile), canonical(&p));
    }

    #[test]
    fn canonical_once_is_canonical(p in profile()) {
        let once = canonical(&p);
        prop_assert_eq!(canonical(&once), once.clone());
        // What is dropped has no value: the sums of all stacks stay.
        prop_assert_eq!(Oracle::merged([&oracle(&once)]), Oracle::merged([&oracle(&p)]));
    }

    #[test]
    fn merge_commutes_and_associates_to_the_byte(a in profile_of(2), b in profile_of(2), c in profile_of(2)) {
        let all = encode(&merged(&[&a, &b, &c]));
        for order in [[&a, &c, &b], [&b, &a, &c], [&b, &c, &a], [&c, &a, &b], [&c, &b, &a]] {
            prop_assert_eq!(&encode(&merged(&order)), &all);
        }
        prop_assert_eq!(&encode(&merged(&[&merged(&[&a, &b]), &c])), &all);
        prop_assert_eq!(&encode(&merged(&[&a, &merged(&[&b, &c])])), &all);
    }

    #[test]
    fn merge_with_nothing_is_canonical(p in profile()) {
        prop_assert_eq!(encode(&merged(&[&p, &empty_like(&p)])), encode(&merged(&[&p])));
        prop_assert_eq!(encode(&merged(&[&empty_like(&p), &p])), encode(&merged(&[&p])));
    }

    #[test]
    fn merge_adds_up(a in profile_of(3), b in profile_of(3)) {
        let both = merged(&[&a, &b]);
        for column in 0..3 {
            prop_assert_eq!(both.total(column), a.total(column) + b.total(column));
        }
        prop_assert_eq!(Oracle::merged([&oracle(&both)]), Oracle::merged([&oracle(&a), &oracle(&b)]));
    }

    #[test]
    fn trees_have_the_totals_of_the_paths(p in profile()) {
        for column in 0..p.sample_types().len() {
            check_tree(&p, &oracle(&p), column);
        }
    }

    #[test]
    fn a_mirrored_difference_is_the_other_difference(a in profile_of(1), b in profile_of(1)) {
        let (there, back) = (diff((&a, 0), (&b, 0), By::Name, Scale::Absolute), diff((&b, 0), (&a, 0), By::Name, Scale::Absolute));
        let (shape, other) = (there.shape(), back.shape());
        prop_assert_eq!(shape.len(), other.len());
        for node in nodes(shape) {
            prop_assert_eq!(shape.name(node), other.name(node));
            let [base, comparison] = there.totals(node);
            prop_assert_eq!([comparison, base], back.totals(node));
        }
        let alone = CallTree::new(&a, 0, By::Name);
        prop_assert_eq!(there.totals(NodeId::ROOT)[0], alone.total());
    }

    #[test]
    fn a_profile_does_not_differ_from_itself(p in profile_of(1)) {
        let d = diff((&p, 0), (&p, 0), By::Function, Scale::Normalised);
        for node in nodes(d.shape()) {
            let [base, comparison] = d.own(node);
            prop_assert_eq!(base, comparison);
        }
    }

    #[test]
    fn normalised_sides_have_one_total(a in made::positive(), b in made::positive()) {
        let d = diff((&a, 0), (&b, 0), By::Name, Scale::Normalised);
        let [base, comparison] = d.totals(NodeId::ROOT);
        prop_assert!(comparison == base || b.total(0) == 0, "{} and {}", base, comparison);
    }

    #[test]
    fn boxes_neither_overlap_nor_leave_their_parents(
        p in made::positive(), zoom in any::<prop::sample::Index>(), width in 1.0f64..3000.0, left in 0.0f64..0.9, span in 0.01f64..1.0,
    ) {
        let tree = CallTree::new(&p, 0, By::Name);
        let zoom = NodeId(zoom.index(tree.shape().len()) as u32);
        let x1 = (left + span).min(1.0);
        check_layout(&tree, Viewport { zoom, x0: left, x1, width, depth0: 0, depth1: 64 });
        check_layout(&tree, Viewport { zoom, x0: 0.0, x1: 1.0, width, depth0: 0, depth1: 64 });
        let d = diff((&p, 0), (&p, 0), By::Name, Scale::Absolute);
        check_layout(&d, Viewport { zoom, x0: 0.0, x1: 1.0, width, depth0: 0, depth1: 64 });
    }

    #[test]
    fn no_selector_panics(text in "\\PC{0,40}", seed in "[a-z{}=~!,\"'`\\\\ ()*+?\\[\\]|:.]{0,40}") {
        let labels = pilotlight_core::parse_name("app{region=eu}").unwrap();
        let cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds".parse().unwrap();
        for text in [text, seed] {
            if let Ok(selector) = Selector::parse(&text) {
                selector.matches(&cpu, &labels);
            }
        }
    }

    #[test]
    fn selectors_find_what_they_were_made_of(value in "\\PC{0,20}") {
        // With both quotes escaped, any value can be asked for, and matches itself alone.
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
        let labels = pilotlight_core::Labels::new(vec![("v".to_owned(), value.clone())]).unwrap();
        let cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds".parse().unwrap();
        let matches = |text: &str| Selector::parse(text).unwrap().matches(&cpu, &labels);
        let [same, differs, longer] = ["=\"Q\"", "!=\"Q\"", "=\"Qx\""].map(|test| format!("{{v{}}}", test.replace('Q', &quoted)));
        prop_assert!(matches(&same));
        prop_assert!(!matches(&differs));
        prop_assert!(!matches(&longer));
    }
}

#[test]
fn trees_and_tables_of_real_profiles() {
    for sample in corpus::profiles() {
        let profile = open(&sample.bytes, usize::MAX).unwrap().profile;
        let oracle = Oracle::read(&sample.bytes);
        for column in 0..profile.sample_types().len() {
            println!("{} {column}", sample.name);
            check_tree(&profile, &oracle, column);
            let tree = CallTree::new(&profile, column, By::Name);
            for width in [320.0, 1400.0] {
                let zooms = (0..tree.shape().len() as u32).step_by(tree.shape().len() / 7 + 1);
                for zoom in zooms.map(NodeId) {
                    check_layout(
                        &tree,
                        Viewport {
                            zoom,
                            x0: 0.0,
                            x1: 1.0,
                            width,
                            depth0: 0,
                            depth1: u32::MAX,
                        },
                    );
                    check_layout(
                        &tree,
                        Viewport {
                            zoom,
                            x0: 0.3,
                            x1: 0.7,
                            width,
                            depth0: 0,
                            depth1: u32::MAX,
                        },
                    );
                }
            }
        }
    }
}

#[test]
fn merges_of_real_profiles_in_every_order() {
    let many: Vec<Profile> = corpus::profiles()
        .iter()
        .filter(|sample| sample.name.starts_with("parca/many/"))
        .map(|sample| open(&sample.bytes, usize::MAX).unwrap().profile)
        .collect();
    if many.is_empty() {
        return;
    }
    let all = encode(&merged(&many.iter().collect::<Vec<_>>()));
    for turn in 1..many.len() {
        let mut order: Vec<&Profile> = many.iter().collect();
        order.rotate_left(turn);
        assert_eq!(encode(&merged(&order)), all);
        let (head, tail) = order.split_at(turn);
        assert_eq!(encode(&merged(&[&merged(tail), &merged(head)])), all);
    }
    let oracles: Vec<Oracle> = many.iter().map(oracle).collect();
    assert_eq!(
        Oracle::merged([&Oracle::read(&all)]),
        Oracle::merged(&oracles)
    );
}

fn nodes(shape: &Shape) -> impl Iterator<Item = NodeId> {
    (0..shape.len() as u32).map(NodeId)
}

/// The tree's totals are those of the paths, and the table's those of the functions, both summed by
/// brute force.
fn check_tree(profile: &Profile, oracle: &Oracle, column: usize) {
    let tree = CallTree::new(profile, column, By::Name);
    let shape = tree.shape();
    let mut paths = oracle.paths(column);
    paths.entry(Vec::new()).or_insert(0);
    assert_eq!(shape.len(), paths.len());
    for node in nodes(shape) {
        let path: Vec<String> = shape.path(node)[1..]
            .iter()
            .map(|&n| shape.name(n).to_owned())
            .collect();
        assert_eq!(i128::from(tree.total_value(node)), paths[&path], "{path:?}");
        let children: i128 = shape
            .children(node)
            .map(|c| i128::from(tree.total_value(c)))
            .sum();
        assert_eq!(
            i128::from(tree.total_value(node)),
            i128::from(tree.self_value(node)) + children
        );
    }
    let functions = oracle.functions(column);
    let rows = function_table(&tree);
    assert_eq!(rows.len(), functions.len());
    for row in rows {
        let name = shape.text(shape.frames()[row.frame].name);
        assert_eq!(
            (i128::from(row.own[0]), i128::from(row.total[0])),
            functions[name],
            "{name}"
        );
    }
}

/// What holds of every layout: boxes in sight, rows without overlap, children above their parents,
/// runs narrow.
fn check_layout<const SIDES: usize>(tree: &Tree<SIDES>, view: Viewport) {
    /// Positions are f32 pixels: at 10,000 pixels their step is a thousandth.
    const SLACK: f32 = 0.02;
    let boxes = layout(tree, view);
    let shape = tree.shape();
    let mut rows: std::collections::BTreeMap<u32, Vec<&FlameBox>> =
        std::collections::BTreeMap::new();
    for b in &boxes {
        assert!(
            b.width > 0.0 && b.x + b.width > -SLACK && b.x < view.width as f32 + SLACK,
            "{b:?} is out of sight"
        );
        if b.kind != BoxKind::Run {
            assert_eq!(b.depth, shape.depth(b.node), "{b:?} is in the wrong row");
        }
        rows.entry(b.depth).or_default().push(b);
    }
    for row in rows.values_mut() {
        row.sort_by(|a, b| (a.x + a.width / 2.0).total_cmp(&(b.x + b.width / 2.0)));
        for two in row.windows(2) {
            let slack = SLACK * (1.0 + two[0].width / 1000.0);
            assert!(
                two[0].x + two[0].width <= two[1].x + slack,
                "{:?} overlaps {:?}",
                two[0],
                two[1]
            );
        }
    }
    for b in boxes
        .iter()
        .filter(|b| b.depth > 0 && b.kind != BoxKind::Ancestor)
    {
        // Below narrow nodes are callees of the heaviest.
        let parent = boxes
            .iter()
            .find(|p| p.depth + 1 == b.depth && p.node == shape.parent(b.node));
        let Some(parent) = parent else {
            panic!("{b:?} has no parent in sight")
        };
        if parent.kind != BoxKind::Ancestor {
            let slack = SLACK * (1.0 + parent.width / 1000.0);
            assert!(
                b.x >= parent.x - slack && b.x + b.width <= parent.x + parent.width + slack,
                "{b:?} leaves {parent:?}"
            );
        }
    }
    // As many boxes as pixels in each row, and no more: neighbouring narrow ones are one.
    for row in rows.values() {
        assert!(
            row.len() <= 2 * view.width as usize + 3,
            "{} boxes in {} pixels",
            row.len(),
            view.width
        );
    }
}
