//! The part of a merge that takes its time: finding the samples that have the same stack.
//!
//! A stack is looked up once a sample, not once a frame. Each row of the incoming stack table gets a hash of its whole path
//! (one multiplication a row, as parents come first); a sample's hash finds the sample already there. What the hash says
//! is checked frame by frame, but no row is checked twice: a row known to equal one of ours ends the check.
//!
//! Stacks of samples that are new are appended. Rows between two samples' stacks may then stand there more than once, which
//! changes nothing about what the profile says; canonical order has each once.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::builder::ProfileBuilder;
use crate::id::{LabelSetId, LocationId, StackId};
use crate::profile::{Profile, Stack};

/// Samples by stack and labels.
#[derive(Default)]
pub(crate) struct StackMerge {
    /// Hash of stack and labels, and the sample's row.
    samples: HashTable<(u64, u32)>,
    hasher: PathHasher,
}

/// Hashes paths with a key that differs from merge to merge, so that nobody can prepare paths that collide.
struct PathHasher {
    key: u64,
}

impl Default for PathHasher {
    fn default() -> Self {
        Self { key: DefaultHashBuilder::default().hash_one(0u64) | 1 }
    }
}

impl PathHasher {
    /// Folded multiplication: both halves of the product of the running hash and the key.
    #[inline(always)]
    fn step(&self, hash: u64, word: u32) -> u64 {
        let product = u128::from(hash ^ u64::from(word)) * u128::from(self.key);
        (product as u64) ^ (product >> 64) as u64
    }
}

impl StackMerge {
    /// Adds the samples of a profile whose locations and label sets are in `to` already; says how many sums saturated.
    pub(crate) fn add(
        &mut self,
        from: &Profile,
        locations: &[LocationId],
        label_sets: &[LabelSetId],
        to: &mut ProfileBuilder,
    ) -> u64 {
        let mut incoming = Incoming::new(from, locations, &self.hasher);
        if self.samples.is_empty() {
            self.samples.reserve(from.len(), |&(hash, _)| hash);
            to.reserve(from.stacks.len(), from.len());
        }
        let mut values = vec![0; from.sample_types.len()];
        let mut saturated = 0;
        let samples = &from.samples;
        for row in 0..from.len() {
            for (value, column) in values.iter_mut().zip(&samples.values) {
                *value = column[row];
            }
            if values.iter().all(|&value| value == 0) {
                continue;
            }
            let stack = samples.stacks[row];
            let labels = samples.labels[row].map(|set| label_sets[set.index()]);
            let path = stack.map_or(self.hasher.key, |s| incoming.hashes[s.index()]);
            let hash = self.hasher.step(path, labels.map_or(0, |set| set.index() as u32 + 1));
            let found = self.samples.find(hash, |&(known, row)| {
                let (ours, theirs) = (&to.profile().samples, row as usize);
                known == hash && ours.labels[theirs] == labels && incoming.is(stack, ours.stacks[theirs], to.profile())
            });
            match found {
                Some(&(_, known)) => saturated += to.add_values(known as usize, &values),
                None => {
                    let stack = stack.map(|s| incoming.append(s, to));
                    let row = u32::try_from(to.profile().len()).expect("tables stay below u32::MAX rows");
                    to.sample(stack, labels, &values);
                    self.samples.insert_unique(hash, (hash, row), |&(hash, _)| hash);
                }
            }
        }
        saturated
    }
}

/// The stack table of the profile being added.
struct Incoming {
    rows: Vec<Row>,
    /// Hash of the path of each stack.
    hashes: Vec<u64>,
    /// Rows that are being looked at.
    path: Vec<StackId>,
}

/// A stack of theirs.
struct Row {
    /// With our location.
    stack: Stack,
    /// The equal stack of ours, where it is known.
    known: Option<StackId>,
}

impl Incoming {
    fn new(from: &Profile, locations: &[LocationId], hasher: &PathHasher) -> Self {
        let mut hashes: Vec<u64> = Vec::with_capacity(from.stacks.len());
        let mut rows = Vec::with_capacity(from.stacks.len());
        for stack in &from.stacks {
            let parent = stack.parent.map_or(hasher.key, |p| hashes[p.index()]);
            let location = locations[stack.location.index()];
            hashes.push(hasher.step(parent, location.index() as u32 + 1));
            rows.push(Row { stack: Stack { location, ..*stack }, known: None });
        }
        Self { rows, hashes, path: Vec::new() }
    }

    /// Whether a stack of theirs is a stack of ours; remembers it if so.
    fn is(&mut self, theirs: Option<StackId>, ours: Option<StackId>, to: &Profile) -> bool {
        self.path.clear();
        let (mut a, mut b) = (theirs, ours);
        let equal = loop {
            let (Some(x), Some(y)) = (a, b) else { break a.is_none() && b.is_none() };
            let row = &mut self.rows[x.index()];
            if row.known == Some(y) {
                break true;
            }
            let other = to.stacks[y.index()];
            if row.stack.location != other.location {
                break false;
            }
            // Held to be true until a frame further down says otherwise.
            row.known = Some(y);
            self.path.push(x);
            (a, b) = (row.stack.parent, other.parent);
        };
        if !equal {
            self.path.iter().for_each(|row| self.rows[row.index()].known = None);
        }
        equal
    }

    /// Appends the rows of a stack that have no equal yet.
    fn append(&mut self, stack: StackId, to: &mut ProfileBuilder) -> StackId {
        self.path.clear();
        let mut at = Some(stack);
        let mut parent = None;
        while let Some(row) = at {
            if let Some(ours) = self.rows[row.index()].known {
                parent = Some(ours);
                break;
            }
            self.path.push(row);
            at = self.rows[row.index()].stack.parent;
        }
        for &row in self.path.iter().rev() {
            let row = &mut self.rows[row.index()];
            let ours = to.push_stack(parent, row.stack.location);
            row.known = Some(ours);
            parent = Some(ours);
        }
        // A stack has at least one row, so the fallback is never taken.
        parent.unwrap_or(stack)
    }
}
