//! The calls of `querier.v1` and its neighbours, which are about profiles.

/// The calls of Pyroscope's services for readers that are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rpc {
    ProfileTypes,
    LabelNames,
    LabelValues,
    Series,
    SelectMergeStacktraces,
    SelectMergeSpanProfile,
    SelectMergeProfile,
    SelectSeries,
    SelectHeatmap,
    Diff,
    GetProfileStats,
    AnalyzeQuery,
    GetFeatureFlags,
    Version,
}

/// Path, call. All are called with POST.
const RPCS: [(&str, Rpc); 14] = [
    ("/querier.v1.QuerierService/ProfileTypes", Rpc::ProfileTypes),
    ("/querier.v1.QuerierService/LabelNames", Rpc::LabelNames),
    ("/querier.v1.QuerierService/LabelValues", Rpc::LabelValues),
    ("/querier.v1.QuerierService/Series", Rpc::Series),
    (
        "/querier.v1.QuerierService/SelectMergeStacktraces",
        Rpc::SelectMergeStacktraces,
    ),
    (
        "/querier.v1.QuerierService/SelectMergeSpanProfile",
        Rpc::SelectMergeSpanProfile,
    ),
    (
        "/querier.v1.QuerierService/SelectMergeProfile",
        Rpc::SelectMergeProfile,
    ),
    ("/querier.v1.QuerierService/SelectSeries", Rpc::SelectSeries),
    (
        "/querier.v1.QuerierService/SelectHeatmap",
        Rpc::SelectHeatmap,
    ),
    ("/querier.v1.QuerierService/Diff", Rpc::Diff),
    (
        "/querier.v1.QuerierService/GetProfileStats",
        Rpc::GetProfileStats,
    ),
    ("/querier.v1.QuerierService/AnalyzeQuery", Rpc::AnalyzeQuery),
    (
        "/capabilities.v1.FeatureFlagsService/GetFeatureFlags",
        Rpc::GetFeatureFlags,
    ),
    ("/version.v1.Version/Version", Rpc::Version),
];

impl Rpc {
    /// The call of a path.
    pub(super) fn of(path: &str) -> Option<Self> {
        let found = RPCS.iter().find(|(suffix, _)| path.ends_with(suffix));
        found.map(|(_, rpc)| *rpc)
    }
}
