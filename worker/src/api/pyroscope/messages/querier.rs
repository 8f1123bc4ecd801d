//! `querier.v1`: which series there are, their totals over time, and what a query reads.

use super::json;
use super::types::{Aggregation, ExemplarType};
use super::types::{Labels, ProfileType, Series, StackTraceSelector};

messages! {
    request ProfileTypesRequest {
        start: int64 = 1,
        end: int64 = 2,
    }

    answer ProfileTypesResponse { profile_types: repeated ProfileType = 1 }

    request SeriesRequest {
        matchers: repeated string = 1,
        label_names: repeated string = 2 ["labelNames"],
        start: int64 = 3,
        end: int64 = 4,
    }

    answer SeriesResponse { labels_set: repeated Labels = 2 }

    request SelectSeriesRequest {
        profile_type_id: string = 1 as "profile_typeID" ["profileTypeID", "profileTypeId"],
        label_selector: string = 2 ["labelSelector"],
        start: int64 = 3,
        end: int64 = 4,
        group_by: repeated string = 5 ["groupBy"],
        step: double = 6,
        aggregation: int32("json::enumeration::<_, Aggregation>") = 7,
        stack_trace_selector: optional StackTraceSelector = 8 ["stackTraceSelector"],
        limit: optional int64 = 9,
        exemplar_type: int32("json::enumeration::<_, ExemplarType>") = 10 ["exemplarType"],
    }

    answer SelectSeriesResponse { series: repeated Series = 1 }

    request AnalyzeQueryRequest {
        start: int64 = 2,
        end: int64 = 3,
        query: string = 4,
    }

    answer AnalyzeQueryResponse {
        query_scopes: repeated QueryScope = 1,
        query_impact: optional QueryImpact = 2,
    }

    /// What one kind of store has to do for a query.
    answer QueryScope {
        component_type: always string = 1,
        component_count: uint64 = 2,
        block_count: uint64 = 3,
        series_count: uint64 = 4,
        profile_count: uint64 = 5,
        profile_bytes: uint64 = 8,
        symbol_bytes: uint64 = 9,
    }

    answer QueryImpact {
        total_bytes_in_time_range: uint64 = 2,
        total_queried_series: uint64 = 3,
    }
}
