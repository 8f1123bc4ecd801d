//! `querier.v1`: profiles, in every form in which they are answered.

use prost::Message;
use serde::{Deserialize, Serialize};

use super::functions::ProfileFormatOptions;
use super::json;
use super::types::StackTraceSelector;

/// The form in which a profile is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProfileFormat {
    FlameGraph,
    Tree,
    Dot,
    Pprof,
    Functions,
    FunctionTree,
}

impl ProfileFormat {
    /// Functions have no number yet that clients agree on, only names; no enum has numbers below
    /// zero.
    const FUNCTIONS: i32 = -2;
    const FUNCTION_TREE: i32 = -3;

    /// Of its number in a message; `None` for one that is not known here.
    pub(crate) fn of(number: i32) -> Option<Self> {
        match number {
            0 | 1 => Some(Self::FlameGraph),
            2 => Some(Self::Tree),
            3 => Some(Self::Dot),
            4 => Some(Self::Pprof),
            Self::FUNCTIONS => Some(Self::Functions),
            Self::FUNCTION_TREE => Some(Self::FunctionTree),
            _ => None,
        }
    }
}

impl json::NamedValues for ProfileFormat {
    const VALUES: &'static [(&'static str, i32)] = &[
        ("PROFILE_FORMAT_UNSPECIFIED", 0),
        ("PROFILE_FORMAT_FLAMEGRAPH", 1),
        ("PROFILE_FORMAT_TREE", 2),
        ("PROFILE_FORMAT_DOT", 3),
        ("PROFILE_FORMAT_PPROF", 4),
        ("PROFILE_FORMAT_FUNCTIONS", Self::FUNCTIONS),
        ("PROFILE_FORMAT_FUNCTION_TREE", Self::FUNCTION_TREE),
    ];
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct SelectMergeStacktracesRequest {
    #[prost(string, tag = "1")]
    #[serde(
        rename = "profile_typeID",
        alias = "profileTypeID",
        alias = "profileTypeId",
        deserialize_with = "json::unset"
    )]
    pub(crate) profile_type_id: String,
    #[prost(string, tag = "2")]
    #[serde(alias = "labelSelector", deserialize_with = "json::unset")]
    pub(crate) label_selector: String,
    #[prost(int64, tag = "3")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) start: i64,
    #[prost(int64, tag = "4")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) end: i64,
    #[prost(int64, optional, tag = "5")]
    #[serde(alias = "maxNodes", deserialize_with = "json::optional_int64")]
    pub(crate) max_nodes: Option<i64>,
    #[prost(int32, tag = "6")]
    #[serde(deserialize_with = "json::enumeration::<_, ProfileFormat>")]
    pub(crate) format: i32,
    #[prost(message, optional, tag = "7")]
    #[serde(alias = "stackTraceSelector")]
    pub(crate) stack_trace_selector: Option<StackTraceSelector>,
    #[prost(string, repeated, tag = "8")]
    #[serde(alias = "profileIdSelector", deserialize_with = "json::unset")]
    pub(crate) profile_id_selector: Vec<String>,
    #[prost(message, optional, tag = "9")]
    #[serde(rename = "async")]
    pub(crate) asynchronous: Option<AsyncQueryRequest>,
    #[prost(string, repeated, tag = "10")]
    #[serde(alias = "traceIdSelector", deserialize_with = "json::unset")]
    pub(crate) trace_id_selector: Vec<String>,
    #[prost(string, repeated, tag = "11")]
    #[serde(alias = "spanSelector", deserialize_with = "json::unset")]
    pub(crate) span_selector: Vec<String>,
    /// Has no number yet that clients agree on, so it is read in JSON only.
    #[prost(message, optional, tag = "536870911")]
    #[serde(alias = "formatOptions")]
    pub(crate) format_options: Option<ProfileFormatOptions>,
}

/// A query whose answer is fetched later.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct AsyncQueryRequest {
    #[prost(string, tag = "1")]
    #[serde(alias = "requestId", deserialize_with = "json::unset")]
    pub(crate) request_id: String,
    #[prost(int32, tag = "2")]
    #[serde(
        rename = "type",
        deserialize_with = "json::enumeration::<_, AsyncQueryType>"
    )]
    pub(crate) kind: i32,
}

pub(crate) struct AsyncQueryType;

impl json::NamedValues for AsyncQueryType {
    const VALUES: &'static [(&'static str, i32)] = &[
        ("ASYNC_QUERY_TYPE_DISABLED", 0),
        ("ASYNC_QUERY_TYPE_FORCE", 1),
    ];
}

