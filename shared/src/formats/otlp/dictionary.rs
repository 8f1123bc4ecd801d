//! The tables that all profiles of a request share.

use std::borrow::Cow;
use std::cell::Cell;

use super::attribute::{Attribute, Form};
use super::error::{OtlpError, ProfileError, Stop};
use super::layout::Layout;
use crate::base::limits::MAX_INLINED;
use crate::formats::protobuf::{Value, Wire, WireError};

/// Which table of the dictionary. The number is its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Mapping = 1,
    Location = 2,
    Function = 3,
    Link = 4,
    String = 5,
    Attribute = 6,
    Stack = 7,
}

const TABLES: usize = 8;

/// Where each row stands. Rows are read when something refers to them: what nothing refers to means
/// nothing, and many requests carry such rows.
pub(super) struct Dictionary<'a> {
    request: Wire<'a>,
    /// Start and end of each row in the request.
    rows: [Vec<(u32, u32)>; TABLES],
    limit: u64,
    /// What may still be made of rows.
    left: Cell<u64>,
}

/// What a row costs beside its length: about what it takes in a table of ours.
const ROW_COST: u64 = 16;

/// How many times the bytes of a request its rows may cost, and what every request may cost.
///
/// Each service has tables of its own, so that a row counts for each service that uses it; a stack
/// that a thousand services share would be a thousand stacks. Real requests cost four to eight
/// times their bytes.
const COST_PER_BYTE: u64 = 16;
/// See [`COST_PER_BYTE`].
const COST_OF_ANY: u64 = 1 << 20;
/// Most that any request may cost: half of what an isolate has, which is 128 MB.
const MAX_COST: u64 = 64 << 20;

/// A function as its row has it; texts are indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FunctionRow {
    pub(super) name: u64,
    pub(super) system_name: u64,
    pub(super) file: u64,
    pub(super) start_line: i64,
}

/// A mapping as its row has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MappingRow<'a> {
    pub(super) start: u64,
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) file: u64,
    pub(super) build_id: Cow<'a, str>,
}

/// A location as its row has it.
#[derive(Default)]
pub(super) struct LocationRow<'a> {
    pub(super) mapping: Option<u64>,
    pub(super) address: u64,
    pub(super) lines: Vec<LineRow>,
    pub(super) frame_type: Cow<'a, str>,
}

/// A line as its row has it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineRow {
    pub(super) function: u64,
    pub(super) line: i64,
    pub(super) column: i64,
}

/// A link to a span, as bytes of any length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Link<'a> {
    pub(crate) trace_id: &'a [u8],
    pub(crate) span_id: &'a [u8],
}

/// Attributes of a mapping that name its build, the best first.
const BUILD_IDS: [&str; 3] = [
    "process.executable.build_id.gnu",
    "process.executable.build_id.go",
    "process.executable.build_id.htlhash",
];

/// Of a location: the language or runtime.
const FRAME_TYPE: &str = "profile.frame.type";

impl<'a> Dictionary<'a> {
    /// Finds the rows. Parts of a dictionary that stands in several places are one.
    pub(super) fn new(request: Wire<'a>) -> Result<Self, OtlpError> {
        let mut counts = [0; TABLES];
        for_each_row(request, |table, _| counts[table] += 1)?;
        // Room for just what is there: an empty row takes two bytes of the request and eight here.
        let mut rows = counts.map(Vec::with_capacity);
        for_each_row(request, |table, row| {
            rows[table].push((row.offset() as u32, row.end() as u32));
        })?;
        let length = request.bytes().len() as u64;
        let limit = (length * COST_PER_BYTE + COST_OF_ANY).min(MAX_COST);
        let left = Cell::new(limit);
        Ok(Self {
            request,
            rows,
            limit,
            left,
        })
    }

