//! The request of `push.v1.PusherService/Push`: series, each with labels and profiles.
//!
//! Sources: the messages as Grafana Pyroscope's API documents them (`PushRequest`), the protobuf
//! wire format, and the JSON mapping of protobuf, which takes each field by two spellings.

mod json;
mod proto;

use std::borrow::Cow;

use thiserror::Error;

use crate::formats::protobuf::WireError;
pub use json::from_json;
pub use proto::from_proto;

/// Most profiles of one request: 256, as many as Pyroscope takes up at once. Agents send one to
/// five.
pub const MAX_PROFILES: usize = 256;

/// Series of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushRequest<'a> {
    /// In the order in which they came.
    pub series: Vec<RawSeries<'a>>,
}

/// Labels and what was measured under them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawSeries<'a> {
    /// Names and values, unchecked, in the order in which they came.
    pub labels: Vec<(String, String)>,
    /// Profiles.
    pub samples: Vec<RawSample<'a>>,
}

/// A profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawSample<'a> {
    /// pprof, gzip or not.
    pub profile: Cow<'a, [u8]>,
    /// What its sender calls it; mostly a UUID, or empty.
    pub id: String,
}

/// Why bytes are not a request.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PushV1Error {
    /// Damaged protobuf.
    #[error("push.v1: not a valid PushRequest at byte {}: {}", .0.offset, .0.problem)]
    Wire(#[from] WireError),
    /// Damaged JSON, or another message.
    #[error("push.v1: not a valid PushRequest in JSON: {0}")]
    Json(String),
    /// More than is taken at once.
    #[error("push.v1: more than {MAX_PROFILES} profiles in one request")]
    TooMany,
}
