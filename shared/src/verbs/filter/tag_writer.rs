//! Patterns for labels that somebody has chosen from a list.

use super::tags::Units;
use crate::model::id::StringId;
use crate::model::profile::{Label, LabelValue, Profile};

/// Writes patterns ([`crate::verbs::TagPattern`]) for labels of one profile.
pub struct TagWriter<'a> {
    profile: &'a Profile,
    units: Units,
}

/// Longest text of a value in a pattern; of a longer one it is the beginning.
const MAX_WRITTEN: usize = 512;

impl<'a> TagWriter<'a> {
    /// A writer for the labels of a profile.
    pub fn new(profile: &'a Profile) -> Self {
        let units = Units::of_profile(profile);
        Self { profile, units }
    }

    /// What matches the labels with this key and value alone, but for values of more than 512
    /// bytes, which are told by their beginning. `None` for what no pattern matches: no value, and
    /// a number whose key has a `=`.
    pub fn exactly(&self, label: &Label) -> Option<String> {
        let key = self.profile.text(label.key);
        match label.value {
            LabelValue::Text(StringId::EMPTY) | LabelValue::Number(0, StringId::EMPTY) => None,
            LabelValue::Text(text) => {
                let text = self.profile.text(text);
                let cut = cut(text);
                let end = if cut.len() < text.len() { "" } else { "$" };
                let value = escaped(cut);
                Some(match is_plain(key) {
                    true => format!("{key}=^{value}{end}"),
                    false => format!("^{}:{value}{end}", escaped(key)),
                })
            }
            LabelValue::Number(..) if !is_plain(key) => None,
            LabelValue::Number(n, unit) => {
                let unit = match self.units.of(self.profile, label.key, unit) {
                    "μs" => "us",
                    unit if unit.bytes().all(|c| c.is_ascii_alphabetic()) => unit,
                    // No unit that is known has other letters.
                    _ => "",
                };
                Some(format!("{key}={n}{unit}"))
            }
        }
    }

    /// What matches the texts of a key that contain some text. `None` for a key that has a `=`.
    pub fn containing(&self, key: &str, part: &TextPart) -> Option<String> {
        let case = if part.any_case { "?i:" } else { "?:" };
        // The group keeps a number from being taken for a range.
        is_plain(key).then(|| format!("{key}=({case}{})", escaped(&part.text)))
    }
}

/// Whether a key can stand in front of a `=`.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && !key.contains('=')
}

/// A part of texts to look for. The case of ASCII letters does not count, where a pattern can say
/// so: regular expressions know no case of other letters, and behind `(?i)` no codes, as a comma
/// and an equals sign need them.
pub struct TextPart {
    text: String,
    any_case: bool,
}

impl TextPart {
    /// Texts that contain this one.
    pub fn new(text: &str) -> Self {
        let any_case = text.is_ascii() && !text.contains([',', '=']);
        let mut text = cut(text).to_owned();
        if any_case {
            text.make_ascii_lowercase();
        }
        Self { text, any_case }
    }

    /// Whether a text contains it.
    pub fn is_in(&self, text: &str) -> bool {
        if self.any_case {
            text.to_ascii_lowercase().contains(&self.text)
        } else {
            text.contains(&self.text)
        }
    }
}

/// The beginning of a text that is too long for a pattern.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_WRITTEN)]
}

/// A text as a regular expression that has neither a comma nor an equals sign, which mean something
/// to a pattern.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ',' => escaped.push_str("\\x2c"),
            '=' => escaped.push_str("\\x3d"),
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
                escaped.extend(['\\', c]);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProfileBuilder;
    use crate::model::id::LabelSetId;
    use crate::testing::labelled;
    use crate::verbs::{TagPattern, focus_tags};

    #[test]
    fn what_is_written_for_a_label_matches_it_alone() {
        let p = labelled(&[
            "region=eu",
            "region=EU-1",
            "region=e.u,x=(y",
            "zone=eu",
            "bytes#2048",
            "bytes#3kb",
            "span#-7",
            "span#7",
            "time#5μs",
            "ops#5µops",
        ]);
        let writer = TagWriter::new(&p);
        for (i, set) in p.label_sets.ids().enumerate() {
            let text = writer.exactly(&p.label_sets.get(set)[0]).unwrap();
            let pattern = TagPattern::new(&text).unwrap();
            let kept = focus_tags(&p, &pattern).profile;
            assert_eq!(kept.total(0), 1 << i, "{text}");
        }
        let total = |part: &str| {
            let part = TextPart::new(part);
            let pattern = writer.containing("region", &part).unwrap();
            let pattern = TagPattern::new(&pattern).unwrap();
            let found = ["eu", "EU-1", "e.u,x=(y"].map(|text| i32::from(part.is_in(text)));
            let listed = found[0] + found[1] * 2 + found[2] * 4;
            let kept = focus_tags(&p, &pattern).profile.total(0);
            assert_eq!(kept, i128::from(listed), "what is listed is what is kept");
            kept
        };
        assert_eq!(
            ["eU", ",x=", ",X=", "e.u", "é", "7"].map(total),
            [3, 4, 0, 4, 0, 0]
        );
        assert_eq!(
            writer
                .exactly(&p.label_sets.get(LabelSetId::FIRST)[0])
                .unwrap(),
            "region=^eu$"
        );
    }

    #[test]
    fn keys_and_values_that_a_pattern_can_hardly_say() {
        let mut b = ProfileBuilder::new();
        b.sample_type("cpu", "count");
        let long = "é".repeat(3000);
        let texts = [("a=b", "c"), ("", "d"), ("k", long.as_str()), ("k", "\n")];
        let mut labels = Vec::new();
        for (i, (key, value)) in texts.into_iter().enumerate() {
            let (key, value) = (b.string(key), LabelValue::Text(b.string(value)));
            labels.push(Label { key, value });
            let set = b.label_set(&mut [Label { key, value }]);
            b.sample(None, set, &[1 << i]);
        }
        let (key, empty) = (labels[0].key, LabelValue::Text(StringId::EMPTY));
        let p = b.finish();
        let writer = TagWriter::new(&p);
        for (i, label) in labels.iter().enumerate() {
            let pattern = TagPattern::new(&writer.exactly(label).unwrap()).unwrap();
            let kept = focus_tags(&p, &pattern).profile;
            assert_eq!(kept.total(0), 1 << i, "{label:?}");
        }
        assert_eq!(writer.containing("a=b", &TextPart::new("c")), None);
        let none = |value| writer.exactly(&Label { key, value });
        assert_eq!(none(empty), None);
        assert_eq!(none(LabelValue::Number(5, StringId::EMPTY)), None);
    }
}
