//! Group commit as a plain state machine: chunks gather, one batch at a time is written, and whoever waits for a batch
//! hears of its outcome. It knows no bucket, no clock and no promise: the Durable Object drives it, tests do too.
//!
//! - A chunk is in at most one batch, and a batch is written or fails as a whole.
//! - A chunk that comes again while its batch is not yet written waits for that same batch.
//! - A chunk that comes again after its batch was written is known for [`WINDOW_MILLIS`] and is not kept twice.
//! - After a failure nothing of the batch is remembered, so that a retry starts afresh.

use std::collections::{HashMap, VecDeque};

use pilotlight_core::plans::RETRY_WINDOW_MILLIS;

/// Size at which a batch is written without waiting for the flush interval: 4 MB. Large enough that requests to the
/// bucket cost little per byte, small enough that three of them (gathering, being laid out, being sent) stay under a
/// tenth of an isolate's 128 MB.
pub(crate) const BATCH_BYTES: usize = 4 << 20;

/// Number of chunks at which a batch is written: keeps its directory, some 100 bytes a chunk, near 200 kB.
pub(crate) const BATCH_CHUNKS: usize = 2_000;

/// Most bytes in memory that are not yet in the bucket: 16 MB, four batches. A bucket that takes 500 ms a write then
/// still allows 32 MB/s; beyond, senders are asked to come again.
pub(crate) const PENDING_BYTES: usize = 16 << 20;

/// How long a written chunk is recognised when it comes again: as long as plans would count it once.
pub(crate) const WINDOW_MILLIS: i64 = RETRY_WINDOW_MILLIS;

/// Most chunks that are recognised: 200,000 at some 60 bytes are 12 MB; 330 pushes a second for the whole window. Beyond
/// that an early retry is stored twice and counted once, by the plans.
const WINDOW_CHUNKS: usize = 200_000;

/// What tells a chunk from all others.
pub(crate) type Id = [u8; 16];

/// What became of an offered chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// It is in the bucket already; there is nothing to wait for.
    Durable,
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
    open: Batch<W>,
    /// What is being written; its chunks are with the driver.
    flying: Option<Batch<W>>,
    driven: bool,
    window: Window,
}

#[derive(Debug)]
struct Batch<W> {
    chunks: Vec<Vec<u8>>,
    ids: Vec<Id>,
    waiters: Vec<W>,
    bytes: usize,
    opened: i64,
}

impl<W> Default for Batch<W> {
    fn default() -> Self {
        Self { chunks: Vec::new(), ids: Vec::new(), waiters: Vec::new(), bytes: 0, opened: 0 }
    }
}

impl<W> GroupCommit<W> {
    pub(crate) fn new() -> Self {
        Self { open: Batch::default(), flying: None, driven: false, window: Window::default() }
    }

    /// Recalls a chunk that was written at `written`, in the order of writing.
    pub(crate) fn recall(&mut self, id: Id, written: i64) {
        self.window.insert(id, written);
    }

    /// Takes a chunk, or says why not. `waiter` is kept only when the answer is [`Offered::Waits`].
    pub(crate) fn offer(&mut self, id: Id, chunk: Vec<u8>, waiter: W, now: i64) -> Offered {
        if self.window.contains(&id, now) {
            return Offered::Durable;
        }
        if let Some(batch) = self.flying.as_mut().filter(|batch| batch.ids.contains(&id)) {
            batch.waiters.push(waiter);
            return Offered::Waits(Next::Nothing);
        }
        if self.open.ids.contains(&id) {
            self.open.waiters.push(waiter);
            return Offered::Waits(Next::Nothing);
        }
        let pending = self.open.bytes + self.flying.as_ref().map_or(0, |batch| batch.bytes);
        // A chunk larger than the bound is taken when it is alone: else it could never be.
        if pending > 0 && pending + chunk.len() > PENDING_BYTES {
            return Offered::Full;
        }
        if self.open.ids.is_empty() {
            self.open.opened = now;
        }
        let was_full = self.is_full();
        self.open.bytes += chunk.len();
        self.open.chunks.push(chunk);
        self.open.ids.push(id);
        self.open.waiters.push(waiter);
        Offered::Waits(match (std::mem::replace(&mut self.driven, true), self.is_full() && !was_full) {
            (false, _) => Next::Drive,
            (true, true) => Next::Flush,
            (true, false) => Next::Nothing,
        })
    }

    /// How much longer the open batch should gather, at `now`; zero when it is full or nothing is in it.
    pub(crate) fn gathers(&self, flush_ms: u32, now: i64) -> u32 {
        if self.is_full() || self.open.ids.is_empty() {
            return 0;
        }
        let until = self.open.opened.saturating_add(i64::from(flush_ms));
        // A clock that was set back must not make anyone wait longer than the interval.
        until.saturating_sub(now).clamp(0, i64::from(flush_ms)) as u32
    }

    /// The open batch's chunks, to be written now; new ones gather in the next. Empty when there is nothing to write,
    /// and then no one drives any more.
    pub(crate) fn take(&mut self) -> Vec<Vec<u8>> {
        debug_assert!(self.flying.is_none(), "one batch is written at a time");
        if self.open.ids.is_empty() {
            self.driven = false;
            return Vec::new();
        }
        let mut batch = std::mem::take(&mut self.open);
        let chunks = std::mem::take(&mut batch.chunks);
        self.flying = Some(batch);
        chunks
    }

    /// Ends the batch that was taken, written or not, and gives the waiters to tell.
    pub(crate) fn finish(&mut self, written: bool, now: i64) -> Vec<W> {
        let Some(batch) = self.flying.take() else { return Vec::new() };
        if written {
            batch.ids.iter().for_each(|id| self.window.insert(*id, now));
        }
        batch.waiters
    }

