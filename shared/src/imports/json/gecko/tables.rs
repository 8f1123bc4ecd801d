//! Which tables a thread's samples go through.

use super::document::{Libraries, Thread};
use super::table::Table;
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

/// What is wrong with a row of a table: which, and why.
pub(super) struct Problem {
    pub(super) place: String,
    pub(super) problem: String,
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
