//! `querier.v1`: profiles, in every form in which they are answered.

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

pub(crate) struct AsyncQueryType;

impl json::NamedValues for AsyncQueryType {
    const VALUES: &'static [(&'static str, i32)] = &[
        ("ASYNC_QUERY_TYPE_DISABLED", 0),
        ("ASYNC_QUERY_TYPE_FORCE", 1),
    ];
}

messages! {
    request SelectMergeStacktracesRequest {
        profile_type_id: string = 1 as "profile_typeID" ["profileTypeID", "profileTypeId"],
        label_selector: string = 2 ["labelSelector"],
        start: int64 = 3,
        end: int64 = 4,
        max_nodes: optional int64 = 5 ["maxNodes"],
        format: int32("json::enumeration::<_, ProfileFormat>") = 6,
        stack_trace_selector: optional StackTraceSelector = 7 ["stackTraceSelector"],
        profile_id_selector: repeated string = 8 ["profileIdSelector"],
        asynchronous: optional AsyncQueryRequest = 9 as "async",
        trace_id_selector: repeated string = 10 ["traceIdSelector"],
        span_selector: repeated string = 11 ["spanSelector"],
        /// Has no number yet that clients agree on, so it is read in JSON only.
        format_options: optional ProfileFormatOptions = 536870911 ["formatOptions"],
    }

    /// A query whose answer is fetched later.
    request AsyncQueryRequest {
        request_id: string = 1 ["requestId"],
        kind: int32("json::enumeration::<_, AsyncQueryType>") = 2 as "type",
    }

    /// The request decides which one of the fields is set. `SelectMergeSpanProfileResponse` has
    /// fewer of them.
    answer SelectMergeStacktracesResponse {
        flamegraph: optional FlameGraph = 1,
        tree: bytes = 2,
        dot: string = 3,
        pprof: optional PprofProfile = 5,
    }

    answer PprofProfile {
        /// `google.v1.Profile` as it is written: a message within a message is its bytes.
        profile: always bytes("super::pprof::as_json") = 1,
    }

    request SelectMergeSpanProfileRequest {
        profile_type_id: string = 1 as "profile_typeID" ["profileTypeID", "profileTypeId"],
        label_selector: string = 2 ["labelSelector"],
        span_selector: repeated string = 3 ["spanSelector"],
        start: int64 = 4,
        end: int64 = 5,
        max_nodes: optional int64 = 6 ["maxNodes"],
        format: int32("json::enumeration::<_, ProfileFormat>") = 7,
    }

    request SelectMergeProfileRequest {
        profile_type_id: string = 1 as "profile_typeID" ["profileTypeID", "profileTypeId"],
        label_selector: string = 2 ["labelSelector"],
        start: int64 = 3,
        end: int64 = 4,
        max_nodes: optional int64 = 5 ["maxNodes"],
        stack_trace_selector: optional StackTraceSelector = 6 ["stackTraceSelector"],
        profile_id_selector: repeated string = 7 ["profileIdSelector"],
        trace_id_selector: repeated string = 8 ["traceIdSelector"],
    }

    request DiffRequest {
        left: optional SelectMergeStacktracesRequest = 1,
        right: optional SelectMergeStacktracesRequest = 2,
    }

    answer DiffResponse { flamegraph: optional FlameGraphDiff = 1 }

    answer FlameGraph {
        names: always repeated string = 1,
        levels: always repeated Level = 2,
        total: int64 = 3,
        max_self: int64 = 4,
    }

    answer FlameGraphDiff {
        names: always repeated string = 1,
        levels: always repeated Level = 2,
        total: int64 = 3,
        max_self: int64 = 4,
        left_ticks: int64 = 5,
        right_ticks: int64 = 6,
    }

    /// The nodes of one depth, from left to right.
    answer Level { values: always repeated int64 = 1 }
}
