//! What an object holds: enough to plan a query without reading it.
//!
//! The same bytes stand at the end of the object and in its row of the catalog.

use xxhash_rust::xxh3::xxh3_64;

use super::block_entry::{BlockEntry, Dataset, block, checked_part, put_block};
use crate::base::units::UnixNanos;
use crate::model::labels::Labels;
use crate::model::profile_type::ProfileType;
use crate::store::codec::bytes::{Reader, put_column, put_deltas, put_varint};
use crate::store::codec::chunk_id::ChunkId;
use crate::store::codec::label_table::{label_table, put_label_table};
use crate::store::codec::part::Part;
use crate::store::codec::section::{
    BLOCK_MAGIC, Packer, SEGMENT_MAGIC, check_magic, put_magic, section,
};
pub use crate::store::codec::series::SeriesEntry;
use crate::store::codec::series::{put_series, series};
use crate::store::error::StoreError;

const MAGIC: &[u8; 7] = b"PLTDIRE";

/// Bytes of the footer at the end of a segment or block.
const FOOTER: usize = 24;

/// What an object holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Label sets that series refer to.
    pub label_sets: Vec<Labels>,
    /// Profile types that series refer to.
    pub types: Vec<ProfileType>,
    /// Where everything is.
    pub contents: Contents,
}

/// What kind of object it is, and what is where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Level 0. A row of the catalog lists only the chunks that count: not those that a client sent
    /// twice.
    Segment(Vec<ChunkEntry>),
    /// Level 1 and up.
    Block(BlockEntry),
}

/// A chunk of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkEntry {
    /// Its identity.
    pub id: ChunkId,
    /// Where it begins in the object.
    pub offset: u64,
    /// Its length.
    pub len: u64,
    /// Its series, in the chunk's order.
    pub series: Vec<SeriesEntry>,
    /// Where its links to traces are, behind all chunks; `None` when it has none.
    pub links: Option<Part>,
}

impl ChunkEntry {
    /// Where it is.
    pub fn part(&self) -> Part {
        Part {
            offset: self.offset,
            len: self.len,
        }
    }
}

impl Directory {
    /// Time range, labels and type of everything inside: one item for each chunk's series or each
    /// dataset's series.
    pub fn series(&self) -> impl Iterator<Item = (&Labels, &ProfileType, UnixNanos, UnixNanos)> {
        self.series_entries().map(|(labels, of_type, first, last)| {
            let (labels, of_type) = (labels as usize, of_type as usize);
            (&self.label_sets[labels], &self.types[of_type], first, last)
        })
    }

    /// The same with labels and type as their numbers in the tables.
    pub(crate) fn series_entries(&self) -> impl Iterator<Item = (u32, u32, UnixNanos, UnixNanos)> {
        let chunks = self.chunks().iter().flat_map(|c| &c.series);
        let datasets = self
            .datasets()
            .iter()
            .flat_map(|d| d.series.iter().map(move |&labels| (d, labels)));
        let in_chunks = chunks.map(|s| (s.labels, s.profile_type, s.time, s.time));
        let in_datasets =
            datasets.map(|(d, labels)| (labels, d.profile_type, d.min_time, d.max_time));
        in_chunks.chain(in_datasets)
    }

    /// Chunks of a segment; none in a block.
    pub fn chunks(&self) -> &[ChunkEntry] {
        match &self.contents {
            Contents::Segment(chunks) => chunks,
            Contents::Block(_) => &[],
        }
    }

    /// What is in a block; `None` for a segment.
    pub fn block(&self) -> Option<&BlockEntry> {
        match &self.contents {
            Contents::Segment(..) => None,
            Contents::Block(block) => Some(block),
        }
    }

    /// Datasets of a block; none in a segment.
    pub fn datasets(&self) -> &[Dataset] {
        self.block().map_or(&[], |block| &block.datasets)
    }

    /// Keeps the chunks of a segment for which `counts` is true, place by place.
    pub fn keep_chunks(&mut self, counts: &[bool]) {
        if let Contents::Segment(chunks) = &mut self.contents {
            let mut counts = counts.iter();
            chunks.retain(|_| counts.next().copied().unwrap_or(true));
        }
    }

