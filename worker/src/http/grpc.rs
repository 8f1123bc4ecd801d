//! gRPC itself, which no Worker can answer: it has no trailers of HTTP/2. An error needs none, since
//! its status may stand in the headers ("Trailers-Only"). Source: the protocol's document in
//! `grpc/grpc`, `PROTOCOL-HTTP2.md`.

use worker::{Request, Response, ResponseBuilder};

use crate::http::content_type;
use crate::http::grpc_web::{percent, status};
use crate::platform::errors::Problem;

/// Whether a content type is that of gRPC with messages of any kind.
fn is_grpc(content_type: &str) -> bool {
    let essence = content_type::essence(content_type);
    essence == "application/grpc" || essence.starts_with("application/grpc+")
}

/// An error as an answer to gRPC; `None` for requests in other forms.
pub(crate) fn error_response(
    request: &Request,
    problem: &Problem,
) -> Option<worker::Result<Response>> {
    let content_type = request.headers().get("content-type").ok().flatten()?;
    is_grpc(&content_type).then(|| {
        Ok(ResponseBuilder::new()
            .with_header("content-type", &content_type)?
            .with_header("grpc-status", &status(&problem.code).to_string())?
            .with_header("grpc-message", &percent(&problem.message))?
            .empty())
    })
}

#[cfg(test)]
mod tests {
    use super::is_grpc;

    #[test]
    fn content_types() {
        for yes in [
            "application/grpc",
            "application/grpc+proto",
            "Application/gRPC; a=b",
        ] {
            assert!(is_grpc(yes), "{yes}");
        }
        for no in [
            "application/grpc-web",
            "application/grpc-web+proto",
            "application/json",
            "",
        ] {
            assert!(!is_grpc(no), "{no}");
        }
    }
}
