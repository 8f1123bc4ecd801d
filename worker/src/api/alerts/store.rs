//! The stored alerts of the tenant that a request is about.

use super::record::{self, Alerts, alerts_key};
use crate::bucket;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

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
