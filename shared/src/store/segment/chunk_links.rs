//! The links of a chunk: one section behind it, which a segment moves behind all of its chunks.

use crate::model::id::StackId;
use crate::model::profile::Profile;
use crate::model::trace::TraceLink;
use crate::store::codec::bytes::{Reader, put_varint};
use crate::store::codec::links::{
    LinkRow, LinkTable, LinkTableWriter, Span, link_rows, link_table, put_link_rows,
    put_link_table, tidy_links,
};
use crate::store::codec::rows;
use crate::store::codec::section::section;
use crate::store::codec::symbols::StackNumbers;
use crate::store::error::StoreError;

/// The section's name in errors.
pub(super) const LINKS: &str = "chunk links";

/// What a span has of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedRow {
    /// The span.
    pub link: TraceLink,
    /// The stack.
    pub stack: Option<StackId>,
    /// How much. Equal rows are added up and zeros dropped when they are written.
    pub value: i64,
}

/// The links of all series: one table, then the rows of each.
pub(super) fn encode_links<'a>(
    tables: &Profile,
    series: impl ExactSizeIterator<Item = &'a [LinkedRow]>,
    numbers: &StackNumbers,
) -> Result<Vec<u8>, StoreError> {
    let mut table = LinkTableWriter::default();
    let mut all = Vec::with_capacity(series.len());
    for links in series {
        let numbered = links.iter().filter(|row| row.value != 0).map(|row| {
            let TraceLink { trace, span, name } = row.link;
            let name = tables.text(name);
            LinkRow {
                link: table.place(Span { trace, span, name }),
                stack: numbers.get(row.stack),
                value: row.value,
            }
        });
        let mut rows: Vec<LinkRow> = numbered.collect();
        tidy_links(&mut rows)?;
        all.push(rows);
    }
    let mut raw = Vec::new();
    put_link_table(&mut raw, &table.finish());
    put_varint(&mut raw, all.len() as u64);
    for rows in all {
        put_varint(&mut raw, rows.len() as u64);
        put_link_rows(&mut raw, &rows);
        rows::put_values(&mut raw, rows.iter().map(|row| row.value));
    }
    Ok(raw)
}

/// Reads what [`encode_links`] wrote of so many series over so many stacks.
pub(crate) fn decode_chunk_links(
    bytes: &[u8],
    series: usize,
    stacks: u64,
) -> Result<(LinkTable, Vec<Vec<LinkRow>>), StoreError> {
    let mut reader = Reader::new(bytes, LINKS);
    let raw = section(&mut reader, LINKS)?;
    reader.end()?;
    let mut r = Reader::new(&raw, LINKS);
    let table = link_table(&mut r)?;
    // A number of rows and a divisor.
    let count = r.count(2)?;
    if count != series {
        return Err(r.corrupt("the links are for a different number of series"));
    }
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let count = r.count(3)?;
        let mut rows = link_rows(&mut r, count, &table, stacks)?;
        let values = rows::values(&mut r, count)?;
        rows.iter_mut()
            .zip(values)
            .for_each(|(row, value)| row.value = value);
        all.push(rows);
    }
    r.end()?;
    Ok((table, all))
}
