//! The section of a block that says which chunks went into it, when each had arrived, and which
//! objects it replaces.
//!
//! The directory does not hold it: a query plan does not need it, and at 20 bytes a chunk it would
//! be most of the row in the catalog.

use crate::store::codec::bytes::{Reader, put_deltas, put_names, put_varint};
use crate::store::codec::chunk_id::ChunkId;
use crate::store::codec::section::section;
use crate::store::error::StoreError;

/// A chunk that went into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Counted {
    /// Its identity.
    pub id: ChunkId,
    /// Arrival in milliseconds since the epoch: the time in its segment's key.
    pub arrival_millis: i64,
}

/// Where what is in a block of level 1 or 2 comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// The chunks that went into it.
    pub counted: Vec<Counted>,
    /// Names of the objects that it replaces.
    pub made_of: Vec<String>,
}

pub(crate) fn encode_ids(Ids { counted, made_of }: &Ids) -> Vec<u8> {
    let mut raw = Vec::with_capacity(counted.len() * 18 + made_of.len() * 60);
    put_varint(&mut raw, counted.len() as u64);
    counted.iter().for_each(|c| raw.extend_from_slice(&c.id.0));
    put_deltas(&mut raw, counted.iter().map(|c| c.arrival_millis));
    put_names(&mut raw, made_of);
    raw
}

/// Reads the part of a block that [`crate::store::BlockEntry::ids`] names.
pub fn read_ids(bytes: &[u8]) -> Result<Ids, StoreError> {
    let mut reader = Reader::new(bytes, "ids");
    let raw = section(&mut reader, "ids")?;
    reader.end()?;
    let mut r = Reader::new(&raw, "ids");
    let count = r.count(17)?;
    let ids = (0..count)
        .map(|_| Ok(ChunkId(r.array()?)))
        .collect::<Result<Vec<_>, StoreError>>()?;
    let arrivals = r.deltas(count)?;
    let made_of = r.names()?;
    r.end()?;
    let counted = ids
        .into_iter()
        .zip(arrivals)
        .map(|(id, arrival_millis)| Counted { id, arrival_millis })
        .collect();
    Ok(Ids { counted, made_of })
}
