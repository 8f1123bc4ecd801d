//! Group commit as a plain state machine: chunks gather, one batch at a time is written, and
//! whoever waits for a batch hears of its outcome. It knows no bucket, no clock and no promise: the
//! Durable Object drives it, tests do too.
//!
//! - A chunk is in at most one batch, and a batch is written or fails as a whole.
//! - A chunk that comes again while its batch is not yet written waits for that same batch.
//! - A chunk that comes again after its batch was written is known for
//!   [`crate::tenant::write::retry_window::WINDOW_MILLIS`] and is not kept twice.
//! - After a failure nothing of the batch is remembered, so that a retry starts afresh.

#[cfg(test)]
mod tests;

use std::mem::{replace, take};

use crate::platform::config::Flush;
use crate::tenant::write::closed_loop::ClosedLoop;
use crate::tenant::write::load::Load;
use crate::tenant::write::retry_window::{Id, RetryWindow};

/// Number of chunks at which a batch is written: keeps its directory, some 100 bytes a chunk, near
/// 200 kB.
pub(crate) const BATCH_CHUNKS: usize = 2_000;

/// What became of an offered chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// It is in the bucket already; there is nothing to wait for.
    Durable,
    /// It is in a batch already; the waiter will hear of it.
    Joins,
    /// The waiter will hear of its batch.
    Waits(Next),
    /// Too much is in memory; the chunk was not taken.
    Full,
}

/// What the driver has to do for a chunk that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Start to drive: no one does.
    Drive,
    /// Look again how long the batch gathers: it is large enough, or all who push are in it.
    Hasten,
    /// Nothing.
    Nothing,
}

/// Group commit with waiters of type `W`.
#[derive(Debug)]
pub(crate) struct GroupCommit<W> {
    flush: Flush,
    open: Batch<W>,
    /// What is being written; its chunks are with the driver.
    flying: Option<Batch<W>>,
    driven: bool,
    retry_window: RetryWindow,
    load: Load,
    closed_loop: ClosedLoop,
}

#[derive(Debug)]
struct Batch<W> {
    chunks: Vec<Vec<u8>>,
    ids: Vec<Id>,
    waiters: Vec<W>,
    bytes: usize,
    opened: i64,
    /// How long it gathers, milliseconds.
    millis: u32,
}

impl<W> Default for Batch<W> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            ids: Vec::new(),
            waiters: Vec::new(),
            bytes: 0,
            opened: 0,
            millis: 0,
        }
    }
}

impl<W> GroupCommit<W> {
    pub(crate) fn new(flush: Flush) -> Self {
        let (retry_window, load) = (RetryWindow::default(), Load::default());
        Self {
            flush,
            open: Batch::default(),
            flying: None,
            driven: false,
            retry_window,
            load,
            closed_loop: ClosedLoop::default(),
        }
    }

    /// Recalls a chunk that was written at `written`, in the order of writing.
    pub(crate) fn recall(&mut self, id: Id, written: i64) {
        self.retry_window.insert(&id, written);
    }

    /// Forgets which chunks were written; what is not written yet stays.
    pub(crate) fn forget_written(&mut self) {
        self.retry_window = RetryWindow::default();
    }

    /// Takes a chunk, or says why not. `waiter` is kept when the answer is [`Offered::Joins`] or
    /// [`Offered::Waits`]; `chunk` is moved out with the latter.
    pub(crate) fn offer(&mut self, id: Id, chunk: &mut Vec<u8>, waiter: W, now: i64) -> Offered {
        if self.retry_window.contains(&id, now) {
            return Offered::Durable;
        }
        if let Some(batch) = self.flying.as_mut().filter(|batch| batch.ids.contains(&id)) {
            batch.waiters.push(waiter);
            return Offered::Joins;
        }
        if self.open.ids.contains(&id) {
            self.open.waiters.push(waiter);
            return Offered::Joins;
        }
        let pending = self.open.bytes + self.flying.as_ref().map_or(0, |batch| batch.bytes);
        // A chunk larger than the bound is taken when it is alone: else it could never be.
        if pending > 0 && pending + chunk.len() > self.flush.pending {
            // What gathers is written at once, so that there is room again.
            self.open.millis = 0;
            return Offered::Full;
        }
        self.load.note(now);
        if self.open.ids.is_empty() {
            (self.open.opened, self.open.millis) = (now, self.load.flush_window(self.flush.millis));
        }
        let (was_driven, before) = (replace(&mut self.driven, true), self.gathers(now));
        self.closed_loop.note(now);
        self.open.bytes += chunk.len();
        self.open.chunks.push(take(chunk));
        self.open.ids.push(id);
        self.open.waiters.push(waiter);
        Offered::Waits(match was_driven {
            false => Next::Drive,
            true if self.gathers(now) < before => Next::Hasten,
            true => Next::Nothing,
        })
    }

    /// How much longer the open batch should gather, at `now`; zero when it is full or nothing is
    /// in it.
    pub(crate) fn gathers(&self, now: i64) -> u32 {
        if self.is_full() || self.open.ids.is_empty() {
            return 0;
        }
        let millis = self.closed_loop.window(self.open.millis, now);
        let millis = i64::from(millis);
        let until = self.open.opened.saturating_add(millis);
        // A clock that was set back must not make anyone wait longer than that.
        until.saturating_sub(now).clamp(0, millis) as u32
    }

    /// The open batch's chunks, to be written now; new ones gather in the next. Empty when there is
    /// nothing to write, and then no one drives any more.
    pub(crate) fn take(&mut self) -> Vec<Vec<u8>> {
        debug_assert!(self.flying.is_none(), "one batch is written at a time");
        if self.open.ids.is_empty() {
            self.driven = false;
            return Vec::new();
        }
        let mut batch = take(&mut self.open);
        let chunks = take(&mut batch.chunks);
        self.flying = Some(batch);
        chunks
    }

    /// Ends the batch that was taken, written or not, and gives the waiters to tell.
    pub(crate) fn finish(&mut self, written: bool, now: i64) -> Vec<W> {
        let Some(batch) = self.flying.take() else {
            return Vec::new();
        };
        if written {
            self.closed_loop.answered(batch.ids.len(), now);
            batch
                .ids
                .iter()
                .for_each(|id| self.retry_window.insert(id, now));
        }
        batch.waiters
    }

    /// Forgets all that is not written: the driver is gone. Who waited may send again.
    pub(crate) fn abandon(&mut self) {
        (self.open, self.flying, self.driven) = (Batch::default(), None, false);
    }

    fn is_full(&self) -> bool {
        self.open.bytes >= self.flush.bytes || self.open.ids.len() >= BATCH_CHUNKS
    }
}
