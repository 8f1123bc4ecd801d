//! Pushes to `/ingest`, which every agent of the first generations speaks to.

use pilotlight_core::ingest::{self, Push};
use worker::{Request, Response};

use super::decode::decode;
use super::{PUSH_HEADER, count_notes, store, warn};
use crate::auth::access::PUSH;
use crate::http::endpoint::Endpoint;
use crate::http::parameters;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::post("/ingest", PUSH, |request, scope| {
    Box::pin(ingest(request, scope))
})
.push()];

/// `POST …/ingest`. The answer is 200 without a body, and then the profile is durable.
async fn ingest(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    let (query, content_type) = (parameters::raw_query(request), header("content-type")?);
    let (tenant, client) = (scope.tenant().as_str(), header("cf-connecting-ip")?);
    let read = |body: &[u8], limits| {
        let push = Push {
            query: &query,
            content_type: &content_type,
            body,
            tenant,
            client: &client,
            now: clock::now(),
            limits,
        };
        Ok(ingest::ingest(&push)?)
    };
    let ingested = decode(request, scope, read).await?;
    let outcome = store(scope, ingested.chunks).await?;
    count_notes(scope, &ingested.notes);
    let response = Response::empty()?;
    response.headers().set(PUSH_HEADER, outcome.as_str())?;
    warn(&response, &ingested.notes)?;
    Ok(response)
}
