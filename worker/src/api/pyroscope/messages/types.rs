//! `types.v1`: what several services share.

use prost::Message;
use serde::{Deserialize, Serialize};

use super::json;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Message, Serialize)]
pub(crate) struct LabelPair {
    #[prost(string, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) value: String,
}

/// The pairs of a label set, in the same order.
pub(crate) fn label_pairs(pairs: Vec<(String, String)>) -> Vec<LabelPair> {
    let pairs = pairs.into_iter();
    pairs
        .map(|(name, value)| LabelPair { name, value })
        .collect()
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProfileType {
    #[prost(string, tag = "1")]
    #[serde(rename = "ID")]
    pub(crate) id: String,
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) name: String,
    #[prost(string, tag = "4")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) sample_type: String,
    #[prost(string, tag = "5")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) sample_unit: String,
    #[prost(string, tag = "6")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) period_type: String,
    #[prost(string, tag = "7")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) period_unit: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Message, Serialize)]
pub(crate) struct Labels {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) labels: Vec<LabelPair>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct Series {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) labels: Vec<LabelPair>,
    #[prost(message, repeated, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) points: Vec<Point>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct Point {
    #[prost(double, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) value: f64,
    #[prost(int64, tag = "2")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) timestamp: i64,
    #[prost(message, repeated, tag = "4")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) exemplars: Vec<Exemplar>,
}

/// One profile, or one span in it.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Exemplar {
    #[prost(int64, tag = "1")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) timestamp: i64,
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) profile_id: String,
    #[prost(string, tag = "3")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) span_id: String,
    #[prost(int64, tag = "4")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) value: i64,
    #[prost(message, repeated, tag = "5")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) labels: Vec<LabelPair>,
    #[prost(string, tag = "6")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) trace_id: String,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct LabelValuesRequest {
    #[prost(string, tag = "1")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) name: String,
    #[prost(string, repeated, tag = "2")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) matchers: Vec<String>,
    #[prost(int64, tag = "3")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) start: i64,
    #[prost(int64, tag = "4")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) end: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct LabelValuesResponse {
    #[prost(string, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) names: Vec<String>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct LabelNamesRequest {
    #[prost(string, repeated, tag = "1")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) matchers: Vec<String>,
    #[prost(int64, tag = "2")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) start: i64,
    #[prost(int64, tag = "3")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) end: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct LabelNamesResponse {
    #[prost(string, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) names: Vec<String>,
}

/// Which stacks of a profile are asked for.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct StackTraceSelector {
    /// The functions from the root that a stack begins with.
    #[prost(message, repeated, tag = "1")]
    #[serde(alias = "callSite", deserialize_with = "json::unset")]
    pub(crate) call_site: Vec<Location>,
    #[prost(message, optional, tag = "2")]
    #[serde(alias = "goPgo")]
    pub(crate) go_pgo: Option<GoPgo>,
    #[prost(message, optional, tag = "3")]
    #[serde(alias = "frameFilter")]
    pub(crate) frame_filter: Option<FrameFilter>,
}

/// Which functions a profile names; the stacks of the others are shorter.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct FrameFilter {
    #[prost(string, repeated, tag = "1")]
    #[serde(alias = "includeFunctionNames", deserialize_with = "json::unset")]
    pub(crate) include_function_names: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    #[serde(alias = "excludeFunctionNames", deserialize_with = "json::unset")]
    pub(crate) exclude_function_names: Vec<String>,
    #[prost(string, repeated, tag = "3")]
    #[serde(alias = "includeFunctionNameRegexes", deserialize_with = "json::unset")]
    pub(crate) include_function_name_regexes: Vec<String>,
    #[prost(string, repeated, tag = "4")]
    #[serde(alias = "excludeFunctionNameRegexes", deserialize_with = "json::unset")]
    pub(crate) exclude_function_name_regexes: Vec<String>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct Location {
    #[prost(string, tag = "1")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) name: String,
}

/// How a profile is cut for Go's compiler.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct GoPgo {
    #[prost(uint32, tag = "1")]
    #[serde(alias = "keepLocations", deserialize_with = "json::uint32")]
    pub(crate) keep_locations: u32,
    #[prost(bool, tag = "2")]
    #[serde(alias = "aggregateCallees", deserialize_with = "json::unset")]
    pub(crate) aggregate_callees: bool,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
pub(crate) struct GetProfileStatsRequest {}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetProfileStatsResponse {
    #[prost(bool, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) data_ingested: bool,
    #[prost(int64, tag = "2")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) oldest_profile_time: i64,
    #[prost(int64, tag = "3")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) newest_profile_time: i64,
}

/// How the profiles of a bucket of time become one number.
pub(crate) struct Aggregation;

impl json::NamedValues for Aggregation {
    const VALUES: &'static [(&'static str, i32)] = &[
        ("TIME_SERIES_AGGREGATION_TYPE_SUM", 0),
        ("TIME_SERIES_AGGREGATION_TYPE_AVERAGE", 1),
    ];
}

/// Which single profiles or spans come with the points of a series.
pub(crate) struct ExemplarType;

impl json::NamedValues for ExemplarType {
    const VALUES: &'static [(&'static str, i32)] = &[
        ("EXEMPLAR_TYPE_UNSPECIFIED", 0),
        ("EXEMPLAR_TYPE_NONE", 1),
        ("EXEMPLAR_TYPE_INDIVIDUAL", 2),
        ("EXEMPLAR_TYPE_SPAN", 3),
    ];
}
