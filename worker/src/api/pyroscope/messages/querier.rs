//! `querier.v1`: which series there are, their totals over time, and what a query reads.

use prost::Message;
use serde::{Deserialize, Serialize};

use super::json;
use super::types::{Aggregation, ExemplarType};
use super::types::{Labels, ProfileType, Series, StackTraceSelector};

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct ProfileTypesRequest {
    #[prost(int64, tag = "1")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) start: i64,
    #[prost(int64, tag = "2")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) end: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProfileTypesResponse {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) profile_types: Vec<ProfileType>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct SeriesRequest {
    #[prost(string, repeated, tag = "1")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) matchers: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    #[serde(alias = "labelNames", deserialize_with = "json::unset")]
    pub(crate) label_names: Vec<String>,
    #[prost(int64, tag = "3")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) start: i64,
    #[prost(int64, tag = "4")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) end: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SeriesResponse {
    #[prost(message, repeated, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) labels_set: Vec<Labels>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct SelectSeriesRequest {
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
    #[prost(string, repeated, tag = "5")]
    #[serde(alias = "groupBy", deserialize_with = "json::unset")]
    pub(crate) group_by: Vec<String>,
    #[prost(double, tag = "6")]
    #[serde(deserialize_with = "json::double")]
    pub(crate) step: f64,
    #[prost(int32, tag = "7")]
    #[serde(deserialize_with = "json::enumeration::<_, Aggregation>")]
    pub(crate) aggregation: i32,
    #[prost(message, optional, tag = "8")]
    #[serde(alias = "stackTraceSelector")]
    pub(crate) stack_trace_selector: Option<StackTraceSelector>,
    #[prost(int64, optional, tag = "9")]
    #[serde(deserialize_with = "json::optional_int64")]
    pub(crate) limit: Option<i64>,
    #[prost(int32, tag = "10")]
    #[serde(
        alias = "exemplarType",
        deserialize_with = "json::enumeration::<_, ExemplarType>"
    )]
    pub(crate) exemplar_type: i32,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct SelectSeriesResponse {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) series: Vec<Series>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct AnalyzeQueryRequest {
    #[prost(int64, tag = "2")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) start: i64,
    #[prost(int64, tag = "3")]
    #[serde(deserialize_with = "json::int64")]
    pub(crate) end: i64,
    #[prost(string, tag = "4")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) query: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnalyzeQueryResponse {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) query_scopes: Vec<QueryScope>,
    #[prost(message, optional, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) query_impact: Option<QueryImpact>,
}

/// What one kind of store has to do for a query.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueryScope {
    #[prost(string, tag = "1")]
    pub(crate) component_type: String,
    #[prost(uint64, tag = "2")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) component_count: u64,
    #[prost(uint64, tag = "3")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) block_count: u64,
    #[prost(uint64, tag = "4")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) series_count: u64,
    #[prost(uint64, tag = "5")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) profile_count: u64,
    #[prost(uint64, tag = "8")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) profile_bytes: u64,
    #[prost(uint64, tag = "9")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) symbol_bytes: u64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueryImpact {
    #[prost(uint64, tag = "2")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) total_bytes_in_time_range: u64,
    #[prost(uint64, tag = "3")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) total_queried_series: u64,
}
