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
//! | `POST …/api/v1/receivers/test?name` | nothing, when the receiver has accepted a message |
//!
//! Alerts are evaluated once a minute ([`minute`]), over every minute since the last evaluation:
//! whether an alert fires at a minute depends on what is stored, and not on when it is evaluated.

mod alert;
mod body;
mod conditions;
mod growth;
mod interval;
mod link;
mod message;
pub(crate) mod minute;
mod new_functions;
mod preview;
mod receiver;
pub(crate) mod record;
mod state;

use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::{Request, Response};

use self::alert::Alert;
use self::message::{Instance, Message};
use self::receiver::{NewReceiver, Shown};
use self::record::{Alerts, Past, alerts_key};
use super::rules;
use super::rules::rule::Rule;
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::{ADMIN, READ};
use crate::bucket::record as bucket_record;
use crate::http::body as request_body;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::platform::{Edge, clock};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/alerts", READ, |_, scope| Box::pin(list(scope))),
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
        Box::pin(save_receiver(request, scope))
    }),
    Endpoint::delete("/api/v1/receivers", ADMIN, |request, scope| {
        Box::pin(delete_receiver(request, scope))
    }),
    Endpoint::post("/api/v1/receivers/test", ADMIN, |request, scope| {
        Box::pin(test_receiver(request, scope))
    }),
];

/// Most bytes of a request.
const MAX_REQUEST: usize = 64 << 10;

/// Most history entries in a response.
const SHOWN_HISTORY: usize = 50;

#[derive(Serialize)]
struct Listing {
    alerts: Vec<ShownAlert>,
    /// Newest first.
    history: Vec<Past>,
    receivers: Vec<Shown>,
}

#[derive(Serialize)]
struct ShownAlert {
    #[serde(flatten)]
    alert: Alert,
    /// The unit of the threshold and values; empty if the rule was deleted.
    unit: String,
    firing: Vec<Instance>,
    error: String,
    /// Milliseconds since the epoch; 0 before the first evaluation.
    evaluated: i64,
}

/// Evaluates a tenant's alerts and sends the messages that are due.
pub(crate) async fn run(scope: &Scope) -> Result<(), Problem> {
    let (bucket, key) = (scope.bucket()?, alerts_key(scope.tenant()));
    let runner = EdgeQueryRunner::open(scope)?;
    let rules = || rules::record::of_tenant(scope);
    minute::run(&bucket, &key, rules, &runner, &Edge).await
}

async fn stored(scope: &Scope) -> Result<Alerts, Problem> {
    bucket_record::read(&scope.bucket()?, &alerts_key(scope.tenant())).await
}

async fn change<O>(
    scope: &Scope,
    change: impl Fn(&mut Alerts) -> Result<O, Problem>,
) -> Result<O, Problem> {
    let (bucket, key) = (scope.bucket()?, alerts_key(scope.tenant()));
    let changed = bucket_record::change(&bucket, &key, clock::now_millis, change);
    Ok(changed.await?.outcome)
}

/// Parses the JSON in the body of a request.
async fn posted<T: DeserializeOwned>(request: &mut Request, scope: &Scope) -> Result<T, Problem> {
    let body = request_body::read(request, &scope.isolate().bodies, MAX_REQUEST).await?;
    serde_json::from_slice(&body)
        .map_err(|error| Problem::invalid(format!("invalid JSON in the request body: {error}")))
}

async fn list(scope: &Scope) -> Result<Response, Problem> {
    let Alerts {
        alerts,
        receivers,
        mut history,
        ..
    } = stored(scope).await?;
    let rules = match alerts.is_empty() {
        true => Vec::new(),
        false => rules::record::of_tenant(scope).await?,
    };
    let shown = |record::Stored { alert, state }| ShownAlert {
        unit: unit(&alert, &rules),
        firing: state
            .firing
            .into_iter()
            .map(|firing| firing.instance)
            .collect(),
        error: state.error,
        evaluated: state.evaluated,
        alert,
    };
    history.reverse();
    history.truncate(SHOWN_HISTORY);
    Ok(Response::from_json(&Listing {
        alerts: alerts.into_iter().map(shown).collect(),
        history,
        receivers: receivers.iter().map(receiver::Receiver::shown).collect(),
    })?)
}

fn unit(alert: &Alert, rules: &[Rule]) -> String {
    let rule = rules.iter().find(|rule| rule.id == alert.rule);
    let measure = rule.and_then(|rule| conditions::measured(rule).ok());
    measure.map_or_else(String::new, |measure| conditions::unit(alert, &measure))
}

async fn save(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let mut alert: Alert = posted(request, scope).await?;
    alert.check()?;
    if alert.id.is_empty() {
        alert.id = rules::record::new_id(clock::random());
    }
    rules::record::check_id(&alert.id)?;
    let rules = rules::record::of_tenant(scope).await?;
    let rule = rules.iter().find(|rule| rule.id == alert.rule);
    let rule = rule.ok_or_else(|| rules::record::not_found(&alert.rule))?;
    conditions::check_rule(&alert, rule)?;
    let saved = change(scope, |alerts| alerts.save(alert.clone())).await?;
    Ok(Response::from_json(&saved)?)
}

async fn delete(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let id = parameters.required("id")?;
    change(scope, |alerts| alerts.delete(id)).await?;
    Ok(Response::empty()?.with_status(204))
}

async fn save_receiver(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let receiver: NewReceiver = posted(request, scope).await?;
    // Links in messages use the address under which the receiver was saved.
    let site = request.url()?.origin().ascii_serialization();
    let receiver = receiver.checked(site)?;
    change(scope, |alerts| alerts.save_receiver(receiver.clone())).await?;
    Ok(Response::empty()?.with_status(204))
}

async fn delete_receiver(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let name = parameters.required("name")?;
    change(scope, |alerts| alerts.delete_receiver(name)).await?;
    Ok(Response::empty()?.with_status(204))
}

async fn test_receiver(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let name = parameters.required("name")?;
    let alerts = stored(scope).await?;
    let receiver = alerts.receiver(name)?;
    let message = Message::test(&receiver.site, clock::now_millis());
    minute::send(receiver, &message, &Edge)
        .await
        .map_err(|error| Problem::new(502, "unavailable", error))?;
    Ok(Response::empty()?.with_status(204))
}
