//! From a push over HTTP to a chunk: what Pyroscope's `/ingest` means, as a plain function of the request.
//!
//! Sources: the request grammar and the naming rules in Grafana Pyroscope's documentation and what its published agents
//! send.

mod multipart;
mod split;

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use crate::base::limits::{MAX_LABEL_BYTES_A_PUSH, MAX_PUSH_BYTES, MAX_SERIES_A_PUSH};
use crate::base::parse_time::parse_time;
use crate::base::units::UnixNanos;
use crate::formats::detect::{UnsupportedFormat, unsupported};
use crate::formats::folded;
use crate::formats::gzip::{GzipError, inflate};
use crate::formats::pprof::{self, PprofError};
use crate::merge::canonical::fold_stacks;
use crate::model::labels::{LabelError, Labels, parse_name};
use crate::model::profile::Profile;
use crate::model::profile_type::UnusableType;
use crate::store::{ChunkId, StoreError, encode_chunk};
use multipart::MultipartError;

/// A request to `/ingest`.
#[derive(Clone, Copy, Debug)]
pub struct Push<'a> {
    /// The query string, still encoded, without the question mark.
    pub query: &'a str,
    /// The `Content-Type` header, empty when there is none.
    pub content_type: &'a str,
    /// The body as it came.
    pub body: &'a [u8],
    /// Whose data this is.
    pub tenant: &'a str,
    /// Address of the sender: tells two replicas that push equal profiles from one that pushes twice.
    pub client: &'a str,
    /// The current time.
    pub now: UnixNanos,
}

/// What came of a push.
#[derive(Clone, Debug)]
pub struct Ingested {
    /// The bytes to store; `None` when the profile holds no sample, which is accepted and ignored (an idle process).
    pub chunk: Option<Vec<u8>>,
    /// How many series the chunk holds.
    pub series: usize,
}

/// Why a push was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum IngestError {
    /// The required parameter `name` is missing.
    #[error("the query parameter \"name\" is missing; it names the application, as in ?name=my.app{{env=dev}}")]
    NoName,
    /// `name` is not an application with labels.
    #[error(transparent)]
    Name(#[from] LabelError),
    /// The labels of a sample are too many or too long.
    #[error("a sample's labels: {0}")]
    SampleLabels(LabelError),
    /// `from` or `until` is not a time.
    #[error("the query parameter {parameter:?} is {value:?}, which is not a time")]
    Time {
        /// Which of them.
        parameter: &'static str,
        /// What it says.
        value: String,
    },
    /// A format that is not understood.
    #[error("format {0:?} is not supported; send pprof (format=pprof, or multipart/form-data with a part \"profile\")")]
    Format(String),
    /// The sender says pprof and sends something else.
    #[error("the body is {0}; send pprof")]
    Unsupported(UnsupportedFormat),
    /// The body is not the multipart message it says it is.
    #[error(transparent)]
    Multipart(#[from] MultipartError),
    /// Damaged compression around the body, or too much behind it.
    #[error(transparent)]
    Gzip(#[from] GzipError),
    /// The `sample_type_config` part is not the JSON object it should be.
    #[error("sample_type_config: {0}")]
    Config(String),
    /// The old client that sends two cumulative profiles to be subtracted.
    #[error("prev_profile is not supported: this client is too old, its values are cumulative; upgrade it")]
    PreviousProfile,
    /// More series than one push may make.
    #[error(
        "the profile makes more than {MAX_SERIES_A_PUSH} series, one for each sample type and set of text labels; \
         send labels with fewer values"
    )]
    TooManySeries,
    /// More text in the labels of its series than one push may have.
    #[error("the labels of the profile's series have more than {MAX_LABEL_BYTES_A_PUSH} bytes; send fewer or shorter ones")]
    TooManyLabelBytes,
    /// A sample type that no query could name.
    #[error(transparent)]
    Type(#[from] UnusableType),
    /// Two columns of values with one type.
    #[error("the profile has the type {0} twice; its values could not be told apart")]
    TypeTwice(String),
    /// A start before 1970 or after 2200.
    #[error("the profile starts at {0} nanoseconds since 1970; it must start between the years 1970 and 2200")]
    Start(i64),
    /// A profile that is too long.
    #[error("the profile lasts {0} nanoseconds; at most a year is allowed")]
    Duration(i64),
    /// The profile itself.
    #[error(transparent)]
    Profile(#[from] PprofError),
    /// The profile cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl IngestError {
    /// The HTTP status: 400 for the request around the profile, 413, 415, and 422 for the profile.
    pub fn status(&self) -> u16 {
        match self {
            Self::NoName | Self::Name(_) | Self::Time { .. } | Self::Multipart(_) => 400,
            Self::Gzip(GzipError::TooLarge { .. })
            | Self::Profile(PprofError::TooLarge { .. } | PprofError::Gzip(GzipError::TooLarge { .. })) => 413,
            Self::Format(_) => 415,
            Self::Unsupported(_)
            | Self::Gzip(_)
            | Self::Config(_)
            | Self::PreviousProfile
            | Self::SampleLabels(_)
            | Self::TooManySeries
            | Self::TooManyLabelBytes
            | Self::Type(_)
            | Self::TypeTwice(_)
            | Self::Start(_)
            | Self::Duration(_)
            | Self::Profile(_)
            | Self::Store(_) => 422,
        }
    }

    /// Connect's name of the error.
    pub fn code(&self) -> &'static str {
        match self.status() {
            413 => "resource_exhausted",
            415 => "unimplemented",
            _ => "invalid_argument",
        }
    }
}

/// How an agent wants a sample type to be understood; of all it may say only the name is needed.
#[derive(Clone, Debug, Deserialize)]
struct SampleTypeConfig {
    #[serde(default, rename = "display-name")]
    display_name: String,
}

type Config = BTreeMap<String, SampleTypeConfig>;

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
    // Of canonical order only what pays: half of all rows are stacks that come again. The rest costs four times as much and
    // makes a chunk 15 % smaller, which lives for minutes; a merge takes tables in any order.
    fold_stacks(&mut profile);
    let series = split::split(&profile, &parameters, config.as_ref())?;
    if series.is_empty() {
        return Ok(Ingested { chunk: None, series: 0 });
    }
    let chunk = encode_chunk(chunk_id(push, config.as_ref(), raw), &profile, &series)?;
    Ok(Ingested { chunk: Some(chunk), series: series.len() })
}

