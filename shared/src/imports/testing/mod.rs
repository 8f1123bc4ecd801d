//! Profiles as text, for the tests of the formats.

mod damage;
mod drawn;
mod foreign;

use crate::formats::decoded::Decoded;
use crate::formats::start::Start;
use crate::imports::error::FormatError;
use crate::model::address_name::address_name;
use crate::model::profile::{LabelValue, Profile};
pub(crate) use drawn::drawn;

/// Each sample: its time, its stack from the root on, its values, its labels.
pub(crate) fn samples(profile: &Profile) -> Vec<String> {
    let samples = profile.samples();
    (0..profile.len())
        .map(|row| {
            let time = samples
                .times
                .as_ref()
                .map(|times| format!("{} ", times[row]));
            let mut frames = Vec::new();
            for location in profile.frames(samples.stacks[row]) {
                let fields = profile.locations()[location.index()];
                let lines = profile.lines(location);
                for line in lines {
                    let function = line.function.expect("lines here have functions");
                    let name = profile.functions()[function.index()].name;
                    frames.push(profile.text(name).to_owned());
                }
                if lines.is_empty() {
                    let module = fields.mapping.map_or("", |mapping| {
                        profile.text(profile.mappings()[mapping.index()].file)
                    });
                    frames.push(address_name(fields.address, module));
                }
            }
            frames.reverse();
            let values: Vec<i64> = samples.values.iter().map(|column| column[row]).collect();
            let mut labels: Vec<String> = profile
                .labels(samples.labels[row])
                .iter()
                .map(|label| {
                    let key = profile.text(label.key);
                    match label.value {
                        LabelValue::Text(text) => format!(" {key}={}", profile.text(text)),
                        LabelValue::Number(number, unit) => {
                            format!(" {key}={number}{}", profile.text(unit))
                        }
                    }
                })
                .collect();
            labels.sort();
            let time = time.unwrap_or_default();
            format!("{time}{} {values:?}{}", frames.join(";"), labels.concat())
        })
        .collect()
}

/// Reads a dump that is known by its first lines: what its threads do, and what is said of it.
pub(crate) fn check_threads(
    sniff: fn(Start<'_>) -> bool,
    decode: fn(&[u8]) -> Result<Decoded, FormatError>,
    text: &str,
    expect: &str,
    warnings: &[&str],
) {
    assert!(sniff(Start::of(text.as_bytes())), "{text}");
    let decoded = decode(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
    let expect = format!("threads/count\n{expect}");
    assert_eq!(drawn(&decoded.profile), expect);
    assert_eq!(decoded.warnings, warnings);
}

/// Each sample type: what it counts, and in which unit.
pub(crate) fn type_names(profile: &Profile) -> Vec<String> {
    let texts = profile.sample_types().iter().map(|&t| profile.type_text(t));
    texts.map(|(kind, unit)| format!("{kind}/{unit}")).collect()
}
