//! Making profiles: every table row once, every handle checked by its type.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::base::sort::insertion_sort;
use crate::model::id::{FunctionId, LabelSetId, LocationId, MappingId, StackId, StringId};
use crate::model::profile::{
    Function, Header, Label, LabelSets, LabelValue, Line, Location, Mapping, Profile, Stack,
    ValueType,
};

/// Builds a [`Profile`]. Handles that it gives out belong to the profile being built and to no
/// other.
///
/// Equal rows are stored once: asking again gives the same handle. Samples are kept as they come,
/// in order; [`crate::merge`] is what adds equal ones up.
#[derive(Default)]
pub struct ProfileBuilder {
    profile: Profile,
    hasher: DefaultHashBuilder,
    strings: HashTable<StringId>,
    mappings: HashTable<MappingId>,
    functions: HashTable<FunctionId>,
    locations: HashTable<LocationId>,
    stacks: HashTable<StackId>,
    label_sets: LabelSetIndex,
}

impl ProfileBuilder {
    /// An empty profile without sample types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value column. Samples added before get zeros in it.
    pub fn sample_type(&mut self, kind: &str, unit: &str) -> usize {
        let value_type = self.value_type(kind, unit);
        self.add_sample_type(value_type)
    }

    /// [`Self::sample_type`] with words already interned.
    pub(crate) fn add_sample_type(&mut self, value_type: ValueType) -> usize {
        self.profile.sample_types.push(value_type);
        self.profile
            .samples
            .values
            .push(vec![0; self.profile.len()]);
        self.profile.sample_types.len() - 1
    }

    /// Interns both words of a value type.
    pub fn value_type(&mut self, kind: &str, unit: &str) -> ValueType {
        ValueType {
            kind: self.string(kind),
            unit: self.string(unit),
        }
    }

    /// The header, to be filled in.
    pub fn header(&mut self) -> &mut Header {
        &mut self.profile.header
    }

    /// The profile as far as it is built.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Interns a string.
    pub fn string(&mut self, text: &str) -> StringId {
        if text.is_empty() {
            return StringId::EMPTY;
        }
        let (hasher, strings) = (&self.hasher, &mut self.profile.strings);
        let hash = hasher.hash_one(text);
        let found = self.strings.find(hash, |&id| strings.get(id) == text);
        if let Some(&id) = found {
            return id;
        }
        let id = strings.push(text);
        self.strings
            .insert_unique(hash, id, |&id| hasher.hash_one(strings.get(id)));
        id
    }

    /// Interns a mapping.
    pub fn mapping(&mut self, mapping: Mapping) -> MappingId {
        let index = intern(
            &self.hasher,
            &mut self.mappings,
            &mut self.profile.mappings,
            mapping,
            MappingId::new,
            MappingId::index,
        );
        MappingId::new(index)
    }

    /// Interns a function.
    pub fn function(&mut self, function: Function) -> FunctionId {
        let index = intern(
            &self.hasher,
            &mut self.functions,
            &mut self.profile.functions,
            function,
            FunctionId::new,
            FunctionId::index,
        );
        FunctionId::new(index)
    }

    /// Makes room for the tables of symbols of a first profile. Those of the next ones are mostly
    /// the same.
    pub(crate) fn reserve_tables(&mut self, of: &Profile) {
        if self.profile.locations.is_empty() {
            let (hasher, strings) = (&self.hasher, &mut self.profile.strings);
            self.strings
                .reserve(of.strings.len(), |&id| hasher.hash_one(strings.get(id)));
            strings.reserve(of.strings.len(), of.strings.text_len());
            let (functions, locations) = (&mut self.profile.functions, &mut self.profile.locations);
            self.functions.reserve(of.functions.len(), |id| {
                hasher.hash_one(functions[id.index()])
            });
            functions.reserve(of.functions.len());
            // There are none yet, so nothing is hashed.
            self.locations.reserve(of.locations.len(), |_| 0);
            locations.reserve(of.locations.len());
            self.profile.lines.reserve(of.lines.len());
        }
    }

    /// Interns a location; `lines` innermost first.
    pub fn location(
        &mut self,
        mapping: Option<MappingId>,
        address: u64,
        folded: bool,
        lines: &[Line],
    ) -> LocationId {
        let hasher = &self.hasher;
        let Profile {
            locations,
            lines: table,
            ..
        } = &mut self.profile;
        let lines_of = |table: &[Line], l: &Location| -> std::ops::Range<usize> {
            let start = l.first_line as usize;
            debug_assert!(start + l.line_count as usize <= table.len());
            start..start + l.line_count as usize
        };
        let hash_row = |mapping: Option<MappingId>, address: u64, folded: bool, lines: &[Line]| {
            hasher.hash_one((mapping, address, folded, lines))
        };
        let hash = hash_row(mapping, address, folded, lines);
        let found = self.locations.find(hash, |id| {
            let l = &locations[id.index()];
            (l.mapping, l.address, l.folded) == (mapping, address, folded)
                && table[lines_of(table, l)] == *lines
        });
        if let Some(&id) = found {
            return id;
        }
        let id = LocationId::new(locations.len());
        let first_line = u32::try_from(table.len()).expect("tables stay below u32::MAX rows");
        let line_count = u32::try_from(lines.len()).expect("a location has few lines");
        table.extend_from_slice(lines);
        locations.push(Location {
            mapping,
            address,
            folded,
            first_line,
            line_count,
        });
        self.locations.insert_unique(hash, id, |id| {
            let l = &locations[id.index()];
            hash_row(l.mapping, l.address, l.folded, &table[lines_of(table, l)])
        });
        id
    }

