//! The part of a merge that takes its time: finding the samples that have the same stack.
//!
//! Most profiles of one process are much alike, and so is their order. A row of the incoming stack
//! table is first held against the row after the last one that was found, and a sample against the
//! sample after the last: columns read from front to back. What this does not find is looked up by
//! a hash of its whole path (one multiplication a row, as parents come first), many samples at a
//! time so that the loads overlap. What a hash says is checked frame by frame, but no row is
//! checked twice: a row known to equal one of ours ends the check.
//!
//! Stacks of samples that are new are appended. Rows between two samples' stacks may then stand
//! there more than once, which changes nothing about what the profile says; canonical order has
//! each once.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;

use crate::merge::sample_index::SampleIndex;
use crate::model::id::{LabelSetId, LocationId, StackId};
use crate::model::profile::{Profile, Stack};

/// How many samples are looked at together: enough for loads to overlap, few enough to stay in the
/// first cache.
const BATCH: usize = 64;

/// No row.
const NONE: u32 = u32::MAX;

/// Samples by stack and labels.
#[derive(Default)]
pub(crate) struct StackMerge {
    index: SampleIndex,
    hasher: PathHasher,
}

impl StackMerge {
    /// Adds the samples of a profile whose locations and label sets are in `to` already; says how
    /// many sums saturated.
    pub(crate) fn add(
        &mut self,
        from: &Profile,
        locations: &[LocationId],
        label_sets: &[LabelSetId],
        to: &mut Profile,
    ) -> u64 {
        let mut incoming = Incoming::new(from, locations, label_sets);
        if to.samples.stacks.is_empty() {
            to.stacks.reserve(from.stacks.len());
            to.samples.stacks.reserve(from.len());
            to.samples.labels.reserve(from.len());
        }
        let mut targets = Vec::with_capacity(from.len());
        let mut hashes = Vec::with_capacity(BATCH);
        // How many samples are looked up before the next guess: the more the longer guesses have
        // been wrong.
        let mut width = 1;
        while targets.len() < from.len() {
            let start = targets.len();
            if let Some(target) = incoming.guess(start, to) {
                targets.push(target);
                width = 1;
                continue;
            }
            let end = from.len().min(start + width);
            hashes.clear();
            hashes.extend((start..end).map(|row| incoming.hash(row, &self.hasher)));
            self.index.reserve(hashes.len());
            if width > 1 {
                hashes.iter().for_each(|&hash| self.index.touch(hash));
            }
            for (row, &hash) in (start..).zip(&hashes) {
                targets.push(self.find_or_append(row, hash, &mut incoming, to));
            }
            incoming.move_on(&targets[start..], to);
            width = BATCH.min(width * 2);
        }
        add_values(from, &targets, to)
    }

    /// The sample of ours that a sample of theirs is added to.
    #[inline(always)]
    fn find_or_append(
        &mut self,
        row: usize,
        hash: u64,
        incoming: &mut Incoming<'_>,
        to: &mut Profile,
    ) -> u32 {
        if incoming.is_zero(row) {
            return NONE;
        }
        let found = self.index.find(hash, |known| incoming.is(row, known, to));
        found.unwrap_or_else(|| {
            let known = incoming.append(row, to);
            self.index.insert(hash, known);
            known
        })
    }
}

/// Adds the values of each sample to its target, column by column.
fn add_values(from: &Profile, targets: &[u32], to: &mut Profile) -> u64 {
    let rows = to.samples.stacks.len();
    let mut saturated = 0;
    for (theirs, ours) in from.samples.values.iter().zip(&mut to.samples.values) {
        ours.resize(rows, 0);
        for (&value, &target) in theirs.iter().zip(targets) {
            // No row stands for a sample whose values are all zero.
            let Some(sum) = ours.get_mut(target as usize) else {
                continue;
            };
            let (exact, overflow) = sum.overflowing_add(value);
            *sum = if overflow {
                sum.saturating_add(value)
            } else {
                exact
            };
            saturated += u64::from(overflow);
        }
    }
    saturated
}

/// Hashes paths with a key that differs from merge to merge, so that nobody can prepare paths that
/// collide.
struct PathHasher {
    key: u64,
}

impl Default for PathHasher {
    fn default() -> Self {
        Self {
            key: DefaultHashBuilder::default().hash_one(0u64) | 1,
        }
    }
}

impl PathHasher {
    /// The shift brings the well mixed upper half down, so that the next step is no linear function
    /// of this one.
    #[inline(always)]
    fn step(&self, hash: u64, word: u32) -> u64 {
        let product = (hash ^ u64::from(word)).wrapping_mul(self.key);
        product ^ product >> 32
    }
}

/// The profile being added.
struct Incoming<'a> {
    from: &'a Profile,
    locations: &'a [LocationId],
    label_sets: &'a [LabelSetId],
    /// The equal stack of ours for each of theirs, where it is known.
    known: Vec<Option<StackId>>,
    /// How many rows of `known` have been held against their guess.
    compared: usize,
    /// Where the next stack and the next sample of theirs would stand among ours, if both went on
    /// alike.
    next_stack: usize,
    next_sample: usize,
    /// Hash of the path of each stack, as far as they were needed.
    hashes: Vec<u64>,
    /// Rows that are being looked at, and what was known of them before.
    path: Vec<(StackId, Option<StackId>)>,
}

impl<'a> Incoming<'a> {
    fn new(from: &'a Profile, locations: &'a [LocationId], label_sets: &'a [LabelSetId]) -> Self {
        Self {
            from,
            locations,
            label_sets,
            known: vec![None; from.stacks.len()],
            compared: 0,
            next_stack: 0,
            next_sample: 0,
            hashes: Vec::new(),
            path: Vec::new(),
        }
    }

