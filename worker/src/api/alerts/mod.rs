//! Alerts: conditions on recording rules, and the receivers that get messages about them.
//!
//! | call | answer |
//! |---|---|
//! | `GET …/api/v1/alerts` | `{"alerts":[…],"history":[…],"receivers":[…]}` |
//! | `POST …/api/v1/alerts` with an alert | the alert as it is stored |
//! | `POST …/api/v1/alerts/preview?from&until` with an alert | when it would have fired |
//! | `DELETE …/api/v1/alerts?id` | nothing |
//! | `POST …/api/v1/receivers` with a receiver | nothing |
//! | `DELETE …/api/v1/receivers?name` | nothing |
//! | `POST …/api/v1/receivers/test?name` | `{"status":200}`, that of the receiver's response |
//!
//! Alerts are evaluated once a minute ([`minute`]), over every minute since the last evaluation:
//! whether an alert fires at a minute depends on what is stored, and not on when it is evaluated.

mod alert;
mod attempt;
mod conditions;
mod evaluate;
mod growth;
mod history;
mod link;
mod list;
mod message;
mod new_functions;
mod preview;
mod ratio;
mod receiver;
mod receivers;
pub(crate) mod record;
mod request;
pub(crate) mod run;
mod send;
mod series;
mod state;
mod store;

use std::cell::RefCell;

use worker::{Request, Response};

use self::alert::Alert;
use self::record::{Alerts, alerts_key};
use self::store::change;
use super::rules;
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::{ADMIN, READ};
use crate::http::body::{self, MAX_JSON};
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::platform::{Edge, clock};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/alerts", READ, |_, scope| {
        Box::pin(list::answer(scope))
    }),
    Endpoint::post("/api/v1/alerts", READ, |request, scope| {
        Box::pin(save(request, scope))
    }),
    Endpoint::delete("/api/v1/alerts", READ, |request, scope| {
        Box::pin(delete(request, scope))
    }),
    Endpoint::post("/api/v1/alerts/preview", READ, |request, scope| {
        Box::pin(preview::answer(request, scope))
    }),
    // Only for administrators: the server sends requests to a receiver's URL.
    Endpoint::post("/api/v1/receivers", ADMIN, |request, scope| {
        Box::pin(receivers::save(request, scope))
    }),
    Endpoint::delete("/api/v1/receivers", ADMIN, |request, scope| {
        Box::pin(receivers::delete(request, scope))
    }),
    Endpoint::post("/api/v1/receivers/test", ADMIN, |request, scope| {
        Box::pin(receivers::test(request, scope))
    }),
];

/// Evaluates a tenant's alerts and sends the messages that are due.
pub(crate) async fn run(scope: &Scope) -> Result<(), Problem> {
    let (bucket, key) = (scope.bucket()?, alerts_key(scope.tenant()));
    let runner = EdgeQueryRunner::open(scope)?;
    let rules = || rules::record::of_tenant(scope);
    run::run(&bucket, &key, rules, &runner, &Edge).await
}

async fn save(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let mut alert: Alert = body::json(request, &scope.isolate().bodies, MAX_JSON, "alert").await?;
    alert.check_name()?;
    alert.check_condition()?;
    if alert.id.is_empty() {
        alert.id = rules::record::new_id(clock::random());
    }
    rules::record::check_id(&alert.id)?;
    let rules = rules::record::of_tenant(scope).await?;
    let rule = conditions::rule_of(&alert, &rules)?;
    conditions::measure_of(&alert, rule)?;
    let saved = RefCell::<Alert>::default();
    let save = |alerts: &mut Alerts| {
        saved.replace(alerts.save(alert.clone(), clock::now_millis())?);
        Ok(())
    };
    change(scope, &save).await?;
    Ok(Response::from_json(&saved.into_inner())?)
}

async fn delete(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let id = parameters.required("id")?;
    change(scope, &|alerts| alerts.delete(id, clock::now_millis())).await?;
    Ok(Response::empty()?.with_status(204))
}
