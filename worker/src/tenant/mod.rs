//! The Durable Object of a tenant: group commit of pushes, the catalog of objects, and leases for compaction.

mod catalog;
mod client;
mod commit;
mod compaction;
mod deletions;
mod load;
mod objects;
mod operator;
pub(crate) mod packet;
mod published;
mod rebuild;
mod reply;
mod retention;
mod shard;
mod sql;
mod store;
mod stub;
mod sweep;
mod tombstones;
mod usage;
mod window;
mod writer;

// The attribute's code names this crate as if it were a dependency.
use worker::wasm_bindgen;
use worker::{DurableObject, Env, Request, Response, Result as WorkerResult, State, durable_object};

use crate::bucket::AnyBucket;
use crate::config::Config;
use crate::errors::Problem;
use crate::meter::Meter;
use crate::platform::Edge;
pub(crate) use catalog::{Detail, Row};
pub(crate) use client::{Job, TenantClient, TenantShards, catalog_objects};
pub(crate) use commit::Flush;
pub(crate) use compaction::{Blame, Done, Failed};
pub(crate) use deletions::{Begun, Pending, Wanted};
pub(crate) use operator::{Kept, Order, Parked};
pub(crate) use published::{Publication, PublishedDay};
pub(crate) use rebuild::{Begun as RebuildBegun, Replace};
pub(crate) use reply::Transport;
#[cfg(test)]
pub(crate) use reply::{Call, Reply};
pub(crate) use retention::{MAX_DAYS, Retention};
pub(crate) use shard::Shard;
use sql::DurableSql;
#[cfg(test)]
pub(crate) use sql::{Rows, Sql, Value, memory};
pub(crate) use store::TenantStore;
pub(crate) use stub::{StubLine, USAGE_HEADER};
pub(crate) use writer::Appended;

/// One tenant's object, or one of several. All its work is in [`TenantStore`].
#[durable_object(fetch)]
pub struct Tenant {
    state: State,
    store: Result<TenantStore<AnyBucket, DurableSql, Edge>, Problem>,
}

impl DurableObject for Tenant {
    fn new(state: State, env: Env) -> Self {
        let store = Config::of(&env).map_err(Problem::internal).and_then(|config| {
            let meter = Meter::default();
            let sql = DurableSql::new(&state.storage(), meter.clone());
            let (flush, grace_seconds) = (config.flush, config.compact_grace_seconds);
            TenantStore::new(sql, AnyBucket::open(&env)?, Edge, meter, flush, grace_seconds, config.retention)
        });
        Self { state, store }
    }

    async fn fetch(&self, request: Request) -> WorkerResult<Response> {
        match self.answer(request).await {
            Ok(reply) => stub::response(reply),
            Err(problem) => problem.response(),
        }
    }
}

impl Tenant {
    async fn answer(&self, mut request: Request) -> Result<reply::Reply, Problem> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let shard = request.headers().get(stub::SHARD_HEADER)?.unwrap_or_default();
        let shard: Shard = shard.parse().map_err(Problem::internal)?;
        let usage = request.headers().get(stub::USAGE_HEADER)?;
        let usage = usage.map(|json| serde_json::from_str(&json)).transpose().map_err(Problem::internal)?;
        let path = request.path();
        let call = reply::Call::of(&path).ok_or_else(|| Problem::not_found(path))?;
        let body = request.bytes().await?;
        Ok(store.answer(&shard, call, body, usage.unwrap_or_default(), |task| self.state.wait_until(task)).await)
    }
}
