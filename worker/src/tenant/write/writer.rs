//! Drives group commit: waits, writes a segment to the bucket, adds its row, tells who waits.

use std::cell::{Cell, RefCell};
use std::pin::pin;

use futures_channel::oneshot;
use futures_util::future::select;
use pilotlight_core::sort::sort_by;
use pilotlight_core::store::{Directory, Level, ObjectKey, SegmentWriter};

use crate::bucket::{Bucket, Condition};
use crate::platform::Platform;
use crate::platform::config::Flush;
use crate::platform::errors::Problem;
use crate::tenant::catalog::sql::Sql;
use crate::tenant::catalog::table::{Catalog, Row};
use crate::tenant::rpc::reply::Appended;
use crate::tenant::rpc::shard::Shard;
use crate::tenant::write::group_commit::{GroupCommit, Next, Offered};
use crate::tenant::write::retry_window::{Id, WINDOW_MILLIS};

type Outcome = Result<(), Problem>;

/// Group commit over a bucket and a catalog.
pub(in crate::tenant) struct Writer<B, S, P> {
    pub(in crate::tenant) catalog: Catalog<S>,
    pub(in crate::tenant) platform: P,
    pub(in crate::tenant) bucket: B,
    group: RefCell<GroupCommit<oneshot::Sender<Outcome>>>,
    /// Wakes the driver, which looks again how long it waits.
    hasten: RefCell<Option<oneshot::Sender<()>>>,
    /// Whether chunks that were written before this shard came to life are recalled.
    recalled: Cell<bool>,
}

/// An offered chunk on its way.
pub(in crate::tenant) struct Waiting {
    /// Whether [`Writer::drive`] must be called.
    pub(in crate::tenant) drive: bool,
    /// What to say once it is written.
    appended: Appended,
    outcome: Option<oneshot::Receiver<Outcome>>,
}

impl Waiting {
    /// Resolves when the chunk is in the bucket, or is not going to be.
    pub(in crate::tenant) async fn outcome(self) -> Result<Appended, Problem> {
        if let Some(outcome) = self.outcome {
            outcome
                .await
                .unwrap_or_else(|_| Err(Problem::unavailable("the write was abandoned")))?;
        }
        Ok(self.appended)
    }
}

/// Gives up what waits when the driver is dropped before its work is done; else it would wait for
/// ever.
struct Driver<'a>(&'a RefCell<GroupCommit<oneshot::Sender<Outcome>>>);

impl Drop for Driver<'_> {
    fn drop(&mut self) {
        // After the last batch this is nothing.
        self.0.borrow_mut().abandon();
    }
}

impl<B: Bucket, S: Sql, P: Platform> Writer<B, S, P> {
    pub(in crate::tenant) fn new(
        sql: S,
        bucket: B,
        platform: P,
        flush: Flush,
    ) -> Result<Self, Problem> {
        Ok(Self {
            catalog: Catalog::new(sql)?,
            platform,
            bucket,
            group: RefCell::new(GroupCommit::new(flush)),
            hasten: RefCell::new(None),
            recalled: Cell::new(false),
        })
    }

    /// Takes a chunk into the next batch, out of `chunk`, if there is room.
    pub(in crate::tenant) fn offer(
        &self,
        id: Id,
        chunk: &mut Vec<u8>,
    ) -> Result<Option<Waiting>, Problem> {
        let now = self.platform.now_millis();
        self.recall(now)?;
        let (sender, receiver) = oneshot::channel();
        let repeated = |outcome| Waiting {
            drive: false,
            appended: Appended::Repeated,
            outcome,
        };
        let next = match self.group.borrow_mut().offer(id, chunk, sender, now) {
            Offered::Durable => return Ok(Some(repeated(None))),
            Offered::Joins => return Ok(Some(repeated(Some(receiver)))),
            Offered::Full => {
                self.hasten();
                return Ok(None);
            }
            Offered::Waits(next) => next,
        };
        if next == Next::Hasten {
            self.hasten();
        }
        Ok(Some(Waiting {
            drive: next == Next::Drive,
            appended: Appended::Stored,
            outcome: Some(receiver),
        }))
    }

