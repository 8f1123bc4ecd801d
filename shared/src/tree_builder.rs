//! Folding profiles into one tree.
//!
//! Stacks are spelled out into rows of (parent row, frame), inlined calls included, and those are folded into the tree.

use hashbrown::HashMap;

use crate::builder::ProfileBuilder;
use crate::forest::{Folded, Forest};
use crate::id::{LocationId, StackId, StringId};
use crate::profile::Profile;
use crate::sort::sort_rows;
use crate::strings::Strings;
use crate::tree::{Frame, NodeId, Tree};

/// What makes two frames the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The function's name alone, as Pyroscope does.
    Name,
    /// Name and source file: two `anonymous` of different files stay apart.
    Function,
}

pub(crate) struct TreeBuilder<const SIDES: usize> {
    by: By,
    /// Used for its string table only.
    names: ProfileBuilder,
    frames: Vec<Frame>,
    frame_index: HashMap<(StringId, StringId), u32>,
    /// A row for each frame of each stack.
    rows: Forest,
    /// Row and value of each sample, a side each.
    samples: [(Vec<u32>, Vec<i64>); SIDES],
}

impl<const SIDES: usize> TreeBuilder<SIDES> {
    pub(crate) fn new(by: By) -> Self {
        let mut names = ProfileBuilder::new();
        let root = Frame { name: names.string("total"), file: StringId::EMPTY, module: StringId::EMPTY, line: 0 };
        Self {
            by,
            names,
            frames: vec![root],
            frame_index: HashMap::new(),
            rows: Forest::new(),
            samples: std::array::from_fn(|_| Default::default()),
        }
    }

    /// Adds the samples of a value column to a side.
    pub(crate) fn add(&mut self, profile: &Profile, sample_type: usize, side: usize) {
        let values = &profile.samples.values[sample_type];
        let used = used_stacks(profile, values);
        let chains = self.chains(profile, &used);
        self.rows.reserve(profile.stacks.len());
        let mut rows = vec![0u32; profile.stacks.len()];
        for (i, stack) in profile.stacks.iter().enumerate().filter(|(i, _)| used[*i]) {
            let mut row = stack.parent.map_or(0, |p| rows[p.index()]);
            for &frame in chains.of(stack.location) {
                row = self.rows.push(row, frame);
            }
            rows[i] = row;
        }
        let row_of = |stack: Option<StackId>| stack.map_or(0, |s| rows[s.index()]);
        let samples = profile.samples.stacks.iter().zip(values).filter(|(_, value)| **value != 0);
        self.samples[side].extend(samples.map(|(&stack, &value)| (row_of(stack), value)));
    }

    /// The tree: nodes in preorder, children by name, totals summed.
    pub(crate) fn finish(self) -> Tree<SIDES> {
        self.finish_with(|_, _| {})
    }