    /// Interns a stack: `location` called from `parent`.
    pub fn stack(&mut self, parent: Option<StackId>, location: LocationId) -> StackId {
        let row = Stack { parent, location };
        let index = intern(
            &self.hasher,
            &mut self.stacks,
            &mut self.profile.stacks,
            row,
            StackId::new,
            StackId::index,
        );
        StackId::new(index)
    }

    /// Interns a stack of frames, the root first; `None` if there are none. Reverse frames that are
    /// leaf first.
    pub fn stack_of(&mut self, frames: impl IntoIterator<Item = LocationId>) -> Option<StackId> {
        let mut stack = None;
        for location in frames {
            stack = Some(self.stack(stack, location));
        }
        stack
    }

    /// A label of text.
    pub fn text_label(&mut self, key: &str, value: &str) -> Label {
        Label {
            key: self.string(key),
            value: LabelValue::Text(self.string(value)),
        }
    }

    /// A label of a number and its unit, which may be empty.
    pub fn number_label(&mut self, key: &str, value: i64, unit: &str) -> Label {
        Label {
            key: self.string(key),
            value: LabelValue::Number(value, self.string(unit)),
        }
    }

    /// Interns a set of labels, which it puts in order ([`LabelSets`]). The empty set is `None`.
    pub fn label_set(&mut self, labels: &mut [Label]) -> Option<LabelSetId> {
        self.label_sets.intern(&mut self.profile.label_sets, labels)
    }

    /// Adds a sample. `values` has one entry per sample type; a missing one counts as zero, a
    /// surplus one is ignored.
    pub fn sample(&mut self, stack: Option<StackId>, labels: Option<LabelSetId>, values: &[i64]) {
        let samples = &mut self.profile.samples;
        samples.stacks.push(stack);
        samples.labels.push(labels);
        for (i, column) in samples.values.iter_mut().enumerate() {
            column.push(values.get(i).copied().unwrap_or(0));
        }
        if let Some(times) = &mut samples.times {
            times.push(times.last().copied().unwrap_or(0));
        }
    }

    /// Makes room for so many samples of a profile that has none yet; `timed` says whether they have
    /// times.
    pub(crate) fn reserve_samples(&mut self, count: usize, timed: bool) {
        let samples = &mut self.profile.samples;
        samples.stacks.reserve_exact(count);
        samples.labels.reserve_exact(count);
        for column in &mut samples.values {
            column.reserve_exact(count);
        }
        samples.times = timed.then(|| Vec::with_capacity(count));
    }

    /// Adds a sample with the time at which it was taken ([`Samples::times`](crate::Samples::times)).
    /// Samples added without one have that of the sample before, and those before the first that
    /// has one have that.
    pub fn sample_at(
        &mut self,
        time: i64,
        stack: Option<StackId>,
        labels: Option<LabelSetId>,
        values: &[i64],
    ) {
        self.sample(stack, labels, values);
        let samples = &mut self.profile.samples;
        let times = samples
            .times
            .get_or_insert_with(|| vec![time; samples.stacks.len()]);
        if let Some(last) = times.last_mut() {
            *last = time;
        }
    }

    /// Interns a stack of functions that have only a name, the root first. For tests, examples and
    /// text formats.
    pub fn named_stack(&mut self, names: &[&str]) -> Option<StackId> {
        names.iter().fold(None, |parent, name| {
            let location = self.named_location(name);
            Some(self.stack(parent, location))
        })
    }

    /// Interns a location of a function that has only a name.
    pub(crate) fn named_location(&mut self, name: &str) -> LocationId {
        let name = self.string(name);
        let function = self.function(Function::named(name, StringId::EMPTY));
        let line = Line::of(function, 0);
        self.location(None, 0, false, &[line])
    }

    /// The profile as far as it is built, for a merge, which appends stacks and samples of its own.
    pub(crate) fn rows(&mut self) -> &mut Profile {
        &mut self.profile
    }

    /// The finished profile.
    pub fn finish(self) -> Profile {
        self.profile
    }
}

/// Finds label sets by what they hold.
#[derive(Default)]
pub(crate) struct LabelSetIndex {
    hasher: DefaultHashBuilder,
    sets: HashTable<LabelSetId>,
}

impl LabelSetIndex {
    /// The set of these labels, which are put in order. The empty set is `None`.
    pub(crate) fn intern(
        &mut self,
        sets: &mut LabelSets,
        labels: &mut [Label],
    ) -> Option<LabelSetId> {
        if labels.is_empty() {
            return None;
        }
        insertion_sort(labels, Label::order);
        let hash = self.hasher.hash_one(&*labels);
        if let Some(&id) = self.sets.find(hash, |&id| sets.get(id) == labels) {
            return Some(id);
        }
        sets.labels.extend_from_slice(labels);
        sets.ends
            .push(u32::try_from(sets.labels.len()).expect("tables stay below u32::MAX rows"));
        let id = LabelSetId::new(sets.ends.len() - 1);
        self.sets
            .insert_unique(hash, id, |&id| self.hasher.hash_one(sets.get(id)));
        Some(id)
    }
}

/// Finds or appends a plain row and gives its index.
fn intern<Row: Copy + Eq + Hash, Id: Copy>(
    hasher: &DefaultHashBuilder,
    index: &mut HashTable<Id>,
    rows: &mut Vec<Row>,
    row: Row,
    make: fn(usize) -> Id,
    position: fn(Id) -> usize,
) -> usize {
    let hash = hasher.hash_one(row);
    if let Some(&id) = index.find(hash, |&id| rows[position(id)] == row) {
        return position(id);
    }
    rows.push(row);
    index.insert_unique(hash, make(rows.len() - 1), |&id| {
        hasher.hash_one(rows[position(id)])
    });
    rows.len() - 1
}
