//! Folding profiles into one tree.
//!
//! Stacks are spelled out into rows of (parent row, frame), inlined calls included, and those are
//! folded into a tree. Each profile has its own, and one is laid over the other: where a stack
//! table has no row twice, which is usual, only forks of its own take sorting.

use crate::model::forest::{Forest, Overlay, Preorder};
use crate::model::id::{LocationId, StackId};
use crate::model::profile::Profile;
use crate::tree::call_tree::{CallTree, Tree};
use crate::tree::frames::{By, Chains, Frames, Used, in_order};
use crate::tree::moved::join_moved;
use crate::tree::self_values::SelfValues;

impl CallTree {
    /// Folds the samples of a value column. Stacks whose values are all zero leave no node.
    pub fn new(profile: &Profile, sample_type: usize, by: By) -> Self {
        build([(profile, sample_type)], by, |_, _| {})
    }

    /// How many rows [`Self::new`] makes before it folds them: one for each frame of each used row of
    /// the stack table, inlined calls included.
    pub fn rows(profile: &Profile, sample_type: usize) -> u64 {
        let frames = |location: LocationId| {
            let lines = profile.lines(location).iter();
            lines.filter(|line| line.function.is_some()).count().max(1) as u64
        };
        // Many stacks share a location.
        let frames: Vec<u64> = profile.location_ids().map(frames).collect();
        let used = Used::new(profile, &profile.samples.values[sample_type]);
        let stacks = profile.stacks.iter().zip(&used.stacks);
        let stacks = stacks.filter(|(_, is_used)| **is_used);
        stacks
            .map(|(stack, _)| frames[stack.location.index()])
            .sum()
    }
}

/// The tree of a value column of each of some profiles, a side each: nodes in preorder, children by
/// name, totals summed.
///
/// `look` sees the self values before they are summarized, and the nodes of each side's samples that
/// have a value, in the order of the profile.
pub(crate) fn build<const SIDES: usize>(
    profiles: [(&Profile, usize); SIDES],
    by: By,
    look: impl FnOnce(&mut [SelfValues; SIDES], [&[u32]; SIDES]),
) -> Tree<SIDES> {
    let mut frames = Frames::new(by);
    let mut sides =
        profiles.map(|(profile, sample_type)| Side::new(profile, sample_type, &mut frames));
    let strings = frames.names.finish().strings;
    let mut frames = frames.frames;
    if let ([base, comparison], By::Function) = (&mut sides[..], by) {
        join_moved(
            &strings,
            &mut frames,
            &mut base.chains,
            &mut comparison.chains,
        );
    }
    let (frames, ranks) = in_order(&strings, frames);
    let (tree, samples) = fold(sides, &ranks);
    let mut own = samples
        .each_ref()
        .map(|samples| samples.own(tree.parents.len()));
    look(
        &mut own,
        samples.each_ref().map(|samples| samples.ends.as_slice()),
    );
    Tree::of_preorder(strings, frames, tree.parents, tree.ranks, own)
}

/// One tree of all sides, and their samples with the nodes they end at.
fn fold<'a, const SIDES: usize>(
    sides: [Side<'a>; SIDES],
    ranks: &[u32],
) -> (Preorder, [Samples<'a>; SIDES]) {
    let mut all: Option<Preorder> = None;
    let mut forest = Forest::with_capacity(0);
    let mut rows = Vec::new();
    let mut folded: Vec<Samples<'a>> = Vec::with_capacity(SIDES);
    for side in sides {
        let mut samples = side.spell(ranks, &mut forest, &mut rows);
        all = Some(match all.take() {
            None => forest.fold(),
            Some(under) => {
                let mut overlay = Overlay::new(under, forest.len());
                forest.fold_into(|parent, rank| overlay.add_node(parent, rank));
                let (both, went) = overlay.finish();
                folded
                    .iter_mut()
                    .for_each(|samples| samples.follow(|node| went[node as usize]));
                both
            }
        });
        samples.follow(|row| forest.node_of(row));
        folded.push(samples);
    }
    let mut folded = folded.into_iter();
    (
        all.unwrap_or_default(),
        std::array::from_fn(|_| folded.next().expect("a side each")),
    )
}

/// A value column of a profile.
struct Side<'a> {
    profile: &'a Profile,
    values: &'a [i64],
    used: Used,
    chains: Chains,
}

