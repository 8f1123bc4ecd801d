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
//! Samples with the same stack and labels become one; a sample whose values are all zero
//! disappears, and with it the table rows that only it used. Order of samples is lost. The header
//! combines as: period the largest, time the smallest that is given, duration the sum, comments the
//! ordered union, every other text the smallest by bytes that is given. A sum beyond `i64` stays at
//! the limit and is counted in [`Merged::saturated`].

use thiserror::Error;

use crate::base::sort::sort_rows;
use crate::merge::canonical::in_order;
use crate::merge::stacks::StackMerge;
use crate::merge::units::{UnitError, finest, in_units};
use crate::model::builder::ProfileBuilder;
use crate::model::id::StringId;
use crate::model::profile::{Header, Profile, ValueType};
use crate::model::tables::Tables;

/// A merge in progress.
#[derive(Default)]
pub struct Merger {
    tables: TableMerge,
    stacks: StackMerge,
    saturated: u64,
}

/// What merges do before they come to stacks: types, symbols and the header.
#[derive(Default)]
pub(crate) struct TableMerge {
    pub(crate) builder: ProfileBuilder,
    profiles: u64,
}

/// The outcome of a merge.
#[derive(Debug)]
pub struct Merged {
    /// The sum.
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
    /// Values that have no room in the unit of another profile.
    #[error(transparent)]
    Unit(#[from] UnitError),
}

/// Merges profiles that measure the same things, into canonical order. Nothing at all gives an
/// empty profile. Where they count in units of different size, the sum has the finest of them.
pub fn merge<'a>(profiles: impl IntoIterator<Item = &'a Profile>) -> Result<Merged, MergeError> {
    let profiles: Vec<&Profile> = profiles.into_iter().collect();
    let types = finest(&profiles);
    let mut merger = Merger::new();
    for profile in profiles {
        merger.add(&*in_units(profile, &types)?)?;
    }
    Ok(merger.finish())
}

/// The same profile in canonical order: equal samples added up, unused and repeated rows gone, all
/// tables sorted.
pub fn canonical(profile: &Profile) -> Profile {
    let mut merger = Merger::new();
    // The first profile decides what is measured, so it always fits.
    let _ = merger.add(profile);
    merger.finish().profile
}

impl Merger {
    /// A merge of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a profile. The first one decides the sample types; the others must have the same, in
    /// the same order.
    pub fn add(&mut self, profile: &Profile) -> Result<(), MergeError> {
        let tables = self.tables.add(profile)?;
        let builder = &mut self.tables.builder;
        let label_sets = tables.label_sets(profile, builder);
        self.saturated += self
            .stacks
            .add(profile, &tables.locations, &label_sets, builder.rows());
        Ok(())
    }

    /// The merged profile in canonical order.
    pub fn finish(self) -> Merged {
        let merged = self.finish_as_met();
        Merged {
            profile: in_order(&merged.profile),
            ..merged
        }
    }

    /// The merged profile in the order in which its rows were first met: quicker, and exact all the
    /// same, but its bytes depend on the order of profiles. Samples that cancelled out are still
    /// there, as zeros.
    pub fn finish_as_met(self) -> Merged {
        Merged {
            profile: self.tables.builder.finish(),
            saturated: self.saturated,
        }
    }
}

impl TableMerge {
    /// Adds a profile's header and symbols, and says where those went. The first one decides the
    /// sample types.
    pub(crate) fn add(&mut self, profile: &Profile) -> Result<Tables, MergeError> {
        self.check_types(profile)?;
        self.profiles += 1;
        let tables = Tables::copy(profile, &mut self.builder);
        self.merge_header(profile.header(), &tables);
        Ok(tables)
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
        if ours == theirs {
            Ok(())
        } else {
            Err(MergeError::SampleTypes { ours, theirs })
        }
    }

    fn merge_header(&mut self, theirs: &Header, tables: &Tables) {
        let string = |id: StringId| tables.strings[id.index()];
        let value_type = |t: ValueType| ValueType {
            kind: string(t.kind),
            unit: string(t.unit),
        };
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
        let comments = ours
            .comments
            .iter()
            .copied()
            .chain(theirs.comments.iter().map(|&c| string(c)));
        let mut comments: Vec<u32> = comments.map(|comment| comment.index() as u32).collect();
        let text = |row: u32| profile.text(StringId::new(row as usize));
        sort_rows(&mut comments, &mut |a, b| text(a).cmp(text(b)));
        comments.dedup();
        let merged = Header {
            period_type,
            period: if first {
                theirs.period
            } else {
                ours.period.max(theirs.period)
            },
            time_nanos: match (ours.time_nanos, theirs.time_nanos) {
                (0, t) | (t, 0) => t,
                (a, b) => a.min(b),
            },
            duration_nanos: ours.duration_nanos.saturating_add(theirs.duration_nanos),
            drop_frames: smaller(ours.drop_frames, string(theirs.drop_frames)),
            keep_frames: smaller(ours.keep_frames, string(theirs.keep_frames)),
            default_sample_type: smaller(
                ours.default_sample_type,
                string(theirs.default_sample_type),
            ),
            doc_url: smaller(ours.doc_url, string(theirs.doc_url)),
            comments: comments
                .into_iter()
                .map(|row| StringId::new(row as usize))
                .collect(),
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

#[cfg(test)]
mod tests {
    use super::merge;
    use crate::Profile;
    use crate::formats::folded;
    use crate::testing::profile;

    fn opened(text: &str) -> Profile {
        folded::decode(text.as_bytes()).expect(text).profile
    }

    #[test]
    fn values_of_another_unit_are_added_exactly() {
        let check = |texts: &[&str], unit: &str, sum: &str| {
            let mut profiles: Vec<Profile> = texts.iter().map(|text| opened(text)).collect();
            for _ in 0..profiles.len() {
                let merged = merge(&profiles).expect("one unit");
                let profile = &merged.profile;
                assert_eq!(profile.type_text(profile.sample_types()[0]).1, unit);
                assert_eq!(folded::encode(profile, 0, 1 << 20).as_deref(), Ok(sum));
                assert_eq!(merged.saturated, 0);
                profiles.rotate_left(1);
            }
        };
        check(
            &["a;b 50\na 1", "a;b 50.5"],
            "count/1000",
            "a 1\na;b 100.5\n",
        );
        check(&["a -2", "a 0.25"], "count/1000", "a -1.75\n");
        check(&["a 1", "a 2"], "count", "a 3\n");
        let three = ["a 1\nb 3", "a 0.0000001", "a 0.5\nb 2"];
        check(&three, "count/1000000000", "a 1.5000001\nb 5\n");
        let large = [opened("a 9300000000000000"), opened("a 0.5")];
        let error = merge(&large).expect_err("has no room").to_string();
        assert!(error.contains("exceed 64 bits"), "{error}");
    }

    #[test]
    fn comments_are_the_ordered_union() {
        let with = |comments: [&str; 2]| {
            let mut profile = profile("main 1");
            profile.header.comments = comments.map(|text| profile.strings.push(text)).to_vec();
            profile
        };
        let (first, second) = (with(["b", "a"]), with(["c", "a"]));
        let merged = merge([&first, &second]).expect("of one type").profile;
        let comments = merged.header().comments.iter();
        let comments: Vec<&str> = comments.map(|&id| merged.text(id)).collect();
        assert_eq!(comments, ["a", "b", "c"]);
    }
}
