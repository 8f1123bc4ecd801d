//! Verbs on trees, the diff family and the table, against sums by brute force and against Go's
//! pprof.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Command, Stdio};

use pilotlight_core::pprof::{decode, encode};
use pilotlight_core::verbs::{
    Visit, callees, callers, diff_base, inverted, report_total, subtract, timeline,
};
use pilotlight_core::{
    By, CallTree, DiffTree, NodeId, Order, Profile, ProfileBuilder, Scale, Status, Tree, diff,
    function_table, merge, top,
};
use pilotlight_tests::oracle::Oracle;
use pilotlight_tests::random::{profiles, some_profiles};
use pilotlight_tests::{corpus, drawn, go, graph};
use proptest::prelude::*;

/// A frame: name, and the file where that counts.
type Frame = (String, String);

/// Values of paths from the root, a side each: the nodes of a tree.
type Paths<const SIDES: usize> = BTreeMap<Vec<Frame>, [i128; SIDES]>;

fn two() -> impl Strategy<Value = Vec<Profile>> {
    some_profiles(2..3)
}

/// The samples of a column that are not zero: frames from the root, and value.
fn samples(profile: &Profile, column: usize, by: By) -> Vec<(Vec<Frame>, i64)> {
    graph::by(&graph::stacks(profile, column), |(name, file, _)| {
        let file = if by == By::Name { "" } else { file };
        (name.clone(), file.to_owned())
    })
}

/// Values added up by stack.
fn by_stack(samples: &[(Vec<Frame>, i64)]) -> BTreeMap<Vec<Frame>, i128> {
    let mut sums = BTreeMap::new();
    for (stack, value) in samples {
        *sums.entry(stack.clone()).or_default() += i128::from(*value);
    }
    sums
}

/// The sums of all beginnings of stacks; that of the empty one is always there.
fn by_path<'a>(stacks: impl IntoIterator<Item = (&'a [Frame], i128)>) -> Paths<1> {
    let mut sums = Paths::from([(Vec::new(), [0])]);
    for (stack, value) in stacks {
        for depth in 0..=stack.len() {
            sums.entry(stack[..depth].to_vec()).or_default()[0] += value;
        }
    }
    sums
}

fn nodes<const SIDES: usize>(tree: &Tree<SIDES>) -> impl Iterator<Item = NodeId> {
    (0..tree.shape().len() as u32).map(NodeId)
}

fn path<const SIDES: usize>(tree: &Tree<SIDES>, node: NodeId, by: By) -> Vec<Frame> {
    let shape = tree.shape();
    let frame = |&node: &NodeId| {
        let file = shape.text(shape.frame(node).file);
        (
            shape.name(node).to_owned(),
            if by == By::Name {
                String::new()
            } else {
                file.to_owned()
            },
        )
    };
    shape.path(node)[1..].iter().map(frame).collect()
}

/// The totals of a tree's nodes, after a look at what holds of every tree.
fn totals<const SIDES: usize>(tree: &Tree<SIDES>, by: By) -> Paths<SIDES> {
    let shape = tree.shape();
    let mut paths = Paths::new();
    for node in nodes(tree) {
        let children: Vec<NodeId> = shape.children(node).collect();
        let sums = children.iter().fold(tree.own(node), |sums, &child| {
            assert_eq!(shape.parent(child), node);
            std::array::from_fn(|side| sums[side] + tree.totals(child)[side])
        });
        assert_eq!(tree.totals(node), sums);
        let names: Vec<Frame> = children
            .iter()
            .map(|&child| path(tree, child, By::Function).pop().unwrap())
            .collect();
        assert!(names.is_sorted(), "{names:?}");
        let earlier = paths.insert(path(tree, node, by), tree.totals(node).map(i128::from));
        assert_eq!(earlier, None, "a path is there twice");
    }
    paths
}

/// The name of a frame of a tree, and its file where that counts.
fn frame_of<const SIDES: usize>(tree: &Tree<SIDES>, frame: usize, by: By) -> Frame {
    let shape = tree.shape();
    let f = &shape.frames()[frame];
    (
        shape.text(f.name).to_owned(),
        if by == By::Name {
            String::new()
        } else {
            shape.text(f.file).to_owned()
        },
    )
}

