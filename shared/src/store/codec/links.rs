//! Trace links: which rows of a profile belong to which spans.
//!
//! A link row says how much of a stack's value a span has. It repeats what a plain row says in all,
//! so that whoever doesn't ask for spans reads nothing of this.
//!
//! Ids are random and don't compress: each stands once in a table, and rows name its place.

use hashbrown::HashMap;

use super::bytes::{Reader, put_column, put_deltas, put_varint};
use crate::model::trace::{SpanId, TraceId};
use crate::store::error::StoreError;

/// The span of a link row, with its name as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Span<'a> {
    pub(crate) trace: Option<TraceId>,
    pub(crate) span: Option<SpanId>,
    /// Empty when unknown.
    pub(crate) name: &'a str,
}

/// A row of a link table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Link {
    trace: Option<TraceId>,
    span: Option<SpanId>,
    /// Place of the name plus one, 0 for none.
    name: u32,
}

/// Link (place in the table), stack number and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkRow {
    pub(crate) link: u32,
    pub(crate) stack: u32,
    pub(crate) value: i64,
}

/// Links and the names in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinkTable {
    names: Vec<String>,
    links: Vec<Link>,
}

impl LinkTable {
    /// The link at a place; rows of this table have none but those.
    pub(crate) fn get(&self, at: u32) -> Span<'_> {
        let Link { trace, span, name } = self.links[at as usize];
        let name = match name.checked_sub(1) {
            Some(at) => &self.names[at as usize],
            None => "",
        };
        Span { trace, span, name }
    }

    /// The links in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Span<'_>> {
        (0..self.links.len() as u32).map(|at| self.get(at))
    }
}

/// Collects links, each once, in order of first appearance.
#[derive(Default)]
pub(crate) struct LinkTableWriter {
    table: LinkTable,
    places: HashMap<Link, u32>,
    names: HashMap<String, u32>,
    name_bytes: usize,
}

impl LinkTableWriter {
    pub(crate) fn place(&mut self, span: Span<'_>) -> u32 {
        let name = match (span.name, self.names.get(span.name)) {
            ("", _) => 0,
            (_, Some(&number)) => number,
            (name, None) => {
                self.table.names.push(name.to_owned());
                self.name_bytes += name.len();
                let number = self.table.names.len() as u32;
                self.names.insert(name.to_owned(), number);
                number
            }
        };
        let link = Link {
            trace: span.trace,
            span: span.span,
            name,
        };
        *self.places.entry(link).or_insert_with(|| {
            self.table.links.push(link);
            self.table.links.len() as u32 - 1
        })
    }

    /// Bytes of all names.
    pub(crate) fn name_bytes(&self) -> usize {
        self.name_bytes
    }

    pub(crate) fn finish(self) -> LinkTable {
        self.table
    }
}

/// Orders rows by link and stack, adds up equal ones and drops zeros.
pub(crate) fn tidy_links(rows: &mut Vec<LinkRow>) -> Result<(), StoreError> {
    rows.sort_unstable_by_key(|row| (row.link, row.stack));
    let mut kept: Vec<LinkRow> = Vec::with_capacity(rows.len());
    for &row in rows.iter() {
        match kept.last_mut() {
            Some(last) if (last.link, last.stack) == (row.link, row.stack) => {
                let sum = i128::from(last.value) + i128::from(row.value);
                last.value = i64::try_from(sum).map_err(|_| StoreError::Overflow {
                    what: "the value of a span",
                    sum,
                })?;
            }
            _ => kept.push(row),
        }
    }
    kept.retain(|row| row.value != 0);
    *rows = kept;
    Ok(())
}

/// Writes the table: ids of traces, names, then the links as columns.
pub(crate) fn put_link_table(out: &mut Vec<u8>, table: &LinkTable) {
    let (mut traces, mut places) = (Vec::new(), HashMap::new());
    let numbers: Vec<i64> = table
        .links
        .iter()
        .map(|link| {
            link.trace.map_or(0, |trace| {
                *places.entry(trace).or_insert_with(|| {
                    traces.push(trace);
                    traces.len() as i64
                })
            })
        })
        .collect();
    put_varint(out, traces.len() as u64);
    for trace in traces {
        out.extend_from_slice(&trace.bytes());
    }
    put_varint(out, table.names.len() as u64);
    put_column(out, table.names.iter().map(|name| name.len() as u64));
    for name in &table.names {
        out.extend_from_slice(name.as_bytes());
    }
    put_varint(out, table.links.len() as u64);
    put_deltas(out, numbers.into_iter());
    put_column(out, table.links.iter().map(|link| link.name.into()));
    for link in &table.links {
        out.extend_from_slice(&link.span.map_or([0; 8], SpanId::bytes));
    }
}

