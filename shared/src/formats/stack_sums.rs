//! Stacks with values that add up. Formats that know no more than that are read with it.

use std::hash::BuildHasher;
use std::num::NonZeroU32;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::base::growth::push;
use crate::base::warnings::Warnings;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{FunctionId, LabelSetId, LocationId, StackId, StringId};
use crate::model::profile::{Function, Line, Location, Profile, Stack};

/// Gathers stacks and their sums: a sample for each stack and set of labels.
pub(crate) struct StackSums {
    profile: Profile,
    hasher: DefaultHashBuilder,
    stacks: HashTable<StackId>,
    /// Of each stack its last sample: the row plus one.
    samples: Vec<Option<NonZeroU32>>,
    /// That of no stack at all.
    empty: Option<NonZeroU32>,
    /// Labels of the samples from this row on.
    labels: Option<LabelSetId>,
    first_row: u32,
    /// How much of the input is read, and how much is not.
    read: usize,
    left: usize,
    saturated: u64,
}

impl StackSums {
    /// On top of a profile that has its sample types, perhaps locations too, and no stack.
    pub(crate) fn new(profile: Profile) -> Self {
        Self {
            profile,
            hasher: DefaultHashBuilder::default(),
            stacks: HashTable::new(),
            samples: Vec::new(),
            empty: None,
            labels: None,
            first_row: 0,
            read: 0,
            left: 0,
            saturated: 0,
        }
    }

    /// Says how far the input is read. Tables grow by it.
    pub(crate) fn progress(&mut self, read: usize, left: usize) {
        (self.read, self.left) = (read, left);
    }

    /// What is added from now on has these labels.
    pub(crate) fn label(&mut self, labels: Option<LabelSetId>) {
        self.labels = labels;
        self.first_row = self.profile.samples.stacks.len() as u32;
    }

    /// Finds or appends a stack.
    pub(crate) fn stack(&mut self, parent: Option<StackId>, location: LocationId) -> StackId {
        let row = Stack { parent, location };
        let (profile, hasher) = (&mut self.profile, &self.hasher);
        let hash = hasher.hash_one(row);
        let known = self
            .stacks
            .find(hash, |&id| profile.stacks[id.index()] == row);
        if let Some(&known) = known {
            return known;
        }
        let id = StackId::new(profile.stacks.len());
        push(&mut profile.stacks, row, self.read, self.left);
        push(&mut self.samples, None, self.read, self.left);
        self.stacks
            .insert_unique(hash, id, |&id| hasher.hash_one(profile.stacks[id.index()]));
        id
    }

    /// Adds a value of a sample type to a stack.
    pub(crate) fn add(&mut self, stack: Option<StackId>, sample_type: usize, value: i64) {
        let (samples, read, left) = (&mut self.profile.samples, self.read, self.left);
        let last = stack.map_or(&mut self.empty, |stack| &mut self.samples[stack.index()]);
        match *last {
            Some(number) if number.get() > self.first_row => {
                let sum = &mut samples.values[sample_type][number.get() as usize - 1];
                let exact = sum.checked_add(value);
                *sum = exact.unwrap_or_else(|| sum.saturating_add(value));
                self.saturated += u64::from(exact.is_none());
            }
            _ => {
                push(&mut samples.stacks, stack, read, left);
                push(&mut samples.labels, self.labels, read, left);
                for (column, values) in samples.values.iter_mut().enumerate() {
                    let value = if column == sample_type { value } else { 0 };
                    push(values, value, read, left);
                }
                *last = NonZeroU32::new(samples.stacks.len() as u32);
            }
        }
    }

    /// Adds a sample of its own, with the time at which it was taken. Either all samples have one or
    /// none.
    pub(crate) fn add_at(
        &mut self,
        time: i64,
        stack: Option<StackId>,
        sample_type: usize,
        value: i64,
    ) {
        let (samples, read, left) = (&mut self.profile.samples, self.read, self.left);
        push(&mut samples.stacks, stack, read, left);
        push(&mut samples.labels, self.labels, read, left);
        for (column, values) in samples.values.iter_mut().enumerate() {
            push(
                values,
                if column == sample_type { value } else { 0 },
                read,
                left,
            );
        }
        push(samples.times.get_or_insert_default(), time, read, left);
    }

    /// Name of the function of a location.
    pub(crate) fn name(&self, location: LocationId) -> &str {
        let profile = &self.profile;
        let function = profile
            .lines(location)
            .first()
            .and_then(|line| line.function);
        function.map_or("", |id| profile.text(profile.functions[id.index()].name))
    }

