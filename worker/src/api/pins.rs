//! Pins: profiles that are kept beyond their retention.
//!
//! | call | answer |
//! |---|---|
//! | `GET …/api/v1/pins` | `{"pins":[{"from","until","text"}]}`, in order |
//! | `POST …/api/v1/pins?from&until&text` | the same |
//! | `DELETE …/api/v1/pins?from&until` | the same |

use serde::Serialize;
use worker::{Request, Response};

use crate::auth::access::{ADMIN, READ};
use crate::http::endpoint::Endpoint;
use crate::http::parameters::{Parameters, check_millis};
use crate::http::scope::Scope;
use crate::platform::clock::now_millis;
use crate::platform::errors::Problem;
use crate::tenant::{OwnRetention, Pin, change_retention, own_retention};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/pins", READ, |_, scope| Box::pin(list(scope))),
    // Keeping costs little, and is bounded.
    Endpoint::post("/api/v1/pins", READ, |request, scope| {
        Box::pin(create(request, scope))
    }),
    // What a pin kept is gone within the hour.
    Endpoint::delete("/api/v1/pins", ADMIN, |request, scope| {
        Box::pin(delete(request, scope))
    }),
];

#[derive(Serialize)]
struct Answer {
    pins: Vec<Pin>,
}

async fn list(scope: &Scope) -> Result<Response, Problem> {
    answer(own_retention(&scope.bucket()?, scope.tenant()).await?)
}

async fn create(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let (from, until) = range(&parameters)?;
    let text = parameters.get("text").unwrap_or("").trim().to_owned();
    let pin = Pin { from, until, text };
    change(scope, |own| own.pin(pin.clone())).await
}

async fn delete(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let (from, until) = range(&Parameters::of(request))?;
    let unpin = |own: &mut OwnRetention| {
        own.unpin(from, until);
        Ok(())
    };
    change(scope, unpin).await
}

async fn change(
    scope: &Scope,
    change: impl Fn(&mut OwnRetention) -> Result<(), Problem>,
) -> Result<Response, Problem> {
    let bucket = scope.bucket()?;
    answer(change_retention(&bucket, scope.tenant(), now_millis, change).await?)
}

fn answer(own: OwnRetention) -> Result<Response, Problem> {
    Ok(Response::from_json(&Answer { pins: own.pins })?)
}

/// `from` and `until` in milliseconds: a range that moves on cannot be kept.
fn range(parameters: &Parameters) -> Result<(i64, i64), Problem> {
    let time = |name| {
        let text = parameters.required(name)?;
        check_millis(name, text)?;
        let millis = text.parse();
        millis.map_err(|_| Problem::invalid(format!("{name} must be milliseconds (got {text:?})")))
    };
    Ok((time("from")?, time("until")?))
}
