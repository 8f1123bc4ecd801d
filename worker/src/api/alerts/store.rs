//! The stored alerts of the tenant that a request is about, and the JSON in the request.

use serde::de::DeserializeOwned;
use worker::Request;

use super::record::{self, Alerts, alerts_key};
use crate::bucket;
use crate::http::body;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// Most bytes of a request.
const MAX_REQUEST: usize = 64 << 10;

pub(super) async fn stored(scope: &Scope) -> Result<Alerts, Problem> {
    bucket::record::read(&scope.bucket()?, &alerts_key(scope.tenant())).await
}

pub(super) async fn change(
    scope: &Scope,
    change: &dyn Fn(&mut Alerts) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let (bucket, key) = (scope.bucket()?, alerts_key(scope.tenant()));
    record::change(&bucket, &key, &clock::now_millis, change).await?;
    Ok(())
}

/// Parses the JSON in the body of a request.
pub(super) async fn read_json<T: DeserializeOwned>(
    request: &mut Request,
    scope: &Scope,
) -> Result<T, Problem> {
    let body = body::read(request, &scope.isolate().bodies, MAX_REQUEST).await?;
    serde_json::from_slice(&body)
        .map_err(|error| Problem::invalid(format!("invalid JSON in the request body: {error}")))
}
