//! Who may use the memory of an isolate. What reads much asks before it does, with an estimate of
//! what it will take; what does not fit waits a moment, and is told to come again when that does
//! not help.
//!
//! An isolate has 128 MB, shared by all its requests, and the memory of WASM never shrinks. So the
//! sum of what runs at once counts, and the linker allows WASM 112 MiB (`worker/build.rs`): an
//! allocation beyond fails, which ends the instance as a panic does. What fits into that:
//!
//! | MiB | for |
//! |---|---|
//! | 60 | [`BUDGET`]: queries, timelines, subqueries, jobs, rebuilds, and pushes that are large |
//! | 16 | bodies on their way in ([`crate::http::body`]) |
//! | 12 | a push as it is decoded, which nothing interrupts: up to 4 MiB of profile ([`push_need`]) |
//! | 24 | chunks that wait in a tenant's object (`PENDING_BYTES`), all of them also laid out in a batch |
//!
//! The remaining 16 MB are JavaScript's, where reads stand on their way into WASM.
//!
//! No permit waits for another. A plan holds its permit from its first read to its answer. A query
//! that waits for subqueries, perhaps in this very isolate, holds none. One plan is always admitted.
//!
//! How large an answer becomes is known only when it is there. So a query says after each step what
//! it holds: [`Admission::grow`] for one that is answered by one plan, [`Admission::resize`] for a
//! sum of subqueries' answers. The oldest query may always grow. Another one that grows beyond the
//! budget is told to come again, which ends it and frees what it holds. So at most one large answer
//! is made at a time.

use std::cell::RefCell;
use std::collections::BTreeMap;

use pilotlight_core::limits::MAX_PUSH_BYTES;
use pilotlight_core::plans::Plan;

use crate::platform::Platform;
use crate::platform::errors::Problem;

/// What plans may take together: 60 MiB, as much as the largest job takes by itself. One that asks
/// for more is let in alone.
const BUDGET: u64 = 60 << 20;

/// How many times the bytes that a plan reads it takes: 6. Jobs took up to 5 times as much in
/// tests. A query of days that share their symbols takes less than it reads. One of processes
/// without a common symbol took 40 times as much: [`Admission::grow`] counts what it holds.
const FACTOR: u64 = 6;

/// How many times the bytes of its tables a query takes: 3. Tables have room for up to twice what
/// they hold, and canonical order makes them a second time: 84 MB for 32 MiB.
const HELD_FACTOR: u64 = 3;

/// What a plan takes that reads little: 2 MiB, an answer of 20,000 stacks.
const LEAST: u64 = 2 << 20;

/// How long one waits to be let in: 5 seconds, a few queries or a job.
const WAIT_MILLIS: i64 = 5_000;

/// How often one that waits looks: each 20 ms. It wakes up by its own timer, since another
/// request's code must not run it.
const POLL_MILLIS: u32 = 20;

/// Most that wait: 64. Each holds a selector and rows of the catalog.
const MAX_WAITING: usize = 64;

/// How long a permit counts after its plan last went on: half a minute, as long as a request may
/// compute. The platform may abandon a request without a word to us.
const HOLD_MILLIS: i64 = 30_000;

/// How long a place in the queue is kept for one that does not look any more: one second.
const LOST_MILLIS: i64 = 1_000;

/// Bytes of a push that is decoded without asking: 4 MiB of profile, of which the usual one has a
/// tenth.
const SMALL_PUSH: u64 = 4 << 20;

/// How many times its bytes a push takes while it is decoded: 3, itself, half as much again in
/// tables, and its chunk.
const PUSH_FACTOR: u64 = 3;

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::new(Ledger::new(BUDGET));
}

/// What is let in and who waits.
struct Ledger {
    budget: u64,
    last: u64,
    /// Plans by number.
    plans: BTreeMap<u64, Held>,
    /// Sums of subqueries' answers, by number.
    sums: BTreeMap<u64, Held>,
    /// Tickets in the order in which they were drawn, and when each was last seen.
    queue: BTreeMap<u64, i64>,
    refused: u64,
}

struct Held {
    bytes: u64,
    /// Whether it is a query that says what it holds.
    grows: bool,
    /// When its holder last went on.
    at: i64,
}

/// What `/metrics` tells of an isolate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// Estimated bytes of all that is let in.
    pub(crate) bytes: u64,
    /// How many wait.
    pub(crate) waiting: u64,
    /// How many were told to come again since the isolate began.
    pub(crate) refused: u64,
}

