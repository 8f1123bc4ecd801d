//! Stacks that are pushed in formats that do not say what they count: the end of the application's
//! name does, as in `my.app.alloc_space`. speedscope says in which unit, and the name the rest.

use super::draft::Draft;
use super::error::IngestError;
use super::identity::Identity;
use super::note::Note;
use super::origin::Origin;
use super::request::{Parameters, Push, TextFormat};
use crate::formats::decoded::Decoded;
use crate::formats::folded::{self, Scale};
use crate::formats::preorder::{decode_tree, decode_trie};
use crate::formats::speedscope;
use crate::model::labels::parse_name;
use crate::model::profile_type::ProfileType;

/// 100 samples a second, Pyroscope's default.
const DEFAULT_PERIOD_NANOS: i64 = 10_000_000;

/// The chunk of a text. One without a line is ignored, as an idle process is.
pub(super) fn draft(
    push: &Push<'_>,
    parameters: Parameters,
    format: TextFormat,
    text: &[u8],
) -> Result<Draft, IngestError> {
    let id = Identity::default()
        .with(b"text")
        .with(push.tenant.as_bytes())
        .with(push.query.as_bytes())
        .with(push.client.as_bytes())
        .with(text)
        .id();
    if text.trim_ascii().is_empty() {
        return Ok(Draft::empty(id));
    }
    let is_lines = matches!(format, TextFormat::Folded | TextFormat::Lines);
    if is_lines && is_form(push.content_type) && !text.contains(&b'\n') {
        return Err(IngestError::JoinedLines);
    }
    let (decoded, left_out) = match format {
        TextFormat::Folded => folded::decode_counted(text)?,
        TextFormat::Lines => (folded::decode_lines(text)?, 0),
        TextFormat::Trie => (decode_trie(text)?, 0),
        TextFormat::Tree => (decode_tree(text)?, 0),
        TextFormat::Speedscope => (speedscope::decode(text)?, 0),
    };
    let Decoded {
        mut profile,
        mut warnings,
    } = decoded;
    let (name, parts) = named(&parameters.name);
    let mut types = Vec::new();
    for column in 0..profile.sample_types().len() {
        let unit = profile.type_text(profile.sample_types()[column]).1;
        let scale = Scale::of_unit(unit);
        let is_count = unit == scale.unit();
        types.push(ProfileType::of_parts(match is_count {
            true => parts,
            false => in_unit(parts, unit),
        }));
        if !is_count {
            continue;
        }
        let [.., period_type, _] = parts;
        let mut period = 1;
        if !period_type.is_empty() {
            period = parameters.period_nanos.unwrap_or(DEFAULT_PERIOD_NANOS);
            profile.header.period = period;
        }
        let mut inexact = 0;
        for value in &mut profile.samples.values[column] {
            let (times, is_rounded) = scale.times(*value, period);
            *value = times;
            inexact += u64::from(is_rounded);
        }
        if inexact > 0 {
            warnings.push(folded::rounded(inexact, Scale::default()));
        }
    }
    let spy = parameters.origin.labels.get("pyroscope_spy");
    let spy = spy.map(|spy| ("pyroscope_spy".to_owned(), spy.to_owned()));
    let origin = Origin {
        labels: parse_name(&name)?.with_defaults(spy)?,
        ..parameters.origin
    };
    let draft = Draft::of(id, profile, &origin, &types, text.len(), &push.limits)?;
    let note = match left_out {
        0 => Note::Changed,
        _ => Note::LinesLeftOut,
    };
    Ok(draft.noted(warnings.into_iter().map(note)))
}

/// Whether a body is said to be a form. curl says so of all that it posts, unless it is told better.
fn is_form(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// The parts of a type in order: its name, sample type and unit, period type and unit. Values with
/// a period type are time when they are counted: each sample stands for a period.
type Parts<'a> = [&'a str; 5];

const CPU: Parts<'_> = ["process_cpu", "cpu", "nanoseconds", "cpu", "nanoseconds"];
const WALL: Parts<'_> = ["wall", "wall", "nanoseconds", "cpu", "nanoseconds"];
const BYTES: Parts<'_> = ["memory", "samples", "bytes", "", ""];

/// The name without its suffix, and what that says. An unknown suffix stays a part of the name and
/// means CPU time: dots in names are common.
fn named(name: &str) -> (String, Parts<'_>) {
    let (app, labels) = name.split_at(name.find('{').unwrap_or(name.len()));
    let known = app
        .trim_end()
        .rsplit_once('.')
        .filter(|(app, _)| !app.is_empty())
        .and_then(|(app, suffix)| Some((format!("{app}{labels}"), type_of(suffix)?)));
    known.unwrap_or_else(|| (name.to_owned(), CPU))
}

/// What values count that a profile gives in a unit: what the name says, unless that has another.
fn in_unit<'a>(named: Parts<'a>, unit: &str) -> Parts<'a> {
    match unit {
        unit if unit == named[2] => named,
        "bytes" => BYTES,
        _ => WALL,
    }
}

/// The parts of the type that a suffix stands for, by Pyroscope's table.
fn type_of(suffix: &str) -> Option<Parts<'_>> {
    Some(match suffix {
        "cpu" | "itimer" => CPU,
        "wall" | "seconds" | "milliseconds" | "microseconds" | "nanoseconds" => WALL,
        "inuse_objects"
        | "alloc_objects"
        | "alloc_in_new_tlab_objects"
        | "alloc_outside_tlab_objects"
        | "live" => ["memory", suffix, "count", "", ""],
        "inuse_space" | "alloc_space" | "alloc_in_new_tlab_bytes" | "alloc_outside_tlab_bytes" => {
            ["memory", suffix, "bytes", "", ""]
        }
        "bytes" => BYTES,
        "goroutines" => ["goroutine", "goroutines", "count", "", ""],
        "mutex_count" => ["mutex", "contentions", "count", "", ""],
        "mutex_duration" => ["mutex", "delay", "nanoseconds", "", ""],
        "block_count" | "lock_count" => ["block", "contentions", "count", "", ""],
        "block_duration" | "lock_duration" => ["block", "delay", "nanoseconds", "", ""],
        "exceptions" => ["exceptions", "samples", "count", "", ""],
        _ => return None,
    })
}