    #[inline(always)]
    fn is_zero(&self, row: usize) -> bool {
        self.from
            .samples
            .values
            .iter()
            .all(|column| column[row] == 0)
    }

    #[inline(always)]
    fn labels(&self, row: usize) -> Option<LabelSetId> {
        self.from.samples.labels[row].map(|set| self.label_sets[set.index()])
    }

    /// The sample of ours after the last that was guessed, if a row of theirs equals it; [`NONE`]
    /// for a row of zeros.
    #[inline(always)]
    fn guess(&mut self, row: usize, to: &Profile) -> Option<u32> {
        if self.is_zero(row) {
            return Some(NONE);
        }
        let stack = match self.from.samples.stacks[row] {
            None => None,
            Some(stack) => {
                self.compare_until(stack, to);
                // A stack of theirs that is not known equals none that is guessed.
                Some(self.known[stack.index()]?)
            }
        };
        let (ours, at) = (&to.samples, self.next_sample);
        if ours.stacks.get(at) != Some(&stack) || ours.labels[at] != self.labels(row) {
            return None;
        }
        self.next_sample = at + 1;
        Some(at as u32)
    }

    /// Holds rows up to a stack against the rows that would follow if both tables went on alike.
    #[inline(always)]
    fn compare_until(&mut self, stack: StackId, to: &Profile) {
        let end = stack.index() + 1;
        if self.compared >= end {
            return;
        }
        for row in self.compared..end {
            let Some(&guess) = to.stacks.get(self.next_stack) else {
                break;
            };
            let theirs = &self.from.stacks[row];
            let parent = match theirs.parent {
                None => None,
                Some(parent) => match self.known[parent.index()] {
                    None => continue,
                    known => known,
                },
            };
            if guess
                == (Stack {
                    parent,
                    location: self.locations[theirs.location.index()],
                })
            {
                self.known[row] = Some(StackId::new(self.next_stack));
                self.next_stack += 1;
            }
        }
        self.compared = end;
    }

    /// Goes on guessing behind samples that were looked up. A few of them may be far behind,
    /// repeats of what came before; many show that the order is another.
    fn move_on(&mut self, targets: &[u32], to: &Profile) {
        let Some(&last) = targets.iter().rev().find(|&&target| target != NONE) else {
            return;
        };
        if last as usize >= self.next_sample || targets.len() == BATCH {
            self.next_sample = last as usize + 1;
            if let Some(stack) = to.samples.stacks[last as usize] {
                self.next_stack = stack.index() + 1;
            }
        }
    }

    /// Hash of the path and labels of a sample.
    #[inline(always)]
    fn hash(&mut self, row: usize, hasher: &PathHasher) -> u64 {
        let path = match self.from.samples.stacks[row] {
            None => hasher.key,
            Some(stack) => {
                let (done, end) = (self.hashes.len(), stack.index() + 1);
                if done < end {
                    self.hash_until(done, end, hasher);
                }
                self.hashes[stack.index()]
            }
        };
        hasher.step(
            path,
            self.labels(row).map_or(0, |set| set.index() as u32 + 1),
        )
    }

    fn hash_until(&mut self, done: usize, end: usize, hasher: &PathHasher) {
        if done == 0 {
            self.hashes.reserve_exact(self.from.stacks.len());
        }
        for stack in &self.from.stacks[done..end] {
            let parent = stack.parent.map_or(hasher.key, |p| self.hashes[p.index()]);
            let location = self.locations[stack.location.index()];
            self.hashes
                .push(hasher.step(parent, location.index() as u32 + 1));
        }
    }

    /// Whether a sample of theirs has stack and labels of a sample of ours; remembers the stack's
    /// rows if so.
    #[inline(always)]
    fn is(&mut self, row: usize, known: u32, to: &Profile) -> bool {
        let ours = &to.samples;
        if ours.labels[known as usize] != self.labels(row) {
            return false;
        }
        self.path.clear();
        let (mut a, mut b) = (self.from.samples.stacks[row], ours.stacks[known as usize]);
        let equal = loop {
            let (Some(x), Some(y)) = (a, b) else {
                break a.is_none() && b.is_none();
            };
            let known = &mut self.known[x.index()];
            if *known == Some(y) {
                break true;
            }
            let (theirs, ours) = (&self.from.stacks[x.index()], &to.stacks[y.index()]);
            if self.locations[theirs.location.index()] != ours.location {
                break false;
            }
            // Held to be true until a frame further down says otherwise.
            self.path.push((x, *known));
            *known = Some(y);
            (a, b) = (theirs.parent, ours.parent);
        };
        if !equal {
            self.path
                .iter()
                .for_each(|&(row, before)| self.known[row.index()] = before);
        }
        equal
    }

    /// Appends a sample without values, with the rows of its stack that have no equal yet.
    fn append(&mut self, row: usize, to: &mut Profile) -> u32 {
        self.path.clear();
        let mut at = self.from.samples.stacks[row];
        let mut parent = None;
        while let Some(stack) = at {
            parent = self.known[stack.index()];
            if parent.is_some() {
                break;
            }
            self.path.push((stack, None));
            at = self.from.stacks[stack.index()].parent;
        }
        for &(stack, _) in self.path.iter().rev() {
            let location = self.locations[self.from.stacks[stack.index()].location.index()];
            to.stacks.push(Stack { parent, location });
            parent = Some(StackId::new(to.stacks.len() - 1));
            self.known[stack.index()] = parent;
        }
        let labels = self.labels(row);
        to.samples.stacks.push(parent);
        to.samples.labels.push(labels);
        u32::try_from(to.samples.stacks.len() - 1).expect("tables stay below u32::MAX rows")
    }
}
