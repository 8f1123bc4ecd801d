//! The profile: columnar, interned, valid by construction.

mod symbols;

use crate::model::id::{FunctionId, LabelSetId, LocationId, StackId, StringId};
use crate::model::strings::Strings;

pub use symbols::{Function, Line, Location, Mapping, SymbolFlags};

/// What a column of values counts, such as `cpu` in `nanoseconds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// What is counted: `cpu`, `alloc_space`.
    pub kind: StringId,
    /// In which unit: `nanoseconds`, `bytes`, `count`.
    pub unit: StringId,
}

/// A stack: one location on top of the stack that called it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stack {
    /// The caller's stack, `None` at the root. Always an earlier row.
    pub parent: Option<StackId>,
    /// The frame on top.
    pub location: LocationId,
}

/// A label of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// Its name.
    pub key: StringId,
    /// Its value.
    pub value: LabelValue,
}

impl Label {
    /// Place in a set.
    pub(crate) fn order(&self) -> (StringId, bool) {
        (self.key, matches!(self.value, LabelValue::Number(..)))
    }
}

/// The value of a sample label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelValue {
    /// Text.
    Text(StringId),
    /// A number and its unit, which may be empty.
    Number(i64, StringId),
}

/// What a profile says of itself as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What a sampling period is measured in.
    pub period_type: Option<ValueType>,
    /// Events between two samples, in units of `period_type`.
    pub period: i64,
    /// Start, nanoseconds since the epoch; 0 when unknown.
    pub time_nanos: i64,
    /// Length, 0 when unknown.
    pub duration_nanos: i64,
    /// Regex of frames to drop with all below them (a viewer's choice; the core never applies it on
    /// its own).
    pub drop_frames: StringId,
    /// Regex of frames to keep although `drop_frames` matches.
    pub keep_frames: StringId,
    /// Free text of the producer.
    pub comments: Vec<StringId>,
    /// The sample type to show first; empty when not given.
    pub default_sample_type: StringId,
    /// A page that explains the profile.
    pub doc_url: StringId,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            period_type: None,
            period: 0,
            time_nanos: 0,
            duration_nanos: 0,
            drop_frames: StringId::EMPTY,
            keep_frames: StringId::EMPTY,
            comments: Vec::new(),
            default_sample_type: StringId::EMPTY,
            doc_url: StringId::EMPTY,
        }
    }
}

/// A profile: tables of symbols, a prefix tree of stacks, and columns of samples.
///
/// - Every handle in it points at a row of its own tables.
/// - A stack's parent is an earlier row, so one pass forward visits callers before callees.
/// - All sample columns have the same length.
/// - Rows of a table may repeat, as they do in files; in canonical order ([`crate::canonical()`])
///   each occurs once.
///
/// Made by [`crate::ProfileBuilder`]; changed by no one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    pub(crate) strings: Strings,
    pub(crate) mappings: Vec<Mapping>,
    pub(crate) functions: Vec<Function>,
    pub(crate) lines: Vec<Line>,
    pub(crate) locations: Vec<Location>,
    pub(crate) stacks: Vec<Stack>,
    pub(crate) label_sets: LabelSets,
    pub(crate) sample_types: Vec<ValueType>,
    pub(crate) samples: Samples,
    pub(crate) header: Header,
}

/// Sample columns: row `i` of each column belongs to sample `i`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// Stack, `None` for a sample without frames.
    pub stacks: Vec<Option<StackId>>,
    /// Labels, `None` for none.
    pub labels: Vec<Option<LabelSetId>>,
    /// Values, one column per sample type.
    pub values: Vec<Vec<i64>>,
    /// When each sample was taken, in nanoseconds since the epoch or since some instant of the
    /// producer's. For all samples or for none; a merge drops them, as it adds up samples of
    /// different times, and pprof has no place for them.
    pub times: Option<Vec<i64>>,
}

/// Sets of sample labels. Those of a set are ordered by the row of their name, which in canonical
/// order is the order of the names; of one name, text comes before numbers. Comparing names
/// themselves for each sample would take time in proportion to their length, which is the sender's
/// choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSets {
    pub(crate) labels: Vec<Label>,
    pub(crate) ends: Vec<u32>,
}

