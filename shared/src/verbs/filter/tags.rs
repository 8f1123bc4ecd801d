//! Sample labels, which pprof calls tags: which samples stay by them.

use regex_lite::Regex;

use super::frames::compile;
use super::tag_range::TagRange;
use crate::model::id::StringId;
use crate::model::profile::{Label, LabelValue, Profile};
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

/// Keeps the samples whose labels match.
///
/// Law: with the same pattern, this and [`ignore_tags`] part a profile: their totals add up to that
/// of the whole.
pub fn focus_tags(profile: &Profile, pattern: &TagPattern) -> Filtered {
    keep(profile, pattern, |matches| matches)
}

/// Keeps the samples whose labels do not match.
pub fn ignore_tags(profile: &Profile, pattern: &TagPattern) -> Filtered {
    keep(profile, pattern, |matches| !matches)
}

/// Keeps samples by whether their labels match.
fn keep(profile: &Profile, pattern: &TagPattern, keeps: impl Fn(bool) -> bool) -> Filtered {
    let units = Units::of_profile(profile);
    let sets = profile.label_sets.ids();
    let sets: Vec<bool> = sets
        .map(|set| pattern.matches(profile, profile.label_sets.get(set), &units))
        .collect();
    // No pattern matches a sample without labels.
    let matches = |row: usize| profile.samples.labels[row].is_some_and(|set| sets[set.index()]);
    let samples = choose_samples(&profile.samples, |row| {
        keeps(matches(row)).then_some(profile.samples.stacks[row])
    });
    Filtered {
        profile: with_samples(profile, samples),
        matched: (0..profile.len()).any(matches),
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
        let (kept, rest) = (focus_tags(&p, &pattern), ignore_tags(&p, &pattern));
        assert_eq!(kept.profile.total(0), total);
        assert_eq!(rest.profile.total(0), 63 - total);
        assert_eq!((kept.matched, rest.matched), (total != 0, total != 0));
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
    fn what_cannot_be_is_refused() {
        assert!(TagPattern::new("a,(").is_err());
        assert!(TagPattern::new("k=99999999999999999999kb").is_err());
        assert!(TagPattern::new(&"a,".repeat(4096)).is_err());
    }
}
