//! From method and path to what is wanted. A path may stand under any prefix, since agents and
//! proxies add their own.

use pilotlight_core::store::ShareId;

use crate::platform::errors::Problem;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Health,
    BucketCheck,
    Metrics,
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
    Services,
    Labels,
    Timeline,
    Profile,
    Export,
    Render,
    RenderDiff,
    LabelValues,
    Pgo,
    Rpc(Rpc),
    Admin(Admin),
    Limits(LimitsCall),
    Share(ShareCall),
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
}

/// The calls about a tenant's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitsCall {
    Show,
    Set,
    Reset,
}

/// The calls about shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShareCall {
    Create,
    List,
    Read(ShareId),
    Delete(ShareId),
}

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
    Diff,
    GetProfileStats,
    AnalyzeQuery,
    GetFeatureFlags,
    Version,
}

/// Path, call. All are called with POST.
const RPCS: [(&str, Rpc); 13] = [
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

impl OfTenant {
    /// Whether it takes profiles.
    pub(crate) fn is_push(self) -> bool {
        matches!(self, Self::Ingest | Self::Push | Self::OtlpExport)
    }
}

/// Path, method, route. A path matches when it ends so, at a segment's edge.
const ROUTES: [(&str, &str, Route); 34] = [
    ("/healthz", "GET", Route::Health),
    ("/api/v1/admin/bucket-check", "POST", Route::BucketCheck),
    (
        "/api/v1/admin/tokens",
        "POST",
        Route::Tokens(Tokens::Create),
    ),
    ("/api/v1/admin/tokens", "GET", Route::Tokens(Tokens::List)),
    (
        "/api/v1/admin/tokens",
        "DELETE",
        Route::Tokens(Tokens::Revoke),
    ),
    (
        "/api/v1/admin/retention",
        "GET",
        Route::OfTenant(OfTenant::Admin(Admin::Retention)),
    ),
    (
        "/api/v1/admin/retention",
        "PUT",
        Route::OfTenant(OfTenant::Admin(Admin::SetRetention)),
    ),
    (
        "/api/v1/admin/limits",
        "GET",
        Route::OfTenant(OfTenant::Limits(LimitsCall::Show)),
    ),
    (
        "/api/v1/admin/limits",
        "PUT",
        Route::OfTenant(OfTenant::Limits(LimitsCall::Set)),
    ),
    (
        "/api/v1/admin/limits",
        "DELETE",
        Route::OfTenant(OfTenant::Limits(LimitsCall::Reset)),
    ),
    (
        "/api/v1/admin/parked",
        "GET",
        Route::OfTenant(OfTenant::Admin(Admin::Parked)),
    ),
    (
        "/api/v1/admin/parked/retry",
        "POST",
        Route::OfTenant(OfTenant::Admin(Admin::RetryParked)),
    ),
    (
        "/api/v1/admin/tenant",
        "DELETE",
        Route::OfTenant(OfTenant::Admin(Admin::DeleteTenant)),
    ),
    (
        "/api/v1/admin/profiles",
        "DELETE",
        Route::OfTenant(OfTenant::Admin(Admin::DeleteProfiles)),
    ),
    (
        "/api/v1/admin/deletions",
        "GET",
        Route::OfTenant(OfTenant::Admin(Admin::Deletions)),
    ),
    (
        "/api/v1/admin/refusals",
        "GET",
        Route::OfTenant(OfTenant::Admin(Admin::Refusals)),
    ),
    (
        "/api/v1/admin/rebuild",
        "POST",
        Route::OfTenant(OfTenant::Rebuild),
    ),
    (
        "/api/v1/shares",
        "POST",
        Route::OfTenant(OfTenant::Share(ShareCall::Create)),
    ),
    (
        "/api/v1/shares",
        "GET",
        Route::OfTenant(OfTenant::Share(ShareCall::List)),
    ),
    ("/metrics", "GET", Route::Metrics),
    ("/ingest", "POST", Route::OfTenant(OfTenant::Ingest)),
    (
        "/push.v1.PusherService/Push",
        "POST",
        Route::OfTenant(OfTenant::Push),
    ),
    (
        "/debuginfo.v1alpha1.DebuginfoService/ShouldInitiateUpload",
        "POST",
        Route::OfTenant(OfTenant::ShouldInitiateUpload),
    ),
    (
        "/debuginfo.v1alpha1.DebuginfoService/UploadFinished",
        "POST",
        Route::OfTenant(OfTenant::DebugInfoUpload),
    ),
    (
        "/v1development/profiles",
        "POST",
        Route::OfTenant(OfTenant::OtlpExport),
    ),
    (
        "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
        "POST",
        Route::OfTenant(OfTenant::OtlpExport),
    ),
    (
        "/api/v1/services",
        "GET",
        Route::OfTenant(OfTenant::Services),
    ),
    ("/api/v1/labels", "GET", Route::OfTenant(OfTenant::Labels)),
    (
        "/api/v1/timeline",
        "GET",
        Route::OfTenant(OfTenant::Timeline),
    ),
    ("/api/v1/profile", "GET", Route::OfTenant(OfTenant::Profile)),
    ("/api/v1/export", "GET", Route::OfTenant(OfTenant::Export)),
    (
        "/pyroscope/render",
        "GET",
        Route::OfTenant(OfTenant::Render),
    ),
    (
        "/pyroscope/render-diff",
        "GET",
        Route::OfTenant(OfTenant::RenderDiff),
    ),
    (
        "/pyroscope/label-values",
        "GET",
        Route::OfTenant(OfTenant::LabelValues),
    ),
];

/// What the name of a service stands behind.
pub(crate) const PGO: &str = "/pgo/";

/// Services of Pyroscope whose calls get "unimplemented" rather than "not found", so that clients
/// hide the feature.
const SERVICES: [&str; 11] = [
    "adhocprofiles.v1.AdHocProfileService",
    "capabilities.v1.FeatureFlagsService",
    "debuginfo.v1alpha1.DebuginfoService",
    "opentelemetry.proto.collector.profiles.v1development.ProfilesService",
    "push.v1.PusherService",
    "querier.v1.QuerierService",
    "settings.v1.RecordingRulesService",
    "settings.v1.SettingsService",
    "status.v1.StatusService",
    "vcs.v1.VCSService",
    "version.v1.Version",
];

/// The route of a request, or what to answer instead.
pub(crate) fn route(method: &str, path: &str) -> Result<Route, Problem> {
    let of_service = path.rsplit_once(PGO).filter(|_| is_read(method));
    // A service may be called like a route.
    if of_service.is_some_and(|(_, service)| !service.contains('/')) {
        return Ok(Route::OfTenant(OfTenant::Pgo));
    }
    let of_path: Vec<_> = ROUTES
        .iter()
        .filter(|(suffix, ..)| path.ends_with(suffix))
        .collect();
    if !of_path.is_empty() {
        let same = |expected: &str| expected == method || (expected == "GET" && is_read(method));
        let found = of_path.iter().find(|(_, expected, _)| same(expected));
        let expected = || {
            of_path
                .iter()
                .map(|(_, expected, _)| *expected)
                .collect::<Vec<_>>()
                .join(" or ")
        };
        return found
            .map(|(.., route)| *route)
            .ok_or_else(|| wrong_method(method, &expected(), path));
    }
    if method == "POST" && path.contains("/debuginfo.v1alpha1.DebuginfoService/Upload/") {
        return Ok(Route::OfTenant(OfTenant::DebugInfoUpload));
    }
    if let Some((_, rpc)) = RPCS.iter().find(|(suffix, _)| path.ends_with(suffix)) {
        return match method {
            "POST" => Ok(Route::OfTenant(OfTenant::Rpc(*rpc))),
            _ => Err(wrong_method(method, "POST", path)),
        };
    }
    if let Some((_, id)) = path.split_once("/api/v1/shares/") {
        return share(method, path, id);
    }
    let mut segments = path.rsplit('/');
    let (call, service) = (segments.next().unwrap_or(""), segments.next().unwrap_or(""));
    if SERVICES.contains(&service) {
        return Err(Problem::unimplemented(format!(
            "{service}/{call} is not implemented"
        )));
    }
    // Some proxies decode the slashes of a name.
    if path.contains(PGO) {
        return of_service
            .map(|_| Route::OfTenant(OfTenant::Pgo))
            .ok_or_else(|| wrong_method(method, "GET", path));
    }
    // The files of the site are served before a request comes here.
    Err(Problem::not_found(format!(
        "there is nothing at {method} {path}"
    )))
}

fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}

/// A call about one share. What is no id is nobody's name in the bucket.
fn share(method: &str, path: &str, id: &str) -> Result<Route, Problem> {
    let id = id.parse().map_err(Problem::invalid)?;
    let call = match method {
        "GET" | "HEAD" => ShareCall::Read(id),
        "DELETE" => ShareCall::Delete(id),
        _ => return Err(wrong_method(method, "GET or DELETE", path)),
    };
    Ok(Route::OfTenant(OfTenant::Share(call)))
}

fn wrong_method(method: &str, expected: &str, path: &str) -> Problem {
    Problem::new(
        405,
        "unimplemented",
        format!("{path} takes {expected}, not {method}"),
    )
}

#[cfg(test)]
mod tests;
