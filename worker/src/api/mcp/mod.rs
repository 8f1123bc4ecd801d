//! `POST /mcp`: the reports as tools of language models, by the Model Context Protocol over streamable
//! HTTP (modelcontextprotocol.io).
//!
//! Nothing is kept between requests: no session, no stream, and each message gets one answer of
//! JSON. Both generations of the protocol are served: clients that begin with `initialize`, up to
//! 2025-11-25, and those of 2026-07-28, which say in every request what they speak. The few messages
//! are written here, since the protocol's Rust library runs on tokio.

mod message;
mod results;
mod tools;

use serde_json::Value;
use worker::{Request, Response};

use crate::api::reports::{Form, Report};
use crate::auth::access::READ;
use crate::http::body;
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use message::{Call, Era, Headers, LATEST_WITH_HANDSHAKE, Refusal, VERSIONS_WITH_HANDSHAKE};
use results::{CACHE, Capabilities, Outcome, SERVER, Text};
use tools::arguments;

/// Most bytes of a message: a selector has at most 16 KiB.
const MAX_MESSAGE: usize = 64 << 10;

/// Most bytes of an answer's text, for at most 4,000 tokens: code has 3 bytes a token, names of
/// nothing but signs and accents 1.6.
const MAX_TEXT: usize = 6_000;

/// What a model is told before it uses the tools.
const INSTRUCTIONS: &str = "Pilotlight stores profiles of running services: where they spend CPU time, allocate memory or wait. Begin with list_services; then top_functions or compare_profiles for one profile type and service, and describe_function for what stands out. All values are sums over the whole time range.";

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::post("/mcp", READ, |request, scope| {
    Box::pin(answer(request, scope))
})
.of_several_tenants()];

async fn answer(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    body::check_encoding(request, &[])?;
    let headers = Headers::of(request)?;
    let body = body::read(request, &scope.isolate().bodies, MAX_MESSAGE).await?;
    let call = match message::read(&headers, &body) {
        Ok(Some(call)) => call,
        // A notification, of which none asks for anything.
        Ok(None) => return Ok(Response::empty()?.with_status(202)),
        Err(refusal) => return refusal.response(),
    };
    drop(body);
    match outcome(&call, scope).await {
        Ok(outcome) => call.response(outcome),
        Err(refusal) => refusal.response(),
    }
}

async fn outcome(call: &Call, scope: &Scope) -> Result<Outcome, Refusal> {
    match (call.era, call.method.as_str()) {
        (Era::WithHandshake, "initialize") => {
            let asked = call.params.get("protocolVersion").and_then(Value::as_str);
            let mut known = VERSIONS_WITH_HANDSHAKE.into_iter();
            Ok(Outcome::Initialized {
                protocol_version: known
                    .find(|version| Some(*version) == asked)
                    .unwrap_or(LATEST_WITH_HANDSHAKE),
                capabilities: Capabilities::default(),
                server_info: SERVER,
                instructions: INSTRUCTIONS,
            })
        }
        (Era::WithHandshake, "ping") => Ok(Outcome::Nothing {}),
        (Era::Stateless, "server/discover") => Ok(Outcome::Discovered {
            supported_versions: [message::STATELESS],
            capabilities: Capabilities::default(),
            instructions: INSTRUCTIONS,
            cache: CACHE,
        }),
        (era, "tools/list") => Ok(Outcome::Tools {
            tools: tools::list(),
            cache: matches!(era, Era::Stateless).then_some(CACHE),
        }),
        (_, "tools/call") => {
            let name = call.params.get("name").and_then(Value::as_str);
            let name = name.ok_or_else(|| call.refused_params("params.name is missing"))?;
            let tool =
                tools::named(name).ok_or_else(|| call.refused_params(&tools::unknown(name)))?;
            let answer = called(tool, call, scope).await;
            let is_error = answer.is_err();
            // What goes wrong in a tool is told to the model, which may ask again.
            let text = answer.unwrap_or_else(|problem| cut(problem.message));
            let kind = "text";
            Ok(Outcome::Called {
                content: [Text { kind, text }],
                is_error,
            })
        }
        _ => Err(call.unknown_method()),
    }
}

/// A message of at most [`MAX_TEXT`] bytes: it may repeat what was asked for.
fn cut(mut message: String) -> String {
    const MORE: char = '…';
    if message.len() > MAX_TEXT {
        message.truncate(message.floor_char_boundary(MAX_TEXT - MORE.len_utf8()));
        message.push(MORE);
    }
    message
}

async fn called(tool: &Report, call: &Call, scope: &Scope) -> Result<String, Problem> {
    let arguments = arguments(tool, call.params.get("arguments"))?;
    tool.text(&arguments, Form::Markdown(MAX_TEXT), scope).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut_between_letters() {
        for whole in [String::new(), "é".repeat(MAX_TEXT / 2)] {
            assert_eq!(cut(whole.clone()), whole);
        }
        let cut = cut("é".repeat(MAX_TEXT));
        assert!(
            (MAX_TEXT - 1..=MAX_TEXT).contains(&cut.len()),
            "{}",
            cut.len()
        );
        assert!(cut.ends_with("éé…"));
    }
}