    /// Forgets the objects that a block sums up, because they were deleted.
    pub fn drop_lineage(&mut self) {
        if let Contents::Block(block) = &mut self.contents {
            block.summarizes.clear();
        }
    }

    /// Start of the earliest profile; `None` when there is no profile.
    pub fn min_time(&self) -> Option<UnixNanos> {
        self.series().map(|(_, _, first, _)| first).min()
    }

    /// Start of the latest profile.
    pub fn max_time(&self) -> Option<UnixNanos> {
        self.series().map(|(_, _, _, last)| last).max()
    }

    /// The directory as bytes.
    pub fn encode(&self) -> Result<Vec<u8>, StoreError> {
        let mut raw = Vec::new();
        put_label_table(&mut raw, &self.label_sets, &self.types);
        match &self.contents {
            Contents::Segment(chunks) => {
                raw.push(0);
                put_chunks(&mut raw, chunks);
            }
            Contents::Block(block) => {
                raw.push(1);
                put_block(&mut raw, block);
            }
        }
        let mut out = Vec::new();
        put_magic(&mut out, MAGIC);
        Packer::new()?.put(&mut out, &raw, "directory")?;
        Ok(out)
    }

    /// Reads what [`Directory::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        let mut reader = Reader::new(bytes, "directory");
        check_magic(&mut reader, MAGIC, "directory")?;
        let raw = section(&mut reader, "directory")?;
        reader.end()?;
        let mut r = Reader::new(&raw, "directory");
        let (label_sets, types) = label_table(&mut r)?;
        let contents = match r.array()? {
            [0] => Contents::Segment(chunks(&mut r, label_sets.len(), types.len())?),
            [1] => Contents::Block(block(&mut r, label_sets.len(), types.len())?),
            _ => return Err(r.corrupt("neither a segment nor a block")),
        };
        r.end()?;
        Ok(Self {
            label_sets,
            types,
            contents,
        })
    }

    /// Reads the directory out of a whole object.
    pub fn of_object(bytes: &[u8]) -> Result<Self, StoreError> {
        let tail = &bytes[bytes.len().saturating_sub(FOOTER)..];
        let footer = Footer::read(tail)?;
        let end = bytes.len() - FOOTER;
        let Some(start) = (end as u64).checked_sub(footer.directory_len) else {
            return Err(StoreError::Length {
                section: "object",
                needed: footer.directory_len,
                found: end as u64,
            });
        };
        let directory = Self::decode(&bytes[start as usize..end])?;
        let mut reader = Reader::new(bytes, "object");
        check_magic(
            &mut reader,
            if footer.block {
                BLOCK_MAGIC
            } else {
                SEGMENT_MAGIC
            },
            "segment or block",
        )?;
        if footer.block == matches!(directory.contents, Contents::Segment(..)) {
            return Err(StoreError::Corrupt {
                section: "directory",
                offset: 0,
                problem: "the kind of object doesn't match the footer",
            });
        }
        Ok(directory)
    }
}

/// The last bytes of a segment or block, from which its directory is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    /// Bytes of the directory, which ends where the footer begins.
    pub directory_len: u64,
    /// A block, not a segment.
    pub block: bool,
}

impl Footer {
    /// Its length.
    pub const LEN: u64 = FOOTER as u64;

    /// Reads the last [`Footer::LEN`] bytes of an object.
    pub fn read(tail: &[u8]) -> Result<Self, StoreError> {
        let mut r = Reader::new(tail, "footer");
        let directory_len = r.array()?;
        let expected = u64::from_le_bytes(r.array()?);
        let magic = &tail[16..];
        let block = magic.starts_with(BLOCK_MAGIC);
        check_magic(
            &mut r,
            if block { BLOCK_MAGIC } else { SEGMENT_MAGIC },
            "segment or block",
        )?;
        r.end()?;
        let found = footer_checksum(directory_len, magic);
        if found != expected {
            return Err(StoreError::Checksum {
                section: "footer",
                expected,
                found,
            });
        }
        Ok(Self {
            directory_len: u64::from_le_bytes(directory_len),
            block,
        })
    }
}

