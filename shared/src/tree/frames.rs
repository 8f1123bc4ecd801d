//! The frames of a tree: those of each location of each profile, each function once.

use hashbrown::HashMap;

use crate::model::address_name::address_name;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{LocationId, StringId};
use crate::model::profile::Profile;
use crate::model::strings::Strings;
use crate::model::text_order::by_text;
use crate::tree::call_tree::Frame;

/// What makes two frames the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The function's name alone, as Pyroscope does.
    Name,
    /// Name and source file: two `anonymous` of different files stay apart. In a comparison, a
    /// function whose file moved is the same one.
    Function,
    /// Name, source file and the line there. [`Frame::line`] is that line then.
    Line,
}

/// The frames of all sides.
pub(super) struct Frames {
    by: By,
    /// Used for its string table only.
    pub(super) names: ProfileBuilder,
    pub(super) frames: Vec<Frame>,
    index: HashMap<(StringId, StringId, i64), u32>,
}

impl Frames {
    /// The root's alone.
    pub(super) fn new(by: By) -> Self {
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
    pub(super) fn chains(&mut self, profile: &Profile, used: &Used) -> Chains {
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
        let mut of_function: HashMap<(u32, StringId, i64), u32> =
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
            for line in profile.lines(LocationId::new(i)).iter().rev() {
                let Some(function) = line.function else {
                    continue;
                };
                let at = if self.by == By::Line { line.line } else { 0 };
                let frame = of_function
                    .entry((function.index() as u32, module, at))
                    .or_insert_with(|| {
                        let f = &profile.functions[function.index()];
                        let [name, file, module] = [f.shown_name(), f.file, module]
                            .map(|id| texts.copy(id, &mut self.names));
                        let name = if name.is_empty() {
                            self.names.string("?")
                        } else {
                            name
                        };
                        self.frame(Frame {
                            name,
                            file,
                            module,
                            line: if self.by == By::Line {
                                at
                            } else {
                                f.start_line
                            },
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
            By::Name => (frame.name, StringId::EMPTY, 0),
            By::Function => (frame.name, frame.file, 0),
            By::Line => (frame.name, frame.file, frame.line),
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
pub(super) struct Chains {
    pub(super) frames: Vec<u32>,
    ends: Vec<u32>,
}

impl Chains {
    /// Whether each location has one frame: then its number is that of the location.
    pub(super) fn is_one_each(&self) -> bool {
        self.frames.len() == self.ends.len()
    }

    pub(super) fn of(&self, location: LocationId) -> &[u32] {
        let start = location
            .index()
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.frames[start as usize..self.ends[location.index()] as usize]
    }
}

/// What carries a value: stacks, their callers, and the locations of those.
pub(super) struct Used {
    pub(super) stacks: Vec<bool>,
    locations: Vec<bool>,
}

impl Used {
    pub(super) fn new(profile: &Profile, values: &[i64]) -> Self {
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
pub(super) fn in_order(strings: &Strings, frames: Vec<Frame>) -> (Vec<Frame>, Vec<u32>) {
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
pub(super) fn sort_by_place(rows: &mut [u32], place: impl Fn(u32) -> u32) {
    let mut keys: Vec<u64> = rows
        .iter()
        .zip(0..)
        .map(|(&row, at)| u64::from(place(row)) << 32 | at)
        .collect();
    keys.sort_unstable();
    let sorted: Vec<u32> = keys.iter().map(|&key| rows[key as u32 as usize]).collect();
    rows.copy_from_slice(&sorted);
}
