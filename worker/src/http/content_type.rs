//! Content types of requests and of answers.

use worker::{Response, ResponseBuilder};

/// A content type without its parameters, in lower case.
pub(crate) fn essence(content_type: &str) -> String {
    let (essence, _) = content_type.split_once(';').unwrap_or((content_type, ""));
    essence.trim().to_ascii_lowercase()
}

/// An answer of this content type. `Response::from_bytes` would put one of its own in the place of
/// it.
pub(crate) fn response(status: u16, content_type: &str, body: Vec<u8>) -> worker::Result<Response> {
    Ok(ResponseBuilder::new()
        .with_status(status)
        .with_header("content-type", content_type)?
        .fixed(body))
}
