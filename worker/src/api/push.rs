//! A push: request → chunk (the core) → the tenant's object, which answers when it is in the
//! bucket.

use pilotlight_core::ingest::{self, Push};
use worker::{Request, Response};

use crate::http::body;
use crate::http::parameters;
use crate::http::scope::Scope;
use crate::meter::{Item, cpu};
use crate::platform::Edge;
use crate::platform::admission::{Admission, push_need};
use crate::platform::clock;
use crate::platform::errors::Problem;
use crate::tenant::Appended;

/// Says what a 200 stands for: [`STORED`], [`REPEATED`] or [`EMPTY`].
const PUSH_HEADER: &str = "x-pilotlight-push";

/// The profile is in the bucket.
const STORED: &str = "stored";

/// It came before, within the last minutes, and was not stored again, even if what it repeats has
/// been deleted since.
const REPEATED: &str = "repeated";

/// It has no sample above zero, so there is nothing to store.
const EMPTY: &str = "empty";

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
    let permit = match push_need(&body) {
        Some(bytes) => Some(Admission(Edge).enter(bytes).await?),
        None => None,
    };
    let ingested = ingest::ingest(&push).map_err(|e| Problem::new(e.status(), e.code(), e))?;
    scope.meter.add(Item::Pushes, 1);
    scope.meter.add(Item::PushBytes, body.len() as u64);
    scope
        .meter
        .add(Item::WorkerCpuMicros, cpu::push_micros(body.len()));
    // Neither is needed while others are waited for.
    drop((body, permit));
    let outcome = match ingested.chunk {
        None => EMPTY,
        Some(chunk) => match scope.shards()?.append(&chunk).await? {
            Appended::Stored => STORED,
            Appended::Repeated => REPEATED,
        },
    };
    let response = Response::empty()?;
    response.headers().set(PUSH_HEADER, outcome)?;
    Ok(response)
}