/// Of the fields one is set, as the request asks; `SelectMergeSpanProfileResponse` is the same with
/// fewer of them.
#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct SelectMergeStacktracesResponse {
    #[prost(message, optional, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) flamegraph: Option<FlameGraph>,
    #[prost(bytes = "vec", tag = "2")]
    #[serde(
        serialize_with = "json::base64",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) tree: Vec<u8>,
    #[prost(string, tag = "3")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) dot: String,
    #[prost(message, optional, tag = "5")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) pprof: Option<PprofProfile>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct PprofProfile {
    /// `google.v1.Profile` as it is written: a message within a message is its bytes.
    #[prost(bytes = "vec", tag = "1")]
    #[serde(serialize_with = "super::pprof::as_json")]
    pub(crate) profile: Vec<u8>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct SelectMergeSpanProfileRequest {
    #[prost(string, tag = "1")]
    #[serde(
        rename = "profile_typeID",
        alias = "profileTypeID",
        alias = "profileTypeId",
        deserialize_with = "json::unset"
    )]
    pub(crate) profile_type_id: String,
    #[prost(string, tag = "2")]
    #[serde(alias = "labelSelector", deserialize_with = "json::unset")]
    pub(crate) label_selector: String,
    #[prost(string, repeated, tag = "3")]
    #[serde(alias = "spanSelector", deserialize_with = "json::unset")]
    pub(crate) span_selector: Vec<String>,
    #[prost(int64, tag = "4")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) start: i64,
    #[prost(int64, tag = "5")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) end: i64,
    #[prost(int64, optional, tag = "6")]
    #[serde(alias = "maxNodes", deserialize_with = "json::optional_int64")]
    pub(crate) max_nodes: Option<i64>,
    #[prost(int32, tag = "7")]
    #[serde(deserialize_with = "json::enumeration::<_, ProfileFormat>")]
    pub(crate) format: i32,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct SelectMergeProfileRequest {
    #[prost(string, tag = "1")]
    #[serde(
        rename = "profile_typeID",
        alias = "profileTypeID",
        alias = "profileTypeId",
        deserialize_with = "json::unset"
    )]
    pub(crate) profile_type_id: String,
    #[prost(string, tag = "2")]
    #[serde(alias = "labelSelector", deserialize_with = "json::unset")]
    pub(crate) label_selector: String,
    #[prost(int64, tag = "3")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) start: i64,
    #[prost(int64, tag = "4")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) end: i64,
    #[prost(int64, optional, tag = "5")]
    #[serde(alias = "maxNodes", deserialize_with = "json::optional_int64")]
    pub(crate) max_nodes: Option<i64>,
    #[prost(message, optional, tag = "6")]
    #[serde(alias = "stackTraceSelector")]
    pub(crate) stack_trace_selector: Option<StackTraceSelector>,
    #[prost(string, repeated, tag = "7")]
    #[serde(alias = "profileIdSelector", deserialize_with = "json::unset")]
    pub(crate) profile_id_selector: Vec<String>,
    #[prost(string, repeated, tag = "8")]
    #[serde(alias = "traceIdSelector", deserialize_with = "json::unset")]
    pub(crate) trace_id_selector: Vec<String>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct DiffRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) left: Option<SelectMergeStacktracesRequest>,
    #[prost(message, optional, tag = "2")]
    pub(crate) right: Option<SelectMergeStacktracesRequest>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct DiffResponse {
    #[prost(message, optional, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) flamegraph: Option<FlameGraphDiff>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlameGraph {
    #[prost(string, repeated, tag = "1")]
    pub(crate) names: Vec<String>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) levels: Vec<Level>,
    #[prost(int64, tag = "3")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) total: i64,
    #[prost(int64, tag = "4")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) max_self: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlameGraphDiff {
    #[prost(string, repeated, tag = "1")]
    pub(crate) names: Vec<String>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) levels: Vec<Level>,
    #[prost(int64, tag = "3")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) total: i64,
    #[prost(int64, tag = "4")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) max_self: i64,
    #[prost(int64, tag = "5")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) left_ticks: i64,
    #[prost(int64, tag = "6")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) right_ticks: i64,
}

/// The nodes of one depth, from left to right.
#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct Level {
    #[prost(int64, repeated, tag = "1")]
    #[serde(serialize_with = "json::int64_texts")]
    pub(crate) values: Vec<i64>,
}
