//! Recording rules: metrics made from profiles.
//!
//! | call | answer |
//! |---|---|
//! | `GET …/api/v1/rules` | `{"rules":[…],"remote_write":{…}}` |
//! | `POST …/api/v1/rules` with a rule | the rule as it is stored |
//! | `POST …/api/v1/rules/preview?from&until&points` with a rule | its series, stored or not |
//! | `DELETE …/api/v1/rules?id` | nothing |
//! | `GET …/exported-metrics` | a recent minute of all rules, for Prometheus to scrape |
//! | `…/prometheus/api/v1/…` | their points through Prometheus' HTTP API |
//!
//! A rule is a saved query. Its points are computed when they are asked for, from the sums that
//! timelines read, so none can be lost or counted twice, and a new rule has them for all that is
//! stored (decision 0041).

mod exported;
mod metric;
pub(crate) mod points;
mod preview;
mod prometheus;
pub(crate) mod record;
pub(crate) mod remote_write;
pub(crate) mod rule;

use serde::Serialize;
use worker::{Request, Response};

use self::record::SameName;
use self::rule::Rule;
use crate::auth::access::READ;
use crate::http::body::{self, MAX_JSON};
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/rules", READ, |_, scope| Box::pin(list(scope))),
    // Grafana makes rules, too, and its token has only the read scope.
    Endpoint::post("/api/v1/rules", READ, |request, scope| {
        Box::pin(save(request, scope))
    }),
    Endpoint::delete("/api/v1/rules", READ, |request, scope| {
        Box::pin(delete(request, scope))
    }),
    Endpoint::post("/api/v1/rules/preview", READ, |request, scope| {
        Box::pin(preview::answer(request, scope))
    }),
    Endpoint::get("/exported-metrics", READ, |request, scope| {
        Box::pin(exported::answer(request, scope))
    }),
];

pub(crate) const PROMETHEUS_ENDPOINTS: &[Endpoint] = prometheus::ENDPOINTS;

#[derive(Serialize)]
struct Listing {
    rules: Vec<Rule>,
    /// Missing if the server doesn't send points.
    #[serde(skip_serializing_if = "Option::is_none")]
    remote_write: Option<remote_write::Status>,
}

async fn list(scope: &Scope) -> Result<Response, Problem> {
    let rules = record::of_tenant(scope).await?;
    let remote_write = remote_write::status(scope).await?;
    let listing = Listing {
        rules,
        remote_write,
    };
    Ok(Response::from_json(&listing)?)
}

async fn save(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let rule: Rule = body::json(request, &scope.isolate().bodies, MAX_JSON, "rule").await?;
    let saved = record::save(scope, rule, SameName::Refuse).await?;
    Ok(Response::from_json(&saved)?)
}

async fn delete(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let id = parameters.required("id")?;
    record::delete(scope, id).await?;
    Ok(Response::empty()?.with_status(204))
}
