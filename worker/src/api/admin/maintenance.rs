//! `GET …/admin/maintenance`: what the schedule's visits did with a tenant's shards.

use serde::Serialize;
use worker::Response;

use crate::auth::access::ADMIN;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::tenant::VisitState;

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::get(
    "/api/v1/admin/maintenance",
    ADMIN,
    |_, scope| Box::pin(maintenance(scope)),
)];

/// Of each shard each duty: when it last did something and to how many items, since the shard's
/// Durable Object was started, and whether it is due. A duty that makes no call of its own to the
/// shard is not among them; its outcomes are in the log and the metrics.
#[derive(Serialize)]
struct MaintenanceAnswer {
    shards: Vec<ShardAnswer>,
}

#[derive(Serialize)]
struct ShardAnswer {
    shard: String,
    #[serde(flatten)]
    state: VisitState,
}

async fn maintenance(scope: &Scope) -> Result<Response, Problem> {
    let mut shards = Vec::new();
    for shard in scope.names() {
        shards.push(ShardAnswer {
            shard: shard.to_string(),
            state: scope.shard(&shard)?.visit_state().await?,
        });
    }
    Ok(Response::from_json(&MaintenanceAnswer { shards })?)
}
