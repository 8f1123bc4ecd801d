//! Counters in samples: how often each event happened between two samples of its group.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::imports::rows::Rows;

/// What a counter takes.
const COUNTER: usize = 48;

/// What each counter had at its last sample, by the id of its event and the thread.
#[derive(Default)]
pub(super) struct Counters {
    last: HashMap<(u64, u32), u64>,
}

impl Counters {
    /// How often the event happened since the last sample. A counter that fell began anew.
    pub(super) fn since_last(&mut self, key: (u64, u32), count: u64, rows: &mut Rows) -> u64 {
        match self.last.entry(key) {
            Entry::Occupied(mut entry) => {
                let last = entry.insert(count);
                count.checked_sub(last).unwrap_or(count)
            }
            Entry::Vacant(entry) => {
                rows.beside += COUNTER;
                *entry.insert(count)
            }
        }
    }
}
