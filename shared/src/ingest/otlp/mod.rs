//! What a request of OTLP profiles means: which service, labels and types, and what makes two
//! profiles one.
//!
//! Sources: opentelemetry-proto's comments, OpenTelemetry's semantic conventions, and what Grafana
//! Pyroscope makes of the same requests, where that loses nothing.

mod answer;
mod drafts;
mod labels;
mod samples;
mod types;

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use crate::base::limits::{MAX_DURATION_NANOS, MAX_PUSH_BYTES, MAX_START_NANOS};
use crate::base::units::UnixNanos;
use crate::formats::compression::{self, ContentEncoding};
use crate::formats::otlp::{self, Head, OtlpError, Request, Stop};
use crate::ingest::draft::{Ingested, Rejected};
use crate::ingest::error::IngestError;
use crate::ingest::identity::Identity;
use crate::ingest::limits::IngestLimits;
use crate::ingest::origin::Origin;
pub use answer::otlp_status;
use drafts::{DraftKey, Drafts, Part};
use labels::OwnerLabels;
use samples::SampleLabels;

/// Most reasons that are kept; a sender's answer has room for a few.
const MAX_REASONS: usize = 16;

/// What a profile takes beside its labels and samples.
const PART_COST: usize = 512;

/// What a chunk takes while it is gathered, however little is in it: 2.7 kB were measured.
const GATHERING_COST: usize = 3072;

/// A request to `/v1development/profiles`.
#[derive(Clone, Copy, Debug)]
pub struct OtlpPush<'a> {
    /// The body as it came.
    pub body: &'a [u8],
    /// The `Content-Encoding` header, empty when there is none.
    pub content_encoding: &'a str,
    /// Whether the body is JSON rather than protobuf.
    pub format: OtlpFormat,
    /// Whose data this is.
    pub tenant: &'a str,
    /// Address of the sender.
    pub client: &'a str,
    /// The current time.
    pub now: UnixNanos,
    /// What the tenant may push.
    pub limits: IngestLimits,
}

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtlpFormat {
    /// Protobuf.
    Protobuf,
    /// JSON.
    Json,
}

/// What came of a request.
#[derive(Clone, Debug, Default)]
pub struct OtlpIngested {
    /// What is to be stored, and why some of it is refused; of many reasons the first.
    pub ingested: Ingested,
    /// How many profiles are refused.
    pub rejected_profiles: u64,
}

/// Decodes, checks and encodes a request. Profiles that cannot be read or stored are refused one by
/// one.
pub fn ingest_otlp(push: &OtlpPush<'_>) -> Result<OtlpIngested, IngestError> {
    let encoding = ContentEncoding::of(push.content_encoding)?;
    let cap = push.limits.max_inflated;
    let inflated = compression::inflate(push.body, encoding, cap)?;
    let body = inflated.as_deref().unwrap_or(push.body);
    if body.len() > cap {
        return Err(OtlpError::TooLarge {
            length: body.len(),
            cap,
        }
        .into());
    }
    push.limits.check_size(body.len())?;
    let message: Cow<'_, [u8]> = match push.format {
        OtlpFormat::Protobuf => body.into(),
        OtlpFormat::Json => otlp::to_protobuf(body, MAX_PUSH_BYTES)?.into(),
    };
    let request = match push.format {
        OtlpFormat::Protobuf => Request::open(&message)?,
        OtlpFormat::Json => Request::open_newest(&message)?,
    };
    let mut reading = Reading {
        tenant: push.tenant,
        labels: SampleLabels::new(&request),
        now: push.now,
        drafts: Drafts::default(),
        profiles: 0,
        result: OtlpIngested::default(),
        incomplete: HashSet::new(),
    };
    reading.profiles(&request)?;
    let Reading {
        drafts,
        mut result,
        incomplete,
        ..
    } = reading;
    let content = Identity::default()
        .with(b"OTLP request")
        .with(push.tenant.as_bytes())
        .with(push.client.as_bytes())
        .with(&message);
    result.ingested.profile_bytes = body.len() as u64;
    // A profile of several services counts once, however many of its parts are refused.
    let mut counted = incomplete;
    for mut parted in drafts.finish(&content, &push.limits) {
        match parted.draft.encode() {
            Ok(chunk) => {
                result.ingested.chunks.extend(chunk);
                for (number, note) in parted.notes {
                    result.ingested.note(&part_name(number), [note]);
                }
            }
            Err(error) => {
                let profiles = parted.profiles.into_iter();
                parted
                    .refused
                    .extend(profiles.map(|number| (number, error.clone())));
            }
        }
        for (number, error) in parted.refused {
            if counted.insert(number) {
                result.reject(number, error);
            }
        }
    }
    Ok(result)
}

impl AsRef<Ingested> for OtlpIngested {
    fn as_ref(&self) -> &Ingested {
        &self.ingested
    }
}

impl OtlpIngested {
    fn reject(&mut self, number: u64, error: IngestError) {
        self.rejected_profiles += 1;
        if self.ingested.rejected.len() < MAX_REASONS {
            let part = part_name(number);
            self.ingested.rejected.push(Rejected { part, error });
        }
    }
}

/// A profile of a request, in words for the sender.
fn part_name(number: u64) -> String {
    format!("profile {number} (counted from 0)")
}

/// A request as it is read.
struct Reading<'r, 'a> {
    tenant: &'r str,
    now: UnixNanos,
    labels: SampleLabels<'r, 'a>,
    drafts: Drafts,
    /// How many profiles came so far.
    profiles: u64,
    result: OtlpIngested,
    /// Profiles of which some samples are left out, which is said already.
    incomplete: HashSet<u64>,
}

