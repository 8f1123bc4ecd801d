//! The answer to a query as bytes, as one invocation sends it to another and as a cache keeps it.
//!
//! Magic, a section with what was counted, and a chunk with the profile, if there is one. Checksums
//! cover every byte, so a damaged answer is an error.

use super::chunk::{SeriesRows, encode_chunk, read_chunk};
use crate::base::units::UnixNanos;
use crate::merge::stored::ErrorBounds;
use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;
use crate::store::codec::bytes::{Reader, put_varint};
use crate::store::codec::chunk_id::ChunkId;
use crate::store::codec::section::{check_magic, put_magic, put_plain, section};
use crate::store::codec::series::Series;
use crate::store::error::StoreError;

const MAGIC: &[u8; 7] = b"PLTANSW";

const NAME: &str = "answer";

/// Bits of the flags.
const SATURATED: u64 = 1;
const ROUNDED: u64 = 2;
/// The bounds of the error follow, which are 0 without.
const FOLDED: u64 = 4;

/// What is known of an answer beside its profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnswerStats {
    pub(crate) profiles: u64,
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
    pub(crate) saturated: bool,
    pub(crate) rounded: bool,
    pub(crate) error_bounds: ErrorBounds,
}

/// Writes an answer. A profile without sample types is none.
pub(crate) fn encode_answer(
    stats: AnswerStats,
    profile: &Profile,
    profile_type: &ProfileType,
) -> Result<Vec<u8>, StoreError> {
    let mut head = Vec::new();
    [stats.profiles, stats.objects, stats.bytes]
        .into_iter()
        .for_each(|count| put_varint(&mut head, count));
    let flags = [
        (stats.saturated, SATURATED),
        (stats.rounded, ROUNDED),
        (!stats.error_bounds.is_exact(), FOLDED),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
    put_varint(&mut head, flags.map(|(_, bit)| bit).sum());
    if !stats.error_bounds.is_exact() {
        put_varint(&mut head, stats.error_bounds.node);
        put_varint(&mut head, stats.error_bounds.function);
    }
    let chunk = if profile.sample_types.is_empty() {
        Vec::new()
    } else {
        answer_chunk(profile, profile_type)?
    };
    put_varint(&mut head, chunk.len() as u64);
    let mut out = Vec::new();
    put_magic(&mut out, MAGIC);
    put_plain(&mut out, &head, NAME)?;
    out.extend(chunk);
    Ok(out)
}

/// Reads what [`encode_answer`] wrote of a profile of this type.
pub(crate) fn decode_answer(
    bytes: &[u8],
    profile_type: &ProfileType,
) -> Result<(AnswerStats, Profile), StoreError> {
    let mut reader = Reader::new(bytes, NAME);
    check_magic(&mut reader, MAGIC, NAME)?;
    let head = section(&mut reader, NAME)?;
    let mut r = Reader::new(&head, NAME);
    let (profiles, objects, bytes, flags) = (r.varint()?, r.varint()?, r.varint()?, r.varint()?);
    let error_bounds = if flags & FOLDED != 0 {
        ErrorBounds {
            node: r.varint()?,
            function: r.varint()?,
        }
    } else {
        ErrorBounds::default()
    };
    let (needed, found) = (r.varint()?, reader.remaining() as u64);
    r.end()?;
    if needed != found {
        return Err(StoreError::Length {
            section: NAME,
            needed,
            found,
        });
    }
    let stats = AnswerStats {
        profiles,
        objects,
        bytes,
        saturated: flags & SATURATED != 0,
        rounded: flags & ROUNDED != 0,
        error_bounds,
    };
    let chunk = reader.take(reader.remaining())?;
    if chunk.is_empty() {
        return Ok((stats, Profile::default()));
    }
    let profile = read_chunk(chunk, |_, series| series.profile_type == *profile_type)?;
    if profile.sample_types.is_empty() {
        return Err(reader.corrupt("a profile of a different type than requested"));
    }
    Ok((stats, profile))
}

/// A merged profile as a chunk that is stored nowhere, so its id is zero. One series, or several
/// where the total of one would not fit 64 bits; to a reader of all they are one profile.
pub(crate) fn answer_chunk(
    profile: &Profile,
    profile_type: &ProfileType,
) -> Result<Vec<u8>, StoreError> {
    let (header, samples) = (profile.header(), profile.samples());
    let series = |time, duration_nanos| SeriesRows {
        series: Series {
            profile_type: profile_type.clone(),
            time: UnixNanos(time),
            duration_nanos,
            ..Series::default()
        },
        rows: Vec::new(),
        links: Vec::new(),
    };
    let (mut all, mut total) = (vec![series(header.time_nanos, header.duration_nanos)], 0i64);
    let values = samples.values.first().map_or(&[][..], Vec::as_slice);
    for (&stack, &value) in samples.stacks.iter().zip(values) {
        total = total.checked_add(value).unwrap_or_else(|| {
            all.push(series(0, 0));
            value
        });
        all.last_mut()
            .expect("there is one from the start")
            .rows
            .push((stack, value));
    }
    encode_chunk(ChunkId::default(), profile, &all)
}