/// Reads what [`put_link_table`] wrote.
pub(crate) fn link_table(r: &mut Reader) -> Result<LinkTable, StoreError> {
    let count = r.count(16)?;
    let mut traces = Vec::with_capacity(count);
    for _ in 0..count {
        let id = TraceId::from_bytes(r.array()?);
        traces.push(id.ok_or_else(|| r.corrupt("a trace ID is zero"))?);
    }
    let count = r.count(1)?;
    let mut names = Vec::with_capacity(count);
    for length in r.column(count)? {
        let length =
            usize::try_from(length).map_err(|_| r.corrupt("a string doesn't fit in memory"))?;
        let name = std::str::from_utf8(r.take(length)?);
        names.push(
            name.map_err(|_| r.corrupt("a name is not UTF-8"))?
                .to_owned(),
        );
    }
    // Two numbers and eight bytes.
    let count = r.count(10)?;
    let numbers = r.index_deltas(count, traces.len() + 1)?;
    let mut links = Vec::with_capacity(count);
    for number in numbers {
        let (trace, name) = (number.checked_sub(1), r.next_index(names.len() + 1)? as u32);
        links.push(Link {
            trace: trace.map(|at| traces[at as usize]),
            span: None,
            name,
        });
    }
    for link in &mut links {
        link.span = SpanId::from_bytes(r.array()?);
    }
    Ok(LinkTable { names, links })
}

/// Writes the links and stacks of tidy rows. Their values follow, as those of plain rows do.
pub(crate) fn put_link_rows(out: &mut Vec<u8>, rows: &[LinkRow]) {
    put_deltas(out, rows.iter().map(|row| row.link.into()));
    put_deltas(out, rows.iter().map(|row| row.stack.into()));
}

/// Reads what [`put_link_rows`] wrote, with values of 0; `highest` is the highest stack number
/// allowed.
pub(crate) fn link_rows(
    r: &mut Reader,
    count: usize,
    table: &LinkTable,
    highest: u64,
) -> Result<Vec<LinkRow>, StoreError> {
    let links = r.index_deltas(count, table.links.len())?;
    let stacks = usize::try_from(highest.saturating_add(1)).unwrap_or(usize::MAX);
    let stacks = r.index_deltas(count, stacks)?;
    let rows = links.into_iter().zip(stacks);
    Ok(rows
        .map(|(link, stack)| LinkRow {
            link,
            stack,
            value: 0,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(trace: u8, span: u8, name: &str) -> Span<'_> {
        Span {
            trace: TraceId::from_bytes([trace; 16]),
            span: SpanId::from_bytes([span; 8]),
            name,
        }
    }

    #[test]
    fn tables_and_rows_come_back() {
        let all = [
            span(1, 1, "GET /"),
            span(1, 2, ""),
            span(0, 3, "GET /"),
            span(2, 0, "POST /"),
            span(1, 1, "GET /"),
        ];
        let mut writer = LinkTableWriter::default();
        assert_eq!(all.map(|span| writer.place(span)), [0, 1, 2, 3, 0]);
        assert_eq!(writer.name_bytes(), 11);
        let table = writer.finish();
        let row = |link, stack, value| LinkRow { link, stack, value };
        let mut rows = vec![
            row(3, 1, 5),
            row(0, 7, 2),
            row(0, 7, 3),
            row(1, 0, 4),
            row(2, 2, 0),
        ];
        tidy_links(&mut rows).unwrap();
        assert_eq!(rows, [row(0, 7, 5), row(1, 0, 4), row(3, 1, 5)]);

        let mut out = Vec::new();
        put_link_table(&mut out, &table);
        put_link_rows(&mut out, &rows);
        let mut r = Reader::new(&out, "test");
        let read = link_table(&mut r).unwrap();
        assert_eq!(read, table);
        assert_eq!(read.iter().collect::<Vec<_>>(), all[..4]);
        rows.iter_mut().for_each(|row| row.value = 0);
        assert_eq!(link_rows(&mut r, 3, &read, 7).unwrap(), rows);
        r.end().unwrap();
        // A stack beyond the table, and every cut, is an error.
        let cut = |len: usize, highest| {
            let mut r = Reader::new(&out[..len], "test");
            let table = link_table(&mut r)?;
            link_rows(&mut r, 3, &table, highest)
        };
        assert!(cut(out.len(), 6).is_err());
        assert!((0..out.len()).all(|len| cut(len, 7).is_err()));
    }

    #[test]
    fn sums_beyond_64_bits_are_refused() {
        let row = |value| LinkRow {
            link: 0,
            stack: 0,
            value,
        };
        assert!(tidy_links(&mut vec![row(i64::MAX), row(1)]).is_err());
    }
}
