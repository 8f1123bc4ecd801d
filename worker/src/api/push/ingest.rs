//! Pushes to `/ingest`, which every agent of the first generations speaks to.

use pilotlight_core::ingest::{self, Push};
use worker::{Request, Response};

use super::{PUSH_HEADER, read, store};
use crate::http::body;
use crate::http::parameters;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// `POST …/ingest`. The answer is 200 without a body, and then the profile is durable.
pub(crate) async fn ingest(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let body = body::read(request, body::MAX_BODY).await?;
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    let push = Push {
        query: &parameters::raw_query(request),
        content_type: &header("content-type")?,
        body: &body,
        tenant: scope.tenant().as_str(),
        client: &header("cf-connecting-ip")?,
        now: clock::now(),
    };
    let ingested = read(scope, body.len(), &body, || Ok(ingest::ingest(&push)?)).await?;
    // Not needed while others are waited for.
    drop(body);
    let outcome = store(scope, ingested.chunks).await?;
    let response = Response::empty()?;
    response.headers().set(PUSH_HEADER, outcome.as_str())?;
    Ok(response)
}
