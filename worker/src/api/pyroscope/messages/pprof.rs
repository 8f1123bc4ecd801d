//! `google.v1.Profile` in protobuf's JSON. In protobuf it is written by the core, byte for byte.
//!
//! Source: `profile.proto` of `google/pprof`.

use prost::Message;
use serde::{Serialize, Serializer, ser::Error};

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

messages! {
    answer Profile {
        sample_type: repeated ValueType = 1,
        sample: repeated Sample = 2,
        mapping: repeated Mapping = 3,
        location: repeated Location = 4,
        function: repeated Function = 5,
        string_table: repeated string = 6,
        drop_frames: int64 = 7,
        keep_frames: int64 = 8,
        time_nanos: int64 = 9,
        duration_nanos: int64 = 10,
        period_type: optional ValueType = 11,
        period: int64 = 12,
        comment: repeated int64 = 13,
        default_sample_type: int64 = 14,
    }

    answer ValueType {
        kind: int64 = 1 as "type",
        unit: int64 = 2,
    }

    answer Sample {
        location_id: repeated uint64 = 1,
        value: repeated int64 = 2,
        label: repeated Label = 3,
    }

    answer Label {
        key: int64 = 1,
        str: int64 = 2,
        num: int64 = 3,
        num_unit: int64 = 4,
    }

    answer Mapping {
        id: uint64 = 1,
        memory_start: uint64 = 2,
        memory_limit: uint64 = 3,
        file_offset: uint64 = 4,
        filename: int64 = 5,
        build_id: int64 = 6,
        has_functions: bool = 7,
        has_filenames: bool = 8,
        has_line_numbers: bool = 9,
        has_inline_frames: bool = 10,
    }

    answer Location {
        id: uint64 = 1,
        mapping_id: uint64 = 2,
        address: uint64 = 3,
        line: repeated Line = 4,
        is_folded: bool = 5,
    }

    answer Line {
        function_id: uint64 = 1,
        line: int64 = 2,
    }

    answer Function {
        id: uint64 = 1,
        name: int64 = 2,
        system_name: int64 = 3,
        filename: int64 = 4,
        start_line: int64 = 5,
    }
}
