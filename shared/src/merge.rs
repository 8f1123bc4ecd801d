//! Merging profiles: one exact sum of many.
//!
//! # Algebra
//!
//! With `+` for merge and a result in canonical order, as long as nothing saturates:
//!
//! - commutative and associative: any order and grouping of the same profiles gives the same bytes;
//! - `a + empty = canonical(a)`, where `empty` has the sample types of `a` and no samples;
//! - the total of each value column is the sum of the totals, for each stack and label set too.
//!
//! Samples with the same stack and labels become one; a sample whose values are all zero disappears, and with it the
//! table rows that only it used. Order of samples is lost. The header combines as: period the largest, time the
//! smallest that is given, duration the sum, comments the ordered union, every other text the smallest by bytes that
//! is given. A sum beyond `i64` stays at the limit and is counted in [`Merged::saturated`].

use hashbrown::HashMap;
use thiserror::Error;

use crate::builder::ProfileBuilder;
use crate::canonical::canonical;
use crate::id::{LabelSetId, StackId, StringId};
use crate::profile::{Function, Header, Label, LabelValue, Line, Mapping, Profile, ValueType};

/// A merge in progress.
#[derive(Default)]
pub struct Merger {
    builder: ProfileBuilder,
    /// Sample row + 1 of each stack without labels (entry 0: the empty stack); 0 while there is none.
    plain: Vec<u32>,
    labelled: HashMap<(Option<StackId>, LabelSetId), usize>,
    profiles: u64,
    saturated: u64,
}

/// The outcome of a merge.
#[derive(Debug)]
pub struct Merged {
    /// The sum, in canonical order.
    pub profile: Profile,
    /// How many additions hit the limits of `i64`; the sum is exact when this is zero.
    pub saturated: u64,
}

/// Why profiles do not merge.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MergeError {
    /// They measure different things.
    #[error("profiles measure different things and cannot be added: {ours} and {theirs}")]
    SampleTypes {
        /// Sample types so far.
        ours: String,
        /// Sample types of the profile that does not fit.
        theirs: String,
    },
}

/// Merges profiles that measure the same things. Nothing at all gives an empty profile.
pub fn merge<'a>(profiles: impl IntoIterator<Item = &'a Profile>) -> Result<Merged, MergeError> {
    let mut merger = Merger::new();
    for profile in profiles {
        merger.add(profile)?;
    }
    Ok(merger.finish())
}

impl Merger {
    /// A merge of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a profile. The first one decides the sample types; the others must have the same, in the same order.
    pub fn add(&mut self, profile: &Profile) -> Result<(), MergeError> {
        self.check_types(profile)?;
        self.profiles += 1;
        let tables = Tables::copy(profile, &mut self.builder);
        self.merge_header(profile.header(), &tables);
        let mut values = vec![0; profile.sample_types.len()];
        let samples = &profile.samples;
        for row in 0..profile.len() {
            let stack = samples.stacks[row].map(|s| tables.stacks[s.index()]);
            let labels = samples.labels[row].map(|l| tables.label_sets[l.index()]);
            for (value, column) in values.iter_mut().zip(&samples.values) {
                *value = column[row];
            }
            self.add_sample(stack, labels, &values);
        }
        Ok(())
    }

    /// The merged profile in canonical order.
    pub fn finish(self) -> Merged {
        Merged { profile: canonical(self.builder.profile()), saturated: self.saturated }
    }

    fn check_types(&mut self, profile: &Profile) -> Result<(), MergeError> {
        if self.profiles == 0 {
            for &t in &profile.sample_types {
                let (kind, unit) = profile.type_text(t);
                self.builder.sample_type(kind, unit);
            }
            return Ok(());
        }
        let (ours, theirs) = (type_list(self.builder.profile()), type_list(profile));
        if ours == theirs { Ok(()) } else { Err(MergeError::SampleTypes { ours, theirs }) }
    }

    fn add_sample(&mut self, stack: Option<StackId>, labels: Option<LabelSetId>, values: &[i64]) {
        let next = self.builder.profile().len();
        let row = match labels {
            None => {
                let slot = stack.map_or(0, |s| s.index() + 1);
                if slot >= self.plain.len() {
                    self.plain.resize(self.builder.profile().stacks.len() + 1, 0);
                }
                let row = &mut self.plain[slot];
                if *row == 0 {
                    *row = u32::try_from(next + 1).expect("tables stay below u32::MAX rows");
                }
                *row as usize - 1
            }
            Some(set) => *self.labelled.entry((stack, set)).or_insert(next),
        };
        if row == next {
            self.builder.sample(stack, labels, values);
        } else {
            self.saturated += self.builder.add_values(row, values);
        }
    }

