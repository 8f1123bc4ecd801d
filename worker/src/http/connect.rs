//! Unary calls of the Connect protocol, in protobuf and JSON, and of gRPC-web.
//!
//! Source: the protocol's document at connectrpc.com. A message is the whole body, compressed with
//! gzip or not; an error is JSON with a status. In gRPC-web both are frames of an answer with status
//! 200.

use pilotlight_core::gzip;
use prost::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::{EncodeBody, Response, ResponseBuilder};

use crate::http::content_type;
use crate::http::grpc_web::Framing;
use crate::platform::errors::Problem;

/// Answers from this size on are compressed for clients that ask for it: 1 KiB.
const MIN_COMPRESSED: usize = 1 << 10;

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    Proto,
    Json,
    GrpcWeb(Framing),
}

impl Codec {
    /// Of a request's content type.
    pub(crate) fn of(content_type: &str) -> Result<Self, Problem> {
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

    /// The bytes of a message, without frame and compression; `None` when they are the body as it
    /// came. Some clients compress and some proxies lose the header that says so; the bytes tell.
    pub(crate) fn unwrap(self, body: &[u8], cap: usize) -> Result<Option<Vec<u8>>, Problem> {
        match self {
            Self::GrpcWeb(framing) => framing.message(body, cap).map(Some),
            Self::Proto | Self::Json => Ok(gzip::inflate(body, cap)?),
        }
    }

    /// A request of at most `cap` bytes when inflated.
    pub(crate) fn request<M: Message + Default + DeserializeOwned>(
        self,
        body: &[u8],
        cap: usize,
    ) -> Result<M, Problem> {
        let unwrapped = self.unwrap(body, cap)?;
        let bytes = unwrapped.as_deref().unwrap_or(body);
        let wrong = |error: &dyn std::fmt::Display| Problem::invalid(format!("request: {error}"));
        match self {
            Self::Proto | Self::GrpcWeb(_) => M::decode(bytes).map_err(|error| wrong(&error)),
            // An empty message may come as an empty body.
            Self::Json if bytes.trim_ascii().is_empty() => Ok(M::default()),
            Self::Json => serde_json::from_slice(bytes).map_err(|error| wrong(&error)),
        }
    }

    /// A message as an answer.
    pub(crate) fn answer(self, message: &(impl Message + Serialize)) -> Result<Answer, Problem> {
        self.answer_of(
            || message.encode_to_vec(),
            || serde_json::to_vec(message).map_err(Problem::internal),
        )
    }

    /// The same of a message that comes as bytes already, in either form.
    pub(crate) fn answer_of(
        self,
        proto: impl FnOnce() -> Vec<u8>,
        json: impl FnOnce() -> Result<Vec<u8>, Problem>,
    ) -> Result<Answer, Problem> {
        let message = match self {
            Self::Proto | Self::GrpcWeb(_) => proto(),
            Self::Json => json()?,
        };
        Ok(Answer {
            codec: self,
            message,
        })
    }
}

/// A message that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Answer {
    codec: Codec,
    message: Vec<u8>,
}

impl Answer {
    /// As a response. Long protobuf is compressed when `accept_encoding` allows it; JSON is left to
    /// the platform, which knows what the client itself accepts. The header says what a proxy before
    /// this worker accepts, so it names gzip for clients of JSON that cannot read it, too.
    pub(crate) fn response(self, accept_encoding: &str) -> Result<Response, Problem> {
        let kind = match self.codec {
            Codec::GrpcWeb(framing) => return Ok(framing.response(&Ok(self.message))?),
            Codec::Proto => "application/proto",
            Codec::Json => "application/json",
        };
        let long = self.codec == Codec::Proto && self.message.len() >= MIN_COMPRESSED;
        if !long || !accepts_gzip(accept_encoding) {
            return Ok(content_type::response(200, kind, self.message)?);
        }
        // The body is compressed already; the platform must not do it again.
        Ok(ResponseBuilder::new()
            .with_header("content-type", kind)?
            .with_header("content-encoding", "gzip")?
            .with_header("vary", "accept-encoding")?
            .with_encode_body(EncodeBody::Manual)
            .fixed(gzip::compress(&self.message)))
    }
}

/// Whether a header `Accept-Encoding` names gzip and does not give it the weight 0.
fn accepts_gzip(header: &str) -> bool {
    header.split(',').any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").unwrap_or("1").trim();
        name.trim().eq_ignore_ascii_case("gzip") && weight.parse() != Ok(0.0)
    })
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

    #[test]
    fn encodings() {
        for yes in ["gzip", "br, GZIP;q=0.5", "deflate,gzip ; q=1"] {
            assert!(accepts_gzip(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "gzip; q=0.0", "xgzip"] {
            assert!(!accepts_gzip(no), "{no}");
        }
    }
}
