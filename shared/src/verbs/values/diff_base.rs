//! Two profiles side by side in one: pprof's `-diff_base`.
//!
//! As [`crate::verbs::subtract()`], but each sample of the base carries the label
//! `pprof::base=true`, instead of any other text that it has under that key. So samples of both
//! sides stay apart, and the base's total can still be told: what a report calls a percentage is a
//! share of that ([`report_total`]).

use crate::merge::merger::{MergeError, Merged};
use crate::model::builder::LabelSetIndex;
use crate::model::id::{LabelSetId, StringId};
use crate::model::profile::{Label, LabelSets, LabelValue, Profile};
use crate::tree::diff::Scale;

use super::subtract::subtract_owned;

/// Key and value of the label that marks samples of the base.
const KEY: &str = "pprof::base";
const VALUE: &str = "true";

/// The source, and the base with its values negated and its samples marked, in canonical order.
pub fn diff_base(source: &Profile, base: &Profile, scale: Scale) -> Result<Merged, MergeError> {
    subtract_owned(source, marked(base), scale)
}

/// What percentages of a value column are shares of, in pprof's reports: the sum of the sizes of
/// the base's samples when there is a base with values, else of all samples.
pub fn report_total(profile: &Profile, sample_type: usize) -> u128 {
    let is_base: Vec<bool> = (0..profile.label_sets.len())
        .map(|set| marks_base(profile, LabelSetId::new(set)))
        .collect();
    let (mut all, mut base) = (0u128, 0u128);
    let samples = &profile.samples;
    for (labels, value) in samples.labels.iter().zip(&samples.values[sample_type]) {
        let size = u128::from(value.unsigned_abs());
        all += size;
        if labels.is_some_and(|set| is_base[set.index()]) {
            base += size;
        }
    }
    if base > 0 { base } else { all }
}

fn marks_base(profile: &Profile, set: LabelSetId) -> bool {
    let is_mark = |label: &Label| match label.value {
        LabelValue::Text(value) => profile.text(label.key) == KEY && profile.text(value) == VALUE,
        LabelValue::Number(..) => false,
    };
    profile.label_sets.get(set).iter().any(is_mark)
}

/// The profile with the label in every set, and a set for the samples that had none.
fn marked(profile: &Profile) -> Profile {
    let mut marked = profile.clone();
    let mark = Label {
        key: marked.strings.push(KEY),
        value: LabelValue::Text(marked.strings.push(VALUE)),
    };
    let is_old_mark: Vec<bool> = marked.strings.iter().map(|text| text == KEY).collect();
    let replaced = |label: &Label| {
        is_old_mark[StringId::index(label.key)] && matches!(label.value, LabelValue::Text(_))
    };
    let mut index = LabelSetIndex::default();
    let mut sets = LabelSets::default();
    let mut labels = Vec::new();
    let mut with_mark = |old: &[Label]| {
        labels.clear();
        labels.extend(old.iter().copied().filter(|label| !replaced(label)));
        labels.push(mark);
        index.intern(&mut sets, &mut labels)
    };
    let none = with_mark(&[]);
    let places: Vec<_> = (0..profile.label_sets.len())
        .map(|i| with_mark(profile.label_sets.get(LabelSetId::new(i))))
        .collect();
    for labels in &mut marked.samples.labels {
        *labels = labels.map_or(none, |set| places[set.index()]);
    }
    marked.label_sets = sets;
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProfileBuilder;
    use crate::testing::profile;

    /// Samples as `labels value`, in order.
    fn samples(profile: &Profile) -> Vec<String> {
        let word = |label: &Label| match label.value {
            LabelValue::Text(value) => {
                format!("{}={} ", profile.text(label.key), profile.text(value))
            }
            LabelValue::Number(n, _) => format!("{}={n} ", profile.text(label.key)),
        };
        let columns = profile
            .samples
            .labels
            .iter()
            .zip(&profile.samples.values[0]);
        let mut samples: Vec<String> = columns
            .map(|(&set, value)| {
                format!(
                    "{}{value}",
                    profile.labels(set).iter().map(word).collect::<String>()
                )
            })
            .collect();
        samples.sort();
        samples
    }

    #[test]
    fn marks_the_base() {
        let both = diff_base(&profile("a 5\nb 1"), &profile("a 3\nc 4"), Scale::Absolute)
            .unwrap()
            .profile;
        assert_eq!(
            samples(&both),
            ["1", "5", "pprof::base=true -3", "pprof::base=true -4"]
        );
        assert_eq!(report_total(&both, 0), 7);
        assert_eq!(report_total(&profile("a 5\nb -2"), 0), 7);
        assert_eq!(
            report_total(
                &diff_base(&profile("a 5"), &profile("a 0"), Scale::Absolute)
                    .unwrap()
                    .profile,
                0
            ),
            5
        );
    }

    #[test]
    fn keeps_other_labels() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let stack = b.named_stack(&["main"]);
        let (key, old, unit, region) = (
            b.string(KEY),
            b.string("old"),
            b.string("s"),
            b.string("region"),
        );
        let mut one = [
            Label {
                key,
                value: LabelValue::Text(old),
            },
            Label {
                key,
                value: LabelValue::Number(7, unit),
            },
        ];
        let mut two = [Label {
            key: region,
            value: LabelValue::Text(old),
        }];
        let (one, two) = (b.label_set(&mut one), b.label_set(&mut two));
        for (labels, value) in [(one, 1), (two, 2), (None, 4)] {
            b.sample(stack, labels, &[value]);
        }
        let base = b.finish();
        let both = diff_base(&profile("x 1"), &base, Scale::Absolute);
        assert!(both.is_err(), "v0/count is not cpu/count");
        let both = diff_base(&base, &base, Scale::Absolute).unwrap().profile;
        let expect = [
            "4",
            "pprof::base=old pprof::base=7 1",
            "pprof::base=true -4",
            "pprof::base=true pprof::base=7 -1",
            "pprof::base=true region=old -2",
            "region=old 2",
        ];
        let mut expect = expect.map(str::to_owned);
        expect.sort();
        let mut found = samples(&both);
        found.iter_mut().for_each(|s| {
            *s = s.replace("region=old pprof::base=true", "pprof::base=true region=old")
        });
        found.sort();
        assert_eq!(found, expect);
    }
}
