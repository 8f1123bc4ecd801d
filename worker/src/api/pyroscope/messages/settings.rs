//! `settings.v1`: what a tenant keeps for its pages in Grafana.

use prost::Message;
use serde::{Deserialize, Serialize};

use super::json;

#[derive(Clone, PartialEq, Message, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Setting {
    #[prost(string, tag = "1")]
    #[serde(
        deserialize_with = "json::unset",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    #[serde(
        deserialize_with = "json::unset",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) value: String,
    /// Milliseconds since the epoch.
    #[prost(int64, tag = "3")]
    #[serde(
        deserialize_with = "json::int64",
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) modified_at: i64,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
pub(crate) struct GetSettingsRequest {}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct GetSettingsResponse {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) settings: Vec<Setting>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct SetSettingsRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) setting: Option<Setting>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct SetSettingsResponse {
    #[prost(message, optional, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) setting: Option<Setting>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct DeleteSettingsRequest {
    #[prost(string, tag = "1")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) name: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct DeleteSettingsResponse {}