impl Ledger {
    fn new(budget: u64) -> Self {
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

    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn used(&self) -> u64 {
        self.plans
            .values()
            .chain(self.sums.values())
            .fold(0, |sum, held| sum.saturating_add(held.bytes))
    }

    fn forget_abandoned(&mut self, now: i64) {
        let lives = |held: &mut Held| now.saturating_sub(held.at) < HOLD_MILLIS;
        self.plans.retain(|_, held| lives(held));
        self.sums.retain(|_, held| lives(held));
    }

    /// Lets a ticket in if it is the first that waits and fits; else keeps its place.
    fn try_enter(&mut self, ticket: u64, bytes: u64, now: i64) -> bool {
        self.forget_abandoned(now);
        self.queue.insert(ticket, now);
        // One that comes back after code ran for long takes its old place.
        self.queue
            .retain(|_, seen| now.saturating_sub(*seen) < LOST_MILLIS);
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
    fn grow(&mut self, number: u64, bytes: u64, now: i64) -> bool {
        if let Some(held) = self.plans.get_mut(&number) {
            held.bytes = held.bytes.max(bytes);
            held.grows = true;
            held.at = now;
        }
        self.may_go_on(number, now)
    }

    /// Counts what a sum holds by now; `false` when it has to give way.
    fn resize(&mut self, number: u64, bytes: u64, now: i64) -> bool {
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

/// The way in, for those who run on a platform.
#[derive(Clone, Debug)]
pub(crate) struct Admission<P>(pub(crate) P);

/// A plan that is let in, until this is dropped; before that, its place in the queue.
#[derive(Debug)]
pub(crate) struct Permit(u64);

/// A sum that counts until this is dropped.
#[derive(Debug)]
pub(crate) struct Sum(u64);

impl<P: Platform> Admission<P> {
    /// Lets a plan in, by what it wants at first.
    pub(crate) async fn plan(&self, plan: &impl Plan) -> Result<Permit, Problem> {
        self.enter(need(plan.wants().iter().map(|get| get.length)))
            .await
    }

    /// Lets in what takes so many bytes, at once or within [`WAIT_MILLIS`].
    pub(crate) async fn enter(&self, bytes: u64) -> Result<Permit, Problem> {
        let begun = self.0.now_millis();
        let (permit, crowded) = LEDGER
            .with_borrow_mut(|ledger| (Permit(ledger.number()), ledger.queue.len() >= MAX_WAITING));
        loop {
            let now = self.0.now_millis();
            if LEDGER
                .with_borrow_mut(|ledger| ledger.try_enter(permit.0, bytes.min(ledger.budget), now))
            {
                return Ok(permit);
            }
            if crowded || now.saturating_sub(begun) >= WAIT_MILLIS {
                LEDGER.with_borrow_mut(|ledger| ledger.refused += 1);
                return Err(crowded_out());
            }
            self.0.delay(POLL_MILLIS).await;
        }
    }

    /// Says that a plan that takes long goes on.
    pub(crate) fn renew(&self, permit: &Permit) {
        let now = self.0.now_millis();
        LEDGER.with_borrow_mut(|ledger| {
            ledger
                .plans
                .get_mut(&permit.0)
                .into_iter()
                .for_each(|held| held.at = now)
        });
    }

    /// Counts a sum that nothing is in yet.
    pub(crate) fn hold(&self) -> Sum {
        LEDGER.with_borrow_mut(|ledger| Sum(ledger.number()))
    }

    /// Says how many bytes of tables a sum holds by now, and fails when it has to give way.
    pub(crate) fn resize(&self, sum: &Sum, held: usize) -> Result<(), Problem> {
        let (now, bytes) = (self.0.now_millis(), HELD_FACTOR * held as u64);
        let goes_on = LEDGER.with_borrow_mut(|ledger| ledger.resize(sum.0, bytes, now));
        if goes_on { Ok(()) } else { Err(crowded_out()) }
    }

    /// The same of a query that is answered by one plan.
    pub(crate) fn grow(&self, permit: &Permit, held: usize) -> Result<(), Problem> {
        let (now, bytes) = (self.0.now_millis(), HELD_FACTOR * held as u64);
        let goes_on = LEDGER.with_borrow_mut(|ledger| ledger.grow(permit.0, bytes, now));
        if goes_on { Ok(()) } else { Err(crowded_out()) }
    }
}

fn crowded_out() -> Problem {
    Problem::unavailable("too much is being read at once; ask again shortly")
}

impl Drop for Permit {
    fn drop(&mut self) {
        LEDGER
            .with_borrow_mut(|ledger| (ledger.plans.remove(&self.0), ledger.queue.remove(&self.0)));
    }
}

impl Drop for Sum {
    fn drop(&mut self) {
        LEDGER.with_borrow_mut(|ledger| ledger.sums.remove(&self.0));
    }
}

/// What a plan takes that reads so many bytes in all.
pub(crate) fn need(lengths: impl Iterator<Item = u64>) -> u64 {
    LEAST.saturating_add(FACTOR.saturating_mul(lengths.fold(0, u64::saturating_add)))
}

/// What a push has to ask for before it is decoded; `None` for one that is small. The size of a
/// compressed one stands at its end. If it says less than the truth, the allocator is what stops
/// it.
pub(crate) fn push_need(body: &[u8]) -> Option<u64> {
    let claimed = match (body, body.last_chunk()) {
        ([0x1f, 0x8b, ..], Some(size)) => u32::from_le_bytes(*size).into(),
        // A frame of zstd need not say. Requests of OTLP shrink to a fifth at best.
        ([0x28, 0xb5, 0x2f, 0xfd, ..], _) => 5 * body.len() as u64,
        _ => 0,
    };
    let bytes = claimed.clamp(
        body.len() as u64,
        (body.len() as u64).max(MAX_PUSH_BYTES as u64),
    );
    (bytes > SMALL_PUSH).then_some(PUSH_FACTOR * bytes)
}

/// What is let in at the moment.
pub(crate) fn admitted() -> Admitted {
    LEDGER.with_borrow(|ledger| Admitted {
        bytes: ledger.used(),
        waiting: ledger.queue.len() as u64,
        refused: ledger.refused,
    })
}

/// Bytes of WASM memory that this isolate has taken. They never become fewer; natively there are
/// none.
pub(crate) fn wasm_bytes() -> u64 {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size(0) as u64 * (64 << 10);
    #[cfg(not(target_arch = "wasm32"))]
    return 0;
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use futures_util::future::{join, join_all};

    use super::*;
    use crate::simulation::World;

    /// Starts anew with another budget, on this thread.
    pub(crate) fn with_budget(bytes: u64) {
        LEDGER.set(Ledger::new(bytes));
    }

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

    #[test]
    fn what_a_push_asks_for() {
        let gzip = |len: usize, claimed: u32| {
            let mut body = vec![0; len];
            body[..2].copy_from_slice(&[0x1f, 0x8b]);
            body[len - 4..].copy_from_slice(&claimed.to_le_bytes());
            body
        };
        assert_eq!(push_need(b""), None);
        assert_eq!(push_need(&[0x1f, 0x8b]), None);
        assert_eq!(push_need(&vec![0; 4 << 20]), None);
        assert_eq!(push_need(&vec![0; 5 << 20]), Some(15 << 20));
        assert_eq!(push_need(&gzip(30_000, 90_000)), None);
        assert_eq!(push_need(&gzip(2 << 20, 8 << 20)), Some(24 << 20));
        assert_eq!(
            push_need(&gzip(1 << 20, u32::MAX)),
            Some(48 << 20),
            "more than a push may have is refused later"
        );
    }

    #[test]
    fn many_at_once_stay_within_the_budget_and_all_are_served() {
        with_budget(100);
        let world = World::new(&["a"]);
        let most = Cell::new(0);
        let work = |n: i64| {
            let (admission, most) = (Admission(world.platform()), &most);
            async move {
                let permit = admission.enter(20 + n as u64 % 3 * 20).await?;
                most.set(most.get().max(admitted().bytes));
                admission.0.clock.sleep(100 + n % 7 * 50).await;
                drop(permit);
                Ok::<_, Problem>(())
            }
        };
        let told = world.clock.run(join_all((0..30).map(work)));
        assert!(told.iter().all(Result::is_ok), "{told:?}");
        assert_eq!(
            (most.get(), admitted().bytes, admitted().waiting),
            (100, 0, 0)
        );
    }

    #[test]
    fn who_waits_too_long_is_told_to_come_again() {
        with_budget(100);
        let world = World::new(&["a"]);
        let admission = Admission(world.platform());
        let held = world.clock.run(admission.enter(1_000)).unwrap();
        let begun = world.clock.now();
        // One of them leaves before its time.
        let (refused, gone) = (admission.enter(1), Box::pin(admission.enter(1)));
        let gone = async {
            let left = futures_util::future::select(gone, Box::pin(world.clock.sleep(1_000))).await;
            drop(left);
        };
        let (refused, ()) = world.clock.run(join(refused, gone));
        let problem = refused.unwrap_err();
        assert_eq!((problem.status, problem.retry_after), (503, Some(1)));
        assert_eq!(world.clock.now() - begun, WAIT_MILLIS);
        assert_eq!(
            admitted(),
            Admitted {
                bytes: 100,
                waiting: 0,
                refused: 1
            }
        );
        drop(held);
        drop(world.clock.run(admission.enter(100)).unwrap());

        let held = world.clock.run(admission.enter(100)).unwrap();
        let told = world
            .clock
            .run(join_all((0..MAX_WAITING + 3).map(|_| admission.enter(1))));
        assert_eq!(
            told.iter().filter(|outcome| outcome.is_err()).count(),
            MAX_WAITING + 3
        );
        assert_eq!(world.clock.now() - begun, 2 * WAIT_MILLIS);
        drop((told, held));
        assert_eq!((admitted().bytes, admitted().waiting), (0, 0));
    }
}
