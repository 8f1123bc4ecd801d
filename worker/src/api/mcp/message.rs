//! Reading a message of JSON-RPC 2.0, and which generation of the protocol it is of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use worker::{Request, Response, ResponseBuilder};

use super::results::{Implementation, Outcome, SERVER};
use crate::platform::errors::Problem;

/// Versions whose clients begin with `initialize`, the latest first.
pub(super) const VERSIONS_WITH_HANDSHAKE: [&str; 4] = [
    LATEST_WITH_HANDSHAKE,
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

/// What a client gets that asks for a version that is not known.
pub(super) const LATEST_WITH_HANDSHAKE: &str = "2025-11-25";

/// The version whose requests say themselves what they are.
pub(super) const STATELESS: &str = "2026-07-28";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

// Codes of JSON-RPC, and from -32099 to -32000 those of the protocol.
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;
const HEADER_MISMATCH: i32 = -32_020;
const UNSUPPORTED_VERSION: i32 = -32_022;

/// A generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// Up to 2025-11-25.
    WithHandshake,
    /// 2026-07-28.
    Stateless,
}

/// Headers that repeat what stands in the message, for proxies.
#[derive(Clone, Debug, Default)]
pub(super) struct Headers {
    version: Option<String>,
    method: Option<String>,
    name: Option<String>,
}

impl Headers {
    pub(super) fn of(request: &Request) -> Result<Self, Problem> {
        let headers = request.headers();
        Ok(Self {
            version: headers.get("mcp-protocol-version")?,
            method: headers.get("mcp-method")?,
            name: headers.get("mcp-name")?,
        })
    }
}

/// A request.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) era: Era,
    /// A number or a text.
    id: Value,
    pub(super) method: String,
    /// An object.
    pub(super) params: Value,
}

/// A message as it is read.
#[derive(Deserialize)]
struct Message {
    jsonrpc: Option<String>,
    id: Option<Value>,
    method: Option<String>,
    params: Option<Value>,
}

/// An answer other than a result.
#[derive(Debug)]
pub(super) struct Refusal {
    status: u16,
    id: Value,
    error: RpcError,
}

#[derive(Debug, Serialize)]
struct RpcError {
    code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Versions>,
}

/// Which versions there are, where one is asked for that is none of them.
#[derive(Debug, Serialize)]
struct Versions {
    supported: Vec<&'static str>,
    requested: String,
}

#[derive(Serialize)]
struct Refused<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    error: &'a RpcError,
}

#[derive(Serialize)]
struct Answered<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: WithType,
}

/// A result with what those of [`STATELESS`] carry.
#[derive(Serialize)]
struct WithType {
    #[serde(flatten)]
    outcome: Outcome,
    #[serde(rename = "resultType", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "BTreeMap::is_empty")]
    meta: BTreeMap<&'static str, Implementation>,
}

impl Refusal {
    fn new(status: u16, id: Value, code: i32, message: impl Into<String>) -> Self {
        let message = message.into();
        let error = RpcError {
            code,
            message,
            data: None,
        };
        Self { status, id, error }
    }

    pub(super) fn response(&self) -> Result<Response, Problem> {
        let body = Refused {
            jsonrpc: "2.0",
            id: &self.id,
            error: &self.error,
        };
        let builder = ResponseBuilder::new().with_status(self.status);
        Ok(builder.from_json(&body)?)
    }
}

impl Call {
    pub(super) fn response(&self, outcome: Outcome) -> Result<Response, Problem> {
        let stateless = self.era == Era::Stateless;
        let mut meta = BTreeMap::new();
        if stateless {
            meta.insert("io.modelcontextprotocol/serverInfo", SERVER);
        }
        let result = WithType {
            outcome,
            kind: stateless.then_some("complete"),
            meta,
        };
        Ok(Response::from_json(&Answered {
            jsonrpc: "2.0",
            id: &self.id,
            result,
        })?)
    }

    /// A refusal of parameters that make no sense.
    pub(super) fn refused_params(&self, message: &str) -> Refusal {
        Refusal::new(200, self.id.clone(), INVALID_PARAMS, message)
    }