/// Samples of a profile that cannot be read.
#[derive(Default)]
struct LeftOut {
    count: u64,
    first: Option<IngestError>,
}

impl LeftOut {
    /// Notes what stops a sample; what stops the request is an error.
    fn note(&mut self, read: Result<(), IngestError>) -> Result<(), IngestError> {
        match read {
            Ok(()) => Ok(()),
            Err(IngestError::Otlp(error)) => Err(error.into()),
            Err(error) => {
                self.count += 1;
                self.first.get_or_insert(error);
                Ok(())
            }
        }
    }
}

/// What stops one profile; what stops the request is the outer error.
fn of_profile<T>(result: Result<T, Stop>) -> Result<Result<T, IngestError>, IngestError> {
    match result {
        Err(Stop::Request(error)) => Err(error.into()),
        other => Ok(other.map_err(IngestError::from)),
    }
}

impl Reading<'_, '_> {
    fn profiles(&mut self, request: &Request<'_>) -> Result<(), IngestError> {
        request.for_each_resource(|resource| {
            let of_resource = of_profile(resource.attributes())?
                .map(|attributes| OwnerLabels::default().with(attributes));
            resource.for_each_scope::<IngestError>(|scope| {
                let owner = match (&of_resource, of_profile(scope.attributes())?) {
                    (Ok(labels), Ok(attributes)) => {
                        // Copied for each scope.
                        request.charge(labels.bytes())?;
                        Ok(labels.clone().with(attributes))
                    }
                    (Err(error), _) => Err(error.clone()),
                    (_, Err(error)) => Err(error),
                };
                scope.for_each_profile(|profile| {
                    let number = self.profiles;
                    self.profiles += 1;
                    let read = match &owner {
                        Ok(owner) => self.profile(request, profile, number, owner),
                        Err(error) => Err(error.clone()),
                    };
                    match read {
                        Err(IngestError::Otlp(error)) => Err(error.into()),
                        Err(error) => {
                            self.result.reject(number, error);
                            Ok(())
                        }
                        Ok(()) => Ok(()),
                    }
                })
            })
        })
    }

    /// Adds a profile to the drafts of its services, without the samples that cannot be read; an
    /// error adds nothing of it.
    fn profile(
        &mut self,
        request: &Request<'_>,
        profile: otlp::Profile<'_, '_>,
        number: u64,
        owner: &OwnerLabels,
    ) -> Result<(), IngestError> {
        let head = profile.head()?;
        let (types, scale) = types::profile_types(&head);
        for profile_type in &types {
            profile_type.check()?;
        }
        let (from, duration_nanos) = Self::span(&head)?;
        let mut parts: HashMap<String, (DraftKey, Part)> = HashMap::new();
        let mut values = Vec::with_capacity(types.len());
        let default_service = owner.service();
        let (mut samples, mut left_out) = (0, LeftOut::default());
        profile.for_each_sample::<IngestError>(|sample| {
            samples += 1;
            let sample = match sample {
                Ok(sample) => sample,
                Err(error) => return left_out.note(Err(error.into())),
            };
            values.clear();
            for column in 0..types.len() {
                match sample.value(column, types.len()) {
                    Ok(value) => values.push(value.saturating_mul(scale)),
                    Err(error) => return left_out.note(Err(error.into())),
                }
            }
            if values.iter().all(|&value| value <= 0) {
                return Ok(());
            }
            let service = match self.labels.service(sample) {
                Ok(service) => service.unwrap_or(&default_service),
                Err(error) => return left_out.note(Err(error)),
            };
            if !parts.contains_key(service) {
                // Each profile of a service has its own copy of the labels.
                request.charge(2 * owner.bytes() + PART_COST)?;
                let labels = owner.labels(service)?;
                let key = DraftKey::new(self.tenant, service, &head, &types, &labels);
                if !self.drafts.contains(&key) {
                    request.charge(GATHERING_COST)?;
                }
                let origin = Origin {
                    labels,
                    from,
                    arrival: self.now,
                    duration_nanos,
                };
                let part = Part::new(number, origin, types.clone());
                parts.insert(service.to_owned(), (key, part));
            }
            let Some((key, part)) = parts.get_mut(service) else {
                return Ok(());
            };
            let gathering = self.drafts.gathering(key);
            let mut add = || {
                let stack = gathering.symbols.stack(request, &head, sample)?;
                let labels = self.labels.set(sample, gathering)?;
                let labels = part.label_set(labels);
                part.sample(stack, labels, &values);
                Ok(())
            };
            left_out.note(add())
        })?;
        let is_left = parts.values().any(|(_, part)| !part.is_empty());
        if let Some(error) = left_out.first {
            if !is_left {
                return Err(error);
            }
            let error = IngestError::OtlpSamples {
                left_out: left_out.count,
                samples,
                error: Box::new(error),
            };
            self.incomplete.insert(number);
            self.result.reject(number, error);
        }
        for (key, part) in parts.into_values() {
            self.drafts.gathering(&key).add(part, &key);
        }
        Ok(())
    }

    /// Start and length, as far as the profile says them.
    fn span(head: &Head<'_>) -> Result<(Option<UnixNanos>, i64), IngestError> {
        let from = match i64::try_from(head.time_nanos) {
            Ok(0) => None,
            Ok(time) if time <= MAX_START_NANOS => Some(UnixNanos(time)),
            other => return Err(IngestError::Start(other.unwrap_or(i64::MAX))),
        };
        let duration_nanos = i64::try_from(head.duration_nanos).unwrap_or(i64::MAX);
        if duration_nanos > MAX_DURATION_NANOS {
            return Err(IngestError::Duration(duration_nanos));
        }
        Ok((from, duration_nanos))
    }
}
