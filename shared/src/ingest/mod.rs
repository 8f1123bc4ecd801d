//! From a push over HTTP to a chunk: what Pyroscope's `/ingest` means, as a plain function of the
//! request.
//!
//! Sources: the request grammar and the naming rules in Grafana Pyroscope's documentation and what
//! its published agents send.

mod error;
mod multipart;
mod request;
mod split;
mod trace;

use xxhash_rust::xxh3::Xxh3;

use crate::base::limits::MAX_PUSH_BYTES;
use crate::formats::detect::{UnsupportedFormat, unsupported};
use crate::formats::folded;
use crate::formats::gzip::inflate;
use crate::formats::pprof;
use crate::merge::canonical::fold_stacks;
use crate::model::profile::Profile;
use crate::store::{ChunkId, encode_chunk};
pub use error::IngestError;
use multipart::MultipartError;
pub use request::Push;
use request::{Config, Parameters, SampleTypeConfig};

/// What came of a push.
#[derive(Clone, Debug)]
pub struct Ingested {
    /// The bytes to store; `None` when the profile holds no sample, which is accepted and ignored
    /// (an idle process).
    pub chunk: Option<Vec<u8>>,
    /// How many series the chunk holds.
    pub series: usize,
}

/// Decodes, checks and encodes a push.
pub fn ingest(push: &Push<'_>) -> Result<Ingested, IngestError> {
    let parameters = Parameters::parse(push)?;
    let outer = inflate(push.body, MAX_PUSH_BYTES)?;
    let body = outer.as_deref().unwrap_or(push.body);
    let (profile, config) = match multipart::boundary(push.content_type)? {
        Some(boundary) => parts(body, &boundary)?,
        None => {
            parameters.check_format()?;
            (body, None)
        }
    };
    let inner = inflate(profile, MAX_PUSH_BYTES)?;
    let raw = inner.as_deref().unwrap_or(profile);
    let mut profile = decode(raw)?;
    // Of canonical order only what pays: half of all rows are stacks that come again. The rest
    // costs four times as much and makes a chunk 15 % smaller, which lives for minutes; a merge
    // takes tables in any order.
    fold_stacks(&mut profile);
    let series = split::split(&profile, &parameters, config.as_ref())?;
    if series.is_empty() {
        return Ok(Ingested {
            chunk: None,
            series: 0,
        });
    }
    let chunk = encode_chunk(chunk_id(push, config.as_ref(), raw), &profile, &series)?;
    Ok(Ingested {
        chunk: Some(chunk),
        series: series.len(),
    })
}

/// Decodes the profile; one that is no pprof is refused by its name, as far as it has one.
fn decode(raw: &[u8]) -> Result<Profile, IngestError> {
    pprof::open(raw, MAX_PUSH_BYTES)
        .map(|decoded| decoded.profile)
        .map_err(|error| {
            if !error.may_be_another_format() {
                return error.into();
            }
            let folded = folded::sniff(raw).then_some(UnsupportedFormat::Other(
                "a text of folded stacks, which pushes cannot be yet",
            ));
            folded
                .or_else(|| unsupported::identify(raw))
                .map_or(error.into(), IngestError::Unsupported)
        })
}

/// The profile and the configuration of a multipart push.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<(&'a [u8], Option<Config>), IngestError> {
    let (mut profile, mut config) = (None, None);
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
            "jfr" => return Err(IngestError::Format("jfr".to_owned())),
            _ => {}
        }
    }
    Ok((
        profile.ok_or(MultipartError::NoPart { name: "profile" })?,
        config,
    ))
}

/// Identity of a push: all that decides what is stored, less the time of arrival, and the sender's
/// address. A client that sends again what it sent before sends the same of all of these.
fn chunk_id(push: &Push<'_>, config: Option<&Config>, profile: &[u8]) -> ChunkId {
    let mut hash = Xxh3::new();
    let mut part = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    [
        push.tenant.as_bytes(),
        push.query.as_bytes(),
        push.client.as_bytes(),
        profile,
    ]
    .into_iter()
    .for_each(&mut part);
    // An empty configuration is not the same as none.
    part(&[u8::from(config.is_some())]);
    for (kind, SampleTypeConfig { display_name }) in config.into_iter().flatten() {
        part(kind.as_bytes());
        part(display_name.as_bytes());
    }
    ChunkId(hash.digest128().to_le_bytes())
}
