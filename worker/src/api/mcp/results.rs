//! The results of the protocol.

use serde::Serialize;

use super::tools::Tool;

/// What answers.
#[derive(Serialize)]
pub(super) struct Implementation {
    name: &'static str,
    version: &'static str,
}

pub(super) const SERVER: Implementation = Implementation {
    name: "pilotlight",
    version: env!("CARGO_PKG_VERSION"),
};

/// What a request is answered with, one of the protocol's results.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Outcome {
    #[serde(rename_all = "camelCase")]
    Initialized {
        protocol_version: &'static str,
        capabilities: Capabilities,
        server_info: Implementation,
        instructions: &'static str,
    },
    #[serde(rename_all = "camelCase")]
    Discovered {
        supported_versions: [&'static str; 1],
        capabilities: Capabilities,
        instructions: &'static str,
        #[serde(flatten)]
        cache: Cache,
    },
    Tools {
        tools: Vec<Tool>,
        #[serde(flatten)]
        cache: Option<Cache>,
    },
    #[serde(rename_all = "camelCase")]
    Called {
        content: [Text; 1],
        is_error: bool,
    },
    Nothing {},
}

/// What can be asked for: tools, which do not change.
#[derive(Default, Serialize)]
pub(super) struct Capabilities {
    tools: Nothing,
}

#[derive(Default, Serialize)]
pub(super) struct Nothing {}

/// How long an answer may be kept, and by whom.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cache {
    ttl_ms: u32,
    cache_scope: &'static str,
}

/// An hour: the tools change with a deployment only.
pub(super) const CACHE: Cache = Cache {
    ttl_ms: 3_600_000,
    cache_scope: "public",
};

#[derive(Serialize)]
pub(super) struct Text {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) text: String,
}
