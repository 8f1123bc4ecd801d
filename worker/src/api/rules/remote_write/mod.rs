//! Remote write: once a minute, the points of rules are sent to a Prometheus server.
//!
//! Points can be computed again at any time, so none are stored: a cursor per tenant says up to
//! which minute the server has them (decision 0042).

mod messages;
mod progress;
mod send;
mod target;

use serde::Serialize;

#[cfg(test)]
pub(crate) use self::messages::decode;
use self::progress::Failure;
pub(crate) use self::progress::{Progress, progress_key};
pub(crate) use self::send::Sender;
pub(crate) use self::target::Target;
#[cfg(test)]
pub(crate) use self::target::Version;
use super::record as rules;
use crate::api::query::EdgeQueryRunner;
use crate::bucket::record;
use crate::http::scope::Scope;
use crate::platform::Edge;
use crate::platform::errors::Problem;

/// Sends the tenant's points of the minutes that have ended.
pub(crate) async fn run(scope: &Scope) -> Result<(), Problem> {
    let Some(target) = target(scope)? else {
        return Ok(());
    };
    let sender = Sender {
        tenant: scope.tenant(),
        target: &target,
        rules: &rules::of_tenant(scope).await?,
        bucket: &scope.bucket()?,
        runner: &EdgeQueryRunner::open(scope)?,
        outgoing: &Edge,
    };
    sender.run().await
}

/// What the API shows.
#[derive(Serialize)]
pub(super) struct Status {
    host: String,
    sent_until: Option<i64>,
    error: Option<Failure>,
    dropped_minutes: u64,
}

/// How far the tenant's points are sent, if the server sends any.
pub(super) async fn status(scope: &Scope) -> Result<Option<Status>, Problem> {
    let Some(target) = target(scope)? else {
        return Ok(None);
    };
    let key = progress_key(scope.tenant());
    let progress: Progress = record::read(&scope.bucket()?, &key).await?;
    Ok(Some(Status {
        host: target.host().to_owned(),
        sent_until: progress.sent_until,
        error: progress.error,
        dropped_minutes: progress.dropped_minutes,
    }))
}

fn target(scope: &Scope) -> Result<Option<Target>, Problem> {
    Target::of(scope.env()).map_err(Problem::misconfigured)
}
