//! A symbol table: what names the addresses of one program, read once from the program where it is
//! dropped, so that no query reads a program.
//!
//! `symbols/<tenant>/<digest>`: magic, a section with a head in JSON (build ids, the file's name,
//! how it lies in memory), and a section with the tables of a profile without samples. There each
//! location is a range of addresses of the file with the same frames: from its own address to that
//! of the next one. A location without lines ends a range.

#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::codec::bytes::Reader;
use super::codec::section::{
    Packer, check_magic, put_magic, put_plain, section, section_size, skip_section,
};
use super::codec::symbols;
use super::directory::key::TenantId;
use super::error::StoreError;
use crate::model::builder::ProfileBuilder;
use crate::model::id::{StackId, StringId};
use crate::model::profile::{Function, Line, Location, Profile};
use crate::verbs::programs::{BuildId, Identity, Layout, Symbols};
use crate::verbs::{MAX_NAME_BYTES, SymbolFrame};

const MAGIC: &[u8; 7] = b"PLTSYMT";

const FORMAT: &str = "symbol table";

/// Most bytes of the columns of a table before compression: 4 MiB. What takes three bytes there takes up
/// to 15 times as many in memory while it is read: 60 MiB, whatever it is. Those of programs take some
/// six times as many.
pub const MAX_SYMBOL_COLUMNS: usize = 4 << 20;

/// Most bytes of a head: 256 segments of some 100, and what stands beside them.
const MAX_HEAD: usize = 64 << 10;

/// Most bytes of the object: what is packed is never larger than what it was.
pub const MAX_SYMBOL_TABLE: usize = MAX_SYMBOL_COLUMNS + MAX_HEAD + 64;

/// Most build ids of a program: its own, in the forms of several tools.
const MAX_IDS: usize = 4;

/// Longest build id in bytes: a SHA-512 in hexadecimal.
const MAX_ID: usize = 128;

/// Longest name of a file in bytes, as file systems have it.
const MAX_FILE: usize = 255;

/// Most frames of a range: 64. Compilers inline some ten calls at one place.
const MAX_FRAMES: usize = 64;

/// Most segments of a program. Linkers make less than 20.
const MAX_SEGMENTS: usize = 256;

/// What a table says of its program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolTableHead {
    /// Its build ids, at least one.
    pub ids: Vec<String>,
    /// The name of its file.
    pub file: String,
    /// How it lies in memory.
    pub layout: Layout,
}

/// What names the addresses of one program.
#[derive(Clone, Debug)]
pub struct SymbolTable {
    head: SymbolTableHead,
    /// Locations in order of their addresses, a stack of each.
    ranges: Profile,
}

/// Why there is no table of a program.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SymbolTableError {
    /// Nothing tells which mappings are the program's.
    #[error("the binary has no build ID, so its addresses can't be matched")]
    NoId,
    /// Ids that tell no program.
    #[error("the binary has too many build IDs, or they are too long or don't identify it")]
    Ids,
    /// Too long a name, or too many segments.
    #[error("the binary's {0} is too long")]
    Head(&'static str),
    /// Nothing has a name.
    #[error("the symbol table contains no names")]
    Empty,
    /// More than is kept.
    #[error("the symbols need {size} bytes; at most {MAX_SYMBOL_COLUMNS} are allowed")]
    TooLarge {
        /// Bytes of the columns.
        size: usize,
    },
    /// It is damaged, or no table.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The name of a table: the first half of the SHA-256 of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolTableId([u8; 16]);

impl SymbolTableId {
    /// That of an object.
    pub fn of(object: &[u8]) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&Sha256::digest(object)[..16]);
        Self(id)
    }
}

impl fmt::Display for SymbolTableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// How the names of a tenant's tables begin in the bucket.
pub fn symbols_prefix(tenant: &TenantId) -> String {
    format!("symbols/{tenant}/")
}

/// Makes a table of ranges of addresses, which come in order.
pub struct SymbolTableBuilder {
    builder: ProfileBuilder,
    lines: Vec<Line>,
    /// What the last range has.
    last: Vec<Line>,
    named: bool,
}

impl SymbolTableBuilder {
    /// A table without ranges.
    pub fn new() -> Self {
        Self {
            builder: ProfileBuilder::new(),
            lines: Vec::new(),
            last: Vec::new(),
            named: false,
        }
    }

    /// From this address on there are these frames, the innermost call first; columns are not kept.
    /// What is not after the range before is left out.
    pub fn range(&mut self, address: u64, frames: &[SymbolFrame]) {
        // The innermost calls that were inlined are left out.
        let frames = &frames[frames.len().saturating_sub(MAX_FRAMES)..];
        let builder = &mut self.builder;
        let before = builder.profile().locations().last();
        if before.is_some_and(|before| before.address >= address) {
            return;
        }
        self.lines.clear();
        for frame in frames {
            let name = builder.string(&frame.name);
            let system_name = builder.string(&frame.system_name);
            let file = builder.string(&frame.file);
            let function = builder.function(Function {
                name,
                system_name,
                file,
                start_line: 0,
            });
            self.lines.push(Line::of(function, frame.line));
        }
        if self.lines == self.last {
            return;
        }
        let location = builder.location(None, address, false, &self.lines);
        builder.stack(None, location);
        self.named |= !self.lines.is_empty();
        std::mem::swap(&mut self.lines, &mut self.last);
    }

    /// How many ranges it has by now.
    pub fn ranges(&self) -> usize {
        self.builder.profile().locations().len()
    }

