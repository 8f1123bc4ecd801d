//! What an object holds: enough to plan a query without reading it.
//!
//! The same bytes stand at the end of the object and in its row of the catalog.

use xxhash_rust::xxh3::xxh3_64;

use super::chunk::ChunkId;
use super::codec::{Reader, put_column, put_deltas, put_varint};
use super::error::StoreError;
use super::page::PageEntry;
use super::section::{MAX_SECTION, Packer, SECTION_HEAD, check_magic, put_magic, section};
use super::segment::FIRST_CHUNK;
pub use super::series::SeriesEntry;
use super::series::{put_series, series};
use super::words::{put_words, words};
use super::{block, segment};
use crate::labels::Labels;
use crate::profile_type::ProfileType;
use crate::units::UnixNanos;

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
    /// Level 0.
    Segment(Vec<ChunkEntry>),
    /// Level 1.
    Block {
        /// Datasets; several of one type when one would have become too large.
        datasets: Vec<Dataset>,
        /// The chunks that were counted, so that one of them that comes again in a segment is not.
        counted: Vec<Counted>,
    },
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
}

/// All profiles of one service and one type in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// Index of its profile type.
    pub profile_type: u32,
    /// Indices of the label sets of its series; pages refer to a series by its place here.
    pub series: Vec<u32>,
    /// Start of the earliest profile.
    pub min_time: UnixNanos,
    /// Start of the latest profile.
    pub max_time: UnixNanos,
    /// How many profiles.
    pub profiles: u64,
    /// How many stacks its symbols have.
    pub stacks: u64,
    /// Its tables. Datasets of one family of types have them in common.
    pub symbols: Part,
    /// Time, series and total of each profile.
    pub totals: Part,
    /// Its rows, in order of time.
    pub pages: Vec<PageEntry>,
}

/// A section in an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    /// First byte.
    pub offset: u64,
    /// How many bytes.
    pub len: u64,
}

/// A chunk that went into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Its identity.
    pub id: ChunkId,
    /// Arrival in milliseconds since the epoch: the time in its segment's key.
    pub arrival_millis: i64,
}

impl ChunkEntry {
    /// Where it is.
    pub fn part(&self) -> Part {
        Part { offset: self.offset, len: self.len }
    }
}

impl Directory {
    /// Time range, labels and type of everything inside: one item for each chunk's series or each dataset's series.
    pub fn series(&self) -> impl Iterator<Item = (&Labels, &ProfileType, UnixNanos, UnixNanos)> {
        let labels = |index: u32| &self.label_sets[index as usize];
        let of_type = |index: u32| &self.types[index as usize];
        let chunks = self.chunks().iter().flat_map(|c| &c.series);
        let datasets = self.datasets().iter().flat_map(|d| d.series.iter().map(move |&s| (d, s)));
        let in_chunks = chunks.map(move |s| (labels(s.labels), of_type(s.profile_type), s.time, s.time));
        let in_datasets = datasets.map(move |(d, s)| (labels(s), of_type(d.profile_type), d.min_time, d.max_time));
        in_chunks.chain(in_datasets)
    }

    /// Chunks of a segment; none in a block.
    pub fn chunks(&self) -> &[ChunkEntry] {
        match &self.contents {
            Contents::Segment(chunks) => chunks,
            Contents::Block { .. } => &[],
        }
    }

    /// Datasets of a block; none in a segment.
    pub fn datasets(&self) -> &[Dataset] {
        match &self.contents {
            Contents::Segment(_) => &[],
            Contents::Block { datasets, .. } => datasets,
        }
    }

