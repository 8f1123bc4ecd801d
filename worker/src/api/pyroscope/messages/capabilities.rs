//! `capabilities.v1` and `version.v1`: what this server is.

use prost::Message;
use serde::{Deserialize, Serialize};

use super::json;

#[derive(Clone, PartialEq, Message, Deserialize)]
pub(crate) struct GetFeatureFlagsRequest {}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetFeatureFlagsResponse {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) feature_flags: Vec<FeatureFlag>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct FeatureFlag {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(bool, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) enabled: bool,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
pub(crate) struct VersionRequest {}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct VersionResponse {
    #[prost(uint64, tag = "1")]
    #[serde(rename = "QuerierAPI", serialize_with = "json::uint64_text")]
    pub(crate) querier_api: u64,
}
