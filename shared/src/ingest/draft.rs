//! What a reader of pushes yields: chunks to be.

use crate::base::units::UnixNanos;
use crate::ingest::error::IngestError;
use crate::ingest::limits::IngestLimits;
use crate::ingest::trace::TraceLinks;
use crate::model::labels::Labels;
use crate::model::profile::Profile;
use crate::store::{ChunkId, SeriesRows, encode_chunk};

/// One chunk to be. A request may yield several; each has an identity of its own, so a retry after
/// half a success stores only what is missing.
pub(crate) struct Draft {
    /// What tells it from every other chunk.
    pub(crate) id: ChunkId,
    /// The tables that the rows refer to.
    pub(crate) profile: Profile,
    /// Its series, each with at least one row. None when the profile holds no sample.
    pub(crate) series: Vec<SeriesRows>,
    /// Bytes of the profile, compression undone.
    pub(crate) profile_bytes: usize,
}

/// What a request says of a profile beside the profile.
pub(crate) struct Origin {
    /// Labels of every series, with the name of the service.
    pub(crate) labels: Labels,
    /// Start, unless the profile has one.
    pub(crate) from: UnixNanos,
    /// Length, unless the profile has one; 0 is unknown.
    pub(crate) duration_nanos: i64,
}

/// What came of a request that may hold several profiles.
#[derive(Clone, Debug, Default)]
pub struct Ingested {
    /// What is to be stored. None for a profile without samples, which is accepted and ignored (an
    /// idle process).
    pub chunks: Vec<Chunk>,
    /// What is refused. The rest of the request is stored all the same.
    pub rejected: Vec<Rejected>,
    /// Bytes of the profiles that are taken, compression undone.
    pub profile_bytes: u64,
}

/// The bytes to store.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// As the store takes it.
    pub bytes: Vec<u8>,
    /// How many series it holds.
    pub series: usize,
    /// How many samples came with a span that is not kept, or not all of it.
    pub lost_links: u64,
}

/// A part of a request that is refused.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// Which part, in words for the sender.
    pub part: String,
    /// Why.
    pub error: IngestError,
}

impl Draft {
    /// The chunk, if there is something to store.
    pub(crate) fn encode(self, limits: &IngestLimits) -> Result<Option<Chunk>, IngestError> {
        limits.check_series(&self.series)?;
        if self.series.is_empty() {
            return Ok(None);
        }
        let bytes = encode_chunk(self.id, &self.profile, &self.series)?;
        Ok(Some(Chunk {
            bytes,
            series: self.series.len(),
            lost_links: TraceLinks::of(&self.profile).lost,
        }))
    }
}

impl AsRef<Self> for Ingested {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Ingested {
    /// Encodes drafts one by one, each with the name of its part of the request.
    pub(crate) fn collect(
        drafts: impl IntoIterator<Item = (String, Result<Draft, IngestError>)>,
        limits: &IngestLimits,
    ) -> Self {
        let mut ingested = Self::default();
        for (part, draft) in drafts {
            let bytes = draft.as_ref().map_or(0, |draft| draft.profile_bytes as u64);
            match draft.and_then(|draft| draft.encode(limits)) {
                Ok(chunk) => {
                    ingested.chunks.extend(chunk);
                    ingested.profile_bytes += bytes;
                }
                Err(error) => ingested.rejected.push(Rejected { part, error }),
            }
        }
        ingested
    }

    /// How many series are to be stored.
    pub fn series(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.series).sum()
    }
}
