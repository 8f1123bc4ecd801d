//! A push: request → chunk (the core) → the tenant's object, which answers when it is in the bucket.

use pilotlight_core::{
    ingest::{self, Push},
    store::Tenant as TenantId,
};
use worker::{Env, Request, Response};

use crate::body;
use crate::clock;
use crate::config::Config;
use crate::errors::Problem;
use crate::parameters;
use crate::tenant;

/// `POST …/ingest`. The answer is 200 without a body, and then the profile is durable.
pub(crate) async fn ingest(
    request: &mut Request,
    env: &Env,
    config: &Config,
    tenant: TenantId,
) -> Result<Response, Problem> {
    let body = body::read(request, body::MAX_BODY).await?;
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    let push = Push {
        query: &parameters::raw_query(request),
        content_type: &header("content-type")?,
        body: &body,
        tenant: tenant.as_str(),
        client: &header("cf-connecting-ip")?,
        now: clock::now(),
    };
    let ingested = ingest::ingest(&push).map_err(|e| Problem::new(e.status(), e.code(), e))?;
    // The body is not needed while others are waited for.
    drop(body);
    if let Some(chunk) = ingested.chunk {
        tenant::shards(env, config, &tenant)?.append(&chunk).await?;
    }
    Ok(Response::empty()?)
}
