//! `google.v1.Profile` in protobuf's JSON. In protobuf it is written by the core, byte for byte.
//!
//! Source: `profile.proto` of `google/pprof`.

use prost::Message;
use serde::{Serialize, Serializer, ser::Error};

use super::json;
use crate::platform::errors::Problem;

/// Largest profile that is written as JSON: 4 MiB in protobuf, which is some 40 MB in memory as
/// messages and text.
const MAX_JSON: usize = 4 << 20;

/// Refuses a profile in protobuf that is too large for JSON.
pub(crate) fn fits_json(profile: &[u8]) -> Result<(), Problem> {
    if profile.len() > MAX_JSON {
        let message = format!(
            "the profile has {} bytes; at most {MAX_JSON} are allowed as JSON; ask for application/proto, for a shorter range, or for a call site",
            profile.len()
        );
        return Err(Problem::too_large(message));
    }
    Ok(())
}

/// A profile in protobuf as JSON.
pub(crate) fn to_json(profile: &[u8]) -> Result<Vec<u8>, Problem> {
    fits_json(profile)?;
    let profile = Profile::decode(profile).map_err(Problem::internal)?;
    serde_json::to_vec(&profile).map_err(Problem::internal)
}

/// The same inside another message.
pub(super) fn as_json<S: Serializer>(profile: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    if profile.len() > MAX_JSON {
        return Err(S::Error::custom("the profile is too large for JSON"));
    }
    let profile = Profile::decode(profile).map_err(S::Error::custom)?;
    profile.serialize(serializer)
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    #[serde(skip_serializing_if = "json::is_unset")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    #[serde(skip_serializing_if = "json::is_unset")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    #[serde(skip_serializing_if = "json::is_unset")]
    mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    #[serde(skip_serializing_if = "json::is_unset")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    #[serde(skip_serializing_if = "json::is_unset")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    #[serde(skip_serializing_if = "json::is_unset")]
    string_table: Vec<String>,
    #[prost(int64, tag = "7")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    drop_frames: i64,
    #[prost(int64, tag = "8")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    keep_frames: i64,
    #[prost(int64, tag = "9")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    time_nanos: i64,
    #[prost(int64, tag = "10")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    #[serde(skip_serializing_if = "json::is_unset")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    period: i64,
    #[prost(int64, repeated, tag = "13")]
    #[serde(
        serialize_with = "json::int64_texts",
        skip_serializing_if = "json::is_unset"
    )]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct ValueType {
    #[prost(int64, tag = "1")]
    #[serde(
        rename = "type",
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    kind: i64,
    #[prost(int64, tag = "2")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    unit: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    #[serde(
        serialize_with = "json::uint64_texts",
        skip_serializing_if = "json::is_unset"
    )]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    #[serde(
        serialize_with = "json::int64_texts",
        skip_serializing_if = "json::is_unset"
    )]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    #[serde(skip_serializing_if = "json::is_unset")]
    label: Vec<Label>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Label {
    #[prost(int64, tag = "1")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    key: i64,
    #[prost(int64, tag = "2")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    str: i64,
    #[prost(int64, tag = "3")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    num: i64,
    #[prost(int64, tag = "4")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    num_unit: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Mapping {
    #[prost(uint64, tag = "1")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    id: u64,
    #[prost(uint64, tag = "2")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    memory_start: u64,
    #[prost(uint64, tag = "3")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    memory_limit: u64,
    #[prost(uint64, tag = "4")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    file_offset: u64,
    #[prost(int64, tag = "5")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    filename: i64,
    #[prost(int64, tag = "6")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    build_id: i64,
    #[prost(bool, tag = "7")]
    #[serde(skip_serializing_if = "json::is_unset")]
    has_functions: bool,
    #[prost(bool, tag = "8")]
    #[serde(skip_serializing_if = "json::is_unset")]
    has_filenames: bool,
    #[prost(bool, tag = "9")]
    #[serde(skip_serializing_if = "json::is_unset")]
    has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    #[serde(skip_serializing_if = "json::is_unset")]
    has_inline_frames: bool,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[prost(uint64, tag = "1")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    id: u64,
    #[prost(uint64, tag = "2")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    mapping_id: u64,
    #[prost(uint64, tag = "3")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    address: u64,
    #[prost(message, repeated, tag = "4")]
    #[serde(skip_serializing_if = "json::is_unset")]
    line: Vec<Line>,
    #[prost(bool, tag = "5")]
    #[serde(skip_serializing_if = "json::is_unset")]
    is_folded: bool,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[prost(uint64, tag = "1")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    function_id: u64,
    #[prost(int64, tag = "2")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    line: i64,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Function {
    #[prost(uint64, tag = "1")]
    #[serde(
        serialize_with = "json::uint64_text",
        skip_serializing_if = "json::is_unset"
    )]
    id: u64,
    #[prost(int64, tag = "2")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    name: i64,
    #[prost(int64, tag = "3")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    system_name: i64,
    #[prost(int64, tag = "4")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    filename: i64,
    #[prost(int64, tag = "5")]
    #[serde(
        serialize_with = "json::int64_text",
        skip_serializing_if = "json::is_unset"
    )]
    start_line: i64,
}
