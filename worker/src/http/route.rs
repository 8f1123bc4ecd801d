//! From method and path to what is wanted. A path may stand under any prefix, since agents and
//! proxies add their own.

mod rpc;
mod services;

use pilotlight_core::store::ShareId;

use crate::platform::errors::Problem;
pub(crate) use rpc::Rpc;
pub(crate) use services::{AdHocCall, ServiceCall, SettingsCall};

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

/// Path, method, route. A path matches when it ends so, at a segment's edge.
const ROUTES: [(&str, &str, Route); 46] = [
    ("/healthz", "GET", Route::Health),
    ("/ready", "GET", Route::Ready),
    (
        "/api/v1/status/buildinfo",
        "GET",
        Route::OfTenant(OfTenant::Service(ServiceCall::BuildInfo)),
    ),
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
        Route::OfTenant(OfTenant::Report(ReportCall::Services)),
    ),
    (
        "/api/v1/labels",
        "GET",
        Route::OfTenant(OfTenant::Report(ReportCall::Labels)),
    ),
    (
        "/api/v1/functions",
        "GET",
        Route::OfTenant(OfTenant::Report(ReportCall::Functions)),
    ),
    (
        "/api/v1/function",
        "GET",
        Route::OfTenant(OfTenant::Report(ReportCall::Function)),
    ),
    (
        "/api/v1/compare",
        "GET",
        Route::OfTenant(OfTenant::Report(ReportCall::Compare)),
    ),
    (
        "/api/v1/series",
        "GET",
        Route::OfTenant(OfTenant::Report(ReportCall::Series)),
    ),
    (
        "/api/v1/flamegraph",
        "GET",
        Route::OfTenant(OfTenant::Report(ReportCall::FlameGraph)),
    ),
    (
        "/api/v1/annotations",
        "POST",
        Route::OfTenant(OfTenant::Annotations(AnnotationsCall::Create)),
    ),
    (
        "/api/v1/annotations",
        "GET",
        Route::OfTenant(OfTenant::Annotations(AnnotationsCall::List)),
    ),
    (
        "/api/v1/annotations",
        "DELETE",
        Route::OfTenant(OfTenant::Annotations(AnnotationsCall::Delete)),
    ),
    ("/api/v1/openapi.json", "GET", Route::Openapi),
    ("/mcp", "POST", Route::OfTenant(OfTenant::Mcp)),
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
    if let Some(rpc) = Rpc::of(path) {
        return match method {
            "POST" => Ok(Route::OfTenant(OfTenant::Rpc(rpc))),
            _ => Err(wrong_method(method, "POST", path)),
        };
    }
    if let Some((_, id)) = path.split_once("/api/v1/shares/") {
        return share(method, path, id);
    }
    let mut segments = path.rsplit('/');
    let (call, service) = (segments.next().unwrap_or(""), segments.next().unwrap_or(""));
    if let Some(call) = services::call(service, call) {
        return match method {
            "POST" => Ok(Route::OfTenant(OfTenant::Service(call))),
            _ => Err(wrong_method(method, "POST", path)),
        };
    }
    if services::is_call(service, call) {
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
    let mut message = format!("there is nothing at {method} {path}");
    if path.contains("/api/v1/") {
        message += "; /api/v1/openapi.json says what reports there are";
    }
    Err(Problem::not_found(message))
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