    /// Wakes the driver. It may have stopped waiting in the meantime; then there is nobody to wake.
    fn hasten(&self) {
        if let Some(hasten) = self.hasten.borrow_mut().take() {
            let _ = hasten.send(());
        }
    }

    /// Writes batches until there are none.
    pub(in crate::tenant) async fn drive(&self, shard: &Shard) {
        let _driver = Driver(&self.group);
        loop {
            self.gather().await;
            let chunks = self.group.borrow_mut().take();
            if chunks.is_empty() {
                return;
            }
            let outcome = self.write(shard, chunks).await;
            if let Err(problem) = &outcome {
                self.platform.note(&format!(
                    "tenant {shard}: a batch was not written: {}",
                    problem.message
                ));
            }
            let waiters = self
                .group
                .borrow_mut()
                .finish(outcome.is_ok(), self.platform.now_millis());
            for waiter in waiters {
                // A sender that has left needs no answer.
                let _ = waiter.send(outcome.clone());
            }
        }
    }

    async fn gather(&self) {
        loop {
            let millis = self.group.borrow().gathers(self.platform.now_millis());
            if millis == 0 {
                return;
            }
            let (sender, hastened) = oneshot::channel();
            *self.hasten.borrow_mut() = Some(sender);
            select(pin!(self.platform.delay(millis)), hastened).await;
        }
    }

    /// One object, then one row. Without the row the object is nothing to any reader, so a failure
    /// leaves nothing behind that counts; it is deleted as well as that goes, since the chunks will
    /// come again.
    async fn write(&self, shard: &Shard, chunks: Vec<Vec<u8>>) -> Outcome {
        let now = self.platform.now_millis();
        let (tenant, unique) = (shard.tenant.clone(), self.platform.random());
        let key = ObjectKey {
            tenant,
            shard: shard.number,
            level: Level::Segment,
            millis: now,
            unique,
        }
        .to_string();
        let (bytes, directory) = segment(chunks)?;
        let row = Row {
            key: key.clone(),
            level: Level::Segment,
            size: bytes.len() as u64,
        };
        let written = match self.bucket.put(&key, bytes, Condition::None).await {
            Ok(_) => self.catalog.add(row, &directory, now),
            Err(error) => Err(error.into()),
        };
        if written.is_err() {
            // A rebuild may have found the object meanwhile, and given it a row.
            if self.catalog.is_live(&key) == Ok(true) {
                return Ok(());
            }
            let _ = self.bucket.delete(&[key]).await;
        }
        // Whatever failed inside, the sender's part is to send again.
        written.map_err(|problem| {
            Problem::unavailable(format!(
                "the profile could not be stored: {}",
                problem.message
            ))
        })
    }

    /// Forgets which chunks were written, as the catalog does when all is deleted: the same push is
    /// stored again then.
    pub(in crate::tenant) fn forget_written(&self) {
        self.group.borrow_mut().forget_written();
    }

    /// Lets the next push recall what the catalog has: it may have chunks that this shard does not
    /// know.
    pub(in crate::tenant) fn recall_again(&self) {
        self.recalled.set(false);
    }

    /// Recalls, once in the life of this shard, the chunks of objects written of late.
    fn recall(&self, now: i64) -> Result<(), Problem> {
        if self.recalled.get() {
            return Ok(());
        }
        let mut recent = Vec::new();
        self.catalog
            .since(now - WINDOW_MILLIS, |written, directory| {
                let directory = Directory::decode(&directory).map_err(Problem::internal)?;
                recent.extend(directory.chunks().iter().map(|chunk| (written, chunk.id.0)));
                Ok(())
            })?;
        sort_by(&mut recent, |a, b| a.cmp(b));
        let mut group = self.group.borrow_mut();
        recent
            .into_iter()
            .for_each(|(written, id)| group.recall(id, written));
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
