//! `GET …/admin/refusals`: why a tenant's pushes were refused.

use serde::Serialize;
use worker::Response;

use crate::auth::access::ADMIN;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::meter::Discarded;
use crate::platform::errors::Problem;
use crate::tenant::{AdminCommand, TenantShards, Transport};

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::get(
    "/api/v1/admin/refusals",
    ADMIN,
    |_, scope| Box::pin(list(scope)),
)];

#[derive(Serialize)]
struct DiscardsAnswer {
    refusals: Vec<Discarded>,
}

/// `{"refusals":[{"reason","count","last_millis","last_message"}]}`
async fn list(scope: &Scope) -> Result<Response, Problem> {
    let refusals = discarded(&scope.shards()?).await?;
    Ok(Response::from_json(&DiscardsAnswer { refusals })?)
}

/// Why pushes were discarded; only the first object has it.
async fn discarded<T: Transport>(shards: &TenantShards<T>) -> Result<Vec<Discarded>, Problem> {
    match shards.each().first() {
        Some(first) => first.order(&AdminCommand::Discarded).await,
        None => Ok(Vec::new()),
    }
}