    /// Bytes of the tables, about, with the room that is made for rows to come.
    fn bytes(&self) -> usize {
        fn of<Row>(rows: &Vec<Row>) -> usize {
            rows.capacity() * size_of::<Row>()
        }
        let profile = &self.profile;
        let samples = &profile.samples;
        // Texts grow by doubling.
        let strings = 2 * (profile.strings.text_len() + 4 * profile.strings.len());
        let symbols = of(&profile.functions) + of(&profile.lines) + of(&profile.locations);
        let columns: usize = samples.values.iter().map(of).sum();
        let stacks = of(&profile.stacks) + of(&self.samples) + self.stacks.allocation_size();
        strings + symbols + stacks + of(&samples.stacks) + of(&samples.labels) + columns
    }

    /// The profile, and a warning when a sum does not fit.
    pub(crate) fn finish(self, warnings: &mut Warnings) -> Profile {
        let Self {
            profile, saturated, ..
        } = self;
        if saturated > 0 {
            warnings.add(|| {
                format!("{saturated} totals of equal stacks exceed 64 bits and are capped")
            });
        }
        profile
    }
}

/// The same where a frame is no more than its name: each name is a string, a function, a line and
/// a location, all of the same row.
pub(crate) struct NamedStacks {
    pub(crate) sums: StackSums,
    names: HashTable<LocationId>,
    /// Strings before the first name.
    others: usize,
}

impl NamedStacks {
    /// Of samples that are counted.
    pub(crate) fn new() -> Self {
        Self::of(&["samples"], "count")
    }

    /// Of several sums in one unit.
    pub(crate) fn of(kinds: &[&str], unit: &str) -> Self {
        let mut builder = ProfileBuilder::new();
        for kind in kinds {
            builder.sample_type(kind, unit);
        }
        let profile = builder.finish();
        Self {
            names: HashTable::new(),
            others: profile.strings.len(),
            sums: StackSums::new(profile),
        }
    }

    /// Finds or appends the stack of a function that was called from another stack.
    pub(crate) fn call(&mut self, parent: Option<StackId>, name: &str) -> StackId {
        let location = self.location(name);
        self.sums.stack(parent, location)
    }

    /// Bytes of the tables, about, with the room that is made for rows to come.
    pub(crate) fn bytes(&self) -> usize {
        self.sums.bytes() + self.names.allocation_size()
    }

    fn location(&mut self, name: &str) -> LocationId {
        let others = self.others;
        let StackSums {
            profile,
            hasher,
            read,
            left,
            ..
        } = &mut self.sums;
        let hash = hasher.hash_one(name);
        if let Some(&known) = self.names.find(hash, |&id| {
            profile.strings.at(id.index() + others, name).is_some()
        }) {
            return known;
        }
        let id = LocationId::new(profile.locations.len());
        let name = profile.strings.push(name);
        debug_assert_eq!(name.index(), id.index() + others);
        let row = Function::named(name, StringId::EMPTY);
        push(&mut profile.functions, row, *read, *left);
        let row = Line::of(FunctionId::new(id.index()), 0);
        push(&mut profile.lines, row, *read, *left);
        let row = Location {
            mapping: None,
            address: 0,
            folded: false,
            first_line: id.index() as u32,
            line_count: 1,
        };
        push(&mut profile.locations, row, *read, *left);
        self.names.insert_unique(hash, id, |&id| {
            hasher.hash_one(profile.strings.get(StringId::new(id.index() + others)))
        });
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_add_up_under_equal_labels() {
        let mut stacks = NamedStacks::new();
        let main = stacks.call(None, "main");
        let work = stacks.call(Some(main), "work");
        assert_eq!(stacks.call(Some(main), "work"), work);
        for stack in [Some(work), None, Some(work), None] {
            stacks.sums.add(stack, 0, 3);
        }
        stacks.sums.label(None);
        for stack in [Some(work), None, Some(work)] {
            stacks.sums.add(stack, 0, i64::MAX);
        }
        let mut warnings = Warnings::default();
        let profile = stacks.sums.finish(&mut warnings);
        assert_eq!(profile.samples.values, [[6, 6, i64::MAX, i64::MAX]]);
        assert_eq!(profile.stacks().len(), 2);
        assert_eq!(
            warnings.finish(),
            ["1 totals of equal stacks exceed 64 bits and are capped"]
        );
    }
}
