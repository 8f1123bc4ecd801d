//! Folded stacks that are pushed. The format does not say what it counts: the end of the
//! application's name does, as in `my.app.alloc_space`.

use super::draft::Draft;
use super::error::IngestError;
use super::identity::Identity;
use super::origin::Origin;
use super::request::{Parameters, Push, TextFormat};
use crate::formats::folded;
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
    let mut profile = match format {
        TextFormat::Folded => folded::decode(text)?.profile,
        TextFormat::Lines => folded::decode_lines(text)?,
    };
    let (name, counted) = counted(&parameters.name);
    if counted.of_time {
        let period = parameters.period_nanos.unwrap_or(DEFAULT_PERIOD_NANOS);
        for value in &mut profile.samples.values[0] {
            *value = value.saturating_mul(period);
        }
    }
    let spy = parameters.origin.labels.get("pyroscope_spy");
    let spy = spy.map(|spy| ("pyroscope_spy".to_owned(), spy.to_owned()));
    let origin = Origin {
        labels: parse_name(&name)?.with_defaults(spy)?,
        ..parameters.origin
    };
    Draft::of(id, profile, &origin, &[counted.profile_type], text.len())
}

/// What the values of a text count.
struct Counted {
    profile_type: ProfileType,
    /// Whether they are samples, each of which stands for a period.
    of_time: bool,
}

/// The name without its suffix, and what that says. An unknown suffix stays a part of the name and
/// means CPU time: dots in names are common.
fn counted(name: &str) -> (String, Counted) {
    let (app, labels) = name.split_at(name.find('{').unwrap_or(name.len()));
    let known = app
        .trim_end()
        .rsplit_once('.')
        .filter(|(app, _)| !app.is_empty())
        .and_then(|(app, suffix)| Some((format!("{app}{labels}"), type_of(suffix)?)));
    let (name, [group, kind, unit, period_type, period_unit]) =
        known.unwrap_or_else(|| (name.to_owned(), CPU));
    let counted = Counted {
        of_time: !period_type.is_empty(),
        profile_type: ProfileType {
            name: group.to_owned(),
            sample_type: kind.to_owned(),
            sample_unit: unit.to_owned(),
            period_type: period_type.to_owned(),
            period_unit: period_unit.to_owned(),
        },
    };
    (name, counted)
}

const CPU: [&str; 5] = ["process_cpu", "cpu", "nanoseconds", "cpu", "nanoseconds"];

/// The parts of the type that a suffix stands for, by Pyroscope's table.
fn type_of(suffix: &str) -> Option<[&str; 5]> {
    Some(match suffix {
        "cpu" | "itimer" => CPU,
        "wall" | "seconds" | "milliseconds" | "microseconds" | "nanoseconds" => {
            ["wall", "wall", "nanoseconds", "cpu", "nanoseconds"]
        }
        "inuse_objects"
        | "alloc_objects"
        | "alloc_in_new_tlab_objects"
        | "alloc_outside_tlab_objects"
        | "live" => ["memory", suffix, "count", "", ""],
        "inuse_space" | "alloc_space" | "alloc_in_new_tlab_bytes" | "alloc_outside_tlab_bytes" => {
            ["memory", suffix, "bytes", "", ""]
        }
        "bytes" => ["memory", "samples", "bytes", "", ""],
        "goroutines" => ["goroutine", "goroutines", "count", "", ""],
        "mutex_count" => ["mutex", "contentions", "count", "", ""],
        "mutex_duration" => ["mutex", "delay", "nanoseconds", "", ""],
        "block_count" | "lock_count" => ["block", "contentions", "count", "", ""],
        "block_duration" | "lock_duration" => ["block", "delay", "nanoseconds", "", ""],
        "exceptions" => ["exceptions", "samples", "count", "", ""],
        _ => return None,
    })
}
