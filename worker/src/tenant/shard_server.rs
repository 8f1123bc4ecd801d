//! A shard without a platform: pushes, the catalog, leases, as answers to calls.

use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use pilotlight_core::store::{Directory, chunk_head};
use serde::{Serialize, de::DeserializeOwned};

use crate::bucket::Bucket;
use crate::bucket::Metered;
use crate::meter::{Discarded, Meter, MonthUsage, Usage};
use crate::platform::Platform;
use crate::platform::config::{Flush, Retention};
use crate::platform::errors::Problem;
use crate::tenant::catalog;
use crate::tenant::catalog::commands::AdminCommand;
use crate::tenant::catalog::discards::discarded;
use crate::tenant::catalog::published::PublishedDay;
use crate::tenant::catalog::sql::Sql;
use crate::tenant::catalog::tombstones::DueWork;
use crate::tenant::catalog::usage::UsageBook;
use crate::tenant::own_retention::own_retention;
use crate::tenant::rpc::packet;
use crate::tenant::rpc::reply::{Reply, TenantRpc};
use crate::tenant::rpc::shard::Shard;
use crate::tenant::visit_log::{Due, VisitLog};
use crate::tenant::write::writer::Writer;

/// A shard over a bucket and a database.
pub(crate) struct ShardServer<B, S, P> {
    writer: Rc<Writer<Metered<B>, S, P>>,
    usage: UsageBook<S>,
    meter: Meter,
    grace_millis: i64,
    retention: Retention,
    visits: VisitLog,
}

impl<B: Bucket, S: Sql, P: Platform> ShardServer<B, S, P> {
    /// `meter` is the one that `sql` adds to; `grace_seconds` is how long objects that were
    /// replaced stay for queries under way.
    pub(crate) fn new(
        sql: S,
        bucket: B,
        platform: P,
        meter: Meter,
        flush: Flush,
        grace_seconds: u32,
        retention: Retention,
    ) -> Result<Self, Problem> {
        let usage = UsageBook::new(sql.clone())?;
        let bucket = Metered::new(bucket, meter.clone());
        let writer = Rc::new(Writer::new(sql, bucket, platform, flush)?);
        Ok(Self {
            writer,
            usage,
            meter,
            grace_millis: i64::from(grace_seconds) * 1000,
            retention,
            visits: VisitLog::default(),
        })
    }

