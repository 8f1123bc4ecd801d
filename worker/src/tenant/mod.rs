//! The Durable Object of a tenant: group commit of pushes, the catalog of objects, and leases for compaction.

mod catalog;
mod client;
mod commit;
mod compaction;
mod packet;
mod reply;
mod shard;
mod sql;
mod store;
mod stub;
mod tombstones;
mod window;
mod writer;

use pilotlight_core::store::Tenant as TenantId;
// The attribute's code names this crate as if it were a dependency.
use worker::wasm_bindgen;
use worker::{DurableObject, Env, Request, Response, Result as WorkerResult, State, durable_object};

use crate::bucket::AnyBucket;
use crate::config::Config;
use crate::errors::Problem;
use crate::platform::Edge;
pub(crate) use catalog::Row;
pub(crate) use client::{Job, TenantClient, TenantShards};
pub(crate) use commit::Flush;
pub(crate) use compaction::{Blame, Failed};
pub(crate) use reply::Transport;
pub(crate) use shard::Shard;
use sql::DurableSql;
use store::TenantStore;
pub(crate) use stub::StubLine;

/// One tenant's object, or one of several. All its work is in [`TenantStore`].
#[durable_object(fetch)]
pub struct Tenant {
    state: State,
    store: Result<TenantStore<AnyBucket, DurableSql, Edge>, Problem>,
}

impl DurableObject for Tenant {
    fn new(state: State, env: Env) -> Self {
        let store = Config::of(&env).map_err(Problem::internal).and_then(|config| {
            let sql = DurableSql::new(&state.storage());
            TenantStore::new(sql, AnyBucket::open(&env)?, Edge, config.flush, config.compact_grace_seconds)
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
        let path = request.path();
        let call = reply::Call::of(&path).ok_or_else(|| Problem::not_found(path))?;
        let body = request.bytes().await?;
        Ok(store.answer(&shard, call, body, |task| self.state.wait_until(task)).await)
    }
}

/// The objects of a tenant, as the worker's environment reaches them.
pub(crate) fn shards(env: &Env, config: &Config, tenant: &TenantId) -> Result<TenantShards<StubLine>, Problem> {
    let lines: Result<Vec<_>, _> = Shard::all(tenant, config.tenant_shards).map(|s| StubLine::new(env, &s)).collect();
    Ok(TenantShards::new(lines?))
}