    /// Takes from what may still be made of rows.
    pub(super) fn charge(&self, cost: u64) -> Result<(), OtlpError> {
        match self.left.get().checked_sub(cost) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(OtlpError::Unfolds { limit: self.limit }),
        }
    }

    /// Whether there is nothing in it, as when it is missing.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.iter().all(Vec::is_empty)
    }

    /// How many rows a table has.
    pub(super) fn count(&self, table: Table) -> usize {
        self.rows[table as usize].len()
    }

    /// A row's message.
    fn row(&self, table: Table, index: u64) -> Result<Wire<'a>, Stop> {
        let rows = &self.rows[table as usize];
        let row = usize::try_from(index).ok().and_then(|at| rows.get(at));
        let Some(&(start, end)) = row else {
            let what = match table {
                Table::Mapping => "mapping",
                Table::Location => "location",
                Table::Function => "function",
                Table::Link => "link",
                Table::String => "string",
                Table::Attribute => "attribute",
                Table::Stack => "stack",
            };
            return Err(ProfileError::Missing {
                what,
                index: index as i64,
                count: rows.len(),
            }
            .into());
        };
        self.charge(u64::from(end - start) + ROW_COST)?;
        Ok(self.request.part(start as usize..end as usize))
    }

    /// A string. What is not UTF-8 is replaced.
    pub(super) fn text(&self, index: u64) -> Result<Cow<'a, str>, Stop> {
        // Row 0 is "not set", and a dictionary without strings has none.
        if index == 0 && self.count(Table::String) == 0 {
            return Ok(Cow::Borrowed(""));
        }
        let row = self.row(Table::String, index)?;
        Ok(String::from_utf8_lossy(row.bytes()))
    }

    pub(super) fn attribute(&self, index: u64) -> Result<Attribute<'a>, Stop> {
        Attribute::read(self.row(Table::Attribute, index)?, Form::Row, &|index| {
            self.text(index)
        })
    }

    pub(super) fn function(&self, index: u64) -> Result<FunctionRow, Stop> {
        let mut function = FunctionRow::default();
        let mut row = self.row(Table::Function, index)?;
        while let Some((field, value)) = row.field()? {
            let Value::Number(n) = value else { continue };
            match field {
                1 => function.name = n,
                2 => function.system_name = n,
                3 => function.file = n,
                4 => function.start_line = n as i64,
                _ => {}
            }
        }
        Ok(function)
    }

    pub(super) fn mapping(&self, index: u64) -> Result<MappingRow<'a>, Stop> {
        let mut mapping = MappingRow::default();
        let mut best = BUILD_IDS.len();
        let mut row = self.row(Table::Mapping, index)?;
        while let Some((field, value)) = row.field()? {
            match (field, value) {
                (1, Value::Number(n)) => mapping.start = n,
                (2, Value::Number(n)) => mapping.limit = n,
                (3, Value::Number(n)) => mapping.offset = n,
                (4, Value::Number(n)) => mapping.file = n,
                (5, value) => for_each_index(value, |index| {
                    let attribute = self.attribute(index)?;
                    let rank = BUILD_IDS.iter().position(|key| *key == attribute.key);
                    if let (Some(rank), Some(text)) = (rank, attribute.text())
                        && rank < best
                    {
                        (best, mapping.build_id) = (rank, text);
                    }
                    Ok(())
                })?,
                _ => {}
            }
        }
        Ok(mapping)
    }

    pub(super) fn location(&self, index: u64, layout: Layout) -> Result<LocationRow<'a>, Stop> {
        let mut location = LocationRow::default();
        let mut row = self.row(Table::Location, index)?;
        while let Some((field, value)) = row.field()? {
            match (field, value) {
                (1, Value::Number(n)) => {
                    // Since 1.8 index 0 says that there is none; before, the field was left out.
                    location.mapping = (n != 0 || layout == Layout::V1_7).then_some(n);
                }
                (2, Value::Number(n)) => location.address = n,
                (3, Value::Bytes(line)) => {
                    if location.lines.len() == MAX_INLINED {
                        return Err(ProfileError::Inlined.into());
                    }
                    location.lines.push(line_row(line)?);
                }
                // 1.7 has a flag in field 4 and attributes in field 5.
                (4, Value::Number(_)) if layout == Layout::V1_7 => {}
                (4 | 5, value) => for_each_index(value, |index| {
                    let attribute = self.attribute(index)?;
                    if attribute.key == FRAME_TYPE
                        && let Some(text) = attribute.text()
                    {
                        location.frame_type = text;
                    }
                    Ok(())
                })?,
                _ => {}
            }
        }
        Ok(location)
    }

    pub(super) fn link(&self, index: u64) -> Result<Link<'a>, Stop> {
        let mut link = Link::default();
        let mut row = self.row(Table::Link, index)?;
        while let Some((field, value)) = row.field()? {
            match (field, value) {
                (1, Value::Bytes(id)) => link.trace_id = id.bytes(),
                (2, Value::Bytes(id)) => link.span_id = id.bytes(),
                _ => {}
            }
        }
        Ok(link)
    }

    /// The locations of a stack, the leaf first, into `locations`.
    pub(super) fn stack(&self, index: u64, locations: &mut Vec<u64>) -> Result<(), Stop> {
        locations.clear();
        let mut row = self.row(Table::Stack, index)?;
        while let Some((field, value)) = row.field()? {
            if field == 1 {
                for_each_index(value, |index| {
                    locations.push(index);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

fn line_row(mut row: Wire<'_>) -> Result<LineRow, WireError> {
    let mut line = LineRow::default();
    while let Some((field, value)) = row.field()? {
        let Value::Number(n) = value else { continue };
        match field {
            1 => line.function = n,
            2 => line.line = n as i64,
            3 => line.column = n as i64,
            _ => {}
        }
    }
    Ok(line)
}

fn for_each_row<'a>(
    request: Wire<'a>,
    mut row: impl FnMut(usize, Wire<'a>),
) -> Result<(), WireError> {
    for_each_message(request, 2, |mut part| {
        while let Some((field, value)) = part.field()? {
            if let (Value::Bytes(message), 1..TABLES) = (value, field as usize) {
                row(field as usize, message);
            }
        }
        Ok(())
    })
}

/// Each message in a field.
pub(super) fn for_each_message<'a, E: From<WireError>>(
    mut message: Wire<'a>,
    wanted: u32,
    mut each: impl FnMut(Wire<'a>) -> Result<(), E>,
) -> Result<(), E> {
    while let Some((field, value)) = message.field()? {
        if let (true, Value::Bytes(inner)) = (field == wanted, value) {
            each(inner)?;
        }
    }
    Ok(())
}

/// Each number of a repeated field, packed or one of many.
#[inline(always)]
pub(super) fn for_each_index(
    value: Value<'_>,
    mut each: impl FnMut(u64) -> Result<(), Stop>,
) -> Result<(), Stop> {
    match value {
        Value::Number(n) => each(n),
        Value::Bytes(mut packed) => {
            while let Some(n) = packed.packed()? {
                each(n)?;
            }
            Ok(())
        }
        Value::Fixed64(_) | Value::Fixed32 => Ok(()),
    }
}

/// Each message in a field, for callers whose errors hold those of requests.
pub(super) fn walk<'a, E: From<Stop>>(
    mut message: Wire<'a>,
    wanted: u32,
    mut each: impl FnMut(Wire<'a>) -> Result<(), E>,
) -> Result<(), E> {
    while let Some((field, value)) = message.field().map_err(Stop::from)? {
        if let (true, Value::Bytes(inner)) = (field == wanted, value) {
            each(inner)?;
        }
    }
    Ok(())
}
