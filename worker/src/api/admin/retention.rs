//! How long a tenant's profiles are kept.
//!
//! | call | answer |
//! |---|---|
//! | `GET …/admin/retention` | `{"raw_days","sums_days","own"}` |
//! | `PUT …/admin/retention` with `{"raw_days","sums_days"}` or `null` | the same |

use serde::Serialize;
use worker::{Request, Response};

use crate::auth::access::ADMIN;
use crate::http::body;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::config::Retention;
use crate::platform::errors::Problem;
use crate::tenant::{OwnRetention, change_retention, own_retention};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/admin/retention", ADMIN, |_, scope| {
        Box::pin(show(scope))
    }),
    Endpoint::put("/api/v1/admin/retention", ADMIN, |request, scope| {
        Box::pin(set(request, scope))
    }),
];

/// Most bytes of a body: one kilobyte, many times what two numbers take.
const MAX_REQUEST: usize = 1 << 10;

/// How long a tenant's profiles are kept.
#[derive(Serialize)]
struct EffectiveRetention {
    #[serde(flatten)]
    retention: Retention,
    /// Whether that is the tenant's own retention and not the configured one.
    own: bool,
}

async fn show(scope: &Scope) -> Result<Response, Problem> {
    shown(
        scope,
        &own_retention(&scope.bucket()?, scope.tenant()).await?,
    )
}

async fn set(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let bucket = scope.bucket()?;
    let body = body::read(request, &scope.isolate().bodies, MAX_REQUEST).await?;
    let own: Option<Retention> = serde_json::from_slice(&body).map_err(|error| {
        Problem::invalid(format!(
            "the body must be a JSON object with raw_days and sums_days, or null: {error}"
        ))
    })?;
    let set = |kept: &mut OwnRetention| kept.set(own);
    let changed = change_retention(&bucket, scope.tenant(), clock::now_millis, set).await?;
    shown(scope, &changed)
}

fn shown(scope: &Scope, own: &OwnRetention) -> Result<Response, Problem> {
    Ok(Response::from_json(&EffectiveRetention {
        retention: own.retention.unwrap_or(scope.config().retention),
        own: own.retention.is_some(),
    })?)
}
