//! Pushes of OTLP: `POST …/v1development/profiles`, and the Export call of its service as gRPC-web.
//!
//! Every answer, errors included, is in the encoding of the request: senders read what they sent.

use std::borrow::Cow;

use pilotlight_core::ingest::{
    IngestLimits, OtlpFormat, OtlpPush, Rejected, ingest_otlp, otlp_status,
};
use worker::{Request, Response};

use super::decode::decode;
use super::{PUSH_HEADER, count_notes, store};
use crate::auth::access::PUSH;
use crate::http::content_type;
use crate::http::endpoint::{Endpoint, TenantHandler};
use crate::http::grpc_web::{self, Framing};
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post("/v1development/profiles", PUSH, EXPORT)
        .push()
        .with_errors(error_response),
    Endpoint::post(
        "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
        PUSH,
        EXPORT,
    )
    .push()
    .with_errors(error_response),
];

const EXPORT: TenantHandler = |request, scope| Box::pin(export(request, scope));

/// How a request is written, and so its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// The message alone.
    Message(OtlpFormat),
    /// Protobuf in frames.
    GrpcWeb(Framing),
}

impl Encoding {
    /// Of a content type, which may have parameters.
    fn of(content_type: &str) -> Option<Self> {
        match content_type::essence(content_type).as_str() {
            "application/x-protobuf" | "application/protobuf" | "application/proto" => {
                Some(Self::Message(OtlpFormat::Protobuf))
            }
            "application/json" => Some(Self::Message(OtlpFormat::Json)),
            _ => Framing::of(content_type).map(Self::GrpcWeb),
        }
    }

    fn of_request(request: &Request) -> Result<Option<Self>, Problem> {
        let header = request.headers().get("content-type")?;
        Ok(Self::of(header.as_deref().unwrap_or_default()))
    }

    fn format(self) -> OtlpFormat {
        match self {
            Self::Message(format) => format,
            Self::GrpcWeb(_) => OtlpFormat::Protobuf,
        }
    }
}

/// Takes a request. What is answered with success is in the bucket.
async fn export(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let Some(encoding) = Encoding::of_request(request)? else {
        return Err(Problem::new(
            415,
            "unimplemented",
            "the content type must be application/x-protobuf, application/json or application/grpc-web+proto; native gRPC is not supported",
        ));
    };
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    let (content_encoding, client) = match encoding {
        // Frames say for themselves whether they are compressed.
        Encoding::GrpcWeb(_) => (String::new(), header("cf-connecting-ip")?),
        Encoding::Message(_) => (header("content-encoding")?, header("cf-connecting-ip")?),
    };
    let tenant = scope.tenant().as_str();
    let read = |body: &[u8], limits: IngestLimits| {
        let message: Cow<'_, [u8]> = match encoding {
            Encoding::Message(_) => Cow::Borrowed(body),
            Encoding::GrpcWeb(framing) => Cow::Owned(framing.message(body, limits.max_inflated)?),
        };
        Ok(ingest_otlp(&OtlpPush {
            body: &message,
            content_encoding: &content_encoding,
            format: encoding.format(),
            tenant,
            client: &client,
            now: clock::now(),
            limits,
        })?)
    };
    let mut outcome = decode(request, scope, read).await?;
    for (count, Rejected { part, error }) in outcome.rejections() {
        let message = format!("{part}: {error}");
        scope.discards.note(error.reason(), count, &message);
    }
    count_notes(scope, &outcome.ingested.notes);
    if outcome.is_refused() {
        return Err(Problem::invalid(outcome.reasons()));
    }
    let stored = store(scope, std::mem::take(&mut outcome.ingested.chunks)).await?;
    let answer = outcome.response(encoding.format());
    let response = match encoding {
        Encoding::Message(format) => respond(200, format, answer)?,
        Encoding::GrpcWeb(framing) => framing.response(&Ok(answer))?,
    };
    response.headers().set(PUSH_HEADER, stored.as_str())?;
    Ok(response)
}

/// An error as senders of OTLP read it.
fn error_response(request: &Request, problem: &Problem) -> worker::Result<Response> {
    // One whose content type is not known can be told in JSON at best.
    let encoding = Encoding::of_request(request).ok().flatten();
    let format = match encoding {
        Some(Encoding::GrpcWeb(framing)) => {
            let mut problem = problem.clone();
            if problem.retry_after.is_some() {
                // Of what has no more to say, clients of gRPC try only this again.
                problem.code = "unavailable".to_owned();
            }
            return framing.response(&Err(problem));
        }
        Some(Encoding::Message(format)) => format,
        None => OtlpFormat::Json,
    };
    let code = grpc_web::status(&problem.code).into();
    let status = otlp_status(code, &problem.message, format);
    let response = respond(problem.status, format, status)?;
    if let Some(seconds) = problem.retry_after {
        let headers = response.headers();
        headers.set("retry-after", &seconds.to_string())?;
    }
    Ok(response)
}

fn respond(status: u16, format: OtlpFormat, message: Vec<u8>) -> worker::Result<Response> {
    let kind = match format {
        OtlpFormat::Protobuf => "application/x-protobuf",
        OtlpFormat::Json => "application/json",
    };
    content_type::response(status, kind, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_of_content_types() {
        let protobuf = Some(Encoding::Message(OtlpFormat::Protobuf));
        let json = Some(Encoding::Message(OtlpFormat::Json));
        for (content_type, expect) in [
            ("application/x-protobuf", protobuf),
            ("Application/Protobuf; proto=x", protobuf),
            ("application/json; charset=utf-8", json),
            ("application/json", json),
            (
                "application/grpc-web+proto",
                Some(Encoding::GrpcWeb(Framing::Binary)),
            ),
            (
                "application/grpc-web-text",
                Some(Encoding::GrpcWeb(Framing::Text)),
            ),
            ("application/grpc", None),
            ("text/plain", None),
            ("", None),
        ] {
            assert_eq!(Encoding::of(content_type), expect, "{content_type}");
        }
    }
}
