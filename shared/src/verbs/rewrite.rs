//! What verbs share: rewriting the stack table in one pass, trimming the lines of locations,
//! choosing samples.

use hashbrown::HashMap;

use crate::model::id::{LocationId, StackId, StringId};
use crate::model::profile::{Line, Location, Profile, Samples, Stack};
use crate::model::strings::Strings;

/// Longest name that a verb makes, in bytes. Real names of C++ templates reach it; what a name
/// would be beyond is noise.
pub const MAX_NAME_BYTES: usize = 4096;

/// Most bytes of names that a verb adds to a profile: 64 MiB, so that many short names that each
/// become a long one cannot fill the memory of an isolate. 16,384 names of full length fit.
const MAX_ADDED_BYTES: usize = 64 << 20;

/// What a verb with a pattern gives.
#[derive(Clone, Debug)]
pub struct Filtered {
    /// The result.
    pub profile: Profile,
    /// Whether the pattern matched anything; if not, it is probably a mistake, and pprof warns.
    pub matched: bool,
}

/// A value for each row of the stack table, made from that of its caller.
pub(crate) fn fold_rows<S: Copy>(
    profile: &Profile,
    root: S,
    mut step: impl FnMut(S, LocationId) -> S,
) -> Vec<S> {
    let mut states: Vec<S> = Vec::with_capacity(profile.stacks.len());
    for row in &profile.stacks {
        let before = row.parent.map_or(root, |parent| states[parent.index()]);
        states.push(step(before, row.location));
    }
    states
}

/// A rewritten stack table.
pub(crate) struct Rewritten {
    pub(crate) stacks: Vec<Stack>,
    /// What each old row became.
    pub(crate) map: Vec<Option<StackId>>,
}

impl Rewritten {
    pub(crate) fn of(&self, stack: Option<StackId>) -> Option<StackId> {
        stack.and_then(|s| self.map[s.index()])
    }
}

/// The stack that a row becomes, while it grows.
pub(crate) struct Emit<'a> {
    stacks: &'a mut Vec<Stack>,
    top: Option<StackId>,
}

impl Emit<'_> {
    #[inline(always)]
    pub(crate) fn push(&mut self, location: LocationId) {
        self.stacks.push(Stack {
            parent: self.top,
            location,
        });
        self.top = Some(StackId::new(self.stacks.len() - 1));
    }
}

/// Rewrites the stack table: `step` gets the state of the caller's row and a location, and pushes
/// the frames that stand for it on top of what the caller's row became. None pushed means that the
/// frame is gone.
pub(crate) fn rewrite_rows<S: Copy>(
    profile: &Profile,
    root: S,
    mut step: impl FnMut(S, LocationId, &mut Emit<'_>) -> S,
) -> Rewritten {
    let mut stacks = Vec::with_capacity(profile.stacks.len());
    let mut map: Vec<Option<StackId>> = Vec::with_capacity(profile.stacks.len());
    let mut states: Vec<S> = Vec::with_capacity(profile.stacks.len());
    for row in &profile.stacks {
        let (state, top) = row.parent.map_or((root, None), |parent| {
            (states[parent.index()], map[parent.index()])
        });
        let mut emit = Emit {
            stacks: &mut stacks,
            top,
        };
        states.push(step(state, row.location, &mut emit));
        map.push(emit.top);
    }
    Rewritten { stacks, map }
}

/// The lines and locations that remain when some lines go; `keep` is asked for each line of each
/// location.
pub(crate) fn keep_lines(
    profile: &Profile,
    mut keep: impl FnMut(LocationId, usize) -> bool,
) -> (Vec<Line>, Vec<Location>) {
    let mut lines = Vec::with_capacity(profile.lines.len());
    let mut locations = Vec::with_capacity(profile.locations.len());
    for (id, location) in profile.location_ids().zip(&profile.locations) {
        let first = lines.len();
        let kept = profile
            .lines(id)
            .iter()
            .enumerate()
            .filter(|(i, _)| keep(id, *i))
            .map(|(_, line)| *line);
        lines.extend(kept);
        locations.push(Location {
            first_line: first as u32,
            line_count: (lines.len() - first) as u32,
            ..*location
        });
    }
    (lines, locations)
}

/// The samples that `stack` gives a new stack; the others go.
pub(crate) fn choose_samples(
    samples: &Samples,
    stack: impl Fn(usize) -> Option<Option<StackId>>,
) -> Samples {
    let chosen: Vec<(usize, Option<StackId>)> = (0..samples.stacks.len())
        .filter_map(|row| stack(row).map(|stack| (row, stack)))
        .collect();
    Samples {
        stacks: chosen.iter().map(|&(_, stack)| stack).collect(),
        labels: chosen.iter().map(|&(row, _)| samples.labels[row]).collect(),
        values: samples
            .values
            .iter()
            .map(|column| chosen.iter().map(|&(row, _)| column[row]).collect())
            .collect(),
        times: samples
            .times
            .as_ref()
            .map(|times| chosen.iter().map(|&(row, _)| times[row]).collect()),
    }
}

/// The profile with other samples.
pub(crate) fn with_samples(profile: &Profile, samples: Samples) -> Profile {
    with_tables(
        profile,
        profile.stacks.clone(),
        profile.lines.clone(),
        profile.locations.clone(),
        samples,
    )
}

/// The profile with other stacks and samples, and the same locations.
pub(crate) fn with_stacks(profile: &Profile, stacks: Vec<Stack>, samples: Samples) -> Profile {
    with_tables(
        profile,
        stacks,
        profile.lines.clone(),
        profile.locations.clone(),
        samples,
    )
}

/// The profile with other locations, stacks and samples.
pub(crate) fn with_tables(
    profile: &Profile,
    stacks: Vec<Stack>,
    lines: Vec<Line>,
    locations: Vec<Location>,
    samples: Samples,
) -> Profile {
    Profile {
        strings: profile.strings.clone(),
        mappings: profile.mappings.clone(),
        functions: profile.functions.clone(),
        lines,
        locations,
        stacks,
        label_sets: profile.label_sets.clone(),
        sample_types: profile.sample_types.clone(),
        samples,
        header: profile.header.clone(),
    }
}

/// A profile's string table that grows, by names that are not in it yet.
pub(crate) struct Names {
    strings: Strings,
    known: HashMap<String, StringId>,
    added: usize,
}

impl Names {
    pub(crate) fn new(profile: &Profile) -> Self {
        Self {
            strings: profile.strings.clone(),
            known: HashMap::new(),
            added: 0,
        }
    }

    /// The row of a name; `None` when it is too long or too much was added already.
    pub(crate) fn add(&mut self, name: &str) -> Option<StringId> {
        if name.is_empty() {
            return Some(StringId::EMPTY);
        }
        if let Some(&id) = self.known.get(name) {
            return Some(id);
        }
        if name.len() > MAX_NAME_BYTES || self.added + name.len() > MAX_ADDED_BYTES {
            return None;
        }
        self.added += name.len();
        let id = self.strings.push(name);
        self.known.insert(name.to_owned(), id);
        Some(id)
    }

    pub(crate) fn finish(self) -> Strings {
        self.strings
    }
}
