//! Call graphs and sums of source lines by brute force: every stack spelt out, every sample looked
//! at by itself, everything in plain maps.
//!
//! What a graph leaves out is what `go tool pprof` leaves out of a drawing, sample by sample too.

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::{LocationId, Profile};

/// A frame: the function's name, its file, and the line there.
pub type Frame = (String, String, i64);

/// Stacks from the root on, and their values.
pub type Stacks<K> = Vec<(Vec<K>, i64)>;

/// The samples of a column that are not zero.
pub fn stacks(profile: &Profile, column: usize) -> Stacks<Frame> {
    let frames = |location: LocationId| -> Vec<Frame> {
        let lines = profile.lines(location).iter();
        let named: Vec<Frame> = lines
            .filter_map(|line| line.function.map(|function| (function, line.line)))
            .map(|(function, line)| {
                let f = &profile.functions()[function.index()];
                let name = [f.name, f.system_name]
                    .map(|name| profile.text(name))
                    .into_iter()
                    .find(|name| !name.is_empty())
                    .unwrap_or("?");
                (name.to_owned(), profile.text(f.file).to_owned(), line)
            })
            .collect();
        if !named.is_empty() {
            return named;
        }
        let l = &profile.locations()[location.index()];
        let module = l
            .mapping
            .map_or("", |m| profile.text(profile.mappings()[m.index()].file));
        let module = module.rsplit('/').next().unwrap_or("");
        let name = match (l.address, module) {
            (0, "") => "?".to_owned(),
            (0, file) => format!("[{file}]"),
            (address, "") => format!("{address:#x}"),
            (address, file) => format!("{address:#x} [{file}]"),
        };
        vec![(name, String::new(), 0)]
    };
    let samples = profile.samples();
    let rows = samples.stacks.iter().zip(&samples.values[column]);
    rows.filter(|(_, value)| **value != 0)
        .map(|(&stack, &value)| {
            let mut stack: Vec<Frame> = profile.frames(stack).flat_map(frames).collect();
            stack.reverse();
            (stack, value)
        })
        .collect()
}

/// The same stacks of something else of each frame.
pub fn by<K>(stacks: &[(Vec<Frame>, i64)], key: impl Fn(&Frame) -> K) -> Stacks<K> {
    let stacks = stacks.iter();
    stacks
        .map(|(stack, value)| (stack.iter().map(&key).collect(), *value))
        .collect()
}

/// Flat and cumulative of each.
pub fn sums<K: Ord + Clone>(stacks: &[(Vec<K>, i64)]) -> BTreeMap<K, [i128; 2]> {
    let mut sums: BTreeMap<K, [i128; 2]> = BTreeMap::new();
    for (stack, value) in stacks {
        for frame in stack.iter().collect::<BTreeSet<_>>() {
            sums.entry(frame.clone()).or_default()[1] += i128::from(*value);
        }
        if let Some(leaf) = stack.last() {
            sums.entry(leaf.clone()).or_default()[0] += i128::from(*value);
        }
    }
    sums
}

/// What stays of a graph.
#[derive(Debug, PartialEq)]
pub struct Graph<K: Ord> {
    /// Flat and cumulative.
    pub nodes: BTreeMap<K, [i128; 2]>,
    /// Value, and whether some of it went through what is left out.
    pub edges: BTreeMap<(K, K), (i128, bool)>,
}

/// How much stays: fractions of the whole for nodes and edges, and a number of nodes.
pub type Trim = (f64, f64, usize);