    /// Answers a call from one who used `usage` since the last. `spawn` takes what must go on
    /// although the caller may leave.
    pub(crate) async fn answer(
        &self,
        shard: &Shard,
        call: TenantRpc,
        body: Vec<u8>,
        usage: Usage,
        spawn: impl FnMut(LocalBoxFuture<'static, ()>),
    ) -> Reply {
        if let Err(problem) = self.book(usage) {
            // Rather a month's bill that is too low than a profile refused.
            self.writer.platform.note(&format!(
                "tenant {shard}: usage was not recorded: {}",
                problem.message
            ));
        }
        let outcome = match call {
            TenantRpc::Append => self.append(shard, body, spawn).await,
            TenantRpc::BeginVisit => self.begin_visit(shard).await,
            call => self.ask(call, &body),
        };
        outcome.into()
    }

    /// Returns once all chunks are in the bucket. As many as there is room for are written together;
    /// the rest follows when those are written.
    async fn append(
        &self,
        shard: &Shard,
        body: Vec<u8>,
        mut spawn: impl FnMut(LocalBoxFuture<'static, ()>),
    ) -> Result<Vec<u8>, Problem> {
        let ((), chunks) = packet::decode(&body).map_err(Problem::invalid)?;
        drop(body);
        let mut left = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            left.push((chunk_head(&chunk).map_err(Problem::invalid)?.id.0, chunk));
        }
        let (mut left, mut appended) = (left.into_iter().peekable(), Vec::new());
        while left.peek().is_some() {
            let mut waiting = Vec::new();
            while let Some((id, chunk)) = left.peek_mut() {
                let Some(taken) = self.writer.offer(*id, chunk)? else {
                    break;
                };
                left.next();
                if taken.drive {
                    // Not part of this call: its client may leave while others wait for the same
                    // write.
                    let (writer, shard) = (self.writer.clone(), shard.clone());
                    spawn(async move { writer.drive(&shard).await }.boxed_local());
                }
                waiting.push(taken);
            }
            if waiting.is_empty() {
                return Err(Problem::overloaded(
                    "too many profiles are waiting to be written; try again shortly",
                ));
            }
            for taken in waiting {
                appended.push(taken.outcome().await?);
            }
        }
        serde_json::to_vec(&appended).map_err(Problem::internal)
    }

    /// Removes what is over, and says what is due.
    async fn begin_visit(&self, shard: &Shard) -> Result<Vec<u8>, Problem> {
        let (catalog, platform) = (&self.writer.catalog, &self.writer.platform);
        let now = platform.now_millis();
        self.visits.begun(now);
        catalog.purge(now)?;
        if let Err(problem) = self.retain(shard, now).await {
            // It must not keep from deletion what was removed before.
            platform.note(&format!("retention: {}", problem.message));
        }
        let keys = catalog.expired(now - self.grace_millis)?;
        let (publish, sweep) = (catalog.publication_due(now)?, catalog.begin_sweep(now)?);
        let due = DueWork {
            keys,
            publish,
            sweep,
        };
        serde_json::to_vec(&due).map_err(Problem::internal)
    }

    /// Nothing is removed while the bucket does not tell what the tenant keeps.
    async fn retain(&self, shard: &Shard, now: i64) -> Result<(), Problem> {
        let catalog = &self.writer.catalog;
        if catalog.retention_due(now)? {
            let own = own_retention(&self.writer.bucket, &shard.tenant).await?;
            catalog.retain(own.retention.unwrap_or(self.retention), &own.pins, now)?;
        }
        Ok(())
    }

    /// Adds what the caller used, and this shard since the last call.
    fn book(&self, mut usage: Usage) -> Result<(), Problem> {
        let now = self.writer.platform.now_millis();
        self.usage.request(now);
        usage += self.meter.take();
        self.usage.add(usage, now)
    }

    /// The calls that only the catalog is needed for.
    fn ask(&self, call: TenantRpc, body: &[u8]) -> Result<Vec<u8>, Problem> {
        let (catalog, platform) = (&self.writer.catalog, &self.writer.platform);
        let now = platform.now_millis();
        match call {
            TenantRpc::Append | TenantRpc::BeginVisit => {
                Err(Problem::internal("answered elsewhere"))
            }
            TenantRpc::Catalog => {
                let (page, directories) = catalog.page(&json(body)?, catalog::pages::PAGE_BYTES)?;
                packed(&page, &directories)
            }
            TenantRpc::Lease => {
                let leased = catalog.lease(platform.random(), now)?;
                self.visits.asked_for_job(leased.is_some());
                match leased {
                    Some((lease, directories)) => packed(&lease, &directories),
                    None => Ok(Vec::new()),
                }
            }
            TenantRpc::Commit => {
                let (done, directories) = packet::decode(body).map_err(Problem::invalid)?;
                let directory = directories.first().map(Vec::as_slice).unwrap_or_default();
                catalog.commit(
                    done,
                    &Directory::decode(directory).map_err(Problem::invalid)?,
                    now,
                )?;
                self.visits.compacted(now);
                Ok(Vec::new())
            }
            TenantRpc::Fail => {
                let failed: crate::tenant::catalog::leases::FailedJob = json(body)?;
                platform.note(&format!("a compaction failed: {}", failed.message));
                catalog.fail(failed, now)?;
                Ok(Vec::new())
            }
            TenantRpc::BeginPublication => {
                serde_json::to_vec(&catalog.begin_publication(now)?).map_err(Problem::internal)
            }
            TenantRpc::DaysFound => {
                catalog.days_found(&json::<Vec<i64>>(body)?)?;
                Ok(Vec::new())
            }
            TenantRpc::OfDay => {
                let (page, directories) = catalog.of_day(json(body)?)?;
                packed(&page, &directories)
            }
            TenantRpc::EndPublication => {
                let (token, days) = json::<(i64, Vec<PublishedDay>)>(body)?;
                catalog.end_publication(token, &days, now)?;
                self.visits.published(now, days.len());
                Ok(Vec::new())
            }
            TenantRpc::BeginRebuild => {
                serde_json::to_vec(&catalog.begin_rebuild(now)?).map_err(Problem::internal)
            }
            TenantRpc::ReplaceCatalog => {
                let (replace, directories) = packet::decode(body).map_err(Problem::invalid)?;
                catalog.replace_catalog(replace, directories, now)?;
                self.writer.recall_again();
                Ok(Vec::new())
            }
            TenantRpc::Unknown => {
                let unknown = catalog.unknown(&json::<Vec<String>>(body)?)?;
                self.visits.found_unknown(unknown.len());
                serde_json::to_vec(&unknown).map_err(Problem::internal)
            }
            TenantRpc::EndSweep => {
                catalog.end_sweep(now)?;
                self.visits.swept(now);
                Ok(Vec::new())
            }
            TenantRpc::AdminCommand => {
                let order: AdminCommand = json(body)?;
                let deletes_all = matches!(order, AdminCommand::DeleteAll);
                let answer = catalog.order(order, now)?;
                if deletes_all {
                    self.writer.forget_written();
                }
                Ok(answer)
            }
            TenantRpc::Book => Ok(Vec::new()),
            TenantRpc::ProfileTimes => {
                serde_json::to_vec(&catalog.profile_times()?).map_err(Problem::internal)
            }
            TenantRpc::Month => {
                let (stored_objects, stored_bytes) = catalog.stored()?;
                let of_reason = |d: Discarded| (d.reason, d.count);
                let discarded = discarded(&catalog.sql)?.into_iter().map(of_reason);
                let month = MonthUsage {
                    discarded: discarded.collect(),
                    stored_objects,
                    stored_bytes,
                    ..self.usage.month(now)?
                };
                serde_json::to_vec(&month).map_err(Problem::internal)
            }
            TenantRpc::Forget => {
                let keys = json::<Vec<String>>(body)?;
                catalog.forget(&keys)?;
                self.visits.deleted(now, keys.len());
                Ok(Vec::new())
            }
            TenantRpc::VisitState => {
                let due = Due {
                    delete_replaced: !catalog.expired(now - self.grace_millis)?.is_empty(),
                    publish: catalog.publication_due(now)?,
                    sweep: catalog.sweep_due(now)?,
                };
                serde_json::to_vec(&self.visits.state(due)).map_err(Problem::internal)
            }
        }
    }
}

fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(Problem::invalid)
}

fn packed<H: Serialize>(head: &H, blobs: &[Vec<u8>]) -> Result<Vec<u8>, Problem> {
    packet::encode(head, blobs).map_err(Problem::internal)
}
