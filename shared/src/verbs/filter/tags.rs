//! Sample labels, which pprof calls tags: which samples stay by them, and which labels stay.

use regex_lite::Regex;

use super::focus::Focused;
use super::frames::{FramePattern, compile};
use super::tag_range::TagRange;
use crate::model::builder::LabelSetIndex;
use crate::model::id::{LabelSetId, StringId};
use crate::model::profile::{Label, LabelSets, LabelValue, Profile};
use crate::tree::search::PatternError;
use crate::verbs::rewrite::{Filtered, choose_samples, with_samples};

/// What to look for among the labels of a sample.
///
/// - `regex`: some text label matches as `key:value`. Several, joined by commas, must all match,
///   each some label.
/// - `key=regex`: some text value of that key matches. Of several, joined by commas, one must.
/// - `32kb`, `:64kb`, `4mb:`, `32kb:64mb`: some numeric label is in the range, ends included. Units
///   are compared by what they are (`32kb` is 32768 bytes); an unknown one is taken for the
///   range's.
/// - `key=32kb:64mb`: the same for that key.
///
/// A number without a unit has the first one that the profile gives for its key, or else its key is
/// the unit (`bytes`; `request` and `alignment` are bytes too). pprof takes that for numbers with a
/// unit, too; here each has its own.
#[derive(Clone, Debug)]
pub struct TagPattern {
    key: Option<String>,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    Range(TagRange),
    Regexes(Vec<Regex>),
}

impl TagPattern {
    /// Parses a pattern.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let (key, value) = match pattern.split_once('=') {
            Some((key, value)) => (Some(key).filter(|key| !key.is_empty()), value),
            None => (None, pattern),
        };
        let values = match TagRange::parse(value) {
            Some(Ok(range)) => Values::Range(range),
            Some(Err(reason)) => {
                return Err(PatternError {
                    pattern: pattern.chars().take(80).collect(),
                    reason: reason.to_owned(),
                });
            }
            None => {
                // As a whole first: its cap then holds for the sum of the parts.
                if value.len() > crate::selector::regex::MAX_PATTERN {
                    compile(value)?;
                }
                Values::Regexes(value.split(',').map(compile).collect::<Result<_, _>>()?)
            }
        };
        Ok(Self {
            key: key.map(str::to_owned),
            values,
        })
    }

    fn matches(&self, profile: &Profile, labels: &[Label], units: &Units) -> bool {
        let ours = |label: &&Label| {
            self.key
                .as_deref()
                .is_none_or(|key| profile.text(label.key) == key)
        };
        let mut texts = labels
            .iter()
            .filter(ours)
            .filter_map(|label| match label.value {
                // A label with neither text nor number is none to pprof.
                LabelValue::Text(text) if !text.is_empty() => {
                    Some((profile.text(label.key), profile.text(text)))
                }
                _ => None,
            });
        match &self.values {
            Values::Range(range) => labels.iter().filter(ours).any(|label| match label.value {
                LabelValue::Number(0, StringId::EMPTY) | LabelValue::Text(_) => false,
                LabelValue::Number(n, unit) => {
                    range.contains(n, units.of(profile, label.key, unit))
                }
            }),
            Values::Regexes(regexes) if self.key.is_some() => {
                texts.any(|(_, v)| regexes.iter().any(|r| r.is_match(v)))
            }
            Values::Regexes(regexes) => {
                let texts: Vec<String> =
                    texts.map(|(key, value)| format!("{key}:{value}")).collect();
                regexes
                    .iter()
                    .all(|r| texts.iter().any(|text| r.is_match(text)))
            }
        }
    }
}

/// Keeps the samples whose labels match `focus` and do not match `ignore`.
///
/// Law: with the same pattern, both part a profile: their totals add up to that of the whole.
pub fn focus_tags(
    profile: &Profile,
    focus: Option<&TagPattern>,
    ignore: Option<&TagPattern>,
) -> Focused {
    let units = Units::of_profile(profile);
    // The sets, and behind them the empty one.
    let sets = || {
        (0..profile.label_sets.len())
            .map(|i| profile.label_sets.get(LabelSetId::new(i)))
            .chain([&[][..]])
    };
    let tested = |pattern: Option<&TagPattern>, absent: bool| -> Vec<bool> {
        sets()
            .map(|labels| pattern.map_or(absent, |p| p.matches(profile, labels, &units)))
            .collect()
    };
    let (focused, ignored) = (tested(focus, true), tested(ignore, false));
    let set = |row: usize| {
        profile.samples.labels[row].map_or(profile.label_sets.len(), LabelSetId::index)
    };
    let focus_matched = (0..profile.len()).any(|row| focused[set(row)]);
    let ignore_matched = ignore.is_none() || (0..profile.len()).any(|row| ignored[set(row)]);
    let samples = choose_samples(&profile.samples, |row| {
        (focused[set(row)] && !ignored[set(row)]).then_some(profile.samples.stacks[row])
    });
    Focused {
        profile: with_samples(profile, samples),
        focus_matched: focus.is_none() || focus_matched,
        ignore_matched,
    }
}

/// Drops the labels whose key does not match. All samples stay.
pub fn show_tags(profile: &Profile, keys: &FramePattern) -> Filtered {
    filter_keys(profile, |key| keys.matches(key), true)
}

