//! gRPC-web framing over a body that is wholly in memory: gRPC without trailers of HTTP/2, which no
//! Worker can send.
//!
//! A message has five bytes before it: a flag (1 is gzip, 0x80 is trailers) and a length,
//! big-endian. The status comes as a last frame of text. Source: the protocol's document in
//! `grpc/grpc`, `PROTOCOL-WEB.md`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pilotlight_core::gzip;
use worker::{Request, Response};

use crate::http::content_type;
use crate::platform::errors::Problem;

/// How the frames are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// As they are.
    Binary,
    /// In base64.
    Text,
}

/// Bytes before a message.
const HEAD: usize = 5;

/// The flag of a frame that holds trailers.
const TRAILERS: u8 = 0x80;

impl Framing {
    /// Of a content type, when it is gRPC-web with protobuf.
    pub(crate) fn of(content_type: &str) -> Option<Self> {
        match content_type::essence(content_type).as_str() {
            "application/grpc-web" | "application/grpc-web+proto" => Some(Self::Binary),
            "application/grpc-web-text" | "application/grpc-web-text+proto" => Some(Self::Text),
            _ => None,
        }
    }

    /// The one message of a unary call, of at most `cap` bytes when inflated.
    pub(crate) fn message(self, body: &[u8], cap: usize) -> Result<Vec<u8>, Problem> {
        let decoded = match self {
            Self::Binary => None,
            Self::Text => Some(
                STANDARD
                    .decode(body.trim_ascii())
                    .map_err(|error| Problem::invalid(format!("gRPC-web: {error}")))?,
            ),
        };
        let bytes = decoded.as_deref().unwrap_or(body);
        let short = || Problem::invalid("gRPC-web: the body ends in the middle of its message");
        let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or_else(short)?;
        let [flag, length @ ..] = *head;
        let message = rest
            .get(..u32::from_be_bytes(length) as usize)
            .ok_or_else(short)?;
        if flag > 1 {
            return Err(Problem::invalid(format!(
                "gRPC-web: unknown frame type {flag}"
            )));
        }
        // The flag says that it may be compressed, the bytes say whether it is.
        Ok(gzip::inflate(message, cap)?.unwrap_or_else(|| message.to_vec()))
    }

    /// The answer of a call: its message, or what went wrong. The HTTP status is always 200.
    pub(crate) fn response(self, outcome: &Result<Vec<u8>, Problem>) -> worker::Result<Response> {
        let body = self.frames(outcome);
        let (kind, body) = match self {
            Self::Binary => ("application/grpc-web+proto", body),
            Self::Text => (
                "application/grpc-web-text+proto",
                STANDARD.encode(body).into_bytes(),
            ),
        };
        content_type::response(200, kind, body)
    }

    fn frames(self, outcome: &Result<Vec<u8>, Problem>) -> Vec<u8> {
        let mut body = Vec::new();
        let mut frame = |flag: u8, bytes: &[u8]| {
            body.push(flag);
            body.extend((bytes.len() as u32).to_be_bytes());
            body.extend(bytes);
        };
        match outcome {
            Ok(message) => {
                frame(0, message);
                frame(TRAILERS, b"grpc-status:0\r\n");
            }
            Err(problem) => {
                let (number, message) = (status(&problem.code), percent(&problem.message));
                let trailers = format!("grpc-status:{number}\r\ngrpc-message:{message}\r\n");
                frame(TRAILERS, trailers.as_bytes());
            }
        }
        body
    }
}

/// An error as an answer to gRPC-web; `None` for requests in other forms.
pub(crate) fn error_response(
    request: &Request,
    problem: &Problem,
) -> Option<worker::Result<Response>> {
    let content_type = request.headers().get("content-type").ok().flatten()?;
    let framing = Framing::of(&content_type)?;
    Some(framing.response(&Err(problem.clone())))
}

/// gRPC's number of a code, by its name in Connect.
pub(crate) fn status(code: &str) -> u8 {
    const CODES: [&str; 16] = [
        "canceled",
        "unknown",
        "invalid_argument",
        "deadline_exceeded",
        "not_found",
        "already_exists",
        "permission_denied",
        "resource_exhausted",
        "failed_precondition",
        "aborted",
        "out_of_range",
        "unimplemented",
        "internal",
        "unavailable",
        "data_loss",
        "unauthenticated",
    ];
    let place = CODES.iter().position(|name| *name == code);
    // They count from 1, and 2 is unknown.
    place.map_or(2, |place| place as u8 + 1)
}

/// A message in a header: printable ASCII, the rest and the sign itself as `%xx`.
pub(crate) fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'%' => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use pilotlight_core::{ProfileBuilder, pprof};

    use super::*;

    #[test]
    fn content_types() {
        assert_eq!(Framing::of("application/grpc-web"), Some(Framing::Binary));
        assert_eq!(
            Framing::of("application/grpc-web-text+proto; charset=utf-8"),
            Some(Framing::Text)
        );
        assert_eq!(Framing::of("application/grpc"), None);
        assert_eq!(Framing::of("application/grpc-web+json"), None);
    }

    #[test]
    fn messages() {
        let framed = [0, 0, 0, 0, 3, 7, 8, 9];
        let read = |framing: Framing, body: &[u8]| framing.message(body, 100).ok();
        assert_eq!(read(Framing::Binary, &framed), Some(vec![7, 8, 9]));
        assert_eq!(
            read(Framing::Text, STANDARD.encode(framed).as_bytes()),
            Some(vec![7, 8, 9])
        );
        for cut in 0..framed.len() {
            assert_eq!(read(Framing::Binary, &framed[..cut]), None, "cut at {cut}");
        }
        assert_eq!(read(Framing::Text, b"?"), None);
        let trailers = [0x80, 0, 0, 0, 0];
        assert_eq!(read(Framing::Binary, &trailers), None);
        let profile = ProfileBuilder::new().finish();
        let (plain, packed) = (pprof::encode(&profile), pprof::encode_gzip(&profile));
        let mut framed = vec![1];
        framed.extend((packed.len() as u32).to_be_bytes());
        framed.extend(packed);
        let inflated = |framed: &[u8], cap| {
            let message = Framing::Binary.message(framed, cap);
            message.map_err(|problem| status(&problem.code))
        };
        assert_eq!(inflated(&framed, plain.len()), Ok(plain.clone()));
        assert_eq!(inflated(&framed, plain.len() - 1), Err(8), "over the cap");
        let damaged = [&[1, 0, 0, 0, 3][..], b"\x1f\x8b\x08"].concat();
        assert_eq!(inflated(&damaged, 100), Err(3), "damaged");
    }

    #[test]
    fn answers() {
        assert_eq!(
            Framing::Binary.frames(&Ok(vec![5])),
            b"\0\0\0\0\x01\x05\x80\0\0\0\x0fgrpc-status:0\r\n"
        );
        let refused = Framing::Binary.frames(&Err(Problem::invalid("50 % \u{e9}\n")));
        let text = "grpc-status:3\r\ngrpc-message:50 %25 %C3%A9%0A\r\n";
        assert_eq!(refused[..5], [0x80, 0, 0, 0, text.len() as u8]);
        assert_eq!(&refused[5..], text.as_bytes());
    }
}
