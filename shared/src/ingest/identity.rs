//! The identity of what a push holds.

use xxhash_rust::xxh3::Xxh3;

use crate::store::ChunkId;

/// Identity from all that decides what is stored, less the time of arrival, and the sender's
/// address. A client that sends again what it sent before sends the same of all of these.
#[derive(Clone, Default)]
pub(crate) struct Identity(Xxh3);

impl Identity {
    /// Adds a part. Its length goes first, so parts cannot run together.
    pub(crate) fn with(mut self, part: &[u8]) -> Self {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// Of all parts so far.
    pub(crate) fn id(&self) -> ChunkId {
        ChunkId(self.0.digest128().to_le_bytes())
    }
}
