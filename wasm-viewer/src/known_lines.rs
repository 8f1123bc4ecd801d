//! The lines of a profile as they were asked for last: a person goes from function to function.

use pilotlight_core::LineTable;

/// A table of lines, and what it was made of.
pub(crate) struct KnownLines {
    pub(crate) profile: u32,
    pub(crate) sample_type: u32,
    pub(crate) steps: Vec<String>,
    pub(crate) table: LineTable,
}
