//! `adhocprofiles.v1`: profiles that people upload to look at.

use prost::Message;
use serde::{Deserialize, Serialize};

use super::json;

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct AdHocProfilesUploadRequest {
    #[prost(string, tag = "1")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) name: String,
    /// The bytes of a file in base64.
    #[prost(string, tag = "2")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) profile: String,
    #[prost(int64, optional, tag = "3")]
    #[serde(alias = "maxNodes", deserialize_with = "json::optional_int64")]
    pub(crate) max_nodes: Option<i64>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct AdHocProfilesGetRequest {
    #[prost(string, tag = "1")]
    #[serde(deserialize_with = "json::unset")]
    pub(crate) id: String,
    #[prost(string, optional, tag = "2")]
    #[serde(alias = "profileType")]
    pub(crate) profile_type: Option<String>,
    #[prost(int64, optional, tag = "3")]
    #[serde(alias = "maxNodes", deserialize_with = "json::optional_int64")]
    pub(crate) max_nodes: Option<i64>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdHocProfilesGetResponse {
    #[prost(string, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) id: String,
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) name: String,
    /// Milliseconds since the epoch.
    #[prost(int64, tag = "3")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) uploaded_at: i64,
    #[prost(string, tag = "4")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) profile_type: String,
    #[prost(string, repeated, tag = "5")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) profile_types: Vec<String>,
    /// A document in JSON.
    #[prost(string, tag = "6")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) flamebearer_profile: String,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
pub(crate) struct AdHocProfilesListRequest {}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct AdHocProfilesListResponse {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) profiles: Vec<AdHocProfilesProfileMetadata>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdHocProfilesProfileMetadata {
    #[prost(string, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) id: String,
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) name: String,
    #[prost(int64, tag = "3")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    pub(crate) uploaded_at: i64,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(default)]
pub(crate) struct AdHocProfilesDiffRequest {
    #[prost(string, tag = "1")]
    #[serde(alias = "leftId", deserialize_with = "json::unset")]
    pub(crate) left_id: String,
    #[prost(string, tag = "2")]
    #[serde(alias = "rightId", deserialize_with = "json::unset")]
    pub(crate) right_id: String,
    #[prost(string, optional, tag = "3")]
    #[serde(alias = "profileType")]
    pub(crate) profile_type: Option<String>,
    #[prost(int64, optional, tag = "4")]
    #[serde(alias = "maxNodes", deserialize_with = "json::optional_int64")]
    pub(crate) max_nodes: Option<i64>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdHocProfilesDiffResponse {
    #[prost(string, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) profile_types: Vec<String>,
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    pub(crate) flamebearer_profile: String,
}
