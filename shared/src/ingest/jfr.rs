//! A recording that is pushed: its samples, and the labels beside it.

use super::draft::Draft;
use super::error::IngestError;
use super::identity::Identity;
use super::origin::{Origin, is_plausible};
use super::request::{Parameters, Push};
use crate::formats::gzip::inflate;
use crate::formats::jfr::{LabelsSnapshot, Options, decode};

/// The label that names the event that was sampled, as Pyroscope has it.
const EVENT: &str = "jfr_event";

/// What a request holds of JFR; either may be gzip.
#[derive(Clone, Copy)]
pub(super) struct JfrParts<'a> {
    pub(super) recording: &'a [u8],
    /// Labels of contexts; empty without.
    pub(super) labels: &'a [u8],
}

/// The chunk of a recording. Its times are those of the request, as in Pyroscope: the clock of the
/// agent that cuts recordings, not of the process that is recorded. Where that clock does not know
/// the date, they are the recording's own.
pub(super) fn draft(
    push: &Push<'_>,
    parameters: Parameters,
    parts: JfrParts<'_>,
) -> Result<Draft, IngestError> {
    let inflated = inflate(parts.recording, push.limits.max_inflated)?;
    let recording = inflated.as_deref().unwrap_or(parts.recording);
    let inflated = inflate(parts.labels, push.limits.max_inflated)?;
    let labels = inflated.as_deref().unwrap_or(parts.labels);
    push.limits.check_size(recording.len())?;
    // Both are hashed inflated: a proxy may compress anew.
    let id = Identity::default()
        .with(b"jfr")
        .with(push.tenant.as_bytes())
        .with(push.query.as_bytes())
        .with(push.client.as_bytes())
        .with(recording)
        .with(labels)
        .id();
    let snapshot = match labels {
        [] => None,
        some => Some(LabelsSnapshot::decode(some)?),
    };
    if recording.is_empty() {
        return Ok(Draft::empty(id));
    }
    let options = Options {
        period_nanos: parameters.period_nanos,
        labels: snapshot.as_ref(),
        times: false,
    };
    let decoded = decode(recording, &options)?;
    let mut profile = decoded.profile;
    if parameters.origin.from.is_some_and(is_plausible) {
        profile.header.time_nanos = 0;
        profile.header.duration_nanos = 0;
    }
    let event = (!decoded.event.is_empty()).then(|| (EVENT.to_owned(), decoded.event));
    let origin = Origin {
        labels: parameters.origin.labels.with_defaults(event)?,
        ..parameters.origin
    };
    let types = &decoded.types;
    Draft::of(id, profile, &origin, types, recording.len(), &push.limits)
}
