//! Objects that broke their compaction three times.
//!
//! | call | answer |
//! |---|---|
//! | `GET …/admin/parked` | `{"parked":[{"key","size","level","failures","error"}]}` |
//! | `POST …/admin/parked/retry` | `{"retried":n}` |

use serde::Serialize;
use worker::Response;

use crate::auth::access::ADMIN;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::tenant::{AdminCommand, Parked, TenantShards, Transport};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/admin/parked", ADMIN, |_, scope| {
        Box::pin(list(scope))
    }),
    Endpoint::post("/api/v1/admin/parked/retry", ADMIN, |_, scope| {
        Box::pin(retry(scope))
    }),
];

#[derive(Serialize)]
struct ParkedAnswer {
    parked: Vec<Parked>,
}

#[derive(Serialize)]
struct RetriedAnswer {
    retried: u64,
}

async fn list(scope: &Scope) -> Result<Response, Problem> {
    let parked = parked(&scope.shards()?).await?;
    Ok(Response::from_json(&ParkedAnswer { parked })?)
}

async fn retry(scope: &Scope) -> Result<Response, Problem> {
    let retried = retry_parked(&scope.shards()?).await?;
    Ok(Response::from_json(&RetriedAnswer { retried })?)
}

pub(crate) async fn parked<T: Transport>(shards: &TenantShards<T>) -> Result<Vec<Parked>, Problem> {
    let mut all = Vec::new();
    for client in shards.each() {
        all.extend(client.order::<Vec<Parked>>(&AdminCommand::Parked).await?);
    }
    Ok(all)
}

pub(crate) async fn retry_parked<T: Transport>(shards: &TenantShards<T>) -> Result<u64, Problem> {
    let mut sum = 0;
    for client in shards.each() {
        sum += client.order::<u64>(&AdminCommand::RetryParked).await?;
    }
    Ok(sum)
}
