//! The catalog as objects of the bucket, for a reader that has nothing else: a site over a copied
//! folder, a script, a worker whose database is lost.
//!
//! One object for each **day of arrival**. It lists the objects that arrived on that day, with
//! their directories. It is replaced as a whole when the day changes.

use super::key::TenantId;
use crate::base::units::UnixNanos;
use crate::store::codec::bytes::{Reader, put_column, put_signed, put_varint};
use crate::store::codec::section::{Packer, check_magic, put_magic, section};
use crate::store::error::StoreError;

const MAGIC: &[u8; 7] = b"PLTCATD";

/// The day on which an object arrived, counted from the epoch.
pub fn arrival_day(millis: i64) -> i64 {
    millis.div_euclid(86_400_000)
}

/// How the names of a shard's catalog begin in the bucket.
pub fn catalog_prefix(tenant: &TenantId, shard: u16) -> String {
    format!("t/{tenant}/s{shard}/catalog/")
}

/// The name of a day of a shard's catalog.
pub fn catalog_key(tenant: &TenantId, shard: u16, day: i64) -> String {
    format!("{}{day:05}", catalog_prefix(tenant, shard))
}

/// The day that a name stands for: what is left of the name behind [`catalog_prefix`].
pub fn catalog_key_day(rest: &str) -> Option<i64> {
    rest.parse().ok().filter(|day| format!("{day:05}") == rest)
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

/// The objects that arrived on one day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogDay {
    /// When it was written.
    pub written: UnixNanos,
    /// Its objects, in order of name.
    pub rows: Vec<CatalogRow>,
}

impl CatalogDay {
    /// The day as bytes.
    pub fn encode(&self) -> Result<Vec<u8>, StoreError> {
        let rows = || self.rows.iter();
        let mut raw = Vec::new();
        put_signed(&mut raw, self.written.0);
        put_varint(&mut raw, self.rows.len() as u64);
        put_column(&mut raw, rows().map(|row| row.key.len() as u64));
        rows().for_each(|row| raw.extend_from_slice(row.key.as_bytes()));
        put_column(&mut raw, rows().map(|row| row.size));
        put_column(&mut raw, rows().map(|row| row.directory.len() as u64));
        let mut out = Vec::new();
        put_magic(&mut out, MAGIC);
        Packer::new()?.put(&mut out, &raw, "catalog")?;
        // Compressed and under checksums already.
        rows().for_each(|row| out.extend_from_slice(&row.directory));
        Ok(out)
    }

    /// Reads what [`CatalogDay::encode`] wrote. The directories are not looked into.
    pub fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        let mut reader = Reader::new(bytes, "catalog");
        check_magic(&mut reader, MAGIC, "catalog")?;
        let raw = section(&mut reader, "catalog")?;
        let mut r = Reader::new(&raw, "catalog");
        let written = UnixNanos(r.signed()?);
        // A row has at least three lengths.
        let count = r.count(3)?;
        let column = |r: &mut Reader| {
            (0..count)
                .map(|_| r.varint())
                .collect::<Result<Vec<_>, _>>()
        };
        let lengths = column(&mut r)?;
        let mut keys = Vec::with_capacity(count);
        for length in lengths {
            let length =
                usize::try_from(length).map_err(|_| r.corrupt("a name doesn't fit in memory"))?;
            keys.push(
                std::str::from_utf8(r.take(length)?)
                    .map_err(|_| r.corrupt("a name is not UTF-8"))?,
            );
        }
        let (sizes, lengths) = (column(&mut r)?, column(&mut r)?);
        r.end()?;
        let mut rows = Vec::with_capacity(count);
        for (i, key) in keys.into_iter().enumerate() {
            let length = usize::try_from(lengths[i])
                .map_err(|_| r.corrupt("a directory doesn't fit in memory"))?;
            let directory = reader.take(length)?.to_vec();
            rows.push(CatalogRow {
                key: key.to_owned(),
                size: sizes[i],
                directory,
            });
        }
        reader.end()?;
        Ok(Self { written, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day() -> CatalogDay {
        let row = |key: &str, size, directory: &[u8]| CatalogRow {
            key: key.to_owned(),
            size,
            directory: directory.to_vec(),
        };
        let rows = vec![
            row("t/a/s0/l1/x", 7, b"first"),
            row("t/a/s0/l0/y", u64::MAX, b""),
            row("", 0, b"third"),
        ];
        CatalogDay {
            written: UnixNanos(-5),
            rows,
        }
    }

    #[test]
    fn round_trips() {
        for day in [day(), CatalogDay::default()] {
            assert_eq!(CatalogDay::decode(&day.encode().unwrap()), Ok(day));
        }
    }

    #[test]
    fn damage_is_noticed() {
        let bytes = day().encode().unwrap();
        // The directories, ten bytes, have checksums of their own.
        for at in 0..bytes.len() - 10 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(CatalogDay::decode(&flipped).is_err(), "byte {at}");
        }
        assert!((0..bytes.len()).all(|at| CatalogDay::decode(&bytes[..at]).is_err()));
    }

    #[test]
    fn names() {
        let tenant = TenantId::anonymous();
        for (day, name) in [
            (19_675, "19675"),
            (7, "00007"),
            (123_456, "123456"),
            (-1, "-0001"),
        ] {
            assert_eq!(
                catalog_key(&tenant, 2, day),
                format!("t/anonymous/s2/catalog/{name}")
            );
            assert_eq!(catalog_key_day(name), Some(day));
        }
        for name in ["", "7", "+0007", "000007", "19675/x", "head"] {
            assert_eq!(catalog_key_day(name), None, "{name}");
        }
        assert_eq!((arrival_day(86_400_000), arrival_day(-1)), (1, -1));
    }
}
