//! gRPC-web: messages and trailers as frames of a body, so that HTTP/1.1 can carry them. An edge
//! that speaks gRPC may turn one into the other.
//!
//! A frame is a byte of flags, four of length, and that many of content. The lowest bit of the
//! flags says that the content is compressed, the highest that it is trailers.

use std::fmt::Write;
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use worker::{Response, ResponseBuilder};

use crate::platform::errors::Problem;

/// How frames are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// As they are.
    Binary,
    /// In base64.
    Text,
}

const HEAD: usize = 5;
const TRAILERS: u8 = 0x80;

/// Of a content type without parameters.
pub(crate) fn framing(content_type: &str) -> Option<Framing> {
    match content_type {
        "application/grpc-web" | "application/grpc-web+proto" => Some(Framing::Binary),
        "application/grpc-web-text" | "application/grpc-web-text+proto" => Some(Framing::Text),
        _ => None,
    }
}

/// The bytes of base64, of which a sender may have put several ends to end.
pub(crate) fn decode_text(body: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3);
    let mut rest = body;
    while !rest.is_empty() {
        let padding = rest.iter().position(|&byte| byte == b'=');
        let end = padding.map_or(rest.len(), |at| {
            at + rest[at..].iter().take_while(|&&byte| byte == b'=').count()
        });
        let (part, others) = rest.split_at(end);
        let decoded = STANDARD.decode_vec(part, &mut bytes);
        decoded.map_err(|error| Problem::invalid(format!("gRPC-web text: {error}")))?;
        rest = others;
    }
    Ok(bytes)
}

/// Where the one message of a unary call stands in its frames. It may be compressed.
pub(crate) fn message(frames: &[u8]) -> Result<Range<usize>, Problem> {
    let wrong = |what: &str| Problem::invalid(format!("gRPC-web: {what}"));
    let (mut at, mut found) = (0, None);
    while at < frames.len() {
        let head: Option<&[u8; HEAD]> = frames[at..].first_chunk();
        let Some(&[flags, a, b, c, d]) = head else {
            return Err(wrong("a frame is cut short"));
        };
        let start = at + HEAD;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if length > frames.len() - start {
            return Err(wrong("a frame is cut short"));
        }
        at = start + length;
        if flags & TRAILERS != 0 {
            continue;
        }
        if found.replace(start..at).is_some() {
            return Err(wrong("the call takes one message"));
        }
    }
    found.ok_or_else(|| wrong("there is no message"))
}

/// An answer with a message.
pub(crate) fn success(message: &[u8], framing: Framing) -> worker::Result<Response> {
    let mut frames = Vec::new();
    put(&mut frames, 0, message);
    put(&mut frames, TRAILERS, b"grpc-status:0\r\n");
    response(frames, framing)
}

/// An answer with an error. What may be tried again is "unavailable": of the others, clients of
/// gRPC try none.
pub(crate) fn failure(problem: &Problem, framing: Framing) -> worker::Result<Response> {
    let code = match problem.retry_after {
        Some(_) => UNAVAILABLE,
        None => status_code(&problem.code),
    };
    let mut frames = Vec::new();
    put(&mut frames, TRAILERS, &trailers(code, &problem.message));
    response(frames, framing)
}

fn trailers(code: u32, message: &str) -> Vec<u8> {
    // No space after the colon: an edge that makes gRPC of this was seen to keep it.
    let mut text = format!("grpc-status:{code}\r\ngrpc-message:");
    for byte in message.bytes().take(1024) {
        // Writing to a string does not fail.
        let _ = match byte {
            b' '..=b'~' if byte != b'%' => write!(text, "{}", byte as char),
            _ => write!(text, "%{byte:02X}"),
        };
    }
    text.push_str("\r\n");
    text.into_bytes()
}

const UNAVAILABLE: u32 = 14;

/// gRPC's number of a code.
pub(crate) fn status_code(code: &str) -> u32 {
    match code {
        "canceled" => 1,
        "invalid_argument" => 3,
        "deadline_exceeded" => 4,
        "not_found" => 5,
        "permission_denied" => 7,
        "resource_exhausted" => 8,
        "failed_precondition" => 9,
        "unimplemented" => 12,
        "internal" => 13,
        "unavailable" => UNAVAILABLE,
        "unauthenticated" => 16,
        _ => 2,
    }
}

fn put(frames: &mut Vec<u8>, flags: u8, content: &[u8]) {
    frames.push(flags);
    frames.extend_from_slice(&(content.len() as u32).to_be_bytes());
    frames.extend_from_slice(content);
}

fn response(frames: Vec<u8>, framing: Framing) -> worker::Result<Response> {
    let (content_type, body) = match framing {
        Framing::Binary => ("application/grpc-web+proto", frames),
        Framing::Text => (
            "application/grpc-web-text+proto",
            STANDARD.encode(&frames).into_bytes(),
        ),
    };
    Ok(ResponseBuilder::new()
        .with_header("content-type", content_type)?
        .fixed(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(parts: &[(u8, &[u8])]) -> Vec<u8> {
        let mut all = Vec::new();
        for (flags, content) in parts {
            put(&mut all, *flags, content);
        }
        all
    }

    #[test]
    fn one_message_is_found() {
        let check = |body: &[u8], expect: Result<&[u8], &str>| {
            let found = message(body).map(|range| &body[range]);
            match (found, expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect),
                (Err(problem), Err(says)) => {
                    assert_eq!(problem.status, 400);
                    assert!(problem.message.contains(says), "{}", problem.message);
                }
                (found, expect) => panic!("{found:?} is not {expect:?}"),
            }
        };
        check(&frames(&[(0, b"one")]), Ok(b"one"));
        check(&frames(&[(1, b"packed")]), Ok(b"packed"));
        check(&frames(&[(0, b""), (TRAILERS, b"x:y\r\n")]), Ok(b""));
        check(&frames(&[(0, b"one"), (0, b"two")]), Err("one message"));
        check(b"", Err("no message"));
        let whole = frames(&[(0, b"one")]);
        for cut in 1..whole.len() {
            check(&whole[..cut], Err("cut short"));
        }
    }

    #[test]
    fn text_may_be_of_several_parts() {
        let decoded = |text: &str| decode_text(text.as_bytes()).ok();
        assert_eq!(decoded("b25l"), Some(b"one".to_vec()));
        assert_eq!(decoded("b25lMQ==dHdv"), Some(b"one1two".to_vec()));
        assert_eq!(decoded(""), Some(Vec::new()));
        assert_eq!(decoded("b25lM"), None);
        assert_eq!(decoded("===="), None);
    }

    #[test]
    fn messages_of_errors_are_one_line() {
        assert_eq!(
            String::from_utf8(trailers(3, "50% of\nλ")).unwrap(),
            "grpc-status:3\r\ngrpc-message:50%25 of%0A%CE%BB\r\n"
        );
    }
}
