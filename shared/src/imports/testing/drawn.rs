//! Drawing profiles as text, for tests.

use std::fmt::Write as _;

use crate::model::address_name::address_name;
use crate::model::profile::{LabelValue, Profile};

/// Sample types, then a line for each sample: its stack (the root first, `name file:line:column` as
/// far as known), labels, values and time.
pub(crate) fn drawn(profile: &Profile) -> String {
    let mut text = String::new();
    for &sample_type in profile.sample_types() {
        let (kind, unit) = profile.type_text(sample_type);
        writeln!(text, "{kind}/{unit}").expect("a String takes all");
    }
    let samples = profile.samples();
    for row in 0..profile.len() {
        let mut frames: Vec<String> = profile
            .frames(samples.stacks[row])
            .map(|location| {
                let Some(line) = profile.lines(location).first() else {
                    let location = profile.locations()[location.index()];
                    let module = location.mapping.map_or("", |mapping| {
                        profile.text(profile.mappings()[mapping.index()].file)
                    });
                    return address_name(location.address, module);
                };
                let function = profile.functions()[line.function.expect("a name").index()];
                let mut frame = profile.text(function.name).to_owned();
                if !function.file.is_empty() {
                    write!(frame, " {}", profile.text(function.file)).expect("a String");
                }
                for place in [line.line, line.column] {
                    if place != 0 {
                        write!(frame, ":{place}").expect("a String takes all");
                    }
                }
                frame
            })
            .collect();
        frames.reverse();
        text += &frames.join(";");
        for label in profile.labels(samples.labels[row]) {
            let key = profile.text(label.key);
            match label.value {
                LabelValue::Text(value) => write!(text, " {key}={}", profile.text(value)),
                LabelValue::Number(value, _) => write!(text, " {key}={value}"),
            }
            .expect("a String takes all");
        }
        for values in &samples.values {
            write!(text, " {}", values[row]).expect("a String takes all");
        }
        if let Some(times) = &samples.times {
            write!(text, " @{}", times[row]).expect("a String takes all");
        }
        text.push('\n');
    }
    text
}
