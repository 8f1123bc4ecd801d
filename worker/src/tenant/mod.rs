//! The Durable Object of a tenant: group commit of pushes, the catalog of objects, and leases for
//! compaction.

mod catalog;
mod rpc;
mod store;
mod write;

// The attribute's code names this crate as if it were a dependency.
use worker::wasm_bindgen;
use worker::{
    DurableObject, Env, Request, Response, Result as WorkerResult, State, durable_object,
};

use crate::bucket::AnyBucket;
use crate::meter::Meter;
use crate::platform::Edge;
use crate::platform::config::Config;
use crate::platform::errors::Problem;
pub(crate) use catalog::commands::{AdminCommand, EffectiveRetention, Parked};
pub(crate) use catalog::deletions::{DeletionRequest, PendingDeletion, StartedDeletion};
pub(crate) use catalog::leases::{Blame, CompletedJob, FailedJob};
pub(crate) use catalog::published::{Publication, PublishedDay};
pub(crate) use catalog::replacement::{RebuildLease, Replace};
use catalog::sql::DurableSql;
#[cfg(test)]
pub(crate) use catalog::sql::{Rows, Sql, Value, memory};
pub(crate) use catalog::token_use::TokenUse;
pub(crate) use catalog::{Detail, Row};
pub(crate) use rpc::client::{Job, TenantClient, TenantShards, catalog_objects};
pub(crate) use rpc::packet;
pub(crate) use rpc::reply::Transport;
#[cfg(test)]
pub(crate) use rpc::reply::{Reply, TenantRpc};
pub(crate) use rpc::shard::Shard;
pub(crate) use rpc::stub::{StubLine, USAGE_HEADER};
pub(crate) use store::TenantStore;
pub(crate) use write::writer::Appended;

/// One tenant's object, or one of several. All its work is in [`TenantStore`].
#[durable_object(fetch)]
pub struct Tenant {
    state: State,
    store: Result<TenantStore<AnyBucket, DurableSql, Edge>, Problem>,
}

impl DurableObject for Tenant {
    fn new(state: State, env: Env) -> Self {
        let store = Config::of(&env)
            .map_err(Problem::internal)
            .and_then(|config| {
                let meter = Meter::default();
                let sql = DurableSql::new(&state.storage(), meter.clone());
                let (flush, grace_seconds) = (config.flush, config.compact_grace_seconds);
                TenantStore::new(
                    sql,
                    AnyBucket::open(&env)?,
                    Edge,
                    meter,
                    flush,
                    grace_seconds,
                    config.retention,
                )
            });
        Self { state, store }
    }

    async fn fetch(&self, request: Request) -> WorkerResult<Response> {
        match self.answer(request).await {
            Ok(reply) => rpc::stub::response(reply),
            Err(problem) => problem.response(),
        }
    }
}

impl Tenant {
    async fn answer(&self, mut request: Request) -> Result<rpc::reply::Reply, Problem> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let shard = request
            .headers()
            .get(rpc::stub::SHARD_HEADER)?
            .unwrap_or_default();
        let shard: Shard = shard.parse().map_err(Problem::internal)?;
        let usage = request.headers().get(rpc::stub::USAGE_HEADER)?;
        let usage = usage
            .map(|json| serde_json::from_str(&json))
            .transpose()
            .map_err(Problem::internal)?;
        let path = request.path();
        let call = rpc::reply::TenantRpc::of(&path).ok_or_else(|| Problem::not_found(path))?;
        let body = request.bytes().await?;
        Ok(store
            .answer(&shard, call, body, usage.unwrap_or_default(), |task| {
                self.state.wait_until(task)
            })
            .await)
    }
}
