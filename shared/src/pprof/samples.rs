//! Samples of a pprof file: by far most of its bytes.

use super::PprofError;
use super::decode::string;
use super::ids::Ids;
use super::wire::{Value, Wire};
use crate::builder::LabelSetIndex;
use crate::id::{LocationId, StackId, StringId};
use crate::limits::MAX_STACK_DEPTH;
use crate::profile::{Label, LabelValue, Profile, Stack};

/// What fills a slot until its id is read.
const FILLER: LocationId = LocationId::FIRST;

/// Reads samples into a profile.
///
/// A stack shares its rows with the sample before as far as both agree from the root. Profilers write their samples
/// sorted or by thread, so that is most of what can be shared, and it needs no table to look stacks up in.
pub(super) struct Samples<'a> {
    profile: &'a mut Profile,
    locations: &'a Ids<LocationId>,
    label_sets: LabelSetIndex,
    index: usize,
    /// The stack of the sample before, leaf first.
    before: Vec<LocationId>,
    /// The rows of that stack, root first.
    rows: Vec<StackId>,
    /// Scratch space.
    stack: Vec<LocationId>,
    values: Vec<i64>,
    labels: Vec<Label>,
}

impl<'a> Samples<'a> {
    pub(super) fn new(profile: &'a mut Profile, locations: &'a Ids<LocationId>, count: usize) -> Self {
        let samples = &mut profile.samples;
        samples.stacks.reserve_exact(count);
        samples.labels.reserve_exact(count);
        samples.values.iter_mut().for_each(|column| column.reserve_exact(count));
        // A sample adds a few frames of its own to the stack before it.
        profile.stacks.reserve(count * 2);
        Self {
            profile,
            locations,
            label_sets: LabelSetIndex::default(),
            index: 0,
            before: Vec::new(),
            rows: Vec::new(),
            stack: Vec::new(),
            values: Vec::new(),
            labels: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, mut row: Wire<'_>) -> Result<(), PprofError> {
        self.stack.clear();
        self.values.clear();
        self.labels.clear();
        while let Some((field, value)) = row.field()? {
            match (field, value) {
                (1, Value::Bytes(packed)) => self.frames(packed)?,
                (2, Value::Bytes(mut packed)) => {
                    while let Some(n) = packed.packed()? {
                        self.values.push(n as i64);
                    }
                }
                (1, Value::Number(id)) => self.frame(id)?,
                (2, Value::Number(n)) => self.values.push(n as i64),
                (3, Value::Bytes(label)) => {
                    let label = self.label(label)?;
                    self.labels.push(label);
                }
                _ => {}
            }
        }
        self.check()?;
        let stack = self.stack_row();
        let profile = &mut *self.profile;
        let labels = self.label_sets.intern(&mut profile.label_sets, &profile.strings, &mut self.labels);
        profile.samples.stacks.push(stack);
        profile.samples.labels.push(labels);
        for (column, &value) in profile.samples.values.iter_mut().zip(&self.values) {
            column.push(value);
        }
        self.index += 1;
        Ok(())
    }

    #[inline(always)]
    fn frames(&mut self, mut packed: Wire<'_>) -> Result<(), PprofError> {
        // An id has at least one byte, so this is room enough, and the loop need not look for more.
        let start = self.stack.len();
        let room = packed.bytes().len();
        self.stack.resize(start + room, FILLER);
        let mut count = 0;
        for slot in &mut self.stack[start..] {
            let Some(id) = packed.packed()? else { break };
            let Some(location) = self.locations.get(id) else { return Err(self.missing(id)) };
            *slot = location;
            count += 1;
        }
        self.stack.truncate(start + count);
        Ok(())
    }

    fn frame(&mut self, id: u64) -> Result<(), PprofError> {
        match self.locations.get(id) {
            Some(location) => {
                self.stack.push(location);
                Ok(())
            }
            None => Err(self.missing(id)),
        }
    }

    #[cold]
    fn missing(&self, id: u64) -> PprofError {
        PprofError::Invalid(format!("sample {} refers to location {id}, which does not exist", self.index))
    }

    fn check(&self) -> Result<(), PprofError> {
        let (index, types) = (self.index, self.profile.sample_types.len());
        if self.values.len() != types {
            let count = self.values.len();
            return Err(PprofError::Invalid(format!("sample {index} has {count} values for {types} sample types")));
        }
        if self.stack.len() > MAX_STACK_DEPTH {
            let depth = self.stack.len();
            let problem = format!("sample {index} has a stack of {depth} frames; {MAX_STACK_DEPTH} are allowed");
            return Err(PprofError::Invalid(problem));
        }
        Ok(())
    }

    /// The row of the stack just read.
    fn stack_row(&mut self) -> Option<StackId> {
        let shared = self.stack.iter().rev().zip(self.before.iter().rev()).take_while(|(now, before)| now == before).count();
        self.rows.truncate(shared);
        let first = self.profile.stacks.len();
        let new = &self.stack[..self.stack.len() - shared];
        let parents = std::iter::once(self.rows.last().copied()).chain((first..).map(|row| Some(StackId::new(row))));
        self.profile.stacks.extend(new.iter().rev().zip(parents).map(|(&location, parent)| Stack { parent, location }));
        self.rows.extend((first..self.profile.stacks.len()).map(StackId::new));
        std::mem::swap(&mut self.stack, &mut self.before);
        self.rows.last().copied()
    }

    fn label(&self, mut row: Wire<'_>) -> Result<Label, PprofError> {
        let text = |n, what| string(self.profile, n, what);
        let (mut key, mut value, mut number, mut unit) = (StringId::EMPTY, StringId::EMPTY, 0, StringId::EMPTY);
        while let Some((field, n)) = row.field()? {
            let Value::Number(n) = n else { continue };
            match field {
                1 => key = text(n, "a label's name")?,
                2 => value = text(n, "a label's value")?,
                3 => number = n as i64,
                4 => unit = text(n, "a label's unit")?,
                _ => {}
            }
        }
        let is_number = value.is_empty() && (number != 0 || !unit.is_empty());
        Ok(Label { key, value: if is_number { LabelValue::Number(number, unit) } else { LabelValue::Text(value) } })
    }
}
