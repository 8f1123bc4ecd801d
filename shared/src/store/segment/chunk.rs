//! A chunk: one pushed profile. Tables once, and one or more series of rows over them.
//!
//! Go's heap profile has four types that share every symbol; as four chunks it would be four times
//! as large.

use std::mem::take;

use super::chunk_links::{LINKS, LinkedRow, decode_chunk_links, encode_links};
use crate::model::id::StackId;
use crate::model::profile::Profile;
use crate::store::codec::bytes::{Reader, put_signed, put_varint};
use crate::store::codec::chunk_id::ChunkId;
use crate::store::codec::label_table::{LabelTable, label_table, put_label_table};
use crate::store::codec::links::{LinkRow, LinkTable};
use crate::store::codec::rows::{self, Row};
use crate::store::codec::section::{
    Packer, check_magic, put_magic, put_plain, section, skip_section,
};
use crate::store::codec::series::{Series, SeriesEntry, Timing, put_series, series};
use crate::store::codec::symbols;
use crate::store::error::StoreError;

const MAGIC: &[u8; 7] = b"PLTCHNK";

/// A series to be written, and its rows over the tables of one profile.
#[derive(Clone, Debug, Default)]
pub struct SeriesRows {
    /// What the rows are of.
    pub series: Series,
    /// Stack and value. Equal stacks are added up and zeros dropped when they are written.
    pub rows: Vec<(Option<StackId>, i64)>,
    /// What of them belongs to which spans. The rows themselves say it in all.
    pub links: Vec<LinkedRow>,
}

/// What a chunk says of itself without being decompressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkHead {
    /// Its identity.
    pub id: ChunkId,
    /// Its series, in order.
    pub series: Vec<Series>,
    /// Events between two samples, in units of the period of its types; 0 when unknown.
    pub period: i64,
    /// Its length in bytes, without its links.
    pub len: u64,
    /// Length of its links to traces, which follow it; 0 when it has none.
    pub links_len: u64,
}

/// Writes a chunk. Of `tables` only what the rows reach is written, and of its header the period.
pub fn encode_chunk(
    id: ChunkId,
    tables: &Profile,
    series: &[SeriesRows],
) -> Result<Vec<u8>, StoreError> {
    let used = series
        .iter()
        .flat_map(|s| &s.rows)
        .filter(|row| row.1 != 0)
        .filter_map(|row| row.0);
    let linked = series.iter().flat_map(|s| &s.links);
    let linked = linked
        .filter(|row| row.value != 0)
        .filter_map(|row| row.stack);
    let (symbols, numbers) = symbols::encode(tables, used.chain(linked))?;
    let mut packer = Packer::quick()?;
    let mut body = Vec::new();
    packer.put(&mut body, &symbols, "chunk symbols")?;

    let mut label_table = LabelTable::default();
    let mut entries = Vec::with_capacity(series.len());
    let mut raw = Vec::new();
    for SeriesRows { series, rows, .. } in series {
        let mut numbered: Vec<Row> = rows
            .iter()
            .filter(|row| row.1 != 0)
            .map(|&(stack, value)| (numbers.get(stack), value))
            .collect();
        let total = rows::tidy(&mut numbered)?;
        entries.push(SeriesEntry {
            total,
            ..SeriesEntry::new(series, &mut label_table)
        });
        raw.clear();
        put_varint(&mut raw, numbered.len() as u64);
        rows::put_stacks(&mut raw, numbered.iter().map(|row| row.0));
        rows::put_values(&mut raw, numbered.iter().map(|row| row.1));
        packer.put(&mut body, &raw, "chunk rows")?;
    }

    let mut links = Vec::new();
    if series.iter().any(|s| !s.links.is_empty()) {
        let raw = encode_links(tables, series.iter().map(|s| &s.links[..]), &numbers)?;
        packer.put(&mut links, &raw, LINKS)?;
    }

    let mut head = id.0.to_vec();
    put_varint(&mut head, body.len() as u64);
    put_signed(&mut head, tables.header.period);
    let (label_sets, types) = label_table.finish();
    put_label_table(&mut head, &label_sets, &types);
    put_varint(&mut head, entries.len() as u64);
    put_series(&mut head, entries.iter());

    let mut out = Vec::with_capacity(8 + 16 + head.len() + body.len() + links.len());
    put_magic(&mut out, MAGIC);
    put_plain(&mut out, &head, "chunk head")?;
    out.extend_from_slice(&body);
    out.extend_from_slice(&links);
    Ok(out)
}

/// Reads what a chunk says of itself and checks that it is there in full, its links included. The
/// checksums of its body are left to [`read_chunk`].
pub fn chunk_head(bytes: &[u8]) -> Result<ChunkHead, StoreError> {
    head(&mut Reader::new(bytes, "chunk"))
}

