//! Which tables a thread's samples go through.

use super::document::{Libraries, Thread};
use super::table::Table;
use crate::base::limits::MAX_STACK_DEPTH;
use crate::imports::json::columns::Texts;

/// The tables that lead from a sample to names.
pub(super) struct Tables<'a> {
    pub(super) stacks: &'a Table,
    pub(super) frames: &'a Table,
    pub(super) functions: &'a Table,
    pub(super) resources: &'a Table,
    pub(super) sources: &'a Table,
    pub(super) strings: &'a Texts,
    pub(super) libraries: &'a Libraries,
}

/// What is wrong with a row of a table. It is small, for any row may be wrong.
#[derive(Clone, Copy)]
pub(super) struct Problem {
    pub(super) row: u32,
    pub(super) what: What,
}

/// What may be wrong with a stack or a frame.
#[derive(Clone, Copy)]
pub(super) enum What {
    /// A stack that comes before its parent.
    Prefix,
    /// A stack of a frame that is not there.
    Frame,
    /// A stack of too many frames.
    Depth,
    /// A frame whose location is no string.
    Location,
    /// A frame of a function that is not there.
    Function,
    /// A frame of a function without a name.
    Name,
}

impl What {
    /// Of a row of its table.
    pub(super) fn of(self, row: usize) -> Problem {
        // A cell takes a byte at least, and inputs stay below 4 GiB.
        let row = row as u32;
        Problem { row, what: self }
    }
}

impl Problem {
    /// For people: where it is and what is wrong, in a file with so many frames.
    pub(super) fn text(self, frames: usize) -> (String, String) {
        let (table, problem) = match self.what {
            What::Prefix => ("stack", "its prefix is not an earlier stack".to_owned()),
            What::Frame => (
                "stack",
                format!("its frame is not in the table of {frames} frames"),
            ),
            What::Depth => (
                "stack",
                format!("it has more than {MAX_STACK_DEPTH} frames"),
            ),
            What::Location => (
                "frame",
                "its location is not in the string table".to_owned(),
            ),
            What::Function => (
                "frame",
                "its function is not in the function table".to_owned(),
            ),
            What::Name => (
                "frame",
                "the name of its function is not in the string table".to_owned(),
            ),
        };
        (format!("{table} {}", self.row), problem)
    }
}

impl<'a> Tables<'a> {
    /// Those of a thread, as far as it has its own; else those of `shared`.
    pub(super) fn of(thread: &'a Thread, shared: &'a Thread, libraries: &'a Libraries) -> Self {
        let owner = if thread.stack_table.rows() > 0 {
            thread
        } else {
            shared
        };
        let strings = [&thread.string_array, &shared.string_array];
        Self {
            stacks: &owner.stack_table,
            frames: &owner.frame_table,
            functions: &owner.func_table,
            resources: &owner.resource_table,
            sources: &shared.sources,
            strings: strings[usize::from(strings[0].len() == 0)],
            libraries: if thread.libs.is_empty() {
                libraries
            } else {
                &thread.libs
            },
        }
    }
}
