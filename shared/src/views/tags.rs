//! The labels of a profile's samples, to choose from: keys, their values, and how much each has.

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use crate::model::id::StringId;
use crate::model::profile::{Label, LabelValue, Profile};
use crate::verbs::format_exact;

/// A key of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagKey<'a> {
    /// Its name.
    pub name: &'a str,
    /// How many values it has.
    pub values: usize,
    /// The total of the samples that have it.
    pub total: i128,
}

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagValue {
    /// It as text, numbers with every digit.
    pub text: String,
    /// The label.
    pub label: Label,
    /// The total of the samples that have it; one with several values counts for each.
    pub total: i128,
}

/// The keys in a profile, by name. Time is linear in samples and labels.
pub fn tag_keys(profile: &Profile, sample_type: usize) -> Vec<TagKey<'_>> {
    let mut keys: HashMap<&str, TagKey<'_>> = HashMap::new();
    let mut values: HashSet<Label> = HashSet::new();
    for (labels, total) in sets(profile, sample_type) {
        let mut before = None;
        for label in labels.iter().filter(|label| has_value(label)) {
            let name = profile.text(label.key);
            let key = keys.entry(name).or_insert(TagKey {
                name,
                values: 0,
                total: 0,
            });
            // Labels of one key stand side by side.
            if before.replace(label.key) != Some(label.key) {
                key.total += total;
            }
            key.values += usize::from(values.insert(*label));
        }
    }
    let mut keys: Vec<TagKey<'_>> = keys.into_values().collect();
    keys.sort_unstable_by_key(|key| key.name);
    keys
}

/// The values of a key, the largest first, equals by their text.
pub fn tag_values(profile: &Profile, sample_type: usize, key: &str) -> Vec<TagValue> {
    // With the set that was counted last: a label may be twice in one.
    let mut totals: HashMap<Label, (i128, usize)> = HashMap::new();
    for (set, (labels, total)) in sets(profile, sample_type).enumerate() {
        for label in labels.iter().filter(|label| has_value(label)) {
            if profile.text(label.key) != key {
                continue;
            }
            let (sum, last) = totals.entry(*label).or_insert((0, usize::MAX));
            if std::mem::replace(last, set) != set {
                *sum += total;
            }
        }
    }
    let mut values: Vec<TagValue> = totals
        .into_iter()
        .map(|(label, (total, _))| TagValue {
            text: match label.value {
                LabelValue::Text(text) => profile.text(text).to_owned(),
                LabelValue::Number(n, unit) => format_exact(n, profile.text(unit)),
            },
            label,
            total,
        })
        .collect();
    values.sort_unstable_by(|a, b| (Reverse(a.total), &a.text).cmp(&(Reverse(b.total), &b.text)));
    values
}

/// The sets of labels that samples have, and the total of each.
fn sets(profile: &Profile, sample_type: usize) -> impl Iterator<Item = (&[Label], i128)> {
    let mut totals: Vec<Option<i128>> = vec![None; profile.label_sets.len()];
    let samples = &profile.samples;
    let values = samples
        .values
        .get(sample_type)
        .map_or(&[][..], Vec::as_slice);
    for (set, &value) in samples.labels.iter().zip(values) {
        if let Some(set) = set {
            *totals[set.index()].get_or_insert(0) += i128::from(value);
        }
    }
    let sets = profile.label_sets.ids().zip(totals);
    sets.filter_map(move |(set, total)| Some((profile.label_sets.get(set), total?)))
}

/// A label with neither text nor number is none to pprof.
fn has_value(label: &Label) -> bool {
    !matches!(
        label.value,
        LabelValue::Text(StringId::EMPTY) | LabelValue::Number(0, StringId::EMPTY)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::labelled;

    #[test]
    fn keys_and_values_with_their_totals() {
        let profile = labelled(&[
            "zone=a region=eu region=us region=eu",
            "region=eu size#2048bytes",
            "region= size#0",
            "",
            "size#2bytes",
            "region=us",
        ]);
        let keys = tag_keys(&profile, 0);
        let keys: Vec<_> = keys.iter().map(|k| (k.name, k.values, k.total)).collect();
        assert_eq!(keys, [("region", 2, 35), ("size", 2, 18), ("zone", 1, 1)]);
        let values = |key| -> Vec<(String, i128)> {
            let values = tag_values(&profile, 0, key).into_iter();
            values.map(|value| (value.text, value.total)).collect()
        };
        let texts = |values: &[(&str, i128)]| -> Vec<(String, i128)> {
            values
                .iter()
                .map(|&(text, total)| (text.to_owned(), total))
                .collect()
        };
        assert_eq!(values("region"), texts(&[("us", 33), ("eu", 3)]));
        assert_eq!(
            values("size"),
            texts(&[("2 bytes", 16), ("2,048 bytes", 2)])
        );
        assert!(values("none").is_empty());
        assert!(tag_keys(&profile, 7).is_empty());
    }
}
