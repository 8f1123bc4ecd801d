//! Remote write: the points of rules, sent to a Prometheus server once a minute.

use crate::http::scope::Scope;
use crate::platform::errors::Problem;

/// Sends the tenant's points of the minutes that have ended.
pub(crate) async fn run(_: &Scope) -> Result<(), Problem> {
    Ok(())
}