    /// Chunks that were counted in a block; none in a segment, whose chunks speak for themselves.
    pub fn counted(&self) -> &[Counted] {
        match &self.contents {
            Contents::Segment(_) => &[],
            Contents::Block { counted, .. } => counted,
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
        put_words(&mut raw, &self.label_sets, &self.types);
        match &self.contents {
            Contents::Segment(chunks) => {
                raw.push(0);
                put_chunks(&mut raw, chunks);
            }
            Contents::Block { datasets, counted } => {
                raw.push(1);
                put_varint(&mut raw, datasets.len() as u64);
                datasets.iter().for_each(|dataset| put_dataset(&mut raw, dataset));
                put_varint(&mut raw, counted.len() as u64);
                counted.iter().for_each(|c| raw.extend_from_slice(&c.id.0));
                put_deltas(&mut raw, counted.iter().map(|c| c.arrival_millis));
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
        let (label_sets, types) = words(&mut r)?;
        let contents = match r.array()? {
            [0] => Contents::Segment(chunks(&mut r, label_sets.len(), types.len())?),
            [1] => {
                // A dataset has eleven numbers at least.
                let count = r.count(11)?;
                let mut datasets = Vec::with_capacity(count);
                for _ in 0..count {
                    datasets.push(dataset(&mut r, label_sets.len(), types.len())?);
                }
                let count = r.count(17)?;
                let ids = (0..count).map(|_| Ok(ChunkId(r.array()?))).collect::<Result<Vec<_>, StoreError>>()?;
                let arrivals = r.deltas(count)?;
                let counted =
                    ids.into_iter().zip(arrivals).map(|(id, arrival_millis)| Counted { id, arrival_millis }).collect();
                Contents::Block { datasets, counted }
            }
            _ => return Err(r.corrupt("neither a segment nor a block")),
        };
        r.end()?;
        Ok(Self { label_sets, types, contents })
    }

    /// Reads the directory out of a whole object.
    pub fn of_object(bytes: &[u8]) -> Result<Self, StoreError> {
        let tail = &bytes[bytes.len().saturating_sub(FOOTER)..];
        let footer = Footer::read(tail)?;
        let end = bytes.len() - FOOTER;
        let Some(start) = (end as u64).checked_sub(footer.directory_len) else {
            return Err(StoreError::Length { section: "object", needed: footer.directory_len, found: end as u64 });
        };
        let directory = Self::decode(&bytes[start as usize..end])?;
        let mut reader = Reader::new(bytes, "object");
        check_magic(&mut reader, if footer.block { block::MAGIC } else { segment::MAGIC }, "segment or block")?;
        if footer.block == matches!(directory.contents, Contents::Segment(_)) {
            return Err(StoreError::Corrupt {
                section: "directory",
                offset: 0,
                problem: "not the kind of object that the footer says",
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
        let block = magic.starts_with(block::MAGIC);
        check_magic(&mut r, if block { block::MAGIC } else { segment::MAGIC }, "segment or block")?;
        r.end()?;
        let found = footer_checksum(directory_len, magic);
        if found != expected {
            return Err(StoreError::Checksum { section: "footer", expected, found });
        }
        Ok(Self { directory_len: u64::from_le_bytes(directory_len), block })
    }
}

fn footer_checksum(directory_len: [u8; 8], magic: &[u8]) -> u64 {
    xxh3_64(&[directory_len.as_slice(), magic].concat())
}

/// Ends an object: the directory and a footer that finds it.
pub(super) fn put_footer(out: &mut Vec<u8>, directory: &Directory, magic: &[u8; 7]) -> Result<(), StoreError> {
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
    // Chunks stand end to end: their offsets follow from their lengths.
    put_column(out, chunks.iter().map(|c| c.len));
    put_column(out, chunks.iter().map(|c| c.series.len() as u64));
    put_series(out, chunks.iter().flat_map(|c| &c.series));
}

fn chunks(r: &mut Reader, label_sets: usize, types: usize) -> Result<Vec<ChunkEntry>, StoreError> {
    let count = r.count(18)?;
    let ids = (0..count).map(|_| Ok(ChunkId(r.array()?))).collect::<Result<Vec<_>, StoreError>>()?;
    let lengths = r.column(count)?;
    let counts = r.column(count)?;
    let total = counts.iter().fold(0u64, |sum, &n| sum.saturating_add(n));
    if total > r.remaining() as u64 / 5 {
        return Err(r.corrupt("more series than there are bytes for"));
    }
    let mut all = series(r, total as usize, label_sets, types)?.into_iter();
    let mut offset = FIRST_CHUNK;
    let mut chunks = Vec::with_capacity(count);
    for ((id, len), series_count) in ids.into_iter().zip(lengths).zip(counts) {
        let end = offset.checked_add(len).ok_or_else(|| r.corrupt("a chunk ends beyond all objects"))?;
        chunks.push(ChunkEntry { id, offset, len, series: all.by_ref().take(series_count as usize).collect() });
        offset = end;
    }
    Ok(chunks)
}

fn put_dataset(out: &mut Vec<u8>, d: &Dataset) {
    put_varint(out, u64::from(d.profile_type));
    put_varint(out, d.series.len() as u64);
    put_deltas(out, d.series.iter().map(|&s| i64::from(s)));
    put_deltas(out, [d.min_time.0, d.max_time.0].into_iter());
    put_column(out, [d.profiles, d.stacks].into_iter());
    put_part(out, d.symbols);
    put_part(out, d.totals);
    put_varint(out, d.pages.len() as u64);
    put_deltas(out, d.pages.iter().map(|p| p.part.offset as i64));
    put_column(out, d.pages.iter().map(|p| p.part.len));
    put_deltas(out, d.pages.iter().flat_map(|p| [p.min_time.0, p.max_time.0]));
}

fn dataset(r: &mut Reader, label_sets: usize, types: usize) -> Result<Dataset, StoreError> {
    let profile_type = r.index(types)? as u32;
    let count = r.count(1)?;
    let series = r.index_deltas(count, label_sets)?;
    let times = r.deltas(2)?;
    let (profiles, stacks) = (r.varint()?, r.varint()?);
    // A stack takes two bytes of one section.
    if stacks > MAX_SECTION as u64 / 2 {
        return Err(r.corrupt("more stacks than a section can hold"));
    }
    let (symbols, totals) = (part(r)?, part(r)?);
    let count = r.count(4)?;
    let offsets = r.deltas(count)?;
    let lengths = r.column(count)?;
    let page_times = r.deltas(count * 2)?;
    let mut pages = Vec::with_capacity(count);
    for i in 0..count {
        let part = checked_part(r, offsets[i] as u64, lengths[i])?;
        pages.push(PageEntry { part, min_time: UnixNanos(page_times[2 * i]), max_time: UnixNanos(page_times[2 * i + 1]) });
    }
    let (min_time, max_time) = (UnixNanos(times[0]), UnixNanos(times[1]));
    Ok(Dataset { profile_type, series, min_time, max_time, profiles, stacks, symbols, totals, pages })
}

fn put_part(out: &mut Vec<u8>, part: Part) {
    put_column(out, [part.offset, part.len].into_iter());
}

fn part(r: &mut Reader) -> Result<Part, StoreError> {
    let (offset, len) = (r.varint()?, r.varint()?);
    checked_part(r, offset, len)
}

fn checked_part(r: &Reader, offset: u64, len: u64) -> Result<Part, StoreError> {
    if len < SECTION_HEAD as u64 || offset.checked_add(len).is_none() {
        return Err(r.corrupt("a part of the object is no section"));
    }
    Ok(Part { offset, len })
}
