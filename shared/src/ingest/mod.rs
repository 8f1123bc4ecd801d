//! From a push over HTTP to a chunk: what Pyroscope's `/ingest` means, as a plain function of the
//! request.
//!
//! Sources: the request grammar and the naming rules in Grafana Pyroscope's documentation and what
//! its published agents send.

mod draft;
mod error;
mod identity;
mod jfr;
mod limits;
mod multipart;
mod normalize;
mod note;
mod origin;
mod otlp;
mod push_v1;
mod reason;
mod request;
mod split;
mod text;
mod trace;
mod type_names;

use crate::formats::detect::{UnsupportedFormat, unsupported};
use crate::formats::gzip::{GzipError, inflate};
use crate::formats::unpack::{DAMAGED_TEXT, utf16, utf16_length};
use crate::formats::{self, folded, speedscope};
use crate::store::ChunkId;
use draft::Draft;
pub use draft::{Chunk, Ingested, Noted, Rejected};
pub use error::IngestError;
use identity::Identity;
use jfr::JfrParts;
pub use limits::IngestLimits;
use multipart::MultipartError;
use normalize::{Pushed, dotnet};
pub use note::Note;
pub use otlp::{OtlpFormat, OtlpIngested, OtlpPush, ingest_otlp, otlp_status};
pub use push_v1::{Sender, ingest_push_v1};
pub use reason::DiscardReason;
pub use request::Push;
use request::{Config, Parameters, SampleTypeConfig};

/// Decodes, checks and encodes a push to `/ingest`, which holds one profile.
pub fn ingest(push: &Push<'_>) -> Result<Ingested, IngestError> {
    let mut ingested = Ingested::default();
    ingested.add("the profile".to_owned(), draft(push)?)?;
    Ok(ingested)
}

fn draft(push: &Push<'_>) -> Result<Draft, IngestError> {
    let parameters = Parameters::parse(push)?;
    let cap = push.limits.max_inflated;
    let outer = inflate(push.body, cap)?;
    let body = outer.as_deref().unwrap_or(push.body);
    if body.is_empty() {
        return Ok(Draft::empty(chunk_id(push, None, body)));
    }
    let (profile, mut config) = match body_of(push, &parameters, body)? {
        Body::Pprof(profile, config) => (profile, config),
        Body::Jfr(parts) => return jfr::draft(push, parameters, parts),
    };
    let inner = inflate(profile, cap)?;
    let raw = inner.as_deref().unwrap_or(profile);
    if raw.is_empty() {
        return Ok(Draft::empty(chunk_id(push, config.as_ref(), raw)));
    }
    if formats::jfr::sniff(raw) {
        let (recording, labels) = (raw, &[][..]);
        return jfr::draft(push, parameters, JfrParts { recording, labels });
    }
    if utf16_length(raw).is_some_and(|length| length > cap) {
        return Err(GzipError::TooLarge { cap }.into());
    }
    let wide = utf16(raw);
    let (raw, is_damaged) = match &wide {
        Some((text, is_damaged)) => (text.as_bytes(), *is_damaged),
        None => (raw, false),
    };
    push.limits.check_size(raw.len())?;
    if let Some(format) = parameters.text_format(raw) {
        let draft = text::draft(push, parameters, format, raw)?;
        let note = is_damaged.then(|| Note::Changed(DAMAGED_TEXT.to_owned()));
        return Ok(draft.noted(note));
    }
    let Pushed { mut profile, note } = decode(raw, cap)?;
    let id = chunk_id(push, config.as_ref(), raw);
    let spy = parameters.origin.labels.get("pyroscope_spy");
    if dotnet::is_sender(spy, config.as_ref()) {
        dotnet::underscore_types(&mut profile, &mut config);
    }
    let types = type_names::of_pprof(&profile, config.as_ref());
    let draft = Draft::of(
        id,
        profile,
        &parameters.origin,
        &types,
        raw.len(),
        &push.limits,
    )?;
    Ok(draft.noted(note))
}

/// Decodes the profile; one that is no pprof is refused by its name, as far as it has one.
fn decode(raw: &[u8], cap: usize) -> Result<Pushed, IngestError> {
    // It would be a pprof profile without samples, which is taken and kept nowhere.
    if let Some(trace) = unsupported::perfetto(raw) {
        return Err(IngestError::Unsupported(trace));
    }
    normalize::read_pprof(raw, cap).map_err(|error| {
        if !error.may_be_another_format() {
            return error.into();
        }
        let read = if folded::sniff(raw) {
            Some("folded stacks (format=groups)")
        } else if speedscope::sniff(raw) {
            Some("speedscope JSON (format=speedscope)")
        } else {
            None
        };
        read.map(UnsupportedFormat::Other)
            .or_else(|| unsupported::identify(raw))
            .map_or(error.into(), IngestError::Unsupported)
    })
}

/// What a request holds, as far as its form tells.
enum Body<'a> {
    /// A profile, and how its sample types are to be understood.
    Pprof(&'a [u8], Option<Config>),
    /// A recording.
    Jfr(JfrParts<'a>),
}

fn body_of<'a>(
    push: &Push<'_>,
    parameters: &Parameters,
    body: &'a [u8],
) -> Result<Body<'a>, IngestError> {
    match multipart::boundary(push.content_type)? {
        Some(boundary) => parts(body, &boundary),
        None if parameters.is_jfr() => Ok(Body::Jfr(JfrParts {
            recording: body,
            labels: &[],
        })),
        None => {
            parameters.check_format()?;
            Ok(Body::Pprof(body, None))
        }
    }
}

/// The profile and the configuration of a multipart push, or the recording and its labels.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<Body<'a>, IngestError> {
    let (mut profile, mut config) = (None, None);
    let (mut recording, mut labels) = (None, &[][..]);
    for part in multipart::parts(body, boundary)? {
        match part.name.as_str() {
            "profile" => profile = Some(part.body),
            "sample_type_config" => {
                config = Some(
                    serde_json::from_slice(part.body)
                        .map_err(|e| IngestError::Config(e.to_string()))?,
                );
            }
            "prev_profile" if !part.body.is_empty() => return Err(IngestError::PreviousProfile),
            "jfr" => recording = Some(part.body),
            "labels" => labels = part.body,
            _ => {}
        }
    }
    match (recording, profile) {
        (Some(recording), _) => Ok(Body::Jfr(JfrParts { recording, labels })),
        (None, Some(profile)) => Ok(Body::Pprof(profile, config)),
        (None, None) => Err(MultipartError::NoPart { name: "profile" }.into()),
    }
}

fn chunk_id(push: &Push<'_>, config: Option<&Config>, profile: &[u8]) -> ChunkId {
    let mut identity = Identity::default()
        .with(push.tenant.as_bytes())
        .with(push.query.as_bytes())
        .with(push.client.as_bytes())
        .with(profile)
        // An empty configuration is not the same as none.
        .with(&[u8::from(config.is_some())]);
    for (kind, SampleTypeConfig { display_name }) in config.into_iter().flatten() {
        identity = identity.with(kind.as_bytes()).with(display_name.as_bytes());
    }
    identity.id()
}