    fn is_full(&self) -> bool {
        self.open.bytes >= BATCH_BYTES || self.open.ids.len() >= BATCH_CHUNKS
    }
}

/// Chunks written of late, by time.
#[derive(Debug, Default)]
struct Window {
    written: HashMap<Id, i64>,
    order: VecDeque<Id>,
}

impl Window {
    fn contains(&self, id: &Id, now: i64) -> bool {
        self.written.get(id).is_some_and(|&at| now.saturating_sub(at) <= WINDOW_MILLIS)
    }

    fn insert(&mut self, id: Id, now: i64) {
        while let Some(oldest) = self.order.front() {
            let fresh = self.written.get(oldest).is_some_and(|&at| now.saturating_sub(at) <= WINDOW_MILLIS);
            if fresh && self.order.len() < WINDOW_CHUNKS {
                break;
            }
            self.written.remove(oldest);
            self.order.pop_front();
        }
        if self.written.insert(id, now).is_none() {
            self.order.push_back(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u32) -> Id {
        let mut id = [0; 16];
        id[..4].copy_from_slice(&n.to_le_bytes());
        id
    }

    /// Offers chunk `n` of `bytes` for waiter `waiter`.
    fn offer(group: &mut GroupCommit<u32>, n: u32, bytes: usize, waiter: u32, now: i64) -> Offered {
        group.offer(id(n), vec![0; bytes], waiter, now)
    }

    #[test]
    fn one_drives_and_all_hear() {
        let mut group = GroupCommit::new();
        assert_eq!(offer(&mut group, 1, 10, 1, 1_000), Offered::Waits(Next::Drive));
        assert_eq!(offer(&mut group, 2, 10, 2, 1_050), Offered::Waits(Next::Nothing));
        assert_eq!(group.gathers(200, 1_050), 150, "counted from the first chunk");
        assert_eq!(group.take().len(), 2);
        assert_eq!(offer(&mut group, 3, 10, 3, 1_300), Offered::Waits(Next::Nothing), "gathers for the next batch");
        assert_eq!(group.finish(true, 1_400), [1, 2]);
        assert_eq!(group.take().len(), 1);
        assert_eq!(group.finish(true, 1_500), [3]);
        assert_eq!(group.take().len(), 0);
        assert_eq!(offer(&mut group, 4, 10, 4, 1_600), Offered::Waits(Next::Drive), "the driver had stopped");
    }

    #[test]
    fn a_retry_waits_for_the_same_write_and_is_kept_once() {
        let mut group = GroupCommit::new();
        offer(&mut group, 1, 10, 1, 0);
        assert_eq!(offer(&mut group, 1, 10, 2, 1), Offered::Waits(Next::Nothing), "not acknowledged early");
        assert_eq!(group.take().len(), 1);
        assert_eq!(offer(&mut group, 1, 10, 3, 2), Offered::Waits(Next::Nothing), "also while it is being written");
        assert_eq!(group.finish(true, 3), [1, 2, 3]);
        assert_eq!(offer(&mut group, 1, 10, 4, 4), Offered::Durable);
        assert_eq!(offer(&mut group, 1, 10, 4, 4 + WINDOW_MILLIS), Offered::Waits(Next::Nothing), "the window has an end");
    }

    #[test]
    fn a_failed_batch_is_forgotten() {
        let mut group = GroupCommit::new();
        offer(&mut group, 1, 10, 1, 0);
        group.take();
        assert_eq!(group.finish(false, 1), [1]);
        assert_eq!(group.take().len(), 0);
        assert_eq!(offer(&mut group, 1, 10, 2, 2), Offered::Waits(Next::Drive));
    }

    #[test]
    fn memory_is_bounded() {
        let mut group = GroupCommit::new();
        assert_eq!(offer(&mut group, 1, PENDING_BYTES + 1, 1, 0), Offered::Waits(Next::Drive), "alone, any size goes");
        assert_eq!(offer(&mut group, 2, 1, 2, 0), Offered::Full);
        group.take();
        assert_eq!(offer(&mut group, 2, 1, 2, 0), Offered::Full, "what is being written counts");
        group.finish(true, 1);
        assert_eq!(offer(&mut group, 2, 1, 2, 2), Offered::Waits(Next::Nothing));
    }

    #[test]
    fn a_full_batch_does_not_wait() {
        let mut group = GroupCommit::new();
        offer(&mut group, 1, 10, 1, 0);
        assert_eq!(offer(&mut group, 2, BATCH_BYTES, 2, 0), Offered::Waits(Next::Flush));
        assert_eq!(offer(&mut group, 3, 10, 3, 0), Offered::Waits(Next::Nothing), "said once");
        assert_eq!(group.gathers(200, 0), 0);
    }

    #[test]
    fn a_clock_set_back_does_not_prolong() {
        let mut group = GroupCommit::new();
        offer(&mut group, 1, 10, 1, 1_000_000);
        assert_eq!(group.gathers(200, 0), 200);
        assert_eq!(group.gathers(200, 2_000_000), 0);
    }

    #[test]
    fn the_window_is_refilled_and_bounded() {
        let mut group = GroupCommit::new();
        group.recall(id(1), 0);
        group.recall(id(2), 1_000);
        assert_eq!(offer(&mut group, 1, 10, 1, 1_000), Offered::Durable);
        group.recall(id(3), WINDOW_MILLIS + 1);
        assert_eq!(group.window.order.len(), 2, "what has passed is dropped");
        for n in 0..WINDOW_CHUNKS as u32 + 10 {
            group.recall(id(n + 100), WINDOW_MILLIS);
        }
        assert_eq!(group.window.order.len(), WINDOW_CHUNKS);
        assert_eq!(group.window.written.len(), WINDOW_CHUNKS);
    }
}
