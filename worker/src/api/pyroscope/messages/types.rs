//! `types.v1`: what several services share.

use super::json;

messages! {
    #[derive(Eq, PartialOrd, Ord)]
    both LabelPair {
        name: string = 1,
        value: string = 2,
    }

    answer ProfileType {
        id: always string = 1 as "ID",
        name: string = 2,
        sample_type: string = 4,
        sample_unit: string = 5,
        period_type: string = 6,
        period_unit: string = 7,
    }

    #[derive(Eq, PartialOrd, Ord)]
    answer Labels { labels: repeated LabelPair = 1 }

    answer Series {
        labels: repeated LabelPair = 1,
        points: repeated Point = 2,
    }

    answer Point {
        value: double = 1,
        timestamp: int64 = 2,
        exemplars: repeated Exemplar = 4,
    }

    /// One profile, or one span in it.
    answer Exemplar {
        timestamp: int64 = 1,
        profile_id: string = 2,
        span_id: string = 3,
        value: int64 = 4,
        labels: repeated LabelPair = 5,
        trace_id: string = 6,
    }

    request LabelValuesRequest {
        name: string = 1,
        matchers: repeated string = 2,
        start: int64 = 3,
        end: int64 = 4,
    }

    answer LabelValuesResponse { names: repeated string = 1 }

    request LabelNamesRequest {
        matchers: repeated string = 1,
        start: int64 = 2,
        end: int64 = 3,
    }

    answer LabelNamesResponse { names: repeated string = 1 }

    /// Which stacks of a profile are asked for.
    request StackTraceSelector {
        /// The functions from the root that a stack begins with.
        call_site: repeated Location = 1 ["callSite"],
        go_pgo: optional GoPgo = 2 ["goPgo"],
        frame_filter: optional FrameFilter = 3 ["frameFilter"],
    }

    /// Which functions a profile names; the stacks of the others are shorter.
    request FrameFilter {
        include_function_names: repeated string = 1 ["includeFunctionNames"],
        exclude_function_names: repeated string = 2 ["excludeFunctionNames"],
        include_function_name_regexes: repeated string = 3 ["includeFunctionNameRegexes"],
        exclude_function_name_regexes: repeated string = 4 ["excludeFunctionNameRegexes"],
    }

    request Location { name: string = 1 }

    /// How a profile is cut for Go's compiler.
    request GoPgo {
        keep_locations: uint32 = 1 ["keepLocations"],
        aggregate_callees: bool = 2 ["aggregateCallees"],
    }

    request GetProfileStatsRequest {}

    answer GetProfileStatsResponse {
        data_ingested: bool = 1,
        oldest_profile_time: int64 = 2,
        newest_profile_time: int64 = 3,
    }
}

/// The pairs of a label set, in the same order.
pub(crate) fn label_pairs(pairs: Vec<(String, String)>) -> Vec<LabelPair> {
    let pairs = pairs.into_iter();
    pairs
        .map(|(name, value)| LabelPair { name, value })
        .collect()
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
