//! Magic and sections: what every format here is made of.
//!
//! A section is `raw length u32, stored length u32, checksum u64, stored bytes`. The checksum is
//! the xxh3-64 of the stored bytes, seeded with both lengths, so that it covers them too. Equal
//! lengths mean that the bytes are stored as they are; otherwise they are one zstd frame.

use std::borrow::Cow;
use std::cell::RefCell;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::bytes::Reader;
use crate::store::error::StoreError;

/// Bytes of a section before its contents.
pub(crate) const SECTION_HEAD: usize = 16;

/// Largest section before compression: 32 MiB.
///
/// The largest push has 16 MiB ([`crate::base::limits::MAX_PUSH_BYTES`]); columns of varints are
/// not larger than protobuf, and a factor of two is left. Reading one such section and the tables
/// it becomes stays within the 64 MB of a plan.
pub(crate) const MAX_SECTION: usize = 32 << 20;

/// zstd's own default: level 3 is the knee of its curve, 1 saves little time and 9 little space.
const LEVEL: i32 = 3;

/// The quickest level that still looks for matches everywhere: 3 % larger than level 3; -1 is 10 %
/// larger and saves as little again.
const QUICK_LEVEL: i32 = 1;

/// The eighth byte of each magic.
pub(crate) const VERSION: u8 = 1;

/// How a segment begins.
pub(crate) const SEGMENT_MAGIC: &[u8; 7] = b"PLTSEGM";

/// How a block begins.
pub(crate) const BLOCK_MAGIC: &[u8; 7] = b"PLTBLCK";

pub(crate) fn put_magic(out: &mut Vec<u8>, magic: &[u8; 7]) {
    out.extend_from_slice(magic);
    out.push(VERSION);
}

/// Reads past the magic, or says what is there instead.
pub(crate) fn check_magic(
    reader: &mut Reader,
    magic: &[u8; 7],
    format: &'static str,
) -> Result<(), StoreError> {
    let found = reader.take(reader.remaining().min(8))?;
    match found.split_last() {
        Some((&VERSION, name)) if name == magic => Ok(()),
        Some((&version, name)) if name == magic => Err(StoreError::Version { format, version }),
        _ => Err(StoreError::Magic {
            format,
            found: found.to_vec(),
        }),
    }
}

/// Writes sections, keeping one compressor for all of them.
pub(crate) struct Packer(zstd::bulk::Compressor<'static>);

impl Packer {
    pub(crate) fn new() -> Result<Self, StoreError> {
        Self::at(LEVEL)
    }

    /// For what is written with every push and lives for minutes.
    pub(crate) fn quick() -> Result<Self, StoreError> {
        Self::at(QUICK_LEVEL)
    }

    fn at(level: i32) -> Result<Self, StoreError> {
        zstd::bulk::Compressor::new(level)
            .map(Self)
            .map_err(|e| StoreError::Compression(e.to_string()))
    }

    /// Appends `raw` as a section, compressed when that makes it smaller.
    pub(crate) fn put(
        &mut self,
        out: &mut Vec<u8>,
        raw: &[u8],
        section: &'static str,
    ) -> Result<(), StoreError> {
        check_size(raw.len(), section)?;
        let packed = self
            .0
            .compress(raw)
            .map_err(|e| StoreError::Compression(e.to_string()))?;
        frame(
            out,
            raw.len(),
            if packed.len() < raw.len() {
                &packed
            } else {
                raw
            },
        );
        Ok(())
    }
}

/// Appends `raw` as a section without compression, for what must be cheap to read.
pub(crate) fn put_plain(
    out: &mut Vec<u8>,
    raw: &[u8],
    section: &'static str,
) -> Result<(), StoreError> {
    check_size(raw.len(), section)?;
    frame(out, raw.len(), raw);
    Ok(())
}

fn check_size(size: usize, section: &'static str) -> Result<(), StoreError> {
    if size > MAX_SECTION {
        return Err(StoreError::TooLarge {
            section,
            size: size as u64,
            cap: MAX_SECTION as u64,
        });
    }
    Ok(())
}

fn frame(out: &mut Vec<u8>, raw_len: usize, stored: &[u8]) {
    out.extend_from_slice(&(raw_len as u32).to_le_bytes());
    out.extend_from_slice(&(stored.len() as u32).to_le_bytes());
    out.extend_from_slice(&checksum(raw_len, stored).to_le_bytes());
    out.extend_from_slice(stored);
}

fn checksum(raw_len: usize, stored: &[u8]) -> u64 {
    xxh3_64_with_seed(stored, (raw_len as u64) << 32 | stored.len() as u64)
}

/// Reads a section: lengths against the cap, checksum, and only then decompression.
pub(crate) fn section<'a>(
    reader: &mut Reader<'a>,
    section: &'static str,
) -> Result<Cow<'a, [u8]>, StoreError> {
    let raw_len = u32::from_le_bytes(reader.array()?) as usize;
    let stored_len = u32::from_le_bytes(reader.array()?) as usize;
    let expected = u64::from_le_bytes(reader.array()?);
    check_size(raw_len, section)?;
    if stored_len > raw_len {
        return Err(StoreError::Corrupt {
            section,
            offset: 0,
            problem: "its stored size exceeds its raw size",
        });
    }
    let stored = reader.take(stored_len)?;
    let found = checksum(raw_len, stored);
    if found != expected {
        return Err(StoreError::Checksum {
            section,
            expected,
            found,
        });
    }
    if stored_len == raw_len {
        return Ok(Cow::Borrowed(stored));
    }
    let raw =
        unpack(stored, raw_len).map_err(|e| StoreError::Compression(format!("{section}: {e}")))?;
    if raw.len() != raw_len {
        return Err(StoreError::Length {
            section,
            needed: raw_len as u64,
            found: raw.len() as u64,
        });
    }
    Ok(Cow::Owned(raw))
}

thread_local! {
    /// Scratch memory that no result depends on. A decompressor for each section costs 5 % of a query
    /// that reads chunks: 8 µs to create, when a section of 2 kB takes 3 µs. It isn't an argument:
    /// some 60 calls and each public reader of stored bytes would pass it on for this alone.
    static UNPACKER: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

fn unpack(stored: &[u8], raw_len: usize) -> std::io::Result<Vec<u8>> {
    UNPACKER.with_borrow_mut(|unpacker| match unpacker {
        Some(unpacker) => unpacker.decompress(stored, raw_len),
        None => unpacker
            .insert(zstd::bulk::Decompressor::new()?)
            .decompress(stored, raw_len),
    })
}

/// How many bytes the next section has before compression, without reading it.
pub(crate) fn section_size(reader: &Reader) -> Result<usize, StoreError> {
    Ok(u32::from_le_bytes(reader.clone().array()?) as usize)
}

/// Reads past a section without looking inside.
pub(crate) fn skip_section(reader: &mut Reader) -> Result<(), StoreError> {
    reader.take(4)?;
    let stored_len = u32::from_le_bytes(reader.array()?) as usize;
    reader.take(8)?;
    reader.take(stored_len)?;
    Ok(())
}
