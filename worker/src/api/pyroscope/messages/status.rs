//! `status.v1`: which server this is.

use prost::Message;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Message, Deserialize)]
pub(crate) struct GetBuildInfoRequest {}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct GetBuildInfoResponse {
    #[prost(string, tag = "1")]
    pub(crate) status: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) data: Option<GetBuildInfoData>,
}

/// Clients look for all of the fields, so JSON has those that are empty, too.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetBuildInfoData {
    #[prost(string, tag = "1")]
    pub(crate) version: String,
    #[prost(string, tag = "2")]
    pub(crate) revision: String,
    #[prost(string, tag = "3")]
    pub(crate) branch: String,
    #[prost(string, tag = "4")]
    pub(crate) build_user: String,
    #[prost(string, tag = "5")]
    pub(crate) build_date: String,
    #[prost(string, tag = "6")]
    pub(crate) go_version: String,
}