/// Drops the labels whose key matches. All samples stay.
pub fn hide_tags(profile: &Profile, keys: &FramePattern) -> Filtered {
    filter_keys(profile, |key| !keys.matches(key), false)
}

/// Keeps some keys; a pattern has matched when some key is kept or not, as `matching` says.
fn filter_keys(profile: &Profile, keep: impl Fn(&str) -> bool, matching: bool) -> Filtered {
    let mut tested = super::frames::Tested::new(profile);
    let mut keep = |key: StringId| tested.test(key, &keep);
    let mut sets = LabelSets::default();
    let mut index = LabelSetIndex::default();
    let mut kept: Vec<Label> = Vec::new();
    let mut matched = false;
    let map: Vec<Option<LabelSetId>> = (0..profile.label_sets.len())
        .map(|i| {
            kept.clear();
            for label in profile.label_sets.get(LabelSetId::new(i)) {
                let keep = keep(label.key);
                matched |= keep == matching;
                kept.extend(keep.then_some(*label));
            }
            index.intern(&mut sets, &mut kept)
        })
        .collect();
    let mut samples = profile.samples.clone();
    for set in &mut samples.labels {
        *set = set.and_then(|set| map[set.index()]);
    }
    Filtered {
        profile: Profile {
            label_sets: sets,
            ..with_samples(profile, samples)
        },
        matched,
    }
}

/// For each key, the unit of numbers that have none.
pub(super) struct Units(Vec<StringId>);

impl Units {
    /// The first unit that a sample gives for a key.
    pub(super) fn of_profile(profile: &Profile) -> Self {
        let mut units = vec![StringId::EMPTY; profile.strings.len()];
        let mut seen = vec![false; profile.label_sets.len()];
        for set in profile.samples.labels.iter().flatten() {
            if std::mem::replace(&mut seen[set.index()], true) {
                continue;
            }
            for label in profile.label_sets.get(*set) {
                let unit = &mut units[label.key.index()];
                match label.value {
                    LabelValue::Number(_, given) if unit.is_empty() => *unit = given,
                    _ => {}
                }
            }
        }
        Self(units)
    }

    pub(super) fn of<'a>(&self, profile: &'a Profile, key: StringId, own: StringId) -> &'a str {
        let unit = if own.is_empty() {
            self.0[key.index()]
        } else {
            own
        };
        match (profile.text(unit), profile.text(key)) {
            ("", "alignment" | "request") => "bytes",
            ("", key) => key,
            (unit, _) => unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::labelled;

    fn check(pattern: &str, total: i128) {
        let p = labelled(&[
            "region=eu zone=a",
            "region=us",
            "bytes#2048",
            "bytes#2kb zone=b",
            "span#7",
            "region=",
        ]);
        let pattern = TagPattern::new(pattern).unwrap();
        let (kept, rest) = (
            focus_tags(&p, Some(&pattern), None),
            focus_tags(&p, None, Some(&pattern)),
        );
        assert_eq!(kept.profile.total(0), total);
        assert_eq!(rest.profile.total(0), 63 - total);
        assert_eq!(
            (kept.focus_matched, kept.ignore_matched),
            (total != 0, true)
        );
        assert_eq!(
            (rest.focus_matched, rest.ignore_matched),
            (true, total != 0)
        );
    }

    #[test]
    fn texts_and_ranges() {
        check("eu", 1);
        check("^region:", 3);
        check("region:eu,zone", 1);
        check("zone", 9);
        check("region=e|s$", 3);
        check("region=eu,us", 3);
        check("region=^$", 0);
        check("zone=eu", 0);
        // A number without unit has the one that its key has elsewhere.
        check("2kb", 8);
        check("bytes=2kb:", 12);
        check("bytes=2048kb", 4);
        check("span=7", 16);
        check("7", 16);
        check("none=7", 0);
    }

    #[test]
    fn labels_go_and_samples_stay() {
        let p = labelled(&["region=eu zone=a", "region=eu", "zone=a bytes#1", ""]);
        let names = |p: &Profile| -> Vec<String> {
            let set = |i: usize| {
                p.labels(p.samples.labels[i])
                    .iter()
                    .map(|l| p.text(l.key))
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            (0..p.len()).map(set).collect()
        };
        let hidden = hide_tags(&p, &FramePattern::new("zone").unwrap());
        assert_eq!(
            (names(&hidden.profile), hidden.matched),
            (
                ["region", "region", "bytes", ""].map(str::to_owned).into(),
                true
            )
        );
        assert_eq!(hidden.profile.label_sets.len(), 2);
        let shown = show_tags(&p, &FramePattern::new("zone").unwrap());
        assert_eq!(
            (names(&shown.profile), shown.matched),
            (["zone", "", "zone", ""].map(str::to_owned).into(), true)
        );
        assert!(!hide_tags(&p, &FramePattern::new("x").unwrap()).matched);
        assert!(!show_tags(&p, &FramePattern::new("x").unwrap()).matched);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(TagPattern::new("a,(").is_err());
        assert!(TagPattern::new("k=99999999999999999999kb").is_err());
        assert!(TagPattern::new(&"a,".repeat(4096)).is_err());
    }
}
