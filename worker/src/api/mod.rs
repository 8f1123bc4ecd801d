//! What requests are answered with: pushes, our queries, reports for machines and as tools of models,
//! Pyroscope's API, profiles for Go's compiler, shares, annotations, pins, source code, symbol
//! tables, a language model, operators' calls, tokens and metrics.

pub(crate) mod admin;
pub(crate) mod annotations;
pub(crate) mod limits;
mod maintenance;
pub(crate) mod mcp;
pub(crate) mod metrics;
pub(crate) mod model;
pub(crate) mod pgo;
pub(crate) mod pins;
pub(crate) mod push;
pub(crate) mod pyroscope;
pub(crate) mod query;
pub(crate) mod reports;
pub(crate) mod shares;
pub(crate) mod source;
pub(crate) mod symbols;
pub(crate) mod tokens;
