//! Verbs on trees, the diff family and the table, against sums by brute force and against Go's
//! pprof.

mod against_go;
mod sums;

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::pprof::encode;
use pilotlight_core::verbs::{
    Visit, callees, callers, diff_base, inverted, report_total, subtract, timeline,
};
use pilotlight_core::{
    By, CallTree, DiffTree, NodeId, Order, Profile, ProfileBuilder, Scale, Status, diff,
    function_table, merge, top,
};
use pilotlight_tests::oracle::Oracle;
use pilotlight_tests::random::{profiles, some_profiles};
use proptest::prelude::*;

use sums::{Frame, by_path, by_stack, frame_of, nodes, path, samples, size, totals};

fn two() -> impl Strategy<Value = Vec<Profile>> {
    some_profiles(2..3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn callers_and_callees_count_each_sample_once(p in profiles(), pick in any::<prop::sample::Index>(), more in 1usize..3) {
        for by in [By::Name, By::Function] {
            let tree = CallTree::new(&p, 0, by);
            if tree.shape().frames().len() == 1 { continue }
            let first = 1 + pick.index(tree.shape().frames().len() - 1);
            let asked = first..first + more;
            let is_asked = |frame: &Frame| asked.clone().any(|f| f < tree.shape().frames().len() && frame_of(&tree, f, by) == *frame);
            let (mut below, mut above) = (Vec::new(), Vec::new());
            for (stack, value) in samples(&p, 0, by) {
                if let Some(at) = stack.iter().position(is_asked) {
                    below.push((stack[at..].to_vec(), i128::from(value)));
                    above.push((stack[..=at].iter().rev().cloned().collect::<Vec<_>>(), i128::from(value)));
                }
            }
            let expect = |stacks: &[(Vec<Frame>, i128)]| by_path(stacks.iter().map(|(stack, value)| (stack.as_slice(), *value)));
            let (callees, callers) = (callees(&tree, |f| asked.contains(&f)), callers(&tree, |f| asked.contains(&f)).tree);
            prop_assert_eq!(totals(&callees, by), expect(&below));
            prop_assert_eq!(totals(&callers, by), expect(&above));
            if more == 1 {
                let row = function_table(&tree).into_iter().find(|row| row.frame == first).unwrap();
                prop_assert_eq!((callees.total(), callers.total()), (row.total[0], row.total[0]));
            }
        }
    }

    #[test]
    fn upside_down_and_back(p in profiles()) {
        for by in [By::Name, By::Function] {
            let tree = CallTree::new(&p, 0, by);
            let turned = inverted(&tree);
            let mut stacks = by_stack(&samples(&p, 0, by));
            stacks.retain(|_, value| *value != 0);
            let chains: Vec<(Vec<Frame>, i128)> =
                stacks.iter().map(|(stack, value)| (stack.iter().rev().cloned().collect(), *value)).collect();
            prop_assert_eq!(totals(&turned.tree, by), by_path(chains.iter().map(|(chain, value)| (chain.as_slice(), *value))));
            prop_assert_eq!(turned.cut, None);
            prop_assert_eq!(turned.tree.total(), tree.total());
            let back = inverted(&turned.tree).tree;
            prop_assert_eq!(totals(&back, by), by_path(stacks.iter().map(|(stack, value)| (stack.as_slice(), *value))));
            // Below the root of the inverted tree stands the table of functions, by self value.
            for row in function_table(&tree).into_iter().filter(|row| row.own[0] != 0) {
                let shape = turned.tree.shape();
                let node = shape.children(NodeId::ROOT).find(|&node| shape.frame_index(node) == row.frame).unwrap();
                prop_assert_eq!(turned.tree.total_value(node), row.own[0]);
            }
        }
    }

    #[test]
    fn differences_keep_both_sides(both in two()) {
        let (a, b) = (&both[0], &both[1]);
        for by in [By::Name, By::Function] {
            let d = diff((a, 0), (b, 0), by, Scale::Absolute);
            let [base, comparison] = [a, b].map(|p| by_stack(&samples(p, 0, by)));
            check_diff(&d, &base, &comparison, by);
            // What is made of a comparison can be compared again.
            let again = DiffTree::new(d.tree().clone());
            for node in nodes(d.tree()) {
                prop_assert_eq!((d.gain(node), d.loss(node), d.status(node)), (again.gain(node), again.loss(node), again.status(node)));
            }
        }
    }

    #[test]
    fn normalised_totals_are_equal(
        base in prop::collection::vec(any_i64(), 0..6), comparison in prop::collection::vec(any_i64(), 0..6),
    ) {
        let profile = |values: &[i64]| {
            let mut b = ProfileBuilder::new();
            b.sample_type("v", "count");
            for (i, &value) in values.iter().enumerate() {
                let stack = b.named_stack(&["f", &format!("f{}", i / 2), &format!("f{i}")][i % 2..]);
                b.sample(stack, None, &[value]);
            }
            b.finish()
        };
        let d = diff((&profile(&base), 0), (&profile(&comparison), 0), By::Name, Scale::Normalised);
        let unscaled = diff((&profile(&base), 0), (&profile(&comparison), 0), By::Name, Scale::Absolute);
        let [to, from] = [&base, &comparison].map(|values| values.iter().map(|&v| i128::from(v)).sum::<i128>());
        let scaled: Vec<[i64; 2]> = nodes(d.tree()).map(|node| d.tree().own(node)).collect();
        let before: Vec<[i64; 2]> = nodes(d.tree()).map(|node| unscaled.tree().own(node)).collect();
        if from == 0 || (to != 0 && (to < 0) != (from < 0)) {
            prop_assert_eq!(scaled, before);
        } else if scaled.iter().all(|own| own[1] != i64::MIN && own[1] != i64::MAX) {
            prop_assert_eq!(scaled.iter().map(|own| i128::from(own[1])).sum::<i128>(), to);
            for (own, before) in scaled.iter().zip(&before) {
                prop_assert_eq!(own[0], before[0]);
                // Less than one off: |scaled * from - value * to| < |from|. Where those products
                // take more than 127 bits, to the digits that an f64 has.
                let [value, own] = [before[1], own[1]].map(i128::from);
                let off = own.checked_mul(from).zip(value.checked_mul(to)).and_then(|(own, exact)| own.checked_sub(exact));
                let exact = value as f64 / from as f64 * to as f64;
                let is_near = || (own as f64 - exact).abs() <= 1.0 + exact.abs() * 1e-12;
                prop_assert!(off.map_or_else(is_near, |off| off.abs() < from.abs()), "{} for {}", own, exact);
            }
        }
    }

    #[test]
    fn tables_have_the_sums_of_the_samples(both in two()) {
        for by in [By::Name, By::Function] {
            let d = diff((&both[0], 0), (&both[1], 0), by, Scale::Absolute);
            let mut expect: BTreeMap<Frame, ([i128; 2], [i128; 2])> = BTreeMap::new();
            let mut flat = [0u128; 2];
            for side in 0..2 {
                for (stack, value) in samples(&both[side], 0, by) {
                    if let Some(leaf) = stack.last() {
                        expect.entry(leaf.clone()).or_default().0[side] += i128::from(value);
                    }
                    for frame in stack.iter().collect::<BTreeSet<_>>() {
                        expect.entry(frame.clone()).or_default().1[side] += i128::from(value);
                    }
                }
                flat[side] = by_stack(&samples(&both[side], 0, by)).values().map(|value| value.unsigned_abs()).sum();
            }
            for order in [Order::Own, Order::Total, Order::OwnChange, Order::TotalChange] {
                let table = top(d.tree(), order);
                prop_assert_eq!(table.rows.len(), expect.len());
                prop_assert_eq!(table.whole, flat);
                let mut sum = [0; 2];
                let mut last = (u128::MAX, (String::new(), String::new()));
                for row in &table.rows {
                    let frame = frame_of(d.tree(), row.function.frame, by);
                    let (own, total) = (row.function.own, row.function.total);
                    prop_assert_eq!((own.map(i128::from), total.map(i128::from)), expect[&frame], "{:?}", frame);
                    sum = [sum[0] + own[0], sum[1] + own[1]];
                    prop_assert_eq!(row.sum, sum);
                    let change = |[a, b]: [i64; 2]| (i128::from(b) - i128::from(a)).unsigned_abs();
                    let key = match order {
                        Order::Own => u128::from(size(own)),
                        Order::Total => u128::from(size(total)),
                        Order::OwnChange => change(own),
                        Order::TotalChange => change(total),
                    };
                    prop_assert!(key < last.0 || (key == last.0 && frame > last.1));
                    last = (key, frame);
                }
            }
        }
    }

    #[test]
    fn subtracting_is_the_opposite_of_merging(both in two()) {
        let (a, b) = (&both[0], &both[1]);
        let less = subtract(a, b, Scale::Absolute).unwrap();
        prop_assert_eq!(less.saturated, 0);
        let read = |profile: &Profile| Oracle::merged([&Oracle::read(&encode(profile))]);
        let (mut expect, base) = (read(a), read(b));
        for (key, values) in &base {
            let sums = expect.entry(key.clone()).or_insert_with(|| vec![0; values.len()]);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum -= value);
        }
        expect.retain(|_, values| values.iter().any(|value| *value != 0));
        prop_assert_eq!(read(&less.profile), expect);
        prop_assert_eq!(read(&merge([&less.profile, b]).unwrap().profile), read(a));
        prop_assert!(subtract(a, a, Scale::Absolute).unwrap().profile.is_empty());
        let normalised = subtract(a, b, Scale::Normalised).unwrap().profile;
        for column in 0..a.sample_types().len() {
            let (from, to) = (a.total(column), b.total(column));
            let is_possible = from != 0 && (to == 0 || (to < 0) == (from < 0));
            // Small ratios only: with a large one scaled values leave i64.
            if is_possible && to.abs() / from.abs() < 8 && a.samples().values[column].iter().all(|v| v.abs() < 1 << 40) {
                prop_assert_eq!(normalised.total(column), 0);
            }
        }
    }

    #[test]
    fn charts_show_what_ran_at_each_instant(
        p in profiles(), visits in prop::collection::vec((0i64..30, any::<prop::sample::Index>()), 0..20), until in 0i64..40,
    ) {
        let tree = CallTree::new(&p, 0, By::Name);
        let shape = tree.shape();
        let visits: Vec<Visit> = visits
            .iter()
            .map(|(time, node)| Visit { time: *time, node: NodeId(node.index(shape.len()) as u32) })
            .collect();
        let spans = timeline(shape, &visits, until).unwrap();
        prop_assert!(spans.is_sorted_by_key(|span| (span.start, span.depth)));
        let last = visits.iter().map(|visit| visit.time).max().unwrap_or(0);
        for now in 0..45 {
            // Of the latest ones the last, which is what `max_by_key` gives.
            let at = visits.iter().filter(|visit| visit.time <= now).max_by_key(|visit| visit.time).map(|visit| visit.node);
            let path = at.filter(|_| now < until.max(last)).map_or(Vec::new(), |node| shape.path(node)[1..].to_vec());
            let found: Vec<NodeId> = spans.iter().filter(|s| s.start <= now && now < s.end).map(|s| s.node).collect();
            prop_assert_eq!(found, path, "at {}", now);
        }
        for span in &spans {
            prop_assert_eq!(span.depth, shape.depth(span.node));
            prop_assert!(!spans.iter().any(|next| next.node == span.node && next.start == span.end), "{:?} is cut", span);
        }
    }

    #[test]
    fn both_sides_in_one_profile(both in two()) {
        let (a, b) = (&both[0], &both[1]);
        let read = |profile: &Profile| Oracle::merged([&Oracle::read(&encode(profile))]);
        let mark = "pprof::base=true";
        let mut expect = read(a);
        for ((stack, mut labels), values) in read(b) {
            labels.push(mark.to_owned());
            labels.sort();
            expect.insert((stack, labels), values.into_iter().map(|value| -value).collect());
        }
        let joined = diff_base(a, b, Scale::Absolute).unwrap().profile;
        prop_assert_eq!(read(&joined), expect);
        for column in 0..a.sample_types().len() {
            let values = joined.samples().values[column].iter().zip(&joined.samples().labels);
            let all: u128 = values.clone().map(|(value, _)| u128::from(value.unsigned_abs())).sum();
            let base: u128 = values
                .filter(|(_, labels)| joined.labels(**labels).iter().any(|label| joined.text(label.key) == "pprof::base"))
                .map(|(value, _)| u128::from(value.unsigned_abs()))
                .sum();
            prop_assert_eq!(report_total(&joined, column), if base > 0 { base } else { all });
        }
    }
}

