//! `SelectHeatmap`.

use prost::Message;
use serde::{Deserialize, Serialize};

use super::json;
use super::types::{Exemplar, ExemplarType, LabelPair};

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct SelectHeatmapRequest {
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
    #[prost(double, tag = "5")]
    #[serde(deserialize_with = "json::double")]
    pub(crate) step: f64,
    #[prost(string, repeated, tag = "6")]
    #[serde(alias = "groupBy", deserialize_with = "json::unset")]
    pub(crate) group_by: Vec<String>,
    #[prost(int32, tag = "7")]
    #[serde(
        alias = "queryType",
        deserialize_with = "json::enumeration::<_, HeatmapQueryType>"
    )]
    pub(crate) query_type: i32,
    #[prost(int32, tag = "8")]
    #[serde(
        alias = "exemplarType",
        deserialize_with = "json::enumeration::<_, ExemplarType>"
    )]
    pub(crate) exemplar_type: i32,
    #[prost(int64, optional, tag = "9")]
    #[serde(deserialize_with = "json::optional_int64")]
    pub(crate) limit: Option<i64>,
}

/// What is counted.
pub(crate) struct HeatmapQueryType;

impl json::NamedValues for HeatmapQueryType {
    const VALUES: &'static [(&'static str, i32)] = &[
        ("HEATMAP_QUERY_TYPE_UNSPECIFIED", 0),
        ("HEATMAP_QUERY_TYPE_INDIVIDUAL", 1),
        ("HEATMAP_QUERY_TYPE_SPAN", 2),
    ];
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct SelectHeatmapResponse {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) series: Vec<HeatmapSeries>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct HeatmapSeries {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) labels: Vec<LabelPair>,
    #[prost(message, repeated, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) slots: Vec<HeatmapSlot>,
}

/// The cells of a bucket of time: the lower bound of each, and how many values it has.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeatmapSlot {
    #[prost(int64, tag = "1")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) timestamp: i64,
    #[prost(double, repeated, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) y_min: Vec<f64>,
    #[prost(int32, repeated, tag = "3")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) counts: Vec<i32>,
    #[prost(message, repeated, tag = "4")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) exemplars: Vec<Exemplar>,
}
