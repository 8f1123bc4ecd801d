//! Rows of the tables of symbols: mappings, functions, locations and their lines.

use crate::model::id::{FunctionId, MappingId, StringId};

/// A binary or library that was mapped into the profiled process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// First address beyond.
    pub limit: u64,
    /// Offset of `start` in the file.
    pub offset: u64,
    /// Path of the file, or a name in brackets such as `[vdso]`.
    pub file: StringId,
    /// Build id, hex.
    pub build_id: StringId,
    /// What symbolisation has already filled in.
    pub symbols: SymbolFlags,
}

/// The four `has_*` flags of a pprof mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SymbolFlags {
    /// Function names are known.
    pub functions: bool,
    /// File names are known.
    pub filenames: bool,
    /// Line numbers are known.
    pub line_numbers: bool,
    /// Inlined frames are expanded.
    pub inline_frames: bool,
}

/// A function of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Name for people.
    pub name: StringId,
    /// Name in the binary, mangled where the language mangles.
    pub system_name: StringId,
    /// Source file.
    pub file: StringId,
    /// Line of the function's first line, 0 when unknown.
    pub start_line: i64,
}

impl Function {
    /// A function of a file, which may be empty, with one name for people and linkers.
    pub fn named(name: StringId, file: StringId) -> Self {
        Self {
            name,
            system_name: name,
            file,
            start_line: 0,
        }
    }

    /// Name for people, or that in the binary where there is no other.
    pub(crate) fn shown_name(&self) -> StringId {
        if self.name.is_empty() {
            self.system_name
        } else {
            self.name
        }
    }
}

/// One line of a location; several when calls were inlined, innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The function; `None` when a file gives a line without one.
    pub function: Option<FunctionId>,
    /// Line number, 0 when unknown.
    pub line: i64,
    /// Column number, 0 when unknown.
    pub column: i64,
}

impl Line {
    /// A line of a function, 0 when unknown, without a column.
    pub fn of(function: FunctionId, line: i64) -> Self {
        Self {
            function: Some(function),
            line,
            column: 0,
        }
    }
}

/// An instruction address and the lines it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The mapping that holds the address.
    pub mapping: Option<MappingId>,
    /// The address, 0 when unknown.
    pub address: u64,
    /// Several source places share this address because identical code was folded by the linker.
    pub folded: bool,
    /// First line in the line table.
    pub(crate) first_line: u32,
    /// How many lines.
    pub(crate) line_count: u32,
}
