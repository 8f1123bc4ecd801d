//! What a request to `push.v1` means: labels, names, times, identity.

use super::draft::{Draft, Ingested};
use super::error::IngestError;
use super::identity::Identity;
use super::limits::IngestLimits;
use super::normalize::{self, Pushed};
use super::origin::Origin;
use super::type_names;
use crate::base::units::UnixNanos;
use crate::formats::gzip::{GzipError, inflate};
use crate::formats::push_v1::{PushRequest, RawSample, RawSeries};
use crate::model::labels::{Labels, SERVICE_NAME, UNKNOWN_SERVICE};
use crate::store::ChunkId;

/// Who sends a request, and when.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'a> {
    /// Whose data this is.
    pub tenant: &'a str,
    /// Address of the sender: tells two replicas that push equal profiles from one that pushes
    /// twice.
    pub client: &'a str,
    /// The current time.
    pub now: UnixNanos,
    /// What the tenant may push.
    pub limits: IngestLimits,
}

/// Decodes, checks and encodes the profiles of a request, each by itself: what is wrong with one
/// keeps no other from being stored.
pub fn ingest_push_v1(
    request: &PushRequest<'_>,
    sender: &Sender<'_>,
) -> Result<Ingested, IngestError> {
    if request
        .series
        .iter()
        .all(|series| series.samples.is_empty())
    {
        return Err(IngestError::NoProfiles);
    }
    let mut left = sender.limits.max_inflated;
    let drafts = request
        .series
        .iter()
        .enumerate()
        .flat_map(|(i, series)| series.samples.iter().map(move |sample| (i, series, sample)));
    let drafts = drafts.map(|(i, series, sample)| {
        let part = format!("series with index {i} and id {:?}", sample.id);
        (part, draft(series, sample, sender, &mut left))
    });
    Ok(Ingested::collect(drafts))
}

/// `left` is how many bytes all profiles of the request may still have.
fn draft(
    series: &RawSeries<'_>,
    sample: &RawSample<'_>,
    sender: &Sender<'_>,
    left: &mut usize,
) -> Result<Draft, IngestError> {
    let (labels, name) = labels(series)?;
    let inflated = inflate(&sample.profile, *left)?;
    let raw = inflated.as_deref().unwrap_or(&sample.profile);
    *left = left.checked_sub(raw.len()).ok_or(GzipError::TooLarge {
        cap: sender.limits.max_inflated,
    })?;
    sender.limits.check_size(raw.len())?;
    let id = identity(series, sample, sender, raw);
    if raw.is_empty() {
        return Ok(Draft::empty(id));
    }
    let Pushed { profile, note } = normalize::read_pprof(raw, sender.limits.max_inflated)?;
    let types = match name {
        Some(name) => type_names::named(&profile, name),
        None => type_names::of_pprof(&profile, None),
    };
    let origin = Origin {
        labels,
        from: None,
        arrival: sender.now,
        duration_nanos: 0,
    };
    let draft = Draft::of(id, profile, &origin, &types, raw.len(), &sender.limits)?;
    Ok(draft.noted(note))
}

/// The labels of a series, and the name of its profiles. Private labels say how the sender works
/// (`__delta__`) or would make a series of each process (`__session_id__`); none is kept.
fn labels<'a>(series: &'a RawSeries<'_>) -> Result<(Labels, Option<&'a str>), IngestError> {
    let (mut pairs, mut name) = (Vec::new(), None);
    for (key, value) in &series.labels {
        match key.as_str() {
            _ if value.is_empty() => {}
            "" => return Err(IngestError::UnnamedLabel(value.clone())),
            "__name__" => name = Some(value.as_str()),
            private if private.starts_with("__") => {}
            _ => pairs.push((key.clone(), value.clone())),
        }
    }
    let unknown = (SERVICE_NAME.to_owned(), UNKNOWN_SERVICE.to_owned());
    let labels = Labels::new(pairs)?.with_defaults([unknown])?;
    Ok((labels, name))
}

/// A profile's own id, where it is a UUID, is the same however a proxy encodes the profile anew.
/// Without one its bytes are what tells it from others.
fn identity(
    series: &RawSeries<'_>,
    sample: &RawSample<'_>,
    sender: &Sender<'_>,
    raw: &[u8],
) -> ChunkId {
    let mut identity = Identity::default()
        .with(b"push.v1")
        .with(sender.tenant.as_bytes());
    let mut labels: Vec<_> = series.labels.iter().collect();
    crate::base::sort::sort_by(&mut labels, Ord::cmp);
    for (name, value) in labels {
        identity = identity.with(name.as_bytes()).with(value.as_bytes());
    }
    match uuid(&sample.id) {
        Some(uuid) => identity.with(b"id").with(&uuid.to_be_bytes()).id(),
        None => identity
            .with(b"bytes")
            .with(sender.client.as_bytes())
            .with(raw)
            .id(),
    }
}

/// A UUID other than that of zeros.
fn uuid(text: &str) -> Option<u128> {
    let shape = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    let number = shape.then(|| u128::from_str_radix(&text.replace('-', ""), 16));
    number?.ok().filter(|&number| number != 0)
}
