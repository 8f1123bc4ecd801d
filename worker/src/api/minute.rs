//! A tenant's tasks once a minute, in addition to the duties of its shards.

use futures_util::future::LocalBoxFuture;

use crate::api::rules::remote_write;
use crate::api::{alerts, limits};
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

/// Runs the tasks. A failure is logged and doesn't stop the next task. If the tenant's limits can't
/// be read, no task runs.
pub(crate) fn run(mut scope: Scope) -> LocalBoxFuture<'static, ()> {
    Box::pin(async move {
        match limits::of_request(&scope).await {
            Ok(limits) => scope.limits = limits,
            Err(problem) => return note("limits", &scope, &problem),
        }
        if let Err(problem) = alerts::run(&scope).await {
            note("alerts", &scope, &problem);
        }
        scope.limits = scope.limits.without_query_ranges();
        if let Err(problem) = remote_write::run(&scope).await {
            note("remote write", &scope, &problem);
        }
    })
}

fn note(part: &str, scope: &Scope, problem: &Problem) {
    worker::console_error!("{part} of tenant {}: {}", scope.tenant(), problem.message);
}
