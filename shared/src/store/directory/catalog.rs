//! The catalog as objects of the bucket, for a reader that has nothing else: a site over a copied folder, a script, a
//! worker whose database is lost.
//!
//! A **part** holds the rows of the objects that arrived on one day, with their directories. The **head** says which
//! parts there are and which times their profiles span. Parts are immutable; the head alone is replaced.

use super::key::Tenant;
use crate::base::units::UnixNanos;
use crate::store::codec::bytes::{Reader, put_column, put_deltas, put_signed, put_varint};
use crate::store::codec::section::{Packer, check_magic, put_magic, section};
use crate::store::error::StoreError;

const PART_MAGIC: &[u8; 7] = b"PLTCATP";
const HEAD_MAGIC: &[u8; 7] = b"PLTCATH";

/// The day on which an object arrived, counted from the epoch.
pub fn arrival_day(millis: i64) -> i64 {
    millis.div_euclid(86_400_000)
}

/// An object of the catalog with its directory as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogRow {
    /// Its name in the bucket.
    pub key: String,
    /// Its length in bytes.
    pub size: u64,
    /// What [`crate::store::Directory::encode`] wrote. It has a checksum of its own.
    pub directory: Vec<u8>,
}

/// A part as the head knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogPart {
    /// The day on which its objects arrived.
    pub day: i64,
    /// What makes its name unique.
    pub unique: u64,
    /// How many objects it has.
    pub objects: u64,
    /// Start of the earliest and of the latest profile.
    pub min_time: UnixNanos,
    /// See above.
    pub max_time: UnixNanos,
}

/// The parts of a catalog, at one state of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogHead {
    /// The number of the catalog's last change, by which a later head is told from an earlier one.
    pub state: u64,
    /// When it was written.
    pub written: UnixNanos,
    /// In order of day; a day has at most one.
    pub parts: Vec<CatalogPart>,
}

/// Name of the head of a shard's catalog.
pub fn head_key(tenant: &Tenant, shard: u16) -> String {
    format!("t/{tenant}/s{shard}/catalog/head")
}

impl CatalogPart {
    /// Its name in the bucket.
    pub fn key(&self, tenant: &Tenant, shard: u16) -> String {
        format!("t/{tenant}/s{shard}/catalog/{}-{:016x}.part", self.day, self.unique)
    }
}

impl CatalogHead {
    /// The head as bytes.
    pub fn encode(&self) -> Result<Vec<u8>, StoreError> {
        let parts = || self.parts.iter();
        let mut raw = Vec::new();
        put_varint(&mut raw, self.state);
        put_signed(&mut raw, self.written.0);
        put_varint(&mut raw, self.parts.len() as u64);
        put_deltas(&mut raw, parts().map(|p| p.day));
        parts().for_each(|p| raw.extend_from_slice(&p.unique.to_le_bytes()));
        put_column(&mut raw, parts().map(|p| p.objects));
        put_deltas(&mut raw, parts().flat_map(|p| [p.min_time.0, p.max_time.0]));
        let mut out = Vec::new();
        put_magic(&mut out, HEAD_MAGIC);
        Packer::new()?.put(&mut out, &raw, "catalog head")?;
        Ok(out)
    }

    /// Reads what [`CatalogHead::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        let mut reader = Reader::new(bytes, "catalog head");
        check_magic(&mut reader, HEAD_MAGIC, "catalog head")?;
        let raw = section(&mut reader, "catalog head")?;
        reader.end()?;
        let mut r = Reader::new(&raw, "catalog head");
        let (state, written) = (r.varint()?, UnixNanos(r.signed()?));
        // A part has eight bytes of name and four numbers.
        let count = r.count(12)?;
        let days = r.deltas(count)?;
        if !days.is_sorted_by(|a, b| a < b) {
            return Err(r.corrupt("a day comes twice or out of order"));
        }
        let uniques = (0..count).map(|_| r.array().map(u64::from_le_bytes)).collect::<Result<Vec<_>, _>>()?;
        let objects = (0..count).map(|_| r.varint()).collect::<Result<Vec<_>, _>>()?;
        let times = r.deltas(2 * count)?;
        r.end()?;
        let part = |i: usize| CatalogPart {
            day: days[i],
            unique: uniques[i],
            objects: objects[i],
            min_time: UnixNanos(times[2 * i]),
            max_time: UnixNanos(times[2 * i + 1]),
        };
        Ok(Self { state, written, parts: (0..count).map(part).collect() })
    }
}

