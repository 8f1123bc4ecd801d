//! A shard that lives, dies and lives again over one database, and the line to it.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::Poll;

use futures_util::FutureExt;

use super::faults::{DeployedSql, FaultyBucket, Simulated};
use crate::bucket::memory::MemoryBucket;
use crate::meter::{Meter, Usage};
use crate::platform::config::{Flush, Retention};
use crate::platform::errors::Problem;
use crate::tenant::memory::MemorySql;
use crate::tenant::{Reply, Shard, ShardServer, Sql, TenantRpc, Transport};

const GRACE_SECONDS: u32 = 600;

pub(crate) const RETENTION: Retention = Retention {
    raw_days: 30,
    sums_days: 60,
};

pub(crate) type LivingShard = ShardServer<FaultyBucket<MemoryBucket>, DeployedSql, Simulated>;

/// Where one of a tenant's shards lives, dies and lives again over the same database.
pub(crate) struct Host {
    pub(crate) shard: Shard,
    sql: MemorySql,
    bucket: FaultyBucket<MemoryBucket>,
    platform: Simulated,
    flush: Flush,
    pub(crate) grace_seconds: Cell<u32>,
    object: RefCell<Option<Living>>,
}

/// The shard that lives, and how many deaths and deployments were before it.
struct Living {
    deaths: u64,
    deploys: u64,
    object: Rc<LivingShard>,
}

/// A line to a shard.
#[derive(Clone)]
pub(crate) struct Line(pub(super) Rc<Host>);

impl Host {
    pub(super) fn new(name: &str, bucket: MemoryBucket, platform: Simulated, flush: Flush) -> Self {
        let faults = platform.faults.clone();
        Self {
            shard: name.parse().unwrap(),
            sql: MemorySql::new(),
            bucket: FaultyBucket { bucket, faults },
            platform,
            flush,
            grace_seconds: Cell::new(GRACE_SECONDS),
            object: RefCell::default(),
        }
    }

    /// The shard that lives, and how many deaths were before it.
    pub(crate) fn object(&self) -> (u64, Rc<LivingShard>) {
        let faults = &self.bucket.faults;
        let (deaths, deploys) = (faults.deaths(), faults.deploys());
        let mut living = self.object.borrow_mut();
        if let Some(living) = living
            .as_ref()
            .filter(|living| (living.deaths, living.deploys) == (deaths, deploys))
        {
            return (deaths, living.object.clone());
        }
        let sql = DeployedSql::new(self.sql.clone(), faults.clone());
        let (bucket, platform, grace) = (
            self.bucket.clone(),
            self.platform.clone(),
            self.grace_seconds.get(),
        );
        let opened = ShardServer::new(
            sql,
            bucket,
            platform,
            Meter::default(),
            self.flush,
            grace,
            RETENTION,
        )
        .unwrap();
        let object = Rc::new(opened);
        *living = Some(Living {
            deaths,
            deploys,
            object: object.clone(),
        });
        (deaths, object)
    }

    /// Loses what its database had.
    pub(super) fn wipe(&self) {
        for table in [
            "objects",
            "directories",
            "lease",
            "sequence",
            "publication",
            "days",
            "settings",
        ] {
            self.sql
                .exec(&format!("DELETE FROM {table}"), Vec::new())
                .unwrap();
        }
        *self.object.borrow_mut() = None;
    }

    /// How many rows of tables it has changed.
    pub(super) fn rows_changed(&self) -> u64 {
        self.sql.changes()
    }

    /// Runs a future as long as the shard lives that it belongs to.
    async fn while_alive<T>(&self, born: u64, work: impl Future<Output = T>) -> Option<T> {
        let mut work = Some(Box::pin(work));
        poll_fn(|cx| {
            if self.bucket.faults.deaths() != born {
                work = None;
            }
            self.bucket.faults.wake_at_death(cx.waker());
            work.as_mut()
                .map_or(Poll::Ready(None), |work| work.as_mut().poll(cx).map(Some))
        })
        .await
    }
}

impl Transport for Line {
    async fn call(&self, call: TenantRpc, body: &[u8]) -> Result<Reply, Problem> {
        let answer = async {
            let (host, (born, object)) = (self.0.clone(), self.0.object());
            let spawn = |task| {
                let host = host.clone();
                self.0.platform.clock.spawn(
                    async move { host.while_alive(born, task).await.unwrap_or(()) }.boxed_local(),
                );
            };
            let answer = object.answer(&self.0.shard, call, body.to_vec(), Usage::default(), spawn);
            self.0
                .while_alive(born, answer)
                .await
                .ok_or_else(|| Problem::unavailable("the shard died"))
        };
        let lost = || Err(Problem::unavailable("the line broke"));
        self.0.bucket.faults.around(call.path(), answer, lost).await
    }
}