    pub(super) fn unknown_method(&self) -> Refusal {
        let status = match self.era {
            Era::WithHandshake => 200,
            Era::Stateless => 404,
        };
        let message = format!("unknown method {:?}", self.method);
        Refusal::new(status, self.id.clone(), METHOD_NOT_FOUND, message)
    }
}

/// Reads a message; `None` for one that wants no answer.
pub(super) fn read(headers: &Headers, body: &[u8]) -> Result<Option<Call>, Refusal> {
    let invalid = |id, message: &str| Refusal::new(400, id, INVALID_REQUEST, message);
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let message = format!("the message is not JSON: {error}");
        Refusal::new(400, Value::Null, PARSE_ERROR, message)
    })?;
    if value.is_array() {
        let message = "batches are not supported; send each message on its own";
        return Err(invalid(Value::Null, message));
    }
    let message: Message = serde_json::from_value(value)
        .map_err(|error| invalid(Value::Null, &format!("not a JSON-RPC message: {error}")))?;
    let id = message.id.unwrap_or(Value::Null);
    if message.jsonrpc.as_deref() != Some("2.0") {
        return Err(invalid(id, "jsonrpc must be \"2.0\""));
    }
    let Some(method) = message.method else {
        return Err(invalid(id, "the message has no method"));
    };
    match &id {
        Value::Null => return Ok(None),
        Value::Number(_) | Value::String(_) => {}
        _ => return Err(invalid(Value::Null, "id must be a number or a string")),
    }
    let params = message.params.unwrap_or(Value::Null);
    if !params.is_null() && !params.is_object() {
        return Err(invalid(id, "params must be a JSON object"));
    }
    let mut call = Call {
        era: Era::WithHandshake,
        id,
        method,
        params,
    };
    call.era = call.era(headers)?;
    Ok(Some(call))
}

impl Call {
    /// Which generation it is of; refused when it contradicts itself.
    fn era(&self, headers: &Headers) -> Result<Era, Refusal> {
        let meta = self.params.get("_meta");
        let said = |key| meta.and_then(|meta| meta.get(key));
        let Some(version) = said(VERSION_KEY) else {
            return match headers.version.as_deref() {
                None => Ok(Era::WithHandshake),
                Some(version) if VERSIONS_WITH_HANDSHAKE.contains(&version) => {
                    Ok(Era::WithHandshake)
                }
                Some(STATELESS) => {
                    Err(self.refusal(INVALID_PARAMS, &format!("params._meta lacks {VERSION_KEY}")))
                }
                Some(version) => Err(self.unsupported(version)),
            };
        };
        let version = version.as_str().ok_or_else(|| {
            self.refusal(INVALID_PARAMS, &format!("{VERSION_KEY} must be a string"))
        })?;
        if version != STATELESS {
            return Err(self.unsupported(version));
        }
        if !said(CAPABILITIES_KEY).is_some_and(Value::is_object) {
            let message = format!("params._meta lacks {CAPABILITIES_KEY}");
            return Err(self.refusal(INVALID_PARAMS, &message));
        }
        let name = self.params.get("name").and_then(Value::as_str);
        let name = name.filter(|_| self.method == "tools/call");
        for (header, found, expect) in [
            ("MCP-Protocol-Version", &headers.version, Some(STATELESS)),
            ("Mcp-Method", &headers.method, Some(self.method.as_str())),
            ("Mcp-Name", &headers.name, name),
        ] {
            if let Some(expect) = expect.filter(|expect| found.as_deref() != Some(expect)) {
                let found = found.as_deref().unwrap_or("");
                let message =
                    format!("the {header} header is {found:?}, but the message says {expect:?}");
                return Err(self.refusal(HEADER_MISMATCH, &message));
            }
        }
        Ok(Era::Stateless)
    }

    fn refusal(&self, code: i32, message: &str) -> Refusal {
        Refusal::new(400, self.id.clone(), code, message)
    }

    fn unsupported(&self, version: &str) -> Refusal {
        let message = format!("the protocol version {version:?} is not supported");
        let mut refusal = self.refusal(UNSUPPORTED_VERSION, &message);
        refusal.error.data = Some(Versions {
            supported: [STATELESS]
                .into_iter()
                .chain(VERSIONS_WITH_HANDSHAKE)
                .collect(),
            requested: version.to_owned(),
        });
        refusal
    }
}

#[cfg(test)]
mod tests;