fn head(reader: &mut Reader) -> Result<ChunkHead, StoreError> {
    check_magic(reader, MAGIC, "chunk")?;
    let raw = section(reader, "chunk head")?;
    let mut r = Reader::new(&raw, "chunk head");
    let id = ChunkId(r.array()?);
    let body_len = r.varint()?;
    let period = r.signed()?;
    let (label_sets, types) = label_table(&mut r)?;
    let count = r.count(5)?;
    let entries = series(&mut r, count, label_sets.len(), types.len())?;
    r.end()?;
    let rest = reader.remaining() as u64;
    let len = (reader.at() as u64).saturating_add(body_len);
    // The head says nothing of links: in a segment they stand elsewhere.
    let links_len = rest.saturating_sub(body_len);
    if rest < body_len || links_len > 0 && !is_section(reader, body_len) {
        let found = reader.at() as u64 + rest;
        return Err(StoreError::Length {
            section: "chunk",
            needed: len,
            found,
        });
    }
    let series = entries
        .iter()
        .map(|entry| entry.resolve(&label_sets, &types))
        .collect();
    Ok(ChunkHead {
        id,
        series,
        period,
        len,
        links_len,
    })
}

/// Whether what stands so many bytes further on is one section and nothing else.
fn is_section(reader: &Reader, skip: u64) -> bool {
    let mut rest = reader.clone();
    let skipped = rest.take(skip as usize).map(drop);
    skipped
        .and_then(|()| skip_section(&mut rest))
        .is_ok_and(|()| rest.remaining() == 0)
}

/// Reads the series for which `wanted(index, series)` is true as one profile with one sample type;
/// none gives an empty profile. They must count the same thing in the same unit.
///
/// Every reference in the result is valid. That table rows differ from each other is not checked:
/// writers see to it, and [`crate::merge()`] makes it so for any input.
pub fn read_chunk(
    bytes: &[u8],
    wanted: impl Fn(usize, &Series) -> bool,
) -> Result<Profile, StoreError> {
    let DecodedChunk {
        mut tables,
        series,
        period,
        ..
    } = decode_chunk(bytes, None, wanted)?;
    let Some((DecodedSeries { series: first, .. }, others)) = series.split_first() else {
        return Ok(Profile::default());
    };
    let counts = |s: &Series| {
        (
            s.profile_type.sample_type.clone(),
            s.profile_type.sample_unit.clone(),
        )
    };
    if let Some(other) = others
        .iter()
        .find(|other| counts(&other.series) != counts(first))
    {
        return Err(StoreError::MixedTypes(
            first.profile_type.to_string(),
            other.series.profile_type.to_string(),
        ));
    }
    let timing = |s: &Series| Timing {
        time: s.time,
        duration_nanos: s.duration_nanos,
        period,
    };
    tables.describe(
        &first.profile_type,
        series.iter().map(|one| timing(&one.series)),
    );
    let rows = || series.iter().flat_map(|one| &one.rows);
    tables.samples.stacks = rows().map(|row| row.0).collect();
    tables.samples.labels = vec![None; tables.samples.stacks.len()];
    tables.samples.values = vec![rows().map(|row| row.1).collect()];
    Ok(tables)
}

/// Rows over the stacks of a profile.
pub(crate) type StackRows = Vec<(Option<StackId>, i64)>;

/// A chunk, read: tables, and the wanted series with their rows.
pub(crate) struct DecodedChunk {
    pub(crate) id: ChunkId,
    pub(crate) period: i64,
    pub(crate) tables: Profile,
    /// The links that its series' rows refer to.
    pub(crate) links: LinkTable,
    pub(crate) series: Vec<DecodedSeries>,
}

/// A series of a chunk, read.
pub(crate) struct DecodedSeries {
    pub(crate) series: Series,
    pub(crate) rows: StackRows,
    pub(crate) links: Vec<LinkRow>,
}

/// Reads the wanted series, whatever their types, with their links where those are given.
pub(crate) fn decode_chunk(
    bytes: &[u8],
    links: Option<&[u8]>,
    wanted: impl Fn(usize, &Series) -> bool,
) -> Result<DecodedChunk, StoreError> {
    let mut reader = Reader::new(bytes, "chunk");
    let ChunkHead {
        id,
        series: all,
        period,
        ..
    } = head(&mut reader)?;
    let tables = symbols::decode(&section(&mut reader, "chunk symbols")?, "chunk symbols")?;
    let highest = tables.stacks.len() as u64;
    let (links, mut linked) = match links {
        Some(bytes) => decode_chunk_links(bytes, all.len(), highest)?,
        None => Default::default(),
    };
    let mut decoded = Vec::new();
    for (i, series) in all.into_iter().enumerate() {
        if !wanted(i, &series) {
            skip_section(&mut reader)?;
            continue;
        }
        let raw = section(&mut reader, "chunk rows")?;
        let mut r = Reader::new(&raw, "chunk rows");
        let count = r.count(2)?;
        let mut stacks = Vec::with_capacity(count);
        rows::stacks(&mut r, count, highest, &mut stacks)?;
        let values = rows::values(&mut r, count)?;
        r.end()?;
        let stacks = stacks.into_iter().map(StackId::numbered);
        decoded.push(DecodedSeries {
            series,
            rows: stacks.zip(values).collect(),
            links: linked.get_mut(i).map(take).unwrap_or_default(),
        });
    }
    if reader.remaining() > 0 {
        section(&mut reader, LINKS)?;
    }
    reader.end()?;
    Ok(DecodedChunk {
        id,
        period,
        tables,
        links,
        series: decoded,
    })
}
