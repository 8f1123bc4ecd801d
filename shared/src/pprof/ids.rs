//! Ids of a file → handles of our tables.

use hashbrown::HashMap;

use super::PprofError;

/// Which handle an id stands for.
///
/// Producers number their rows 1, 2, 3 …, so a column serves. Ids that come out of turn go into a map, so that one huge id
/// cannot make the column huge.
pub(super) struct Ids<Handle> {
    what: &'static str,
    /// Handles of ids 1, 2, 3 …, as far as these came in turn.
    in_order: Vec<Handle>,
    out_of_order: HashMap<u64, Handle>,
}

impl<Handle: Copy> Ids<Handle> {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, in_order: Vec::new(), out_of_order: HashMap::new() }
    }

    pub(super) fn insert(&mut self, id: u64, handle: Handle) -> Result<(), PprofError> {
        if id == 0 {
            return Err(PprofError::Invalid(format!("a {} has id 0", self.what)));
        }
        if self.get(id).is_some() {
            return Err(PprofError::Invalid(format!("{} id {id} comes twice", self.what)));
        }
        if id == self.in_order.len() as u64 + 1 {
            self.in_order.push(handle);
        } else {
            self.out_of_order.insert(id, handle);
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn get(&self, id: u64) -> Option<Handle> {
        let slot = usize::try_from(id).ok().and_then(|id| id.checked_sub(1)).and_then(|i| self.in_order.get(i));
        match slot {
            Some(&handle) => Some(handle),
            None if self.out_of_order.is_empty() => None,
            None => self.out_of_order.get(&id).copied(),
        }
    }
}
