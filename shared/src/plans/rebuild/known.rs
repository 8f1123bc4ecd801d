//! What is known of an object from its end.

use xxhash_rust::xxh3::xxh3_64;

use crate::store::{CatalogRow, ChunkId, Counted, ObjectKey, Partition};

/// An object that is read.
pub(super) struct Known {
    pub(super) key: ObjectKey,
    pub(super) row: CatalogRow,
    /// Chunks of a segment.
    pub(super) chunks: Vec<ChunkId>,
    pub(super) token: u64,
    pub(super) partition: Partition,
    /// Whether one of the objects that a block replaces or sums up is there.
    pub(super) sources_left: bool,
    /// What a block lays claim to: its sources, and chunks that it has counted.
    pub(super) claims: Vec<u64>,
    /// Chunks of a block that might come again in a segment.
    pub(super) counted: Vec<Counted>,
    pub(super) summarizes: Vec<String>,
}

/// Stands for a name or a chunk: two of ten million are taken for one another once in 2^64 / 10^14
/// = 180,000 rebuilds.
pub(super) fn digest(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}