/// The graph of stacks.
pub fn graph<K: Ord + Clone>(stacks: &[(Vec<K>, i64)], trim: Trim) -> Graph<K> {
    let (node_fraction, edge_fraction, most) = trim;
    let sums = sums(stacks);
    let whole: i128 = stacks.iter().map(|(_, value)| i128::from(*value)).sum();
    let part = |fraction: f64| (whole.unsigned_abs() as f64 * fraction) as u128;
    let is_large = |[flat, cum]: [i128; 2]| {
        (flat != 0 || cum != 0) && cum.unsigned_abs() >= part(node_fraction)
    };
    let large = sums.iter().filter(|(_, sums)| is_large(**sums));
    let large: BTreeSet<K> = large.map(|(frame, _)| frame.clone()).collect();
    let calls = |kept: &BTreeSet<K>| {
        let mut edges = calls(stacks, kept);
        edges.retain(|_, (value, _)| value.unsigned_abs() >= part(edge_fraction));
        edges
    };
    let all = calls(&large);
    let mut order: Vec<(u128, &K)> = large
        .iter()
        .map(|frame| (score(frame, sums[frame], &all), frame))
        .collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    order.truncate(most);
    let order: Vec<K> = order.into_iter().map(|(_, frame)| frame.clone()).collect();
    let kept: BTreeSet<K> = order.iter().cloned().collect();
    let mut edges = calls(&kept);
    for node in order.iter().rev() {
        let mut into: Vec<(u128, usize, K)> = edges
            .iter()
            .filter(|((_, to), _)| to == node)
            .map(|((from, _), (value, _))| {
                let place = order.iter().position(|other| other == from);
                (value.unsigned_abs(), place.expect("it stays"), from.clone())
            })
            .collect();
        into.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        for (_, _, from) in into {
            let edge = (from, node.clone());
            if !edges[&edge].1 {
                break;
            }
            let mut others = edges.clone();
            others.remove(&edge);
            if above(&others, node).contains(&edge.0) {
                edges = others;
            }
        }
    }
    let nodes = order.into_iter().map(|frame| {
        let sums = sums[&frame];
        (frame, sums)
    });
    Graph {
        nodes: nodes.collect(),
        edges,
    }
}

type Edges<K> = BTreeMap<(K, K), (i128, bool)>;

/// The calls between those that stay; one counts once a sample.
fn calls<K: Ord + Clone>(stacks: &[(Vec<K>, i64)], kept: &BTreeSet<K>) -> Edges<K> {
    let mut edges = Edges::new();
    for (stack, value) in stacks {
        let stays: Vec<usize> = (0..stack.len())
            .filter(|&at| kept.contains(&stack[at]))
            .collect();
        let mut seen = BTreeSet::new();
        for pair in stays.windows(2) {
            let edge = (stack[pair[0]].clone(), stack[pair[1]].clone());
            if edge.0 == edge.1 || !seen.insert(edge.clone()) {
                continue;
            }
            let (sum, residual) = edges.entry(edge).or_default();
            *sum += i128::from(*value);
            *residual |= pair[1] - pair[0] > 1;
        }
    }
    edges
}

/// How much a node says: its cumulative value times the entropy of what comes in and goes out.
fn score<K: Ord>(frame: &K, [flat, cum]: [i128; 2], edges: &Edges<K>) -> u128 {
    let sizes = |end: fn(&(K, K)) -> &K| -> Vec<u128> {
        let ends = edges.iter().filter(|(edge, _)| end(edge) == frame);
        ends.map(|(_, (value, _))| value.unsigned_abs()).collect()
    };
    let entropy = |sizes: &[u128]| -> f64 {
        let sum = sizes.iter().sum::<u128>() as f64;
        let shares = sizes.iter().map(|size| *size as f64 / sum);
        shares
            .filter(|share| *share > 0.0)
            .map(|share| -(share * share.log2()))
            .sum()
    };
    let (into, mut out) = (sizes(|(_, to)| to), sizes(|(from, _)| from));
    let callers = if into.is_empty() { 1.0 } else { entropy(&into) };
    let callees = if out.is_empty() {
        1.0
    } else {
        out.push(flat.unsigned_abs());
        entropy(&out)
    };
    ((callers + callees) * cum.unsigned_abs() as f64) as u128 + flat.unsigned_abs()
}

/// All from which a node is reached.
fn above<K: Ord + Clone>(edges: &Edges<K>, node: &K) -> BTreeSet<K> {
    let mut found = BTreeSet::from([node.clone()]);
    loop {
        let more: Vec<K> = edges
            .keys()
            .filter(|(from, to)| found.contains(to) && !found.contains(from))
            .map(|(from, _)| from.clone())
            .collect();
        if more.is_empty() {
            found.remove(node);
            return found;
        }
        found.extend(more);
    }
}