impl<'a> Side<'a> {
    fn new(profile: &'a Profile, sample_type: usize, frames: &mut Frames) -> Self {
        let values = &profile.samples.values[sample_type];
        let used = Used::new(profile, values);
        let chains = frames.chains(profile, &used);
        Self {
            profile,
            values,
            used,
            chains,
        }
    }

    /// Spells the stacks of this side out into a forest, and gives the samples with their rows in
    /// it. `rows` is of no other use, and kept as the forest is: where no call is inlined, nothing
    /// is written there.
    fn spell(self, ranks: &[u32], forest: &mut Forest, rows: &mut Vec<u32>) -> Samples<'a> {
        let Self {
            profile,
            values,
            used,
            mut chains,
        } = self;
        chains
            .frames
            .iter_mut()
            .for_each(|frame| *frame = ranks[*frame as usize]);
        forest.clear(profile.stacks.len());
        rows.clear();
        let stacks = profile.stacks.iter().zip(&used.stacks);
        let ends = profile
            .samples
            .stacks
            .iter()
            .zip(values)
            .filter(|(_, value)| **value != 0)
            .map(|(stack, _)| *stack);
        let ends = if chains.is_one_each() {
            // A row for each stack, whether it is used or not: where it is need not be kept.
            let row = |stack: Option<StackId>| stack.map_or(0, |stack| stack.index() as u32 + 1);
            for (stack, &is_used) in stacks {
                if is_used {
                    forest.push(row(stack.parent), chains.frames[stack.location.index()]);
                } else {
                    forest.skip();
                }
            }
            ends.map(row).collect()
        } else {
            rows.reserve_exact(profile.stacks.len());
            let row =
                |rows: &[u32], stack: Option<StackId>| stack.map_or(0, |stack| rows[stack.index()]);
            for (stack, &is_used) in stacks {
                let mut end = 0;
                if is_used {
                    end = row(rows, stack.parent);
                    for &rank in chains.of(stack.location) {
                        end = forest.push(end, rank);
                    }
                }
                rows.push(end);
            }
            ends.map(|stack| row(rows, stack)).collect()
        };
        Samples { ends, values }
    }
}

/// The samples of a side that have a value.
struct Samples<'a> {
    /// The row that each ends at; then its node.
    ends: Vec<u32>,
    /// The values of all samples, also of those that have none.
    values: &'a [i64],
}

impl Samples<'_> {
    /// Goes on from where each sample ends to where that went.
    fn follow(&mut self, went: impl Fn(u32) -> u32) {
        self.ends.iter_mut().for_each(|end| *end = went(*end));
    }

    /// The sum of the samples at each node.
    fn own(&self, nodes: usize) -> SelfValues {
        let values = self.values.iter().copied().filter(|value| *value != 0);
        SelfValues::sum(nodes, self.ends.iter().copied().zip(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Function, Line, ProfileBuilder, StringId};

    #[test]
    fn rows_spell_inlined_calls_out() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let lines: Vec<Line> = (0..5)
            .map(|i| {
                let name = b.string(&i.to_string());
                let function = b.function(Function {
                    name,
                    system_name: StringId::EMPTY,
                    file: StringId::EMPTY,
                    start_line: 0,
                });
                Line {
                    function: (i != 2).then_some(function),
                    line: 1,
                    column: 0,
                }
            })
            .collect();
        let inlined = b.location(None, 1, false, &lines);
        let address = b.location(None, 2, false, &[]);
        let stack = b.stack(None, inlined);
        let stack = b.stack(Some(stack), address);
        let stack = b.stack(Some(stack), inlined);
        b.sample(Some(stack), None, &[1]);
        let unused = b.stack(Some(stack), inlined);
        b.sample(Some(unused), None, &[0]);
        let profile = b.finish();
        assert_eq!(CallTree::rows(&profile, 0), 9);
        let tree = CallTree::new(&profile, 0, By::Name);
        assert_eq!(tree.shape().len(), 10, "and a root");
    }
}
