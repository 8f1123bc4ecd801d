//! Folding profiles into one tree.
//!
//! Stacks are spelled out into rows of (parent row, frame), inlined calls included. The tree is then built in preorder at
//! once: the children of a node are the rows below its rows, told apart by frame with a stamp for each frame, then sorted by
//! name. No row is looked up in a hash table, and no node is moved after it is made.

use hashbrown::HashMap;

use crate::builder::ProfileBuilder;
use crate::id::{LocationId, StackId, StringId};
use crate::profile::Profile;
use crate::strings::Strings;
use crate::tree::{Frame, Shape, Tree};

/// What makes two frames the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The function's name alone, as Pyroscope does.
    Name,
    /// Name and source file: two `anonymous` of different files stay apart.
    Function,
}

/// No row.
const NONE: u32 = u32::MAX;

pub(crate) struct TreeBuilder<const SIDES: usize> {
    by: By,
    /// Used for its string table only.
    names: ProfileBuilder,
    frames: Vec<Frame>,
    frame_index: HashMap<(StringId, StringId), u32>,
    /// Rows: row 0 is the root, parents come before children.
    parents: Vec<u32>,
    row_frames: Vec<u32>,
    own: [Vec<i64>; SIDES],
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
            parents: vec![NONE],
            row_frames: vec![0],
            own: std::array::from_fn(|_| vec![0]),
        }
    }

    /// Adds the samples of a value column to a side.
    pub(crate) fn add(&mut self, profile: &Profile, sample_type: usize, side: usize) {
        let values = &profile.samples.values[sample_type];
        let used = used_stacks(profile, values);
        let chains = self.chains(profile, &used);
        self.parents.reserve(profile.stacks.len());
        self.row_frames.reserve(profile.stacks.len());
        let mut rows = vec![0u32; profile.stacks.len()];
        for (i, stack) in profile.stacks.iter().enumerate().filter(|(i, _)| used[*i]) {
            let mut row = stack.parent.map_or(0, |p| rows[p.index()]);
            for &frame in chains.of(stack.location) {
                self.parents.push(row);
                self.row_frames.push(frame);
                row = u32::try_from(self.parents.len() - 1).expect("frames are fewer than the input's bytes");
            }
            rows[i] = row;
        }
        self.own.iter_mut().for_each(|own| own.resize(self.parents.len(), 0));
        for (stack, &value) in profile.samples.stacks.iter().zip(values) {
            let own = &mut self.own[side][stack.map_or(0, |s| rows[s.index()]) as usize];
            *own = own.saturating_add(value);
        }
    }

    /// The tree: nodes in preorder, children by name, totals summed.
    pub(crate) fn finish(self) -> Tree<SIDES> {
        let Self { names, frames, parents: row_parents, row_frames, own: row_own, .. } = self;
        let strings = names.finish().strings;
        let ranks = frame_ranks(&strings, &frames);
        let children = Children::new(&row_parents);
        let count = row_parents.len();
        let mut nodes = Nodes::<SIDES>::with_capacity(count);
        // Rows of one node form a list.
        let mut next_row = vec![NONE; count];
        let mut family = Family::new(frames.len());
        let mut open = vec![Open { frame: 0, rows: 0, parent: 0 }];
        while let Some(Open { frame, rows, parent }) = open.pop() {
            let node = nodes.push(parent, frame);
            family.begin();
            let mut row = rows;
            while row != NONE {
                nodes.add(&row_own, row);
                for &child in children.of(row) {
                    family.add(row_frames[child as usize], child, &mut next_row);
                }
                row = next_row[row as usize];
            }
            family.members.sort_unstable_by_key(|&(frame, _)| std::cmp::Reverse(ranks[frame as usize]));
            open.extend(family.members.iter().map(|&(frame, rows)| Open { frame, rows, parent: node }));
        }
        nodes.tree(strings, frames)
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
        // Many locations share a function; each function's name is looked up once.
        let mut of_function: HashMap<(u32, StringId), u32> = HashMap::with_capacity(profile.functions.len());
        for (i, location) in profile.locations.iter().enumerate() {
            if !used[i] {
                chains.ends.push(chains.frames.len() as u32);
                continue;
            }
            let module_id = location.mapping.map_or(StringId::EMPTY, |m| profile.mappings[m.index()].file);
            let module = profile.text(module_id);
            let before = chains.frames.len();
            for function in profile.lines(LocationId::new(i)).iter().rev().filter_map(|line| line.function) {
                let frame = of_function.entry((function.index() as u32, module_id)).or_insert_with(|| {
                    let f = &profile.functions[function.index()];
                    let name = if f.name.is_empty() { f.system_name } else { f.name };
                    self.frame(profile.text(name), profile.text(f.file), module, f.start_line)
                });
                chains.frames.push(*frame);
            }
            if chains.frames.len() == before {
                chains.frames.push(self.frame(&address_name(location.address, module), "", module, 0));
            }
            chains.ends.push(chains.frames.len() as u32);
        }
        chains
    }

    fn frame(&mut self, name: &str, file: &str, module: &str, line: i64) -> u32 {
        let name = self.names.string(if name.is_empty() { "?" } else { name });
        let (file, module) = (self.names.string(file), self.names.string(module));
        let key = match self.by {
            By::Name => (name, StringId::EMPTY),
            By::Function => (name, file),
        };
        *self.frame_index.entry(key).or_insert_with(|| {
            self.frames.push(Frame { name, file, module, line });
            self.frames.len() as u32 - 1
        })
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

/// The rows below each row.
struct Children {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Children {
    /// Sorts rows by parent, by counting.
    fn new(parents: &[u32]) -> Self {
        let mut starts = vec![0u32; parents.len() + 1];
        for &parent in &parents[1..] {
            starts[parent as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut places = starts.clone();
        let mut rows = vec![0u32; parents.len() - 1];
        for (row, &parent) in parents.iter().enumerate().skip(1) {
            let place = &mut places[parent as usize];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        Self { starts, rows }
    }

    fn of(&self, row: u32) -> &[u32] {
        &self.rows[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }
}

/// A node to be made: its frame, its list of rows, and the node above.
struct Open {
    frame: u32,
    rows: u32,
    parent: u32,
}

/// The children of one node while they are gathered: frame and list of rows of each.
struct Family {
    members: Vec<(u32, u32)>,
    /// For each frame, of which family it was last a member, and at which place.
    stamps: Vec<(u32, u32)>,
    current: u32,
}

impl Family {
    fn new(frames: usize) -> Self {
        Self { members: Vec::new(), stamps: vec![(0, 0); frames], current: 0 }
    }

    fn begin(&mut self) {
        self.members.clear();
        self.current += 1;
    }

    fn add(&mut self, frame: u32, row: u32, next_row: &mut [u32]) {
        let stamp = &mut self.stamps[frame as usize];
        if stamp.0 == self.current {
            let (_, rows) = &mut self.members[stamp.1 as usize];
            next_row[row as usize] = *rows;
            *rows = row;
        } else {
            *stamp = (self.current, self.members.len() as u32);
            self.members.push((frame, row));
        }
    }
}

/// The tree's columns.
struct Nodes<const SIDES: usize> {
    parents: Vec<u32>,
    frame_of: Vec<u32>,
    own: [Vec<i64>; SIDES],
}

impl<const SIDES: usize> Nodes<SIDES> {
    fn with_capacity(count: usize) -> Self {
        let own = std::array::from_fn(|_| Vec::with_capacity(count));
        Self { parents: Vec::with_capacity(count), frame_of: Vec::with_capacity(count), own }
    }

    fn push(&mut self, parent: u32, frame: u32) -> u32 {
        self.parents.push(parent);
        self.frame_of.push(frame);
        self.own.iter_mut().for_each(|own| own.push(0));
        self.parents.len() as u32 - 1
    }

    /// Adds a row's values to the last node.
    fn add(&mut self, row_own: &[Vec<i64>; SIDES], row: u32) {
        for (own, values) in self.own.iter_mut().zip(row_own) {
            if let Some(own) = own.last_mut() {
                *own = own.saturating_add(values[row as usize]);
            }
        }
    }

    fn tree(self, strings: Strings, frames: Vec<Frame>) -> Tree<SIDES> {
        let Self { parents, frame_of, own } = self;
        let mut ends: Vec<u32> = (1..=parents.len() as u32).collect();
        let mut totals = own.clone();
        for i in (1..parents.len()).rev() {
            let parent = parents[i] as usize;
            ends[parent] = ends[parent].max(ends[i]);
            for total in &mut totals {
                total[parent] = total[parent].saturating_add(total[i]);
            }
        }
        Tree { shape: Shape { strings, frames, parents, frame_of, ends }, own, totals }
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

/// Place of each frame in the order of name, then file.
fn frame_ranks(strings: &Strings, frames: &[Frame]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..frames.len() as u32).collect();
    order.sort_unstable_by_key(|&i| {
        let frame = &frames[i as usize];
        (strings.get(frame.name), strings.get(frame.file))
    });
    let mut ranks = vec![0; frames.len()];
    for (rank, frame) in order.into_iter().enumerate() {
        ranks[frame as usize] = rank as u32;
    }
    ranks
}

/// What stands for a frame without a function: its address and the file it is in.
fn address_name(address: u64, module: &str) -> String {
    let file = module.rsplit('/').next().unwrap_or(module);
    match (address, file) {
        (0, "") => "?".to_owned(),
        (0, file) => format!("[{file}]"),
        (address, "") => format!("{address:#x}"),
        (address, file) => format!("{address:#x} [{file}]"),
    }
}
