//! Verbs on trees, comparisons and the table, against sums by brute force and against Go's
//! pprof.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Command, Stdio};

use pilotlight_core::pprof::{decode, encode};
use pilotlight_core::verbs::{Visit, callees, callers, inverted, timeline};
use pilotlight_core::{
    By, CallTree, DiffTree, NodeId, Profile, ProfileBuilder, Scale, Tree, diff, function_table,
};
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

/// The samples of two sides, where a function whose file moved is the same one.
fn sides([base, comparison]: [&Profile; 2], by: By) -> [Vec<(Vec<Frame>, i64)>; 2] {
    let mut sides = [base, comparison].map(|profile| samples(profile, 0, by));
    if by == By::Name {
        return sides;
    }
    let frames = sides.each_ref().map(|samples| {
        let stacks = samples.iter().flat_map(|(stack, _)| stack.clone());
        stacks.collect::<BTreeSet<Frame>>()
    });
    let of_name = |name: &str| {
        let all: BTreeSet<&Frame> = frames.iter().flatten().collect();
        all.into_iter().filter(|frame| frame.0 == name).count()
    };
    let key = |(name, file): &Frame| {
        let is_named = !name.starts_with(['(', '<', '{', '?']) && name != "anonymous";
        let file_name = file.rsplit(['/', '\\']).next().unwrap_or_default();
        match of_name(name) {
            2 if is_named => (name.clone(), String::new()),
            _ => (name.clone(), file_name.to_owned()),
        }
    };
    let mut alone: BTreeMap<(String, String), [Vec<Frame>; 2]> = BTreeMap::new();
    for side in [0, 1] {
        for frame in frames[side].difference(&frames[1 - side]) {
            alone.entry(key(frame)).or_default()[side].push(frame.clone());
        }
    }
    for moved in alone.into_values() {
        if let [[from], [to]] = moved.each_ref().map(Vec::as_slice) {
            let kept = from.max(to);
            for (stack, _) in sides.iter_mut().flatten() {
                for frame in stack
                    .iter_mut()
                    .filter(|frame| **frame == *from || **frame == *to)
                {
                    *frame = kept.clone();
                }
            }
        }
    }
    sides
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
            let [base, comparison] = sides([a, b], by).map(|samples| by_stack(&samples));
            check_diff(&d, &base, &comparison, by);
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
        let scaled: Vec<[i64; 2]> = nodes(&d).map(|node| d.own(node)).collect();
        let before: Vec<[i64; 2]> = nodes(&d).map(|node| unscaled.own(node)).collect();
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
            for (side, samples) in sides([&both[0], &both[1]], by).into_iter().enumerate() {
                for (stack, value) in samples {
                    if let Some(leaf) = stack.last() {
                        expect.entry(leaf.clone()).or_default().0[side] += i128::from(value);
                    }
                    for frame in stack.iter().collect::<BTreeSet<_>>() {
                        expect.entry(frame.clone()).or_default().1[side] += i128::from(value);
                    }
                }
            }
            let table = function_table(&d);
            prop_assert_eq!(table.len(), expect.len());
            for row in &table {
                let frame = frame_of(&d, row.frame, by);
                prop_assert_eq!((row.own.map(i128::from), row.total.map(i128::from)), expect[&frame], "{:?}", frame);
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
}

/// Values of any size, the limits often.
fn any_i64() -> impl Strategy<Value = i64> {
    prop_oneof![3 => -9i64..100, 2 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN), 1 => Just(0)]
}

/// Both values of each stack, and a node for each.
fn check_diff(
    tree: &DiffTree,
    base: &BTreeMap<Vec<Frame>, i128>,
    comparison: &BTreeMap<Vec<Frame>, i128>,
    by: By,
) {
    let value = |side: &BTreeMap<Vec<Frame>, i128>, stack: &Vec<Frame>| {
        side.get(stack).copied().unwrap_or(0)
    };
    let mut paths = BTreeSet::new();
    for node in nodes(tree) {
        let path = path(tree, node, by);
        assert_eq!(
            tree.own(node).map(i128::from),
            [value(base, &path), value(comparison, &path)]
        );
        paths.insert(path);
    }
    let mut stacks = base.keys().chain(comparison.keys());
    assert!(stacks.all(|stack| paths.contains(stack)));
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

/// What Go's pprof prints or writes for a profile, with options.
fn go_pprof(options: &[&str], source: &[u8]) -> Vec<u8> {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("views-{}-{next}", std::process::id()));
    fs::create_dir_all(&folder).expect("a writable folder for scratch files");
    let (input, output) = (folder.join("input"), folder.join("output"));
    fs::write(&input, source).expect("a writable scratch folder");
    let mut command = Command::new("go");
    command
        .args(["tool", "pprof", "-symbolize=none"])
        .args(options)
        .arg("-output")
        .arg(&output);
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

/// Flat, cum and name of each row of pprof's text report, in its order. Values come with the unit
/// stuck to them.
fn go_top(profile: &[u8], column: usize, unit: &str, options: &[&str]) -> Vec<(i64, i64, String)> {
    let (index, unit) = (format!("-sample_index={column}"), format!("-unit={unit}"));
    let mut all = vec!["-top", "-trim=false", index.as_str(), unit.as_str()];
    all.extend(options);
    let text = String::from_utf8(go_pprof(&all, profile)).expect("text");
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
        // Both go by self value, the largest first, then by name.
        let mut rows = function_table(&tree);
        rows.sort_by_key(|row| std::cmp::Reverse(row.own[0].unsigned_abs()));
        let ours = rows.iter().map(|row| {
            let name = frame_of(&tree, row.frame, By::Name).0;
            (row.own[0], row.total[0], name)
        });
        let ours: Vec<_> = ours
            .filter(|row| is_named(&row.2) && (row.0, row.1) != (0, 0))
            .collect();
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
