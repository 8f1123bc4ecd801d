//! The class of the Durable Object, as the platform sees it.

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
use crate::tenant::catalog::sql::DurableSql;
use crate::tenant::rpc::reply::{Reply, TenantRpc};
use crate::tenant::rpc::shard::Shard;
use crate::tenant::rpc::stub::{SHARD_HEADER, USAGE_HEADER, response};
use crate::tenant::shard_server::ShardServer;

/// One of a tenant's shards. All its work is in [`ShardServer`].
#[durable_object(fetch)]
pub struct Tenant {
    state: State,
    server: Result<ShardServer<AnyBucket, DurableSql, Edge>, Problem>,
}

impl DurableObject for Tenant {
    fn new(state: State, env: Env) -> Self {
        let server = Config::of(&env)
            .map_err(Problem::internal)
            .and_then(|config| {
                let meter = Meter::default();
                let sql = DurableSql::new(&state.storage(), meter.clone());
                let (flush, grace_seconds) = (config.flush, config.compact_grace_seconds);
                ShardServer::new(
                    sql,
                    AnyBucket::open(&env)?,
                    Edge,
                    meter,
                    flush,
                    grace_seconds,
                    config.retention,
                )
            });
        Self { state, server }
    }

    async fn fetch(&self, request: Request) -> WorkerResult<Response> {
        match self.answer(request).await {
            Ok(reply) => response(reply),
            Err(problem) => problem.response(),
        }
    }
}

impl Tenant {
    async fn answer(&self, mut request: Request) -> Result<Reply, Problem> {
        let server = self.server.as_ref().map_err(Clone::clone)?;
        let shard = request.headers().get(SHARD_HEADER)?.unwrap_or_default();
        let shard: Shard = shard.parse().map_err(Problem::internal)?;
        let usage = request.headers().get(USAGE_HEADER)?;
        let usage = usage
            .map(|json| serde_json::from_str(&json))
            .transpose()
            .map_err(Problem::internal)?;
        let path = request.path();
        let call = TenantRpc::of(&path).ok_or_else(|| Problem::not_found(path))?;
        let body = request.bytes().await?;
        Ok(server
            .answer(&shard, call, body, usage.unwrap_or_default(), |task| {
                self.state.wait_until(task)
            })
            .await)
    }
}