    /// The same, with a look at the self values before they are summed up, and at where the samples went.
    pub(crate) fn finish_with(self, look: impl FnOnce(&mut [Vec<i64>; SIDES], Places<'_, SIDES>)) -> Tree<SIDES> {
        let strings = self.names.finish().strings;
        let (frames, ranks) = in_order(&strings, self.frames);
        let folded = self.rows.fold(|frame| ranks[frame as usize]);
        let mut own = self.samples.each_ref().map(|(rows, values)| {
            let mut own = vec![0i64; folded.parents.len()];
            for (&row, value) in rows.iter().zip(values) {
                let own = &mut own[folded.node_of(row) as usize];
                *own = own.saturating_add(*value);
            }
            own
        });
        look(&mut own, Places { folded: &folded, samples: &self.samples });
        Tree::of_preorder(strings, frames, folded.parents, folded.ranks, own)
    }

    /// The frames of each location that a used stack has, outermost first. The others get none: a frame without a node
    /// would be a function that never ran.
    fn chains(&mut self, profile: &Profile, used_stacks: &[bool]) -> Chains {
        let mut used = vec![false; profile.locations.len()];
        for (stack, _) in profile.stacks.iter().zip(used_stacks).filter(|(_, used)| **used) {
            used[stack.location.index()] = true;
        }
        let mut chains = Chains { frames: Vec::with_capacity(profile.locations.len()), ends: Vec::new() };
        chains.ends.reserve(profile.locations.len());
        // Many locations share a function, and many functions a file: each is looked up once.
        let mut texts = Texts { profile, copies: vec![None; profile.strings.len()] };
        let mut of_function: HashMap<(u32, StringId), u32> = HashMap::with_capacity(profile.functions.len());
        for (i, location) in profile.locations.iter().enumerate() {
            if !used[i] {
                chains.ends.push(chains.frames.len() as u32);
                continue;
            }
            let module = location.mapping.map_or(StringId::EMPTY, |m| profile.mappings[m.index()].file);
            let before = chains.frames.len();
            for function in profile.lines(LocationId::new(i)).iter().rev().filter_map(|line| line.function) {
                let frame = of_function.entry((function.index() as u32, module)).or_insert_with(|| {
                    let f = &profile.functions[function.index()];
                    let name = if f.name.is_empty() { f.system_name } else { f.name };
                    let [name, file, module] = [name, f.file, module].map(|id| texts.copy(id, &mut self.names));
                    let name = if name.is_empty() { self.names.string("?") } else { name };
                    self.frame(Frame { name, file, module, line: f.start_line })
                });
                chains.frames.push(*frame);
            }
            if chains.frames.len() == before {
                let name = self.names.string(&address_name(location.address, profile.text(module)));
                let module = texts.copy(module, &mut self.names);
                chains.frames.push(self.frame(Frame { name, file: StringId::EMPTY, module, line: 0 }));
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
        *self.frame_index.entry(key).or_insert_with(|| {
            self.frames.push(frame);
            self.frames.len() as u32 - 1
        })
    }
}

/// Where samples went.
pub(crate) struct Places<'a, const SIDES: usize> {
    folded: &'a Folded,
    samples: &'a [(Vec<u32>, Vec<i64>); SIDES],
}

impl<const SIDES: usize> Places<'_, SIDES> {
    /// The node of each sample of a side that has a value, in the order in which they were added.
    pub(crate) fn nodes(&self, side: usize) -> impl Iterator<Item = NodeId> {
        self.samples[side].0.iter().map(|&row| NodeId(self.folded.node_of(row)))
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

/// Frames of each location, end to end.
struct Chains {
    frames: Vec<u32>,
    ends: Vec<u32>,
}

impl Chains {
    fn of(&self, location: LocationId) -> &[u32] {
        let start = location.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.frames[start as usize..self.ends[location.index()] as usize]
    }
}

/// Marks the stacks that carry a value and all their callers.
fn used_stacks(profile: &Profile, values: &[i64]) -> Vec<bool> {
    let mut used = vec![false; profile.stacks.len()];
    for (stack, _) in profile.samples.stacks.iter().zip(values).filter(|(_, value)| **value != 0) {
        if let Some(stack) = stack {
            used[stack.index()] = true;
        }
    }
    for i in (0..used.len()).rev() {
        if let (true, Some(parent)) = (used[i], profile.stacks[i].parent.map(StackId::index)) {
            used[parent] = true;
        }
    }
    used
}

/// Frames in order of name, then file, the root's first; and where each went.
fn in_order(strings: &Strings, frames: Vec<Frame>) -> (Vec<Frame>, Vec<u32>) {
    let mut order: Vec<u32> = (0..frames.len() as u32).collect();
    // Each text is compared once, however many frames have it.
    let mut texts: Vec<u32> = (0..strings.len() as u32).collect();
    let text = |row: u32| strings.get(StringId::new(row as usize));
    sort_rows(&mut texts, &mut |a, b| text(a).cmp(text(b)));
    let mut places = vec![0u32; strings.len()];
    for (place, text) in (0..).zip(texts) {
        places[text as usize] = place;
    }
    let key = |frame: u32| {
        let frame = &frames[frame as usize];
        (places[frame.name.index()], places[frame.file.index()])
    };
    sort_rows(&mut order[1..], &mut |a, b| key(a).cmp(&key(b)));
    let mut ranks = vec![0; frames.len()];
    for (rank, &frame) in order.iter().enumerate() {
        ranks[frame as usize] = rank as u32;
    }
    (order.iter().map(|&frame| frames[frame as usize]).collect(), ranks)
}

/// Longest part of a module's name in the name of an address: a file's name has at most 255 bytes on Linux.
const MODULE_NAME: usize = 255;

/// What stands for a frame without a function: its address and the file it is in.
pub(crate) fn address_name(address: u64, module: &str) -> String {
    let end = &module[module.ceil_char_boundary(module.len().saturating_sub(MODULE_NAME))..];
    let file = end.rsplit('/').next().unwrap_or(end);
    match (address, file) {
        (0, "") => "?".to_owned(),
        (0, file) => format!("[{file}]"),
        (address, "") => format!("{address:#x}"),
        (address, file) => format!("{address:#x} [{file}]"),
    }
}
