//! How many bytes of requests' bodies are in memory at once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use pilotlight_core::limits::MAX_PUSH_BYTES;

/// Most bytes of a push: those of the largest profile, and 64 kB for what multipart puts around it.
pub(crate) const MAX_BODY: usize = MAX_PUSH_BYTES + (64 << 10);

/// Most bytes of bodies in memory at once, over all requests of an isolate: one of the largest, or
/// 500 usual ones.
pub(crate) const MAX_HELD: usize = MAX_BODY;

/// Bodies up to this size always have room: 64 kB, twice a usual push. Those that wait for a slow
/// client's large upload must not be refused for it.
pub(crate) const SMALL_BODY: usize = 64 << 10;

/// How long a body counts after its last byte came: one minute. The platform may abandon a request
/// whose client has left without a word to us, and what it held must not count for ever. Uploads
/// make progress sooner, decoding takes seconds.
const HOLD_MILLIS: i64 = 60_000;

/// The bodies in memory.
#[derive(Clone, Default)]
pub(crate) struct Bodies(Rc<RefCell<Ledger>>);

/// A body's entry, gone when this is dropped.
pub(crate) struct Reservation {
    number: u64,
    bodies: Bodies,
}

impl Bodies {
    /// Makes an entry for a body of which nothing is in memory yet.
    pub(crate) fn reserve(&self) -> Reservation {
        let mut ledger = self.0.borrow_mut();
        ledger.last += 1;
        Reservation {
            number: ledger.last,
            bodies: self.clone(),
        }
    }

    /// Bytes of all bodies.
    #[cfg(test)]
    pub(crate) fn total(&self) -> usize {
        self.0.borrow().total()
    }
}

impl Reservation {
    /// Counts `more` bytes if there is room.
    pub(crate) fn grow(&self, more: usize, now: i64) -> bool {
        self.bodies.0.borrow_mut().grow(self.number, more, now)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.bodies.0.borrow_mut().held.remove(&self.number);
    }
}

/// Bytes in memory for each body, and when its last part came.
#[derive(Default)]
struct Ledger {
    last: u64,
    held: HashMap<u64, (usize, i64)>,
}

impl Ledger {
    fn grow(&mut self, body: u64, more: usize, now: i64) -> bool {
        self.held
            .retain(|_, (_, at)| now.saturating_sub(*at).saturating_abs() < HOLD_MILLIS);
        let total = self.total();
        let (bytes, at) = self.held.entry(body).or_default();
        if total + more > MAX_HELD && *bytes + more > SMALL_BODY {
            return false;
        }
        *bytes += more;
        *at = now;
        true
    }

    fn total(&self) -> usize {
        self.held.values().map(|(bytes, _)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_abandoned_counts_for_a_minute() {
        let mut ledger = Ledger::default();
        assert!(ledger.grow(1, MAX_HELD - 1, 0));
        assert!(!ledger.grow(2, SMALL_BODY + 1, HOLD_MILLIS - 1));
        assert!(ledger.grow(2, SMALL_BODY + 1, HOLD_MILLIS));
        assert_eq!(ledger.total(), SMALL_BODY + 1);
    }
}