fn footer_checksum(directory_len: [u8; 8], magic: &[u8]) -> u64 {
    xxh3_64(&[directory_len.as_slice(), magic].concat())
}

/// Ends an object: the directory and a footer that finds it.
pub(crate) fn put_footer(
    out: &mut Vec<u8>,
    directory: &Directory,
    magic: &[u8; 7],
) -> Result<(), StoreError> {
    let encoded = directory.encode()?;
    let len = (encoded.len() as u64).to_le_bytes();
    out.extend_from_slice(&encoded);
    out.extend_from_slice(&len);
    let mut end = Vec::new();
    put_magic(&mut end, magic);
    out.extend_from_slice(&footer_checksum(len, &end).to_le_bytes());
    out.extend_from_slice(&end);
    Ok(())
}

fn put_chunks(out: &mut Vec<u8>, chunks: &[ChunkEntry]) {
    put_varint(out, chunks.len() as u64);
    chunks.iter().for_each(|c| out.extend_from_slice(&c.id.0));
    // Mostly 0: chunks stand end to end, but in a row of the catalog some may be missing.
    let mut end = 0u64;
    for chunk in chunks {
        put_varint(out, chunk.offset.wrapping_sub(end));
        end = chunk.offset.wrapping_add(chunk.len);
    }
    put_column(out, chunks.iter().map(|c| c.len));
    put_column(out, chunks.iter().map(|c| c.series.len() as u64));
    put_series(out, chunks.iter().flat_map(|c| &c.series));
    put_chunk_links(out, chunks);
}

/// Where the links of chunks are; nothing where no chunk has any.
fn put_chunk_links(out: &mut Vec<u8>, chunks: &[ChunkEntry]) {
    let linked = || {
        (0i64..)
            .zip(chunks)
            .filter_map(|(place, chunk)| chunk.links.map(|part| (place, part)))
    };
    let count = linked().count();
    if count == 0 {
        return;
    }
    put_varint(out, count as u64);
    put_deltas(out, linked().map(|(place, _)| place));
    put_deltas(out, linked().map(|(_, part)| part.offset as i64));
    put_column(out, linked().map(|(_, part)| part.len));
}

fn chunk_links(r: &mut Reader, chunks: &mut [ChunkEntry]) -> Result<(), StoreError> {
    if r.remaining() == 0 {
        return Ok(());
    }
    let count = r.count(3)?;
    let places = r.index_deltas(count, chunks.len())?;
    let offsets = r.deltas(count)?;
    let lengths = r.column(count)?;
    for (i, place) in places.into_iter().enumerate() {
        let part = checked_part(r, offsets[i] as u64, lengths[i])?;
        if chunks[place as usize].links.replace(part).is_some() {
            return Err(r.corrupt("a chunk's links are repeated"));
        }
    }
    Ok(())
}

fn chunks(r: &mut Reader, label_sets: usize, types: usize) -> Result<Vec<ChunkEntry>, StoreError> {
    let count = r.count(19)?;
    let ids = (0..count)
        .map(|_| Ok(ChunkId(r.array()?)))
        .collect::<Result<Vec<_>, StoreError>>()?;
    let gaps = r.column(count)?;
    let lengths = r.column(count)?;
    let counts = r.column(count)?;
    let total = counts.iter().fold(0u64, |sum, &n| sum.saturating_add(n));
    if total > r.remaining() as u64 / 5 {
        return Err(r.corrupt("more series than the remaining bytes can hold"));
    }
    let mut all = series(r, total as usize, label_sets, types)?.into_iter();
    let mut end = 0u64;
    let mut chunks = Vec::with_capacity(count);
    for (i, id) in ids.into_iter().enumerate() {
        let offset = end.checked_add(gaps[i]);
        let next = offset.and_then(|offset| offset.checked_add(lengths[i]));
        let (Some(offset), Some(next)) = (offset, next) else {
            return Err(r.corrupt("a chunk's offset or length is too large"));
        };
        let series = all.by_ref().take(counts[i] as usize).collect();
        chunks.push(ChunkEntry {
            id,
            offset,
            len: lengths[i],
            series,
            links: None,
        });
        end = next;
    }
    chunk_links(r, &mut chunks)?;
    Ok(chunks)
}
