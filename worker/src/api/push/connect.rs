//! Pushes to `push.v1.PusherService/Push`, which newer agents and Alloy speak to: Connect's unary
//! calls in protobuf and JSON, and gRPC-web.

use pilotlight_core::ingest::{Ingested, Noted, Sender, ingest_push_v1};
use pilotlight_core::push_v1::{PushRequest, from_json, from_proto};
use worker::{Request, Response};

use super::decode::decode;
use super::{PUSH_HEADER, count_notes, count_rejected, store, warn};
use crate::auth::access::PUSH;
use crate::http::connect::Codec;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] =
    &[
        Endpoint::post("/push.v1.PusherService/Push", PUSH, |request, scope| {
            Box::pin(push(request, scope))
        })
        .push(),
    ];

/// Most refused profiles that an error names; the rest is counted.
const NAMED: usize = 5;

/// Bytes that a request may have beside its profiles: 64 KiB, as in [`crate::http::body`].
const AROUND_PROFILES: usize = 64 << 10;

/// `POST …/push.v1.PusherService/Push`. A success says that all profiles of the request are
/// durable. An error names the profiles that are refused; the others are durable then, too.
async fn push(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    let codec = Codec::of(&header("content-type")?)?;
    let client = header("cf-connecting-ip")?;
    let (outcome, notes) = answer(codec, request, scope, &client).await?;
    let empty = codec.answer_of(Vec::new, || Ok(b"{}".to_vec()))?;
    let response = empty.response("")?;
    response.headers().set(PUSH_HEADER, outcome)?;
    warn(&response, &notes)?;
    Ok(response)
}

async fn answer(
    codec: Codec,
    request: &mut Request,
    scope: &Scope,
    client: &str,
) -> Result<(&'static str, Vec<Noted>), Problem> {
    let tenant = scope.tenant().as_str();
    let read = |body: &[u8], limits| {
        let sender = Sender {
            tenant,
            client,
            now: clock::now(),
            limits,
        };
        read(codec, body, &sender)
    };
    let Ingested {
        chunks,
        rejected,
        notes,
        ..
    } = decode(request, scope, read).await?;
    let outcome = store(scope, chunks).await?;
    count_notes(scope, &notes);
    if rejected.is_empty() {
        return Ok((outcome.as_str(), notes));
    }
    count_rejected(scope, &rejected);
    let named = rejected.iter().take(NAMED);
    let mut texts: Vec<String> = named
        .map(|rejected| format!("push {} failed: {}", rejected.part, rejected.error))
        .collect();
    if rejected.len() > NAMED {
        texts.push(format!("and {} more", rejected.len() - NAMED));
    }
    // Whatever is wrong with a profile, sending it again does not help.
    Err(Problem::invalid(texts.join("; ")))
}

fn read(codec: Codec, body: &[u8], sender: &Sender<'_>) -> Result<Ingested, Problem> {
    let cap = sender.limits.max_inflated + AROUND_PROFILES;
    // The profile inside may be compressed as well, and only its own layer is left then.
    let unwrapped = codec.unwrap(body, cap)?;
    let bytes = unwrapped.as_deref().unwrap_or(body);
    let request: PushRequest<'_> = match codec {
        Codec::Json => from_json(bytes),
        Codec::Proto | Codec::GrpcWeb(_) => from_proto(bytes),
    }
    .map_err(Problem::invalid)?;
    Ok(ingest_push_v1(&request, sender)?)
}
