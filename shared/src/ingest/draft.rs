//! What a reader of pushes yields: chunks to be.

use std::fmt;
use std::mem::take;

use crate::ingest::error::IngestError;
use crate::ingest::limits::IngestLimits;
use crate::ingest::note::Note;
use crate::ingest::origin::Origin;
use crate::ingest::split::{Split, split};
use crate::merge::canonical::fold_stacks;
use crate::model::profile::Profile;
use crate::model::profile_type::ProfileType;
use crate::store::{ChunkId, encode_chunk};

/// Most notes of a request that are kept; an answer has room for a few.
const MAX_NOTES: usize = 16;

/// One chunk to be. A request may yield several; each has an identity of its own, so a retry after
/// half a success stores only what is missing.
pub(crate) struct Draft {
    /// What tells it from every other chunk.
    pub(crate) id: ChunkId,
    /// The tables that the rows refer to.
    pub(crate) profile: Profile,
    /// Its series, each with at least one row. None when the profile holds no sample.
    pub(crate) split: Split,
    /// Bytes of the profile, compression undone.
    pub(crate) profile_bytes: usize,
}

/// What came of a request that may hold several profiles.
#[derive(Clone, Debug, Default)]
pub struct Ingested {
    /// What is to be stored. None for a profile without samples, which is accepted and ignored (an
    /// idle process).
    pub chunks: Vec<Chunk>,
    /// What is refused. The rest of the request is stored all the same.
    pub rejected: Vec<Rejected>,
    /// What is stored otherwise than it was sent.
    pub notes: Vec<Noted>,
    /// Bytes of the profiles that are taken, compression undone.
    pub profile_bytes: u64,
}

/// The bytes to store.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// As the store takes it.
    pub bytes: Vec<u8>,
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

/// A part of a request that is stored otherwise than it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Noted {
    /// Which part, in words for the sender.
    pub part: String,
    /// What is different.
    pub note: Note,
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.note)
    }
}

impl Draft {
    /// Of one profile of so many bytes; `types` are those of its columns, in order.
    pub(crate) fn of(
        id: ChunkId,
        mut profile: Profile,
        origin: &Origin,
        types: &[ProfileType],
        profile_bytes: usize,
        limits: &IngestLimits,
    ) -> Result<Self, IngestError> {
        // Of canonical order only what pays: half of all rows are stacks that come again. The rest
        // costs four times as much and makes a chunk 15 % smaller, which lives for minutes; a merge
        // takes tables in any order.
        fold_stacks(&mut profile);
        let split = split(&profile, origin, types)?;
        limits.check_series(&split.series)?;
        Ok(Self {
            id,
            profile,
            split,
            profile_bytes,
        })
    }

    /// The same with more to be said of it.
    pub(crate) fn noted(mut self, notes: impl IntoIterator<Item = Note>) -> Self {
        self.split.notes.extend(notes);
        self
    }

    /// Of a push without a sample. It is accepted and ignored.
    pub(crate) fn empty(id: ChunkId) -> Self {
        Self {
            id,
            profile: Profile::default(),
            split: Split::default(),
            profile_bytes: 0,
        }
    }

    /// The chunk, if there is something to store.
    pub(crate) fn encode(self) -> Result<Option<Chunk>, IngestError> {
        let Split {
            series, lost_links, ..
        } = self.split;
        if series.is_empty() {
            return Ok(None);
        }
        Ok(Some(Chunk {
            bytes: encode_chunk(self.id, &self.profile, &series)?,
            lost_links,
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
    ) -> Self {
        let mut ingested = Self::default();
        for (part, draft) in drafts {
            let added = draft.and_then(|draft| ingested.add(part.clone(), draft));
            if let Err(error) = added {
                ingested.rejected.push(Rejected { part, error });
            }
        }
        ingested
    }

    /// Encodes a draft.
    pub(crate) fn add(&mut self, part: String, mut draft: Draft) -> Result<(), IngestError> {
        let notes = take(&mut draft.split.notes);
        let bytes = draft.profile_bytes as u64;
        self.chunks.extend(draft.encode()?);
        self.profile_bytes += bytes;
        self.note(&part, notes);
        Ok(())
    }

    /// Keeps what is to be said of a part.
    pub(crate) fn note(&mut self, part: &str, notes: impl IntoIterator<Item = Note>) {
        for note in notes {
            let noted = Noted {
                part: part.to_owned(),
                note,
            };
            // A profile of several services says the same for each.
            if self.notes.len() < MAX_NOTES && !self.notes.contains(&noted) {
                self.notes.push(noted);
            }
        }
    }
}