fn size<const SIDES: usize>(values: [i64; SIDES]) -> u64 {
    values.iter().map(|value| value.unsigned_abs()).sum()
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

/// A profile as Go's reports see it: without the frames that it asks to drop.
fn pruned(bytes: &[u8]) -> Vec<u8> {
    let bytes = pilotlight_tests::oracle::unzip(bytes);
    let asks = decode(&bytes).is_ok_and(|decoded| !decoded.profile.header().drop_frames.is_empty());
    if asks {
        pilotlight_tests::oracle::unzip(&go::to_proto(&bytes))
    } else {
        bytes
    }
}

/// A profile of the corpus: name and bytes.
type Named = (String, Vec<u8>);

/// Pairs of profiles of the corpus that measure the same, the later one of each first.
fn pairs() -> Vec<[Named; 2]> {
    let mut last: BTreeMap<Vec<(String, String)>, Named> = BTreeMap::new();
    let mut pairs = Vec::new();
    // The five of `parca/many` are much alike: two will do.
    let wanted = ["parca/many/164450927", "agents/go142", "agents/node0413"];
    for sample in corpus::profiles()
        .into_iter()
        .filter(|s| wanted.iter().any(|w| s.name.starts_with(w)))
    {
        let bytes = pruned(&sample.bytes);
        let oracle = Oracle::read(&bytes);
        let folder = sample
            .name
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let mut key = vec![(folder.to_owned(), String::new())];
        key.extend(oracle.types.into_iter().chain(oracle.period_type));
        if let Some(earlier) = last.insert(key, (sample.name.clone(), bytes.clone())) {
            pairs.push([(sample.name, bytes), earlier]);
        }
    }
    pairs
}

/// What Go's pprof prints or writes for a profile, with options.
fn go_pprof(options: &[&str], source: &[u8], base: Option<(&str, &[u8])>) -> Vec<u8> {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("views-{}-{next}", std::process::id()));
    fs::create_dir_all(&folder).expect("a writable folder for scratch files");
    let (input, other, output) = (
        folder.join("input"),
        folder.join("base"),
        folder.join("output"),
    );
    fs::write(&input, source).expect("a writable scratch folder");
    let mut command = Command::new("go");
    command
        .args(["tool", "pprof", "-symbolize=none"])
        .args(options)
        .arg("-output")
        .arg(&output);
    if let Some((option, base)) = base {
        fs::write(&other, base).expect("a writable scratch folder");
        command.arg(format!("{option}={}", other.display()));
    }
    let command = command
        .arg(&input)
        .env("TZ", "UTC")
        .env("PPROF_BINARY_PATH", &folder)
        .env("PPROF_TMPDIR", &folder);
    let ran = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("go runs");
    assert!(
        ran.status.success(),
        "go tool pprof {options:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let bytes = fs::read(&output).expect("pprof's output");
    fs::remove_dir_all(&folder).expect("our own folder");
    bytes
}

#[test]
fn differences_are_those_of_go() {
    if !go::available() {
        return;
    }
    let read = |bytes: &[u8]| Oracle::merged([&Oracle::read(bytes)]);
    let pairs = pairs();
    for [(name, later), (_, earlier)] in &pairs {
        let [source, base] =
            [later, earlier].map(|bytes| decode(bytes).expect("a profile").profile);
        let theirs = read(&go_pprof(&["-proto"], later, Some(("-base", earlier))));
        let ours = subtract(&source, &base, Scale::Absolute)
            .expect("the same types")
            .profile;
        assert_eq!(read(&encode(&ours)), theirs, "{name} -base");
        let theirs = read(&go_pprof(&["-proto"], later, Some(("-diff_base", earlier))));
        let ours = diff_base(&source, &base, Scale::Absolute)
            .expect("the same types")
            .profile;
        assert_eq!(read(&encode(&ours)), theirs, "{name} -diff_base");
    }
    assert!(
        corpus::root().is_none() || pairs.len() > 5,
        "only {} pairs",
        pairs.len()
    );
}

#[test]
fn percentages_are_shares_of_what_go_says() {
    if !go::available() {
        return;
    }
    let total = regex_lite::Regex::new(r"% of (\d+)[A-Za-z]* total").expect("valid");
    let whole = |bytes: &[u8], base| {
        let report = go_pprof(
            &["-top", "-trim=false", "-sample_index=0", "-unit=count"],
            bytes,
            base,
        );
        let report = String::from_utf8(report).expect("text");
        total.captures(&report).expect("a total")[1]
            .parse::<u128>()
            .expect("a number")
    };
    let source = drawn::profile("samples/count\nmain;a 3\nmain;b -5\nmain;c;main 11");
    let base = drawn::profile("samples/count\nmain;a 4\nmain;b -1 region=eu\nmain;d 2");
    let [later, earlier] = [&source, &base].map(encode);
    assert_eq!(whole(&later, None), report_total(&source, 0));
    let both = diff_base(&source, &base, Scale::Absolute)
        .expect("the same types")
        .profile;
    assert_eq!(
        whole(&later, Some(("-diff_base", &earlier))),
        report_total(&both, 0)
    );
    let less = subtract(&source, &base, Scale::Absolute)
        .expect("the same types")
        .profile;
    assert_eq!(
        whole(&later, Some(("-base", &earlier))),
        report_total(&less, 0)
    );
}

#[test]
fn normalised_differences_are_those_of_go_but_for_rounding() {
    if !go::available() {
        return;
    }
    let source = drawn::profile("cpu/count\nmain;a 7\nmain;b 13\nmain;c 29\nmain;d 1000");
    let base = drawn::profile("cpu/count\nmain;a 100\nmain;d 391\nmain;e 3");
    let options = ["-proto", "-normalize"];
    let theirs = Oracle::read(&go_pprof(
        &options,
        &encode(&source),
        Some(("-base", &encode(&base))),
    ))
    .stacks(0);
    let ours = subtract(&source, &base, Scale::Normalised)
        .expect("the same types")
        .profile;
    let ours = Oracle::read(&encode(&ours)).stacks(0);
    assert_eq!(ours.values().sum::<i128>(), 0);
    assert_eq!(
        ours.keys().collect::<Vec<_>>(),
        theirs.keys().collect::<Vec<_>>()
    );
    for (stack, value) in &ours {
        assert!(
            (value - theirs[stack]).abs() <= 1,
            "{stack:?}: {value} and {}",
            theirs[stack]
        );
    }
}

/// Flat, cum and name of each row of pprof's text report, in its order. Values come with the unit
/// stuck to them.
fn go_top(profile: &[u8], column: usize, unit: &str, options: &[&str]) -> Vec<(i64, i64, String)> {
    let (index, unit) = (format!("-sample_index={column}"), format!("-unit={unit}"));
    let mut all = vec!["-top", "-trim=false", index.as_str(), unit.as_str()];
    all.extend(options);
    let text = String::from_utf8(go_pprof(&all, profile, None)).expect("text");
    let number = |word: &str| -> i64 {
        let digits = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '*');
        digits.parse().unwrap_or_else(|e| panic!("{word}: {e}"))
    };
    // Flat, flat%, sum%, cum, cum%, and the name, marked where the function was inlined.
    let row = regex_lite::Regex::new(
        r"^\s*(\S+)\s+\S+%\s+\S+%\s+(\S+)\s+\S+%  (.*?)( \((partial-)?inline\))?$",
    )
    .expect("valid");
    let rows = text
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("flat "))
        .skip(1);
    rows.map(|line| {
        let found = row
            .captures(line)
            .unwrap_or_else(|| panic!("{line:?} is no row"));
        (number(&found[1]), number(&found[2]), found[3].to_owned())
    })
    .collect()
}

