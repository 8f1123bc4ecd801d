//! Random trees against brute force over paths, read back by a decoder of its own.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{OTHER, flame_graph, flame_graph_diff, tree_bytes};
use crate::{By, CallTree, ProfileBuilder};

const NAMES: [&str; 7] = ["a", "b", "other", "total", "ä", "otherwise", "n"];

type Path = Vec<String>;

/// Samples: stack from the root, value.
type Stacks = Vec<(Path, i64)>;

/// Total and self value of each node, a side each.
type Tree<const SIDES: usize> = BTreeMap<Path, ([i64; SIDES], [i64; SIDES])>;

fn stacks() -> impl Strategy<Value = Stacks> {
    let name = (0..NAMES.len()).prop_map(|name| NAMES[name].to_owned());
    let value = prop_oneof![-4i64..5, 0i64..1_000, Just(7), Just(1 << 52)];
    vec((vec(name, 0..6), value), 0..24)
}

fn call_tree(stacks: &Stacks) -> CallTree {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "count");
    for (path, value) in stacks {
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        let stack = builder.named_stack(&names);
        builder.sample(stack, None, &[*value]);
    }
    CallTree::new(&builder.finish(), 0, By::Name)
}

fn zero<const SIDES: usize>() -> ([i64; SIDES], [i64; SIDES]) {
    ([0; SIDES], [0; SIDES])
}

/// What a tree is, with what does not count left out.
fn tree<const SIDES: usize>(sides: [&Stacks; SIDES]) -> Tree<SIDES> {
    let mut tree = Tree::from([(Path::new(), zero())]);
    for (side, stacks) in sides.into_iter().enumerate() {
        let mut sums: BTreeMap<&Path, i64> = BTreeMap::new();
        for (path, value) in stacks {
            *sums.entry(path).or_default() += value;
        }
        for (path, value) in sums.into_iter().filter(|(_, value)| *value > 0) {
            for depth in 0..=path.len() {
                tree.entry(path[..depth].to_vec()).or_insert(zero()).0[side] += value;
            }
            tree.entry(path.clone()).or_insert(zero()).1[side] += value;
        }
    }
    tree
}

/// The same under a limit, and how many nodes went.
fn limited<const SIDES: usize>(all: &Tree<SIDES>, most: usize) -> (Tree<SIDES>, u64) {
    if most == 0 || all.len() - 1 <= most {
        return (all.clone(), 0);
    }
    let mut order: Vec<(&Path, i64)> = all
        .iter()
        .filter(|(path, _)| !path.is_empty() && path.iter().all(|name| name != OTHER))
        .map(|(path, (total, _))| (path, *total.iter().max().expect("a side")))
        .collect();
    // A map's order is that of a walk through the tree, and the sort is stable.
    order.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let mut kept: Vec<&[String]> = order[..most.min(order.len())]
        .iter()
        .map(|(path, _)| path.as_slice())
        .collect();
    kept.push(&[]);
    let (mut found, mut folded) = (Tree::new(), 0);
    for (path, &(total, own)) in all {
        if kept.contains(&path.as_slice()) {
            found.insert(path.clone(), (total, own));
            continue;
        }
        let parent = &path[..path.len() - 1];
        if !kept.contains(&parent) {
            folded += 1;
            continue;
        }
        folded += u64::from(path[path.len() - 1] != OTHER);
        let mut other = parent.to_vec();
        other.push(OTHER.to_owned());
        let sums = found.entry(other).or_insert(zero());
        for (side, more) in total.into_iter().enumerate() {
            sums.0[side] += more;
            sums.1[side] += more;
        }
    }
    (found, folded)
}

/// The paths as the walk meets them.
fn walk<const SIDES: usize>(tree: &Tree<SIDES>, from: &Path, met: &mut Vec<Path>) {
    met.push(from.clone());
    let mut children: Vec<&Path> = tree
        .keys()
        .filter(|path| path.len() == from.len() + 1 && path.starts_with(from))
        .collect();
    children.sort_by_key(|path| (path[from.len()] == OTHER, path[from.len()].clone()));
    for child in children.into_iter().rev() {
        walk(tree, child, met);
    }
}

fn walked<const SIDES: usize>(tree: &Tree<SIDES>) -> Vec<Path> {
    let mut met = Vec::new();
    walk(tree, &Path::new(), &mut met);
    met
}

fn names_of(met: &[Path], root: &str) -> Vec<String> {
    let mut keys = vec![root.to_owned()];
    for name in met.iter().filter_map(|path| path.last()) {
        if !keys.contains(name) {
            keys.push(name.clone());
        }
    }
    keys[0] = "total".to_owned();
    keys
}

/// A node of a level.
struct Placed<const SIDES: usize> {
    path: Path,
    start: [i64; SIDES],
    end: [i64; SIDES],
    /// Where its next child may begin.
    next: [i64; SIDES],
}

