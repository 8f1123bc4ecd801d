//! Group commit as a plain state machine: chunks gather, one batch at a time is written, and
//! whoever waits for a batch hears of its outcome. It knows no bucket, no clock and no promise: the
//! Durable Object drives it, tests do too.
//!
//! - A chunk is in at most one batch, and a batch is written or fails as a whole.
//! - A chunk that comes again while its batch is not yet written waits for that same batch.
//! - A chunk that comes again after its batch was written is known for
//!   [`crate::tenant::write::retry_window::WINDOW_MILLIS`] and is not kept twice.
//! - After a failure nothing of the batch is remembered, so that a retry starts afresh.

use std::mem::{replace, take};

use crate::platform::config::Flush;
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
    /// End the flush interval: the batch is large enough.
    Flush,
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
            return Offered::Full;
        }
        self.load.note(now);
        if self.open.ids.is_empty() {
            (self.open.opened, self.open.millis) = (now, self.load.flush_window(self.flush.millis));
        }
        let was_full = self.is_full();
        self.open.bytes += chunk.len();
        self.open.chunks.push(take(chunk));
        self.open.ids.push(id);
        self.open.waiters.push(waiter);
        Offered::Waits(
            match (replace(&mut self.driven, true), self.is_full() && !was_full) {
                (false, _) => Next::Drive,
                (true, true) => Next::Flush,
                (true, false) => Next::Nothing,
            },
        )
    }

    /// How much longer the open batch should gather, at `now`; zero when it is full or nothing is
    /// in it.
    pub(crate) fn gathers(&self, now: i64) -> u32 {
        if self.is_full() || self.open.ids.is_empty() {
            return 0;
        }
        let millis = i64::from(self.open.millis);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::write::retry_window::WINDOW_MILLIS;

    const BATCH_BYTES: usize = 1_000;
    const PENDING_BYTES: usize = 4_000;

    fn group() -> GroupCommit<u32> {
        GroupCommit::new(Flush {
            millis: 6_000,
            bytes: BATCH_BYTES,
            pending: PENDING_BYTES,
        })
    }

    fn id(n: u32) -> Id {
        let mut id = [0; 16];
        id[..4].copy_from_slice(&n.to_le_bytes());
        id
    }

    /// Offers chunk `n` of `bytes` for waiter `waiter`.
    fn offer(group: &mut GroupCommit<u32>, n: u32, bytes: usize, waiter: u32, now: i64) -> Offered {
        group.offer(id(n), &mut vec![0; bytes], waiter, now)
    }

    #[test]
    fn one_drives_and_all_hear() {
        let mut group = group();
        assert_eq!(
            offer(&mut group, 1, 10, 1, 1_000),
            Offered::Waits(Next::Drive)
        );
        assert_eq!(
            offer(&mut group, 2, 10, 2, 1_050),
            Offered::Waits(Next::Nothing)
        );
        assert_eq!(group.gathers(1_050), 50, "counted from the first chunk");
        assert_eq!(group.take().len(), 2);
        assert_eq!(
            offer(&mut group, 3, 10, 3, 1_300),
            Offered::Waits(Next::Nothing),
            "gathers for the next batch"
        );
        assert_eq!(group.finish(true, 1_400), [1, 2]);
        assert_eq!(group.take().len(), 1);
        assert_eq!(group.finish(true, 1_500), [3]);
        assert_eq!(group.take().len(), 0);
        assert_eq!(
            offer(&mut group, 4, 10, 4, 1_600),
            Offered::Waits(Next::Drive),
            "the driver had stopped"
        );
    }

    #[test]
    fn a_retry_waits_for_the_same_write_and_is_kept_once() {
        let mut group = group();
        offer(&mut group, 1, 10, 1, 0);
        assert_eq!(
            offer(&mut group, 1, 10, 2, 1),
            Offered::Joins,
            "not acknowledged early"
        );
        assert_eq!(group.take().len(), 1);
        assert_eq!(
            offer(&mut group, 1, 10, 3, 2),
            Offered::Joins,
            "also while it is being written"
        );
        assert_eq!(group.finish(true, 3), [1, 2, 3]);
        assert_eq!(offer(&mut group, 1, 10, 4, 4), Offered::Durable);
        assert_eq!(
            offer(&mut group, 1, 10, 4, WINDOW_MILLIS + 60_000),
            Offered::Waits(Next::Nothing),
            "the flush window has an end"
        );
    }

    #[test]
    fn a_failed_batch_is_forgotten() {
        let mut group = group();
        offer(&mut group, 1, 10, 1, 0);
        group.take();
        assert_eq!(group.finish(false, 1), [1]);
        assert_eq!(group.take().len(), 0);
        assert_eq!(offer(&mut group, 1, 10, 2, 2), Offered::Waits(Next::Drive));
    }

    #[test]
    fn memory_is_bounded() {
        let mut group = group();
        assert_eq!(
            offer(&mut group, 1, PENDING_BYTES + 1, 1, 0),
            Offered::Waits(Next::Drive),
            "alone, any size goes"
        );
        assert_eq!(offer(&mut group, 2, 1, 2, 0), Offered::Full);
        group.take();
        assert_eq!(
            offer(&mut group, 2, 1, 2, 0),
            Offered::Full,
            "what is being written counts"
        );
        group.finish(true, 1);
        assert_eq!(offer(&mut group, 2, 1, 2, 2), Offered::Waits(Next::Nothing));
    }

    #[test]
    fn a_full_batch_does_not_wait() {
        let mut group = group();
        offer(&mut group, 1, 10, 1, 0);
        assert_eq!(
            offer(&mut group, 2, BATCH_BYTES, 2, 0),
            Offered::Waits(Next::Flush)
        );
        assert_eq!(
            offer(&mut group, 3, 10, 3, 0),
            Offered::Waits(Next::Nothing),
            "said once"
        );
        assert_eq!(group.gathers(0), 0);
    }

    #[test]
    fn a_clock_set_back_does_not_prolong() {
        let mut group = group();
        offer(&mut group, 1, 10, 1, 1_000_000);
        assert_eq!(group.gathers(0), 100);
        assert_eq!(group.gathers(2_000_000), 0);
    }

    #[test]
    fn under_load_a_batch_gathers_longer() {
        let mut group = group();
        let mut windows = Vec::new();
        for second in 0..60 {
            offer(&mut group, second, 10, second, i64::from(second) * 1_000);
            windows.push(group.gathers(i64::from(second) * 1_000));
            group.take();
            group.finish(true, i64::from(second) * 1_000 + 50);
        }
        assert_eq!(
            [
                windows[0],
                windows[19],
                windows[29],
                windows[39],
                windows[59]
            ],
            [100, 100, 3_050, 6_000, 6_000]
        );
        // What is known already is no load, and the flush window is that of the moment at which the batch
        // began.
        assert_eq!(offer(&mut group, 59, 10, 0, 60_000), Offered::Durable);
        offer(&mut group, 100, 10, 0, 200_000);
        offer(&mut group, 101, 10, 0, 200_090);
        assert_eq!(group.gathers(200_090), 10);
    }

    #[test]
    fn what_was_written_is_forgotten_and_what_was_not_is_kept() {
        let mut group = group();
        offer(&mut group, 1, 10, 1, 0);
        group.take();
        group.finish(true, 1);
        offer(&mut group, 2, 10, 2, 2);
        group.take();
        offer(&mut group, 3, 10, 3, 3);
        group.forget_written();
        assert_eq!(
            offer(&mut group, 1, 10, 4, 4),
            Offered::Waits(Next::Nothing),
            "stored again"
        );
        assert_eq!(offer(&mut group, 2, 10, 5, 4), Offered::Joins);
        assert_eq!(offer(&mut group, 3, 10, 6, 4), Offered::Joins);
        group.finish(true, 5);
        assert_eq!(
            offer(&mut group, 2, 10, 7, 6),
            Offered::Durable,
            "written after it"
        );
    }

    #[test]
    fn the_window_is_refilled() {
        let mut group = group();
        group.recall(id(1), 0);
        group.recall(id(2), 1_000);
        assert_eq!(offer(&mut group, 1, 10, 1, 1_000), Offered::Durable);
        assert_eq!(
            offer(&mut group, 3, 10, 1, 1_000),
            Offered::Waits(Next::Drive)
        );
    }

    #[test]
    fn a_driver_that_is_gone_leaves_nothing_behind() {
        let mut group = group();
        offer(&mut group, 1, 10, 1, 0);
        group.take();
        offer(&mut group, 2, 10, 2, 0);
        group.abandon();
        assert_eq!(offer(&mut group, 1, 10, 3, 1), Offered::Waits(Next::Drive));
        assert_eq!((group.take().len(), group.finish(true, 2)), (1, vec![3]));
    }
}
