//! Who holds how much of an isolate's memory, and who waits.

use std::collections::BTreeMap;

/// How long a permit counts after its plan last went on: half a minute, as long as a request may
/// compute. The platform may abandon a request without a word to us.
pub(super) const HOLD_MILLIS: i64 = 30_000;

/// How long a place in the queue is kept for one that does not look any more: one second.
const LOST_MILLIS: i64 = 1_000;

/// What is let in and who waits.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) budget: u64,
    last: u64,
    /// Plans by number.
    pub(super) plans: BTreeMap<u64, Held>,
    /// Sums of subqueries' answers, by number.
    pub(super) sums: BTreeMap<u64, Held>,
    /// Tickets in the order in which they were drawn, and when each was last seen.
    pub(super) queue: BTreeMap<u64, i64>,
    pub(super) refused: u64,
}

#[derive(Debug)]
pub(super) struct Held {
    bytes: u64,
    /// Whether it is a query that says what it holds.
    grows: bool,
    /// When its holder last went on.
    pub(super) at: i64,
}

impl Ledger {
    pub(super) fn new(budget: u64) -> Self {
        let (plans, sums, queue) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self {
            budget,
            last: 0,
            plans,
            sums,
            queue,
            refused: 0,
        }
    }

    pub(super) fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(super) fn used(&self) -> u64 {
        self.plans
            .values()
            .chain(self.sums.values())
            .fold(0, |sum, held| sum.saturating_add(held.bytes))
    }

    fn forget_abandoned(&mut self, now: i64) {
        // Also if the clock is set back.
        let lives = |held: &mut Held| now.saturating_sub(held.at).saturating_abs() < HOLD_MILLIS;
        self.plans.retain(|_, held| lives(held));
        self.sums.retain(|_, held| lives(held));
    }

    /// Lets a ticket in if it is the first that waits and fits; else keeps its place.
    pub(super) fn try_enter(&mut self, ticket: u64, bytes: u64, now: i64) -> bool {
        self.forget_abandoned(now);
        self.queue.insert(ticket, now);
        // One that comes back after code ran for long takes its old place.
        self.queue
            .retain(|_, seen| now.saturating_sub(*seen).saturating_abs() < LOST_MILLIS);
        let first = self
            .queue
            .first_key_value()
            .is_some_and(|(first, _)| *first == ticket);
        let fits = self.plans.is_empty() || self.used().saturating_add(bytes) <= self.budget;
        if first && fits {
            self.queue.remove(&ticket);
            self.plans.insert(
                ticket,
                Held {
                    bytes,
                    grows: false,
                    at: now,
                },
            );
        }
        first && fits
    }

    /// Counts what a query's plan holds by now, if that is more than was estimated; `false` when it
    /// has to give way.
    pub(super) fn grow(&mut self, number: u64, bytes: u64, now: i64) -> bool {
        if let Some(held) = self.plans.get_mut(&number) {
            held.bytes = held.bytes.max(bytes);
            held.grows = true;
            held.at = now;
        }
        self.may_go_on(number, now)
    }

    /// Counts what a sum holds by now; `false` when it has to give way.
    pub(super) fn resize(&mut self, number: u64, bytes: u64, now: i64) -> bool {
        let held = Held {
            bytes,
            grows: true,
            at: now,
        };
        self.sums.insert(number, held);
        self.may_go_on(number, now)
    }

    /// A query gives way to an older one when both together are too large.
    fn may_go_on(&mut self, number: u64, now: i64) -> bool {
        self.forget_abandoned(now);
        let is_older = |(other, held): (&u64, &Held)| *other < number && held.grows;
        let goes_on =
            self.used() <= self.budget || !self.plans.iter().chain(&self.sums).any(is_older);
        self.refused += u64::from(!goes_on);
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_let_in_as_they_fit_and_in_order() {
        let mut ledger = Ledger::new(100);
        assert!(ledger.try_enter(1, 60, 0));
        assert!(!ledger.try_enter(2, 50, 0));
        assert!(
            !ledger.try_enter(3, 10, 0),
            "it fits, and another came before it"
        );
        ledger.plans.remove(&1);
        assert!(!ledger.try_enter(3, 10, 10));
        assert!(ledger.try_enter(2, 50, 20));
        assert!(ledger.try_enter(3, 10, 20));
        assert_eq!(ledger.used(), 60);
    }

    #[test]
    fn sums_count_and_keep_nobody_out_for_ever() {
        let mut ledger = Ledger::new(100);
        assert!(ledger.resize(1, 90, 0));
        assert!(ledger.try_enter(2, 50, 0), "one plan is always let in");
        assert!(!ledger.try_enter(3, 1, 0));
        ledger.sums.remove(&1);
        assert!(ledger.try_enter(3, 50, 0));
    }

    #[test]
    fn of_two_large_answers_the_older_is_made() {
        let mut ledger = Ledger::new(100);
        let (older, younger, whole) = (1, 2, 3);
        assert!(ledger.resize(older, 40, 0) && ledger.resize(younger, 60, 0));
        assert!(ledger.resize(older, 60, 0), "the oldest may always grow");
        assert!(
            !ledger.resize(younger, 60, 0),
            "the other has to give way, though it did not grow"
        );
        ledger.sums.remove(&younger);

        assert!(ledger.try_enter(whole, 30, 0));
        assert!(ledger.grow(whole, 20, 0), "less than it was let in for");
        assert_eq!(ledger.used(), 90);
        assert!(!ledger.grow(whole, 50, 0));
        assert_eq!(ledger.refused, 2);
        assert!(
            ledger.grow(whole, 50, HOLD_MILLIS),
            "the older was abandoned"
        );
    }

    #[test]
    fn a_query_gives_way_to_no_job() {
        let mut ledger = Ledger::new(100);
        assert!(ledger.try_enter(1, 50, 0) && ledger.try_enter(2, 40, 0));
        assert!(ledger.grow(2, 80, 0));
    }

    #[test]
    fn what_was_abandoned_does_not_count_for_ever() {
        let mut ledger = Ledger::new(100);
        assert!(ledger.try_enter(1, 100, 0));
        assert!(!ledger.try_enter(2, 100, 0));
        assert!(
            !ledger.try_enter(3, 100, HOLD_MILLIS - 1),
            "the first one holds it still"
        );
        assert!(
            ledger.try_enter(3, 100, HOLD_MILLIS),
            "nobody sees to the second one any more"
        );
    }
}
