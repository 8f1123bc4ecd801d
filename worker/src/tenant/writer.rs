//! Drives group commit: waits, writes a segment to the bucket, adds its row, tells who waits.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::select;
use pilotlight_core::store::{Directory, SegmentWriter, Tenant as TenantId};
use worker::{Bucket, Delay, Storage};

use super::catalog::{Catalog, Row};
use super::commit::{GroupCommit, Id, Next, Offered, WINDOW_MILLIS};
use super::sql::DurableSql;
use crate::bucket;
use crate::clock;
use crate::errors::Problem;

type Outcome = Result<(), Problem>;

/// Group commit over a bucket and a catalog.
pub(super) struct Writer {
    pub(super) catalog: Catalog<DurableSql>,
    bucket: Bucket,
    flush_ms: u32,
    group: RefCell<GroupCommit<oneshot::Sender<Outcome>>>,
    /// Ends the interval for which the driver waits.
    flush: RefCell<Option<oneshot::Sender<()>>>,
    /// Whether chunks that were written before this object came to life are recalled.
    recalled: Cell<bool>,
}

/// An offered chunk on its way.
pub(super) struct Waiting {
    /// Whether [`Writer::drive`] must be called.
    pub(super) drive: bool,
    outcome: Option<oneshot::Receiver<Outcome>>,
}

impl Waiting {
    /// Resolves when the chunk is in the bucket, or is not going to be.
    pub(super) async fn outcome(self) -> Outcome {
        match self.outcome {
            None => Ok(()),
            Some(outcome) => outcome.await.unwrap_or_else(|_| Err(Problem::unavailable("the write was abandoned"))),
        }
    }
}

impl Writer {
    pub(super) fn new(storage: &Storage, bucket: Bucket, flush_ms: u32) -> Result<Self, Problem> {
        Ok(Self {
            catalog: Catalog::new(DurableSql::new(storage))?,
            bucket,
            flush_ms,
            group: RefCell::new(GroupCommit::new()),
            flush: RefCell::new(None),
            recalled: Cell::new(false),
        })
    }

    /// Takes a chunk into the next batch.
    pub(super) fn offer(&self, id: Id, chunk: Vec<u8>, now: i64) -> Result<Waiting, Problem> {
        self.recall(now)?;
        let (sender, receiver) = oneshot::channel();
        let next = match self.group.borrow_mut().offer(id, chunk, sender, now) {
            Offered::Durable => return Ok(Waiting { drive: false, outcome: None }),
            Offered::Full => return Err(Problem::overloaded("too many profiles wait to be written; send again shortly")),
            Offered::Waits(next) => next,
        };
        if next == Next::Flush
            && let Some(flush) = self.flush.borrow_mut().take()
        {
            // The driver may have stopped waiting in the meantime; then there is nothing to end.
            let _ = flush.send(());
        }
        Ok(Waiting { drive: next == Next::Drive, outcome: Some(receiver) })
    }

    /// Writes batches until there are none.
    pub(super) async fn drive(&self, tenant: &TenantId) {
        loop {
            self.gather().await;
            let chunks = self.group.borrow_mut().take();
            if chunks.is_empty() {
                return;
            }
            let outcome = self.write(tenant, chunks).await;
            if let Err(problem) = &outcome {
                worker::console_error!("tenant {tenant}: a batch was not written: {}", problem.message);
            }
            let waiters = self.group.borrow_mut().finish(outcome.is_ok(), clock::now_millis());
            for waiter in waiters {
                // Who has left needs no answer.
                let _ = waiter.send(outcome.clone());
            }
        }
    }

    async fn gather(&self) {
        let millis = self.group.borrow().gathers(self.flush_ms, clock::now_millis());
        if millis > 0 {
            let (sender, full) = oneshot::channel();
            *self.flush.borrow_mut() = Some(sender);
            select(Delay::from(Duration::from_millis(millis.into())), full).await;
        }
    }

    /// One object, then one row. Without the row the object is nothing to any reader, so a failure leaves nothing behind
    /// that counts; it is deleted as well as that goes, since the chunks will come again.
    async fn write(&self, tenant: &TenantId, chunks: Vec<Vec<u8>>) -> Outcome {
        let (bytes, directory) = segment(chunks)?;
        let now = clock::now_millis();
        let key = bucket::object_key(tenant, 0, now).to_string();
        let row = Row { key: key.clone(), level: 0, size: bytes.len() as u64 };
        let written = match bucket::put(&self.bucket, &key, bytes).await {
            Ok(()) => self.catalog.add(row, &directory, now),
            Err(problem) => Err(problem),
        };
        if written.is_err() {
            let _ = self.bucket.delete(&key).await;
        }
        // Whatever failed inside, the sender's part is to send again.
        written.map_err(|problem| Problem::unavailable(format!("the profile could not be stored: {}", problem.message)))
    }

    /// Recalls, once in the life of this object, the chunks of objects written of late.
    fn recall(&self, now: i64) -> Result<(), Problem> {
        if self.recalled.get() {
            return Ok(());
        }
        let mut recent = Vec::new();
        for (written, directory) in self.catalog.since(now - WINDOW_MILLIS)? {
            let directory = Directory::decode(&directory).map_err(Problem::internal)?;
            recent.extend(directory.chunks().iter().map(|chunk| (written, chunk.id.0)));
        }
        recent.sort_unstable();
        let mut group = self.group.borrow_mut();
        recent.into_iter().for_each(|(written, id)| group.recall(id, written));
        self.recalled.set(true);
        Ok(())
    }
}

fn segment(chunks: Vec<Vec<u8>>) -> Result<(Vec<u8>, Directory), Problem> {
    let mut writer = SegmentWriter::new();
    for chunk in chunks {
        writer.push(&chunk).map_err(Problem::internal)?;
    }
    writer.finish().map_err(Problem::internal)
}
