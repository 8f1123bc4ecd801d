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

use crate::bucket::shared_object::{change, current};
use crate::http::body;
use crate::http::route::LimitsCall;
use crate::http::scope::Scope;
use crate::limits::TenantLimits;
use crate::platform::clock;
use crate::platform::errors::Problem;
use crate::platform::limits::{Given, Limits, OwnLimits, parse};

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

/// Answers a call.
pub(crate) async fn call(
    call: LimitsCall,
    request: &mut Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    let tenant = scope.tenant().as_str();
    let wanted = match call {
        LimitsCall::Show => {
            let own = own(scope).await?.of(tenant).cloned();
            return shown(scope, own);
        }
        LimitsCall::Set => {
            let body = body::read(request, MAX_REQUEST).await?;
            Some(parse(&body).map_err(Problem::invalid)?)
        }
        LimitsCall::Reset => None,
    };
    let set = |table: &mut TenantLimits| table.set(tenant, wanted.clone());
    change(&scope.bucket()?, clock::now_millis, set).await?;
    shown(scope, wanted)
}

async fn own(scope: &Scope) -> Result<Rc<TenantLimits>, Problem> {
    current::<TenantLimits>(&scope.bucket()?, clock::now_millis).await
}

fn shown(scope: &Scope, own: Option<OwnLimits>) -> Result<Response, Problem> {
    let own = own.unwrap_or_default();
    let limits = scope.config().limits.with(&own).shown();
    Ok(Response::from_json(&Shown { limits, own })?)
}
