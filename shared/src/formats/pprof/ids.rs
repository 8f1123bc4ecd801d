//! Ids of a file → handles of our tables.

use hashbrown::HashMap;

use super::error::PprofError;
use crate::model::id::{FunctionId, LocationId, MappingId, StringId};
use crate::model::profile::Profile;

/// What becomes of samples whose stacks refer to rows that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dangling {
    /// The profile is refused.
    Refused,
    /// They are left out.
    LeftOut,
}

/// A handle that an id can stand for.
pub(super) trait Handle: Copy {
    /// The handle of a row.
    fn of_row(row: usize) -> Self;
}

impl Handle for MappingId {
    fn of_row(row: usize) -> Self {
        Self::new(row)
    }
}

impl Handle for FunctionId {
    fn of_row(row: usize) -> Self {
        Self::new(row)
    }
}

impl Handle for LocationId {
    #[inline(always)]
    fn of_row(row: usize) -> Self {
        Self::new(row)
    }
}

/// Resolves an index into the string table; `what` names the field for the error. An empty text is
/// row 0, wherever the file has it.
pub(super) fn string(profile: &Profile, index: u64, what: &str) -> Result<StringId, PprofError> {
    let count = profile.strings.len();
    match usize::try_from(index).ok().filter(|&i| i < count) {
        Some(index) => {
            let id = StringId::new(index);
            let is_empty = profile.text(id).is_empty();
            Ok(if is_empty { StringId::EMPTY } else { id })
        }
        None => Err(PprofError::Invalid(format!(
            "{what} refers to string {}, but there are {count} strings",
            index as i64
        ))),
    }
}

/// Which row an id stands for.
///
/// Most producers number their rows 1, 2, 3 …, so the rows before the first that breaks this rule
/// need no table. For those behind it a column serves while ids stay near the number of rows;
/// outliers go into a map, so that one huge id cannot make the column huge. Both get the room that
/// they can need at once: growing would hold two copies.
pub(super) struct Ids<H> {
    what: &'static str,
    rows: usize,
    /// How many rows from the first on have their place, counted from 1, as their id.
    in_order: usize,
    column: Vec<Option<H>>,
    /// Longest that the column may become.
    column_limit: usize,
    outliers: HashMap<u64, H>,
}

impl<H: Handle> Ids<H> {
    /// For a table of `count` rows.
    pub(super) fn new(what: &'static str, count: usize) -> Self {
        Self {
            what,
            rows: 0,
            in_order: 0,
            column: Vec::new(),
            column_limit: count * 2 + 1,
            outliers: HashMap::new(),
        }
    }

    /// Gives the next row an id.
    pub(super) fn push(&mut self, id: u64) -> Result<(), PprofError> {
        if id == 0 {
            let (what, row) = (self.what, self.rows);
            let problem = format!("{what} {row} (counted from 0) has id 0; ids start at 1");
            return Err(PprofError::Invalid(problem));
        }
        if self.get(id).is_some() {
            return Err(PprofError::Invalid(format!(
                "{} id {id} appears twice",
                self.what
            )));
        }
        let row = self.rows;
        self.rows += 1;
        if row == self.in_order && id == row as u64 + 1 {
            self.in_order += 1;
            return Ok(());
        }
        match usize::try_from(id)
            .ok()
            .filter(|&slot| slot < self.column_limit)
        {
            Some(slot) => {
                if self.column.is_empty() {
                    self.column = vec![None; self.column_limit];
                }
                self.column[slot] = Some(H::of_row(row));
            }
            None => {
                if self.outliers.is_empty() {
                    self.outliers
                        .reserve((self.column_limit / 2).saturating_sub(row));
                }
                self.outliers.insert(id, H::of_row(row));
            }
        }
        Ok(())
    }

    /// The row of an id.
    #[inline(always)]
    pub(super) fn get(&self, id: u64) -> Option<H> {
        // Id 0 wraps around and is in no table.
        let row = id.wrapping_sub(1);
        if row < self.in_order as u64 {
            Some(H::of_row(row as usize))
        } else {
            self.get_out_of_order(id)
        }
    }

    fn get_out_of_order(&self, id: u64) -> Option<H> {
        match usize::try_from(id)
            .ok()
            .and_then(|slot| self.column.get(slot))
        {
            Some(&handle) => handle,
            None if self.outliers.is_empty() => None,
            None => self.outliers.get(&id).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_numbering() {
        let ids = [1, 2, 5, 4, u64::MAX, 9, 1 << 40];
        let mut table: Ids<LocationId> = Ids::new("location", ids.len());
        ids.iter().for_each(|&id| table.push(id).unwrap());
        for (row, &id) in ids.iter().enumerate() {
            assert_eq!(table.get(id), Some(LocationId::new(row)), "id {id}");
        }
        for id in [0, 3, 6, 1 << 39] {
            assert_eq!(table.get(id), None, "id {id}");
        }
        assert!(ids.iter().all(|&id| table.push(id).is_err()));
        assert!(table.push(0).is_err());
    }
}