/// The rows of one day as a part.
pub fn encode_catalog_part(rows: &[CatalogRow]) -> Result<Vec<u8>, StoreError> {
    let mut raw = Vec::new();
    put_varint(&mut raw, rows.len() as u64);
    put_column(&mut raw, rows.iter().map(|row| row.key.len() as u64));
    rows.iter().for_each(|row| raw.extend_from_slice(row.key.as_bytes()));
    put_column(&mut raw, rows.iter().map(|row| row.size));
    put_column(&mut raw, rows.iter().map(|row| row.directory.len() as u64));
    let mut out = Vec::new();
    put_magic(&mut out, PART_MAGIC);
    Packer::new()?.put(&mut out, &raw, "catalog part")?;
    // Compressed and under checksums already.
    rows.iter().for_each(|row| out.extend_from_slice(&row.directory));
    Ok(out)
}

/// Reads what [`encode_catalog_part`] wrote. The directories are not looked into.
pub fn decode_catalog_part(bytes: &[u8]) -> Result<Vec<CatalogRow>, StoreError> {
    let mut reader = Reader::new(bytes, "catalog part");
    check_magic(&mut reader, PART_MAGIC, "catalog part")?;
    let raw = section(&mut reader, "catalog part")?;
    let mut r = Reader::new(&raw, "catalog part");
    let count = r.count(3)?;
    let column = |r: &mut Reader| (0..count).map(|_| r.varint()).collect::<Result<Vec<_>, _>>();
    let lengths = column(&mut r)?;
    let mut keys = Vec::with_capacity(count);
    for length in lengths {
        let length = usize::try_from(length).map_err(|_| r.corrupt("a name is longer than memory"))?;
        keys.push(std::str::from_utf8(r.take(length)?).map_err(|_| r.corrupt("a name is not UTF-8"))?);
    }
    let (sizes, lengths) = (column(&mut r)?, column(&mut r)?);
    r.end()?;
    let mut rows = Vec::with_capacity(count);
    for (i, key) in keys.into_iter().enumerate() {
        let length = usize::try_from(lengths[i]).map_err(|_| r.corrupt("a directory is longer than memory"))?;
        let directory = reader.take(length)?.to_vec();
        rows.push(CatalogRow { key: key.to_owned(), size: sizes[i], directory });
    }
    reader.end()?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<CatalogRow> {
        let row =
            |key: &str, size, directory: &[u8]| CatalogRow { key: key.to_owned(), size, directory: directory.to_vec() };
        vec![row("t/a/s0/l1/x", 7, b"first"), row("t/a/s0/l0/y", u64::MAX, b""), row("", 0, b"third")]
    }

    fn head() -> CatalogHead {
        let part = |day, unique| CatalogPart {
            day,
            unique,
            objects: 3,
            min_time: UnixNanos(i64::MIN),
            max_time: UnixNanos(i64::MAX),
        };
        CatalogHead { state: 9, written: UnixNanos(-5), parts: vec![part(-1, 7), part(20_000, u64::MAX)] }
    }

    #[test]
    fn round_trips() {
        for rows in [rows(), Vec::new()] {
            assert_eq!(decode_catalog_part(&encode_catalog_part(&rows).unwrap()), Ok(rows));
        }
        for head in [head(), CatalogHead::default()] {
            assert_eq!(CatalogHead::decode(&head.encode().unwrap()), Ok(head));
        }
        let twice = CatalogHead { parts: vec![head().parts[0].clone(); 2], ..head() };
        assert!(CatalogHead::decode(&twice.encode().unwrap()).is_err());
    }

    #[test]
    fn damage_is_noticed() {
        let part = encode_catalog_part(&rows()).unwrap();
        // The directories, ten bytes, have checksums of their own.
        for at in 0..part.len() - 10 {
            let mut flipped = part.clone();
            flipped[at] ^= 1;
            assert!(decode_catalog_part(&flipped).is_err(), "byte {at}");
        }
        let head = head().encode().unwrap();
        for at in 0..head.len() {
            let mut flipped = head.clone();
            flipped[at] ^= 1;
            assert!(CatalogHead::decode(&flipped).is_err(), "byte {at}");
            assert!(CatalogHead::decode(&head[..at]).is_err(), "cut at {at}");
        }
        assert!((0..part.len()).all(|at| decode_catalog_part(&part[..at]).is_err()));
    }

    #[test]
    fn names() {
        let tenant = Tenant::anonymous();
        assert_eq!(head_key(&tenant, 2), "t/anonymous/s2/catalog/head");
        assert_eq!(head().parts[0].key(&tenant, 0), "t/anonymous/s0/catalog/-1-0000000000000007.part");
        assert_eq!((arrival_day(86_400_000), arrival_day(-1)), (1, -1));
    }
}
