//! Folding profiles into one tree.
//!
//! Stacks are spelled out into rows of (parent row, frame), inlined calls included, and those are
//! folded into a tree. Each profile has its own, and one is laid over the other: where a stack
//! table has no row twice, which is usual, only forks of its own take sorting.

use hashbrown::HashMap;

use crate::model::address_name::address_name;
use crate::model::builder::ProfileBuilder;
use crate::model::forest::{Forest, Overlay, Preorder};
use crate::model::id::{LocationId, StackId, StringId};
use crate::model::profile::Profile;
use crate::model::strings::Strings;
use crate::model::text_order::by_text;
use crate::tree::call_tree::{CallTree, Frame, Tree};
use crate::tree::self_values::SelfValues;

/// What makes two frames the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The function's name alone, as Pyroscope does.
    Name,
    /// Name and source file: two `anonymous` of different files stay apart.
    Function,
}

impl CallTree {
    /// Folds the samples of a value column. Stacks whose values are all zero leave no node.
    pub fn new(profile: &Profile, sample_type: usize, by: By) -> Self {
        build([(profile, sample_type)], by, |_, _| {})
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
    let sides = profiles.map(|(profile, sample_type)| Side::new(profile, sample_type, &mut frames));
    let strings = frames.names.finish().strings;
    let (frames, ranks) = in_order(&strings, frames.frames);
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
        SelfValues::sum(nodes, self.ends.iter().copied().zip(values)).without_zeros()
    }
}

/// The frames of all sides.
struct Frames {
    by: By,
    /// Used for its string table only.
    names: ProfileBuilder,
    frames: Vec<Frame>,
    index: HashMap<(StringId, StringId), u32>,
}

impl Frames {
    /// The root's alone.
    fn new(by: By) -> Self {
        let mut names = ProfileBuilder::new();
        let root = Frame {
            name: names.string("total"),
            file: StringId::EMPTY,
            module: StringId::EMPTY,
            line: 0,
        };
        Self {
            by,
            names,
            frames: vec![root],
            index: HashMap::new(),
        }
    }

    /// The frames of each location that a used stack has, outermost first. The others get that of
    /// the root: a frame without a node would be a function that never ran.
    fn chains(&mut self, profile: &Profile, used: &Used) -> Chains {
        let locations = profile.locations.len();
        let mut chains = Chains {
            frames: Vec::with_capacity(locations),
            ends: Vec::with_capacity(locations),
        };
        // Many locations share a function, and many functions a file: each is looked up once.
        let mut texts = Texts {
            profile,
            copies: vec![None; profile.strings.len()],
        };
        let mut of_function: HashMap<(u32, StringId), u32> =
            HashMap::with_capacity(profile.functions.len());
        for (i, location) in profile.locations.iter().enumerate() {
            if !used.locations[i] {
                chains.frames.push(0);
                chains.ends.push(chains.frames.len() as u32);
                continue;
            }
            let module = location
                .mapping
                .map_or(StringId::EMPTY, |m| profile.mappings[m.index()].file);
            let before = chains.frames.len();
            for function in profile
                .lines(LocationId::new(i))
                .iter()
                .rev()
                .filter_map(|line| line.function)
            {
                let frame = of_function
                    .entry((function.index() as u32, module))
                    .or_insert_with(|| {
                        let f = &profile.functions[function.index()];
                        let name = if f.name.is_empty() {
                            f.system_name
                        } else {
                            f.name
                        };
                        let [name, file, module] =
                            [name, f.file, module].map(|id| texts.copy(id, &mut self.names));
                        let name = if name.is_empty() {
                            self.names.string("?")
                        } else {
                            name
                        };
                        self.frame(Frame {
                            name,
                            file,
                            module,
                            line: f.start_line,
                        })
                    });
                chains.frames.push(*frame);
            }
            if chains.frames.len() == before {
                let name = self
                    .names
                    .string(&address_name(location.address, profile.text(module)));
                let module = texts.copy(module, &mut self.names);
                chains.frames.push(self.frame(Frame {
                    name,
                    file: StringId::EMPTY,
                    module,
                    line: 0,
                }));
            }
            chains.ends.push(chains.frames.len() as u32);
        }
        chains
    }

    fn frame(&mut self, frame: Frame) -> u32 {
        let key = match self.by {
            By::Name => (frame.name, StringId::EMPTY),
            By::Function => (frame.name, frame.file),
        };
        *self.index.entry(key).or_insert_with(|| {
            self.frames.push(frame);
            self.frames.len() as u32 - 1
        })
    }
}

/// Where the texts of a profile went.
struct Texts<'a> {
    profile: &'a Profile,
    copies: Vec<Option<StringId>>,
}

impl Texts<'_> {
    fn copy(&mut self, id: StringId, names: &mut ProfileBuilder) -> StringId {
        *self.copies[id.index()].get_or_insert_with(|| names.string(self.profile.text(id)))
    }
}

/// Frames of each location, end to end, one at least.
struct Chains {
    frames: Vec<u32>,
    ends: Vec<u32>,
}

impl Chains {
    /// Whether each location has one frame: then its number is that of the location.
    fn is_one_each(&self) -> bool {
        self.frames.len() == self.ends.len()
    }

    fn of(&self, location: LocationId) -> &[u32] {
        let start = location
            .index()
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.frames[start as usize..self.ends[location.index()] as usize]
    }
}

/// What carries a value: stacks, their callers, and the locations of those.
struct Used {
    stacks: Vec<bool>,
    locations: Vec<bool>,
}

impl Used {
    fn new(profile: &Profile, values: &[i64]) -> Self {
        let mut stacks = vec![false; profile.stacks.len()];
        let mut locations = vec![false; profile.locations.len()];
        for (stack, _) in profile
            .samples
            .stacks
            .iter()
            .zip(values)
            .filter(|(_, value)| **value != 0)
        {
            if let Some(stack) = stack {
                stacks[stack.index()] = true;
            }
        }
        for (i, stack) in profile.stacks.iter().enumerate().rev() {
            if stacks[i] {
                locations[stack.location.index()] = true;
                if let Some(parent) = stack.parent {
                    stacks[parent.index()] = true;
                }
            }
        }
        Self { stacks, locations }
    }
}

/// Frames in order of name, then file, the root's first; and where each went.
fn in_order(strings: &Strings, frames: Vec<Frame>) -> (Vec<Frame>, Vec<u32>) {
    // Each text is compared once, however many frames have it.
    let mut places = vec![0u32; strings.len()];
    for (place, text) in (0..).zip(by_text(strings)) {
        places[text as usize] = place;
    }
    let mut order: Vec<u32> = (0..frames.len() as u32).collect();
    sort_by_place(&mut order[1..], |frame| {
        places[frames[frame as usize].file.index()]
    });
    sort_by_place(&mut order[1..], |frame| {
        places[frames[frame as usize].name.index()]
    });
    let mut ranks = vec![0; frames.len()];
    for (rank, &frame) in order.iter().enumerate() {
        ranks[frame as usize] = rank as u32;
    }
    (
        order.iter().map(|&frame| frames[frame as usize]).collect(),
        ranks,
    )
}

/// Sorts rows by a number of each; equal ones stay in order.
fn sort_by_place(rows: &mut [u32], place: impl Fn(u32) -> u32) {
    let mut keys: Vec<u64> = rows
        .iter()
        .zip(0..)
        .map(|(&row, at)| u64::from(place(row)) << 32 | at)
        .collect();
    keys.sort_unstable();
    let sorted: Vec<u32> = keys.iter().map(|&key| rows[key as u32 as usize]).collect();
    rows.copy_from_slice(&sorted);
}