    fn merge_header(&mut self, theirs: &Header, tables: &Tables) {
        let string = |id: StringId| tables.strings[id.index()];
        let value_type = |t: ValueType| ValueType { kind: string(t.kind), unit: string(t.unit) };
        let first = self.profiles == 1;
        let profile = self.builder.profile();
        let smaller = |a: StringId, b: StringId| match (a.is_empty(), b.is_empty()) {
            (true, _) => b,
            (_, true) => a,
            _ if profile.text(a) <= profile.text(b) => a,
            _ => b,
        };
        let ours = profile.header();
        let period_type = match (ours.period_type, theirs.period_type.map(value_type)) {
            (Some(a), Some(b)) if profile.type_text(b) < profile.type_text(a) => Some(b),
            (a, b) => a.or(b),
        };
        let mut comments = ours.comments.clone();
        comments.extend(theirs.comments.iter().map(|&c| string(c)));
        comments.sort_by_key(|&c| profile.text(c));
        comments.dedup();
        let merged = Header {
            period_type,
            period: if first { theirs.period } else { ours.period.max(theirs.period) },
            time_nanos: match (ours.time_nanos, theirs.time_nanos) {
                (0, t) | (t, 0) => t,
                (a, b) => a.min(b),
            },
            duration_nanos: ours.duration_nanos.saturating_add(theirs.duration_nanos),
            drop_frames: smaller(ours.drop_frames, string(theirs.drop_frames)),
            keep_frames: smaller(ours.keep_frames, string(theirs.keep_frames)),
            default_sample_type: smaller(ours.default_sample_type, string(theirs.default_sample_type)),
            doc_url: smaller(ours.doc_url, string(theirs.doc_url)),
            comments,
        };
        *self.builder.header() = merged;
    }
}

fn type_list(profile: &Profile) -> String {
    let types = profile.sample_types.iter().map(|&t| {
        let (kind, unit) = profile.type_text(t);
        format!("{kind}/{unit}")
    });
    types.collect::<Vec<_>>().join(", ")
}

/// Where each row of one profile's tables went in another's.
struct Tables {
    strings: Vec<StringId>,
    stacks: Vec<StackId>,
    label_sets: Vec<LabelSetId>,
}

impl Tables {
    fn copy(from: &Profile, to: &mut ProfileBuilder) -> Self {
        to.reserve(from.stacks.len(), from.len());
        let strings: Vec<_> = from.strings.iter().map(|s| to.string(s)).collect();
        let string = |id: StringId| strings[id.index()];
        let mappings: Vec<_> = from
            .mappings
            .iter()
            .map(|m| to.mapping(Mapping { file: string(m.file), build_id: string(m.build_id), ..*m }))
            .collect();
        let functions: Vec<_> = from
            .functions
            .iter()
            .map(|f| {
                let (name, system_name, file) = (string(f.name), string(f.system_name), string(f.file));
                to.function(Function { name, system_name, file, ..*f })
            })
            .collect();
        let mut lines = Vec::new();
        let locations: Vec<_> = from
            .locations
            .iter()
            .map(|l| {
                lines.clear();
                let own = &from.lines[l.first_line as usize..(l.first_line + l.line_count) as usize];
                lines.extend(own.iter().map(|line| Line { function: line.function.map(|f| functions[f.index()]), ..*line }));
                to.location(l.mapping.map(|m| mappings[m.index()]), l.address, l.folded, &lines)
            })
            .collect();
        let mut stacks: Vec<StackId> = Vec::with_capacity(from.stacks.len());
        for stack in &from.stacks {
            let parent = stack.parent.map(|p| stacks[p.index()]);
            stacks.push(to.stack(parent, locations[stack.location.index()]));
        }
        let label_sets = (0..from.label_sets.len())
            .filter_map(|i| {
                let mut labels: Vec<Label> = from.label_sets.get(LabelSetId::new(i)).to_vec();
                for label in &mut labels {
                    label.key = string(label.key);
                    label.value = match label.value {
                        LabelValue::Text(text) => LabelValue::Text(string(text)),
                        LabelValue::Number(n, unit) => LabelValue::Number(n, string(unit)),
                    };
                }
                // No stored set is empty, so none is filtered out here.
                to.label_set(&mut labels)
            })
            .collect();
        Self { strings, stacks, label_sets }
    }
}