impl LabelSets {
    /// The labels of a set.
    pub fn get(&self, id: LabelSetId) -> &[Label] {
        let start = if id.index() == 0 {
            0
        } else {
            self.ends[id.index() - 1] as usize
        };
        &self.labels[start..self.ends[id.index()] as usize]
    }

    /// Handles of all sets, in the order of their table.
    pub fn ids(&self) -> impl Iterator<Item = LabelSetId> {
        (0..self.ends.len()).map(LabelSetId::new)
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl Profile {
    /// The text of a string.
    pub fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }

    /// A function's name as trees show it.
    pub(crate) fn function_name(&self, function: FunctionId) -> &str {
        match self.text(self.functions[function.index()].shown_name()) {
            "" => "?",
            name => name,
        }
    }

    /// The string table.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// What each value column counts.
    pub fn sample_types(&self) -> &[ValueType] {
        &self.sample_types
    }

    /// Name and unit of a value type, as text.
    pub fn type_text(&self, t: ValueType) -> (&str, &str) {
        (self.text(t.kind), self.text(t.unit))
    }

    /// The sample type to show first: the one the profile names, else the last, by pprof's
    /// convention.
    pub fn default_type(&self) -> usize {
        let default = self.text(self.header.default_sample_type);
        let named = self
            .sample_types
            .iter()
            .position(|t| self.text(t.kind) == default);
        named.unwrap_or(self.sample_types.len().saturating_sub(1))
    }

    /// Mapping table.
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    /// Function table.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Location table.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// Whether the location in a row has these fields and lines.
    pub(crate) fn is_location(&self, row: usize, fields: &Location, lines: &[Line]) -> bool {
        let key = |l: &Location| (l.mapping, l.address, l.folded);
        self.locations
            .get(row)
            .is_some_and(|l| key(l) == key(fields) && self.lines(LocationId::new(row)) == lines)
    }

    /// Handles of all locations, in the order of their table.
    pub fn location_ids(&self) -> impl Iterator<Item = LocationId> {
        (0..self.locations.len()).map(LocationId::new)
    }

    /// Lines of a location, innermost inlined call first; empty when it is not symbolised.
    pub fn lines(&self, location: LocationId) -> &[Line] {
        let l = &self.locations[location.index()];
        &self.lines[l.first_line as usize..(l.first_line + l.line_count) as usize]
    }

    /// Stack table, parents before children.
    pub fn stacks(&self) -> &[Stack] {
        &self.stacks
    }

    /// The locations of a stack from the leaf to the root.
    pub fn frames(&self, stack: Option<StackId>) -> impl Iterator<Item = LocationId> {
        let mut next = stack;
        std::iter::from_fn(move || {
            let row = self.stacks[next?.index()];
            next = row.parent;
            Some(row.location)
        })
    }

    /// Label-set table.
    pub fn label_sets(&self) -> &LabelSets {
        &self.label_sets
    }

    /// The labels of a sample row's set, empty for `None`.
    pub fn labels(&self, set: Option<LabelSetId>) -> &[Label] {
        set.map_or(&[], |id| self.label_sets.get(id))
    }

    /// The same with a time for each sample ([`Samples::times`]); `None` when there are not as
    /// many.
    pub fn with_times(mut self, times: Vec<i64>) -> Option<Self> {
        (times.len() == self.len()).then(|| {
            self.samples.times = Some(times);
            self
        })
    }

    /// Sample columns.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.samples.stacks.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.samples.stacks.is_empty()
    }

    /// About how much memory the tables take, with the index that finds their rows.
    pub fn table_bytes(&self) -> usize {
        self.strings.text_len()
            + self.strings.len() * 12
            + (self.mappings.len() + self.functions.len()) * 48
            + self.lines.len() * 24
            + self.locations.len() * 40
            + self.stacks.len() * 16
    }

    /// What the profile says of itself as a whole.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Sum of a value column. Exact: an `i128` holds 2^63 values of 2^63.
    pub fn total(&self, sample_type: usize) -> i128 {
        self.samples.values[sample_type]
            .iter()
            .map(|&v| i128::from(v))
            .sum()
    }
}
