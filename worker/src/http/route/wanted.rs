//! What requests ask for.

use pilotlight_core::store::ShareId;

use super::rpc::Rpc;
use super::services::ServiceCall;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Health,
    Ready,
    BucketCheck,
    Metrics,
    Openapi,
    Tokens(Tokens),
    OfTenant(OfTenant),
}

/// The calls about tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tokens {
    Create,
    List,
    Revoke,
}

/// What is asked for of a tenant's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfTenant {
    Ingest,
    Push,
    ShouldInitiateUpload,
    DebugInfoUpload,
    OtlpExport,
    Rebuild,
    Report(ReportCall),
    Mcp,
    Timeline,
    Profile,
    Export,
    Render,
    RenderDiff,
    LabelValues,
    Pgo,
    Rpc(Rpc),
    Service(ServiceCall),
    Admin(Admin),
    Limits(LimitsCall),
    Share(ShareCall),
    Annotations(AnnotationsCall),
    Pins(PinsCall),
    Symbols(SymbolsCall),
    Source,
    Explain(ExplainCall),
}

/// The calls for an operator that are about a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admin {
    Retention,
    SetRetention,
    Parked,
    RetryParked,
    DeleteTenant,
    DeleteProfiles,
    Deletions,
    Refusals,
    Maintenance,
}

/// The calls about a tenant's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitsCall {
    Show,
    Set,
    Reset,
}

/// The reports for machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportCall {
    Services,
    Labels,
    Functions,
    Function,
    Compare,
    Series,
    FlameGraph,
}

impl ReportCall {
    /// All of them, in the order in which one asks.
    pub(crate) const ALL: [Self; 7] = [
        Self::Services,
        Self::Labels,
        Self::Functions,
        Self::Function,
        Self::Compare,
        Self::Series,
        Self::FlameGraph,
    ];
}

/// The calls about annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnnotationsCall {
    Create,
    List,
    Delete,
}

/// The calls about profiles that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PinsCall {
    List,
    Create,
    Delete,
}

/// The calls about symbol tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolsCall {
    List,
    Store,
    Delete,
}

/// The calls about a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExplainCall {
    Which,
    Ask,
}

/// The calls about shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShareCall {
    Create,
    List,
    Read(ShareId),
    Delete(ShareId),
}

impl OfTenant {
    /// Whether it takes profiles.
    pub(crate) fn is_push(self) -> bool {
        matches!(self, Self::Ingest | Self::Push | Self::OtlpExport)
    }
}