/// Decodes the profile; one that is no pprof is refused by its name, as far as it has one.
fn decode(raw: &[u8]) -> Result<Profile, IngestError> {
    pprof::open(raw, MAX_PUSH_BYTES).map(|decoded| decoded.profile).map_err(|error| {
        if !error.may_be_another_format() {
            return error.into();
        }
        let folded =
            folded::sniff(raw).then_some(UnsupportedFormat::Other("a text of folded stacks, which pushes cannot be yet"));
        folded.or_else(|| unsupported::identify(raw)).map_or(error.into(), IngestError::Unsupported)
    })
}

/// What the query string says.
struct Parameters {
    labels: Labels,
    from: UnixNanos,
    /// 0 unless both ends are given.
    duration_nanos: i64,
    format: String,
}

impl Parameters {
    fn parse(push: &Push<'_>) -> Result<Self, IngestError> {
        let (mut name, mut spy, mut format) = (None, String::new(), String::new());
        let (mut from, mut until) = (None, None);
        for (key, value) in form_urlencoded::parse(push.query.as_bytes()) {
            let time = |parameter| {
                let wrong = || IngestError::Time { parameter, value: value.to_string() };
                parse_time(&value, push.now).ok_or_else(wrong).map(Some)
            };
            match key.as_ref() {
                "name" => name = Some(parse_name(&value)?),
                "spyName" => spy = value.into_owned(),
                "format" => format = value.into_owned(),
                "from" if !value.is_empty() => from = time("from")?,
                "until" if !value.is_empty() => until = time("until")?,
                // Agents send more (units, aggregationType, sampleRate, spyVersion); the profile itself says those.
                _ => {}
            }
        }
        let spy = (!spy.is_empty() && spy != "unknown").then(|| ("pyroscope_spy".to_owned(), spy));
        let labels = name.ok_or(IngestError::NoName)?.with_defaults(spy)?;
        let duration_nanos = match (from, until) {
            (Some(UnixNanos(from)), Some(UnixNanos(until))) => until.saturating_sub(from).max(0),
            _ => 0,
        };
        Ok(Self { labels, from: from.or(until).unwrap_or(push.now), duration_nanos, format })
    }

    /// A body that is not multipart must be pprof, and the sender must say so.
    fn check_format(&self) -> Result<(), IngestError> {
        match self.format.as_str() {
            "pprof" => Ok(()),
            "" => Err(IngestError::Format("groups".to_owned())),
            other => Err(IngestError::Format(other.to_owned())),
        }
    }
}

/// The profile and the configuration of a multipart push.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<(&'a [u8], Option<Config>), IngestError> {
    let (mut profile, mut config) = (None, None);
    for part in multipart::parts(body, boundary)? {
        match part.name.as_str() {
            "profile" => profile = Some(part.body),
            "sample_type_config" => {
                config = Some(serde_json::from_slice(part.body).map_err(|e| IngestError::Config(e.to_string()))?);
            }
            "prev_profile" if !part.body.is_empty() => return Err(IngestError::PreviousProfile),
            "jfr" => return Err(IngestError::Format("jfr".to_owned())),
            _ => {}
        }
    }
    Ok((profile.ok_or(MultipartError::NoPart { name: "profile" })?, config))
}

/// Identity of a push: all that decides what is stored, less the time of arrival, and the sender's address. A client that
/// sends again what it sent before sends the same of all of these.
fn chunk_id(push: &Push<'_>, config: Option<&Config>, profile: &[u8]) -> ChunkId {
    let mut hash = Xxh3::new();
    let mut part = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    [push.tenant.as_bytes(), push.query.as_bytes(), push.client.as_bytes(), profile].into_iter().for_each(&mut part);
    // An empty configuration is not the same as none.
    part(&[u8::from(config.is_some())]);
    for (kind, SampleTypeConfig { display_name }) in config.into_iter().flatten() {
        part(kind.as_bytes());
        part(display_name.as_bytes());
    }
    ChunkId(hash.digest128().to_le_bytes())
}
