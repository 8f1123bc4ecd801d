//! The rule in the body of a request.

use worker::Request;

use super::rule::Rule;
use crate::http::body;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

/// Most bytes of a request: a rule with room for its JSON.
const MAX_REQUEST: usize = 64 << 10;

pub(super) async fn rule(request: &mut Request, scope: &Scope) -> Result<Rule, Problem> {
    let body = body::read(request, &scope.isolate().bodies, MAX_REQUEST).await?;
    serde_json::from_slice(&body)
        .map_err(|error| Problem::invalid(format!("invalid rule: {error}")))
}
