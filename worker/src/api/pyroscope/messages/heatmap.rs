//! `SelectHeatmap`.

use super::json;
use super::types::{Exemplar, ExemplarType, LabelPair};

messages! {
    request SelectHeatmapRequest {
        profile_type_id: string = 1 as "profile_typeID" ["profileTypeID", "profileTypeId"],
        label_selector: string = 2 ["labelSelector"],
        start: int64 = 3,
        end: int64 = 4,
        step: double = 5,
        group_by: repeated string = 6 ["groupBy"],
        query_type: int32("json::enumeration::<_, HeatmapQueryType>") = 7 ["queryType"],
        exemplar_type: int32("json::enumeration::<_, ExemplarType>") = 8 ["exemplarType"],
        limit: optional int64 = 9,
    }

    answer SelectHeatmapResponse { series: repeated HeatmapSeries = 1 }

    answer HeatmapSeries {
        labels: repeated LabelPair = 1,
        slots: repeated HeatmapSlot = 2,
    }

    /// The cells of a bucket of time: the lower bound of each, and how many values it has.
    answer HeatmapSlot {
        timestamp: int64 = 1,
        y_min: repeated double = 2,
        counts: repeated int32 = 3,
        exemplars: repeated Exemplar = 4,
    }
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
