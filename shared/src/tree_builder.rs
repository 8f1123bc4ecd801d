//! Folding profiles into one tree.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::builder::ProfileBuilder;
use crate::forest::preorder;
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

pub(crate) struct TreeBuilder<const SIDES: usize> {
    by: By,
    /// Used for its string table only.
    names: ProfileBuilder,
    frames: Vec<Frame>,
    frame_index: HashMap<(StringId, StringId), u32>,
    parents: Vec<u32>,
    frame_of: Vec<u32>,
    children: HashTable<u32>,
    hasher: DefaultHashBuilder,
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
            parents: vec![0],
            frame_of: vec![0],
            children: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            own: std::array::from_fn(|_| vec![0]),
        }
    }

    /// Adds the samples of a value column to a side.
    pub(crate) fn add(&mut self, profile: &Profile, sample_type: usize, side: usize) {
        let values = &profile.samples.values[sample_type];
        let used = used_stacks(profile, values);
        let mut chains: Vec<Option<Box<[u32]>>> = vec![None; profile.locations.len()];
        let mut nodes = vec![0u32; profile.stacks.len()];
        for (i, stack) in profile.stacks.iter().enumerate() {
            if !used[i] {
                continue;
            }
            let mut node = stack.parent.map_or(0, |p| nodes[p.index()]);
            let chain = chains[stack.location.index()].take().unwrap_or_else(|| self.chain(profile, stack.location));
            for &frame in &chain {
                node = self.child(node, frame);
            }
            chains[stack.location.index()] = Some(chain);
            nodes[i] = node;
        }
        for (stack, &value) in profile.samples.stacks.iter().zip(values) {
            let own = &mut self.own[side][stack.map_or(0, |s| nodes[s.index()]) as usize];
            *own = own.saturating_add(value);
        }
    }

    /// The tree: nodes in preorder, children by name, totals summed.
    pub(crate) fn finish(self) -> Tree<SIDES> {
        let profile = self.names.finish();
        let ranks = frame_ranks(&profile.strings, &self.frames);
        let parent = |i: usize| (i != 0).then(|| self.parents[i] as usize);
        let order = preorder(self.parents.len(), |_| true, parent, |i| ranks[self.frame_of[i] as usize]);
        let mut place = vec![0u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        let parents: Vec<u32> = order.iter().map(|&old| place[self.parents[old as usize] as usize]).collect();
        let frame_of = order.iter().map(|&old| self.frame_of[old as usize]).collect();
        let own = self.own.map(|own| order.iter().map(|&old| own[old as usize]).collect::<Vec<_>>());
        let mut ends: Vec<u32> = (1..=order.len() as u32).collect();
        let mut totals = own.clone();
        for i in (1..order.len()).rev() {
            let parent = parents[i] as usize;
            ends[parent] = ends[parent].max(ends[i]);
            for total in &mut totals {
                total[parent] = total[parent].saturating_add(total[i]);
            }
        }
        let shape = Shape { strings: profile.strings, frames: self.frames, parents, frame_of, ends };
        Tree { shape, own, totals }
    }

    fn child(&mut self, parent: u32, frame: u32) -> u32 {
        let (parents, frames, hasher) = (&self.parents, &self.frame_of, &self.hasher);
        let hash = hasher.hash_one((parent, frame));
        let found = self.children.find(hash, |&n| (parents[n as usize], frames[n as usize]) == (parent, frame));
        if let Some(&node) = found {
            return node;
        }
        let node = u32::try_from(self.parents.len()).expect("a tree has at most as many nodes as its input has bytes");
        self.children.insert_unique(hash, node, |&n| hasher.hash_one((parents[n as usize], frames[n as usize])));
        self.parents.push(parent);
        self.frame_of.push(frame);
        self.own.iter_mut().for_each(|own| own.push(0));
        node
    }

    /// The frames of a location, outermost first.
    fn chain(&mut self, profile: &Profile, id: LocationId) -> Box<[u32]> {
        let location = &profile.locations[id.index()];
        let module = location.mapping.map_or("", |m| profile.text(profile.mappings[m.index()].file));
        let lines = profile.lines(id);
        let named = lines.iter().rev().filter_map(|line| line.function).map(|f| &profile.functions[f.index()]);
        let chain: Box<[u32]> = named
            .map(|f| {
                let name = if f.name.is_empty() { f.system_name } else { f.name };
                self.frame(profile.text(name), profile.text(f.file), module, f.start_line)
            })
            .collect();
        if chain.is_empty() { Box::new([self.frame(&address_name(location.address, module), "", module, 0)]) } else { chain }
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
