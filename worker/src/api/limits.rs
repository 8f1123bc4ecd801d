//! Calls about a tenant's limits. Its own administrator sees them; one of all tenants changes them.
//!
//! | call | answer |
//! |---|---|
//! | `GET …/api/v1/admin/limits` | `{"limits":{all by name},"own":{those of the tenant}}` |
//! | `PUT …/api/v1/admin/limits` with `{"ingestion_rate_mb":8,…}` | the same; limits that are not named have their defaults |
//! | `DELETE …/api/v1/admin/limits` | the same |

use std::collections::BTreeMap;
use std::rc::Rc;

use pilotlight_core::store::TenantId;
use serde::Serialize;
use worker::{Request, Response};

use crate::auth::access::{ADMIN, INSTALLATION_ADMIN};
use crate::bucket::shared_object::{change, current};
use crate::http::body;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::limits::TenantLimits;
use crate::platform::clock;
use crate::platform::errors::Problem;
use crate::platform::limits::{Given, Limits, OwnLimits, parse};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/admin/limits", ADMIN, |_, scope| {
        Box::pin(show(scope))
    }),
    // Limits keep a tenant from taking what others need, so it does not choose its own.
    Endpoint::put(
        "/api/v1/admin/limits",
        INSTALLATION_ADMIN,
        |request, scope| Box::pin(set(request, scope)),
    ),
    Endpoint::delete("/api/v1/admin/limits", INSTALLATION_ADMIN, |_, scope| {
        Box::pin(change_to(None, scope))
    }),
];

/// Most bytes of a body: four kilobytes, ten times what all limits take.
const MAX_REQUEST: usize = 4 << 10;

#[derive(Serialize)]
struct Shown {
    limits: BTreeMap<&'static str, Given>,
    own: OwnLimits,
}

/// The limits that hold for a request: of its tenant, and for queries of those that it reads, too.
pub(crate) async fn of_request(scope: &Scope) -> Result<Limits, Problem> {
    let (defaults, own) = (scope.config().limits, own(scope).await?);
    let of = |tenant: &TenantId| {
        let own = own.of(tenant.as_str());
        own.map_or(defaults, |own| defaults.with(own))
    };
    let limits = of(scope.tenant());
    Ok(scope
        .tenants()
        .fold(limits, |limits, tenant| limits.with_queries_of(&of(tenant))))
}

async fn show(scope: &Scope) -> Result<Response, Problem> {
    let own = own(scope).await?.of(scope.tenant().as_str()).cloned();
    shown(scope, own)
}

async fn set(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let body = body::read(request, &scope.isolate().bodies, MAX_REQUEST).await?;
    change_to(Some(parse(&body).map_err(Problem::invalid)?), scope).await
}

async fn change_to(own: Option<OwnLimits>, scope: &Scope) -> Result<Response, Problem> {
    let set = |table: &mut TenantLimits| table.set(scope.tenant().as_str(), own.clone());
    change(
        &scope.bucket()?,
        &scope.isolate().limits,
        clock::now_millis,
        set,
    )
    .await?;
    shown(scope, own)
}

async fn own(scope: &Scope) -> Result<Rc<TenantLimits>, Problem> {
    current(&scope.bucket()?, &scope.isolate().limits, clock::now_millis).await
}

fn shown(scope: &Scope, own: Option<OwnLimits>) -> Result<Response, Problem> {
    let own = own.unwrap_or_default();
    let limits = scope.config().limits.with(&own).shown();
    Ok(Response::from_json(&Shown { limits, own })?)
}