/// Reads levels as a client does: a child lies within its parent, and children are in order.
fn decode<const SIDES: usize>(names: &[String], levels: &[Vec<i64>]) -> Tree<SIDES> {
    let mut tree = Tree::new();
    let mut above: Vec<Placed<SIDES>> = Vec::new();
    for (depth, level) in levels.iter().enumerate() {
        assert!(!level.is_empty() && level.len() % (3 * SIDES + 1) == 0);
        let mut here: Vec<Placed<SIDES>> = Vec::new();
        for numbers in level.chunks(3 * SIDES + 1) {
            let number = |side: usize, which: usize| numbers[3 * side + which];
            let before = here.last().map_or([0; SIDES], |before| before.end);
            let start: [i64; SIDES] = std::array::from_fn(|side| before[side] + number(side, 0));
            let total: [i64; SIDES] = std::array::from_fn(|side| number(side, 1));
            let own: [i64; SIDES] = std::array::from_fn(|side| number(side, 2));
            let end: [i64; SIDES] = std::array::from_fn(|side| start[side] + total[side]);
            let mut path = Path::new();
            if depth > 0 {
                assert!(total.iter().any(|&total| total > 0));
                let inside = |parent: &&mut Placed<SIDES>| {
                    (0..SIDES).all(|side| {
                        total[side] == 0
                            || (parent.start[side] <= start[side] && end[side] <= parent.end[side])
                    })
                };
                let parent = above.iter_mut().find(inside).expect("a parent");
                for side in 0..SIDES {
                    assert!(parent.next[side] <= start[side], "in order");
                    parent.next[side] = end[side];
                }
                path = parent.path.clone();
                path.push(names[numbers[3 * SIDES] as usize].clone());
            }
            for side in 0..SIDES {
                assert!(number(side, 0) >= 0 && own[side] >= 0 && own[side] <= total[side]);
            }
            let again = tree.insert(path.clone(), (total, own));
            assert_eq!(again, None, "{path:?} twice");
            let next = std::array::from_fn(|side| start[side] + own[side]);
            here.push(Placed {
                path,
                start,
                end,
                next,
            });
        }
        assert!(depth > 0 || here.len() == 1, "one root");
        above = here;
    }
    tree
}

fn max_self<const SIDES: usize>(tree: &Tree<SIDES>) -> i64 {
    let own = tree.values().flat_map(|(_, own)| own.iter().copied());
    own.max().expect("a root")
}

/// Reads tree bytes: name and self value of each node, as the walk meets them.
fn decode_bytes(bytes: &mut &[u8], above: Option<&Path>, met: &mut Vec<(Path, i64)>) {
    fn number(bytes: &mut &[u8]) -> u64 {
        let length = 1 + bytes.iter().take_while(|byte| **byte >= 0x80).count();
        let (number, rest) = bytes.split_at(length);
        *bytes = rest;
        number
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f))
    }
    let length = number(bytes) as usize;
    let (name, rest) = bytes.split_at(length);
    *bytes = rest;
    let name = std::str::from_utf8(name).expect("a text").to_owned();
    let path = match above {
        None => {
            assert_eq!(name, "");
            Path::new()
        }
        Some(above) => [above.as_slice(), &[name]].concat(),
    };
    met.push((path.clone(), number(bytes) as i64));
    for _ in 0..number(bytes) {
        decode_bytes(bytes, Some(&path), met);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn flame_graphs(stacks in stacks(), most in 0usize..30) {
        let (expect, folded) = limited(&tree([&stacks]), most);
        let graph = flame_graph(&call_tree(&stacks), most);
        prop_assert_eq!(&decode::<1>(&graph.names, &graph.levels), &expect);
        prop_assert_eq!(&graph.names, &names_of(&walked(&expect), "total"));
        prop_assert_eq!(graph.total, expect[&Path::new()].0[0]);
        prop_assert_eq!((graph.max_self, graph.folded), (max_self(&expect), folded));
    }

    #[test]
    fn diffs(left in stacks(), right in stacks(), most in 0usize..30) {
        let (expect, folded) = limited(&tree([&left, &right]), most);
        let graph = flame_graph_diff(&call_tree(&left), &call_tree(&right), most);
        prop_assert_eq!(&decode::<2>(&graph.names, &graph.levels), &expect);
        prop_assert_eq!(&graph.names, &names_of(&walked(&expect), ""));
        let [of_left, of_right] = expect[&Path::new()].0;
        prop_assert_eq!((graph.left_ticks, graph.right_ticks), (of_left, of_right));
        prop_assert_eq!(graph.total, of_left + of_right);
        prop_assert_eq!((graph.max_self, graph.folded), (max_self(&expect), folded));
    }

    #[test]
    fn bytes_of_trees(stacks in stacks(), most in 0usize..30) {
        let (expect, _) = limited(&tree([&stacks]), most);
        let bytes = tree_bytes(&call_tree(&stacks), most).expect("small");
        if expect[&Path::new()].0 == [0] {
            prop_assert!(bytes.is_empty());
        } else {
            let (mut rest, mut found) = (bytes.as_slice(), Vec::new());
            decode_bytes(&mut rest, None, &mut found);
            let wanted: Vec<(Path, i64)> = walked(&expect)
                .into_iter()
                .map(|path| (path.clone(), expect[&path].1[0]))
                .collect();
            prop_assert_eq!(found, wanted);
            prop_assert!(rest.is_empty());
        }
    }
}