#[test]
fn tables_are_those_of_go() {
    if !go::available() {
        return;
    }
    let mut tables = 0;
    let recursive =
        drawn::profile("cpu/count\nmain;f;g;f 3\nmain;f;f 2\ng;main;g 7\nf -9\nh 1\nh;h -1");
    let made = corpus::Sample {
        name: "recursive".to_owned(),
        bytes: encode(&recursive),
    };
    let is_wanted =
        |s: &corpus::Sample| !s.name.starts_with("parca/many") || s.name.contains("7233");
    for sample in corpus::profiles()
        .into_iter()
        .filter(is_wanted)
        .chain([made])
    {
        let bytes = pruned(&sample.bytes);
        let profile = decode(&bytes).expect("a profile").profile;
        let column = profile.default_type();
        let unit = profile
            .type_text(profile.sample_types()[column])
            .1
            .to_owned();
        // Nothing but functions is compared: pprof takes all nameless addresses of a file for one.
        let is_named = |name: &str| {
            !name.starts_with("0x")
                && !name.starts_with('[')
                && !name.starts_with('<')
                && name != "?"
        };
        let theirs: Vec<_> = go_top(&bytes, column, &unit, &[])
            .into_iter()
            .filter(|row| is_named(&row.2))
            .collect();
        let tree = CallTree::new(&profile, column, By::Name);
        let rows = top(&tree, Order::Own).rows;
        let ours = rows.iter().map(|row| {
            let name = frame_of(&tree, row.function.frame, By::Name).0;
            (row.function.own[0], row.function.total[0], name)
        });
        let ours: Vec<_> = ours
            .filter(|row| is_named(&row.2) && (row.0, row.1) != (0, 0))
            .collect();
        // Both put the largest self value first, then go by name.
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours, theirs, "{}", sample.name);
        }
        assert_eq!(ours.len(), theirs.len(), "{}", sample.name);
        tables += usize::from(ours.len() > 3);
    }
    assert!(
        corpus::root().is_none() || tables > 10,
        "only {tables} tables"
    );
}