/// Values of any size, the limits often.
fn any_i64() -> impl Strategy<Value = i64> {
    prop_oneof![3 => -9i64..100, 2 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN), 1 => Just(0)]
}

/// Both values of each stack, gain and loss of each path, and what became of each.
fn check_diff(
    d: &DiffTree,
    base: &BTreeMap<Vec<Frame>, i128>,
    comparison: &BTreeMap<Vec<Frame>, i128>,
    by: By,
) {
    let tree = d.tree();
    let stacks: BTreeSet<&Vec<Frame>> = base.keys().chain(comparison.keys()).collect();
    let value = |side: &BTreeMap<Vec<Frame>, i128>, stack: &Vec<Frame>| {
        side.get(stack).copied().unwrap_or(0)
    };
    let became = |base: bool, comparison: bool, changed: bool| match (base, comparison) {
        (true, false) => Status::Removed,
        (false, true) => Status::New,
        _ if changed => Status::Changed,
        _ => Status::Same,
    };
    let mut changed = 0;
    for node in nodes(tree) {
        let path = path(tree, node, by);
        let [a, b] = tree.own(node).map(i128::from);
        assert_eq!([a, b], [value(base, &path), value(comparison, &path)]);
        assert_eq!(d.stack_status(node), became(a != 0, b != 0, a != b));
        changed += usize::from(a != b);
        let below: Vec<[i128; 2]> = stacks
            .iter()
            .filter(|stack| stack.starts_with(&path))
            .map(|s| [value(base, s), value(comparison, s)])
            .collect();
        let gain: i128 = below.iter().map(|[a, b]| (b - a).max(0)).sum();
        let loss: i128 = below.iter().map(|[a, b]| (a - b).max(0)).sum();
        assert_eq!(
            (i128::from(d.gain(node)), i128::from(d.loss(node))),
            (gain, loss),
            "{path:?}"
        );
        let [in_base, in_comparison] =
            [0, 1].map(|side| below.iter().any(|values| values[side] != 0));
        assert_eq!(
            d.status(node),
            became(in_base, in_comparison, gain + loss != 0)
        );
    }
    assert!(
        stacks
            .iter()
            .all(|stack| nodes(tree).any(|node| path(tree, node, by) == ***stack))
    );
    let changes = d.changes();
    assert_eq!(changes.len(), changed);
    assert!(
        changes.is_sorted_by_key(|change| (std::cmp::Reverse(change.change().abs()), change.node))
    );
    for change in changes {
        assert_eq!([change.base, change.comparison], tree.own(change.node));
        assert_eq!(change.status, d.stack_status(change.node));
    }
}
