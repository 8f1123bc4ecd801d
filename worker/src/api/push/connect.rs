//! Pushes to `push.v1.PusherService/Push`, which newer agents and Alloy speak to: Connect's unary
//! calls in protobuf and JSON, and gRPC-web.

use pilotlight_core::gzip;
use pilotlight_core::ingest::{Ingested, Sender, ingest_push_v1};
use pilotlight_core::push_v1::{PushRequest, from_json, from_proto};
use worker::{Request, Response};

use super::decode::decode;
use super::{PUSH_HEADER, note_parts, store};
use crate::http::grpc_web::Framing;
use crate::http::scope::Scope;
use crate::http::{body, content_type};
use crate::platform::clock;
use crate::platform::errors::Problem;

/// Most refused profiles that an error names; the rest is counted.
const NAMED: usize = 5;

/// Bytes that a request may have beside its profiles: 64 KiB, as in [`crate::http::body`].
const AROUND_PROFILES: usize = 64 << 10;

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Proto,
    Json,
    GrpcWeb(Framing),
}

impl Codec {
    /// Of a request's content type.
    pub(super) fn of(content_type: &str) -> Result<Self, Problem> {
        if let Some(framing) = Framing::of(content_type) {
            return Ok(Self::GrpcWeb(framing));
        }
        match content_type::essence(content_type).as_str() {
            "application/proto" | "application/protobuf" | "application/x-protobuf" => {
                Ok(Self::Proto)
            }
            "application/json" => Ok(Self::Json),
            other => Err(Problem::new(
                415,
                "unimplemented",
                format!(
                    "content type {other:?} is not supported; send application/proto, application/json or application/grpc-web+proto"
                ),
            )),
        }
    }

    /// A message as an answer: `message` in protobuf, or `json`.
    pub(super) fn response(self, message: Vec<u8>, json: &str) -> Result<Response, Problem> {
        let (kind, body) = match self {
            Self::Proto => ("application/proto", message),
            Self::Json => ("application/json", json.as_bytes().to_vec()),
            Self::GrpcWeb(framing) => return Ok(framing.response(&Ok(message))?),
        };
        Ok(content_type::response(200, kind, body)?)
    }

    /// An error in the words of the protocol: gRPC-web's status is part of an answer that has
    /// status 200, Connect's errors are JSON whatever the request is.
    pub(super) fn error_response(self, problem: Problem) -> Result<Response, Problem> {
        match self {
            Self::GrpcWeb(framing) => Ok(framing.response(&Err(problem))?),
            Self::Proto | Self::Json => Err(problem),
        }
    }
}

/// `POST …/push.v1.PusherService/Push`. A success says that all profiles of the request are
/// durable. An error names the profiles that are refused; the others are durable then, too.
pub(crate) async fn push(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    let codec = Codec::of(&header("content-type")?)?;
    let client = header("cf-connecting-ip")?;
    match answer(codec, request, scope, &client).await {
        Ok(outcome) => {
            let response = codec.response(Vec::new(), "{}")?;
            response.headers().set(PUSH_HEADER, outcome)?;
            Ok(response)
        }
        Err(problem) => {
            // An error of gRPC-web leaves here as an answer.
            body::drain(request).await;
            scope.discards.note_problem(&problem);
            codec.error_response(problem)
        }
    }
}

async fn answer(
    codec: Codec,
    request: &mut Request,
    scope: &Scope,
    client: &str,
) -> Result<&'static str, Problem> {
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
        incomplete,
        ..
    } = decode(request, scope, read).await?;
    let outcome = store(scope, chunks).await?;
    note_parts(scope, &incomplete);
    if rejected.is_empty() {
        return Ok(outcome.as_str());
    }
    note_parts(scope, &rejected);
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
    let unframed = match codec {
        Codec::GrpcWeb(framing) => Some(framing.message(body, cap)?),
        // Some clients compress and some proxies lose the header that says so; the bytes tell. The
        // profile inside may be compressed as well, and only its own layer is left then.
        Codec::Proto | Codec::Json => gzip::inflate(body, cap)?,
    };
    let bytes = unframed.as_deref().unwrap_or(body);
    let request: PushRequest<'_> = match codec {
        Codec::Json => from_json(bytes),
        Codec::Proto | Codec::GrpcWeb(_) => from_proto(bytes),
    }
    .map_err(Problem::invalid)?;
    Ok(ingest_push_v1(&request, sender)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types() {
        let of = |text| Codec::of(text).map_err(|problem| problem.status);
        assert_eq!(of("application/proto"), Ok(Codec::Proto));
        assert_eq!(of("application/JSON; charset=utf-8"), Ok(Codec::Json));
        assert_eq!(
            of("application/grpc-web+proto"),
            Ok(Codec::GrpcWeb(Framing::Binary))
        );
        assert_eq!(of("application/grpc"), Err(415));
        assert_eq!(of(""), Err(415));
    }
}