    /// The table of a program.
    pub fn finish(self, head: SymbolTableHead) -> Result<SymbolTable, SymbolTableError> {
        head.check()?;
        if !self.named {
            return Err(SymbolTableError::Empty);
        }
        Ok(SymbolTable {
            head,
            ranges: self.builder.finish(),
        })
    }
}

impl Default for SymbolTableBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SymbolTableHead {
    fn check(&self) -> Result<(), SymbolTableError> {
        if self.ids.is_empty() {
            return Err(SymbolTableError::NoId);
        }
        let is_id = |id: &String| id.len() <= MAX_ID && BuildId::of(id).is_some();
        if self.ids.len() > MAX_IDS || !self.ids.iter().all(is_id) {
            return Err(SymbolTableError::Ids);
        }
        if self.file.len() > MAX_FILE {
            return Err(SymbolTableError::Head("file name"));
        }
        match &self.layout {
            Layout::Segments(segments) if segments.len() > MAX_SEGMENTS => {
                Err(SymbolTableError::Head("list of segments"))
            }
            _ => Ok(()),
        }
    }
}

impl SymbolTable {
    /// What it says of its program.
    pub fn head(&self) -> &SymbolTableHead {
        &self.head
    }

    /// By what its program is told: by build id alone.
    pub fn identity(&self) -> Identity {
        Identity {
            ids: self.head.ids.clone(),
            names: Vec::new(),
        }
    }

    /// How many functions it knows.
    pub fn functions(&self) -> usize {
        self.ranges.functions.len()
    }

    /// About how many bytes of memory it takes, and as many again while it is read.
    pub fn memory(&self) -> usize {
        self.ranges.table_bytes()
    }

    /// Whether it knows lines.
    pub fn has_lines(&self) -> bool {
        self.ranges.lines.iter().any(|line| line.line > 0)
    }

    /// The object.
    pub fn encode(&self) -> Result<Vec<u8>, SymbolTableError> {
        let stacks = (0..self.ranges.stacks.len()).map(StackId::new);
        let (columns, _) = symbols::encode(&self.ranges, stacks)?;
        check_columns(columns.len())?;
        // What was checked can always be written.
        let head = serde_json::to_vec(&self.head).unwrap_or_default();
        let mut out = Vec::new();
        put_magic(&mut out, MAGIC);
        put_plain(&mut out, &head, FORMAT)?;
        Packer::new()?.put(&mut out, &columns, FORMAT)?;
        Ok(out)
    }

    /// Bytes of an object's columns before compression, as it says itself.
    pub fn columns(object: &[u8]) -> Result<usize, SymbolTableError> {
        let mut reader = Reader::new(object, FORMAT);
        check_magic(&mut reader, MAGIC, FORMAT)?;
        skip_section(&mut reader)?;
        let size = section_size(&reader)?;
        check_columns(size)?;
        Ok(size)
    }

    /// Reads an object.
    pub fn decode(object: &[u8]) -> Result<Self, SymbolTableError> {
        let mut reader = Reader::new(object, FORMAT);
        check_magic(&mut reader, MAGIC, FORMAT)?;
        if section_size(&reader)? > MAX_HEAD {
            return Err(SymbolTableError::Head("head"));
        }
        let head = section(&mut reader, FORMAT)?;
        let head: SymbolTableHead = serde_json::from_slice(&head)
            .map_err(|_| reader.corrupt("the header is not valid JSON for a symbol table"))?;
        head.check()?;
        check_columns(section_size(&reader)?)?;
        let columns = section(&mut reader, FORMAT)?;
        reader.end()?;
        let ranges = symbols::decode(&columns, FORMAT)?;
        let names = (0..ranges.strings.len()).map(|i| ranges.strings.get(StringId::new(i)));
        let frames = ranges.locations.iter().map(|range| range.line_count);
        if names.map(str::len).max() > Some(MAX_NAME_BYTES)
            || frames.max() > Some(MAX_FRAMES as u32)
        {
            return Err(reader
                .corrupt("a name or a list of frames is too long")
                .into());
        }
        let addresses = ranges.locations.iter().map(|location| location.address);
        if !addresses.is_sorted() {
            return Err(reader.corrupt("addresses are out of order").into());
        }
        match ranges.functions.is_empty() {
            true => Err(SymbolTableError::Empty),
            false => Ok(Self { head, ranges }),
        }
    }
}

impl Symbols for SymbolTable {
    fn frames(&self, address: u64, frames: &mut Vec<SymbolFrame>) {
        let ranges = &self.ranges.locations;
        let before = ranges.partition_point(|range| range.address <= address);
        let Some(Location {
            first_line,
            line_count,
            ..
        }) = ranges[..before].last()
        else {
            return;
        };
        let lines = *first_line as usize..(first_line + line_count) as usize;
        for line in &self.ranges.lines[lines] {
            let Some(function) = line.function else {
                continue;
            };
            let function = &self.ranges.functions[function.index()];
            let text = |id| self.ranges.text(id).to_owned();
            frames.push(SymbolFrame {
                name: text(function.name),
                system_name: text(function.system_name),
                file: text(function.file),
                line: line.line,
                column: line.column,
            });
        }
    }
}

fn check_columns(size: usize) -> Result<(), SymbolTableError> {
    match size > MAX_SYMBOL_COLUMNS {
        true => Err(SymbolTableError::TooLarge { size }),
        false => Ok(()),
    }
}
