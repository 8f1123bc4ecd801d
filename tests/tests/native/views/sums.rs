//! Sums by brute force: what samples say, and what a tree says.

use pilotlight_core::Tree;
use pilotlight_tests::graph;

use super::*;

/// A frame: name, and the file where that counts.
pub(super) type Frame = (String, String);

/// Values of paths from the root, a side each: the nodes of a tree.
pub(super) type Paths<const SIDES: usize> = BTreeMap<Vec<Frame>, [i128; SIDES]>;

/// The samples of a column that are not zero: frames from the root, and value.
pub(super) fn samples(profile: &Profile, column: usize, by: By) -> Vec<(Vec<Frame>, i64)> {
    graph::by(&graph::stacks(profile, column), |(name, file, _)| {
        let file = if by == By::Name { "" } else { file };
        (name.clone(), file.to_owned())
    })
}

/// Values added up by stack.
pub(super) fn by_stack(samples: &[(Vec<Frame>, i64)]) -> BTreeMap<Vec<Frame>, i128> {
    let mut sums = BTreeMap::new();
    for (stack, value) in samples {
        *sums.entry(stack.clone()).or_default() += i128::from(*value);
    }
    sums
}

/// The sums of all beginnings of stacks; that of the empty one is always there.
pub(super) fn by_path<'a>(stacks: impl IntoIterator<Item = (&'a [Frame], i128)>) -> Paths<1> {
    let mut sums = Paths::from([(Vec::new(), [0])]);
    for (stack, value) in stacks {
        for depth in 0..=stack.len() {
            sums.entry(stack[..depth].to_vec()).or_default()[0] += value;
        }
    }
    sums
}

pub(super) fn nodes<const SIDES: usize>(tree: &Tree<SIDES>) -> impl Iterator<Item = NodeId> {
    (0..tree.shape().len() as u32).map(NodeId)
}

pub(super) fn path<const SIDES: usize>(tree: &Tree<SIDES>, node: NodeId, by: By) -> Vec<Frame> {
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
pub(super) fn totals<const SIDES: usize>(tree: &Tree<SIDES>, by: By) -> Paths<SIDES> {
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
pub(super) fn frame_of<const SIDES: usize>(tree: &Tree<SIDES>, frame: usize, by: By) -> Frame {
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

pub(super) fn size<const SIDES: usize>(values: [i64; SIDES]) -> u64 {
    values.iter().map(|value| value.unsigned_abs()).sum()
}
