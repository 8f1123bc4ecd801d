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
//! | 16 | bodies on their way in ([`Bodies`]) |
//! | 12 | a push as it is decoded, which nothing interrupts: up to 4 MiB of profile ([`push_claims`]) |
//! | 24 | chunks that wait in a shard (`PENDING_BYTES`), all of them also laid out in a batch |
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

pub(crate) mod bodies;
mod ledger;
#[cfg(test)]
pub(crate) mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use pilotlight_core::limits::MAX_PUSH_BYTES;
use pilotlight_core::plans::Plan;

pub(crate) use self::bodies::{Bodies, MAX_BODY, Reservation};
use self::ledger::Ledger;
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

/// Bytes of a push that is decoded without asking: 4 MiB of profile, of which the usual one has a
/// tenth.
const SMALL_PUSH: usize = 4 << 20;

/// How many times its bytes a push takes while it is decoded: 3, itself, half as much again in
/// tables, and its chunk.
const PUSH_FACTOR: u64 = 3;

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

/// The memory of an isolate, which all that is let in shares.
#[derive(Clone, Debug)]
pub(crate) struct Memory(Rc<RefCell<Ledger>>);

impl Default for Memory {
    fn default() -> Self {
        Self(Rc::new(RefCell::new(Ledger::new(BUDGET))))
    }
}

impl Memory {
    /// What is let in at the moment.
    pub(crate) fn admitted(&self) -> Admitted {
        let ledger = self.0.borrow();
        Admitted {
            bytes: ledger.used(),
            waiting: ledger.queue.len() as u64,
            refused: ledger.refused,
        }
    }
}

/// The way in, for those who run on a platform.
#[derive(Clone, Debug)]
pub(crate) struct Admission<P> {
    pub(crate) platform: P,
    memory: Memory,
}

/// A plan that is let in, until this is dropped; before that, its place in the queue.
#[derive(Debug)]
pub(crate) struct Permit {
    number: u64,
    memory: Memory,
}

/// A sum that counts until this is dropped.
#[derive(Debug)]
pub(crate) struct Sum {
    number: u64,
    memory: Memory,
}

impl<P: Platform> Admission<P> {
    pub(crate) fn new(platform: P, memory: &Memory) -> Self {
        Self {
            platform,
            memory: memory.clone(),
        }
    }

    /// Lets a plan in, by what it wants at first.
    pub(crate) async fn plan(&self, plan: &impl Plan) -> Result<Permit, Problem> {
        self.enter(need(plan.wants().iter().map(|get| get.length)))
            .await
    }

    /// Lets in what takes so many bytes, at once or within [`WAIT_MILLIS`].
    pub(crate) async fn enter(&self, bytes: u64) -> Result<Permit, Problem> {
        let begun = self.platform.now_millis();
        let (permit, crowded) = {
            let (number, waiting) = self.with_ledger(|all| (all.number(), all.queue.len()));
            let memory = self.memory.clone();
            (Permit { number, memory }, waiting >= MAX_WAITING)
        };
        loop {
            let now = self.platform.now_millis();
            if self.with_ledger(|all| all.try_enter(permit.number, bytes.min(all.budget), now)) {
                return Ok(permit);
            }
            if crowded || now.saturating_sub(begun) >= WAIT_MILLIS {
                self.with_ledger(|all| all.refused += 1);
                return Err(crowded_out());
            }
            self.platform.delay(POLL_MILLIS).await;
        }
    }

    /// Lets in a push that may inflate to so many bytes; small ones need no permit.
    pub(crate) async fn push(&self, bytes: usize) -> Result<Option<Permit>, Problem> {
        if bytes <= SMALL_PUSH {
            return Ok(None);
        }
        self.enter(PUSH_FACTOR * bytes as u64).await.map(Some)
    }

    /// Says that a plan that takes long goes on.
    pub(crate) fn renew(&self, permit: &Permit) {
        let now = self.platform.now_millis();
        self.with_ledger(|all| {
            let held = all.plans.get_mut(&permit.number);
            held.into_iter().for_each(|held| held.at = now)
        });
    }

    /// Counts a sum that nothing is in yet.
    pub(crate) fn hold(&self) -> Sum {
        Sum {
            number: self.with_ledger(Ledger::number),
            memory: self.memory.clone(),
        }
    }

    /// Says how many bytes of tables a sum holds by now, and fails when it has to give way.
    pub(crate) fn resize(&self, sum: &Sum, held: usize) -> Result<(), Problem> {
        let (now, bytes) = (self.platform.now_millis(), HELD_FACTOR * held as u64);
        let goes_on = self.with_ledger(|all| all.resize(sum.number, bytes, now));
        if goes_on { Ok(()) } else { Err(crowded_out()) }
    }

    /// The same of a query that is answered by one plan.
    pub(crate) fn grow(&self, permit: &Permit, held: usize) -> Result<(), Problem> {
        let (now, bytes) = (self.platform.now_millis(), HELD_FACTOR * held as u64);
        let goes_on = self.with_ledger(|all| all.grow(permit.number, bytes, now));
        if goes_on { Ok(()) } else { Err(crowded_out()) }
    }

    fn with_ledger<T>(&self, change: impl FnOnce(&mut Ledger) -> T) -> T {
        change(&mut self.memory.0.borrow_mut())
    }
}

fn crowded_out() -> Problem {
    Problem::unavailable("the server is reading too much at once; try again shortly")
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut ledger = self.memory.0.borrow_mut();
        ledger.plans.remove(&self.number);
        ledger.queue.remove(&self.number);
    }
}

impl Drop for Sum {
    fn drop(&mut self) {
        self.memory.0.borrow_mut().sums.remove(&self.number);
    }
}

/// What a plan takes that reads so many bytes in all.
pub(crate) fn need(lengths: impl Iterator<Item = u64>) -> u64 {
    LEAST.saturating_add(FACTOR.saturating_mul(lengths.fold(0, u64::saturating_add)))
}

/// How large a push is by its own word, at least [`SMALL_PUSH`]: that of a gzip stands at its end.
/// What it holds beyond that has to ask for more.
pub(crate) fn push_claims(body: &[u8]) -> usize {
    let claimed = match (body, body.last_chunk()) {
        ([0x1f, 0x8b, ..], Some(size)) => u32::from_le_bytes(*size) as usize,
        _ => 0,
    };
    claimed.max(body.len()).clamp(SMALL_PUSH, MAX_PUSH_BYTES)
}

/// Bytes of WASM memory that this isolate has taken. They never become fewer; natively there are
/// none.
pub(crate) fn wasm_bytes() -> u64 {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size(0) as u64 * (64 << 10);
    #[cfg(not(target_arch = "wasm32"))]
    return 0;
}
