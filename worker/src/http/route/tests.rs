//! Paths and what they ask for.

use super::*;
use pilotlight_core::store::ShareId;

fn check(method: &str, path: &str, expect: Result<Route, u16>) {
    assert_eq!(
        route(method, path).map_err(|p| p.status),
        expect,
        "{method} {path}"
    );
}

#[test]
fn paths_match_under_any_prefix() {
    check("POST", "/ingest", Ok(Route::OfTenant(OfTenant::Ingest)));
    check(
        "POST",
        "/pyroscope/ingest",
        Ok(Route::OfTenant(OfTenant::Ingest)),
    );
    check("POST", "/pfx/ingest", Ok(Route::OfTenant(OfTenant::Ingest)));
    check(
        "POST",
        "/pfx/v1development/profiles",
        Ok(Route::OfTenant(OfTenant::OtlpExport)),
    );
    check(
        "POST",
        "/a/b/querier.v1.QuerierService/Series",
        Ok(Route::OfTenant(OfTenant::Rpc(Rpc::Series))),
    );
    check(
        "GET",
        "/api/v1/services",
        Ok(Route::OfTenant(OfTenant::Report(ReportCall::Services))),
    );
    for call in ReportCall::ALL {
        let row = ROUTES
            .iter()
            .find(|(.., route)| *route == Route::OfTenant(OfTenant::Report(call)));
        let path = format!("/pfx{}", row.expect("a row").0);
        check("GET", &path, Ok(Route::OfTenant(OfTenant::Report(call))));
        check("POST", &path, Err(405));
    }
    check("POST", "/pfx/mcp", Ok(Route::OfTenant(OfTenant::Mcp)));
    for method in ["GET", "DELETE"] {
        check(method, "/mcp", Err(405));
    }
    check("GET", "/api/v1/openapi.json", Ok(Route::Openapi));
    for method in ["GET", "HEAD"] {
        for (call, route) in [
            ("render", OfTenant::Render),
            ("render-diff", OfTenant::RenderDiff),
            ("label-values", OfTenant::LabelValues),
        ] {
            let path = format!("/pfx/pyroscope/{call}");
            check(method, &path, Ok(Route::OfTenant(route)));
        }
    }
    check("POST", "/pyroscope/render-diff", Err(405));
    check("POST", "/api/v1/admin/bucket-check", Ok(Route::BucketCheck));
    check(
        "POST",
        "/api/v1/admin/rebuild",
        Ok(Route::OfTenant(OfTenant::Rebuild)),
    );
    check("HEAD", "/healthz", Ok(Route::Health));
    check(
        "POST",
        "/base/push.v1.PusherService/Push",
        Ok(Route::OfTenant(OfTenant::Push)),
    );
    for call in ["Upload/3f2a", "UploadFinished"] {
        check(
            "POST",
            &format!("/debuginfo.v1alpha1.DebuginfoService/{call}"),
            Ok(Route::OfTenant(OfTenant::DebugInfoUpload)),
        );
    }
    check(
        "GET",
        "/api/v1/admin/retention",
        Ok(Route::OfTenant(OfTenant::Admin(Admin::Retention))),
    );
    check(
        "PUT",
        "/x/api/v1/admin/retention",
        Ok(Route::OfTenant(OfTenant::Admin(Admin::SetRetention))),
    );
    check(
        "GET",
        "/api/v1/admin/maintenance",
        Ok(Route::OfTenant(OfTenant::Admin(Admin::Maintenance))),
    );
}

#[test]
fn shares_by_id() {
    let text = "20780-00112233445566778899aabbccddeeff";
    let id: ShareId = text.parse().unwrap();
    let of = |call| Ok(Route::OfTenant(OfTenant::Share(call)));
    check("POST", "/api/v1/shares", of(ShareCall::Create));
    check("GET", "/x/api/v1/shares", of(ShareCall::List));
    for (method, expect) in [
        ("GET", of(ShareCall::Read(id))),
        ("HEAD", of(ShareCall::Read(id))),
        ("DELETE", of(ShareCall::Delete(id))),
        ("PUT", Err(405)),
    ] {
        check(method, &format!("/api/v1/shares/{text}"), expect);
        check(method, &format!("/a/b/api/v1/shares/{text}"), expect);
    }
    for wrong in [
        "",
        "..",
        "../tokens",
        "%2e%2e%2ftokens",
        "20780-00112233445566778899aabbccddeefg",
        "20780-00112233445566778899AABBCCDDEEFF",
        "20780-00112233445566778899aabbccddeeff/x",
        "x/api/v1/shares/20780-00112233445566778899aabbccddeeff",
    ] {
        check("GET", &format!("/api/v1/shares/{wrong}"), Err(400));
        check("DELETE", &format!("/api/v1/shares/{wrong}"), Err(400));
    }
}

#[test]
fn profiles_for_the_compiler_by_service() {
    let pgo = Ok(Route::OfTenant(OfTenant::Pgo));
    for path in [
        "/pgo/app",
        "/pgo/",
        "/pgo/team%2Fapp",
        "/pgo/team/app",
        "/pfx/pgo/app",
        "/pgo/metrics",
        "/pgo/ingest",
        "/pgo/querier.v1.QuerierService",
    ] {
        check("GET", path, pgo);
        check("HEAD", path, pgo);
    }
    for path in ["/pgo", "/xpgo/app", "/pgo.app"] {
        check("GET", path, Err(404));
    }
    check("POST", "/pgo/app", Err(405));
    check("DELETE", "/pgo/team/app", Err(405));
    // An installation may stand under this very prefix.
    check("POST", "/pgo/ingest", Ok(Route::OfTenant(OfTenant::Ingest)));
    check(
        "GET",
        "/pgo/api/v1/labels",
        Ok(Route::OfTenant(OfTenant::Report(ReportCall::Labels))),
    );
}

#[test]
fn a_suffix_ends_at_a_segment() {
    check("POST", "/xingest", Err(404));
    check("GET", "/xhealthz", Err(404));
    check("GET", "/api/v1/profiles", Err(404));
}

#[test]
fn what_is_not_there() {
    check("GET", "/", Err(404));
    check("GET", "/assets/index.js", Err(404));
    check("GET", "/api/v2/x", Err(404));
    check("GET", "/pyroscope/x", Err(404));
    check("GET", "/ingest", Err(405));
    let problem = route("POST", "/api/v1/admin/retention").unwrap_err();
    assert_eq!(
        problem.message,
        "/api/v1/admin/retention takes GET or PUT, not POST"
    );
    check("DELETE", "/", Err(404));
    check("POST", "/querier.v1.QuerierService/SelectOther", Err(501));
    check("GET", "/querier.v1.QuerierService/Diff", Err(405));
    check("POST", "/push.v1.PusherService/Other", Err(501));
    check("GET", "/push.v1.PusherService/Push", Err(405));
}

#[test]
fn calls_of_services() {
    let of = |call| Ok(Route::OfTenant(OfTenant::Service(call)));
    for (path, call) in [
        (
            "settings.v1.SettingsService/Get",
            ServiceCall::Settings(SettingsCall::Get),
        ),
        (
            "settings.v1.SettingsService/Delete",
            ServiceCall::Settings(SettingsCall::Delete),
        ),
        (
            "adhocprofiles.v1.AdHocProfileService/Upload",
            ServiceCall::AdHoc(AdHocCall::Upload),
        ),
        (
            "adhocprofiles.v1.AdHocProfileService/Diff",
            ServiceCall::AdHoc(AdHocCall::Diff),
        ),
        (
            "status.v1.StatusService/GetBuildInfo",
            ServiceCall::BuildInfo,
        ),
    ] {
        for prefix in ["", "/pfx", "/pgo"] {
            check("POST", &format!("{prefix}/{path}"), of(call));
        }
        check("GET", &format!("/{path}"), Err(405));
        check("POST", &format!("/x{path}"), Err(501));
    }
    check(
        "GET",
        "/x/api/v1/status/buildinfo",
        of(ServiceCall::BuildInfo),
    );
    check("GET", "/ready", Ok(Route::Ready));
    check("GET", "/already", Err(404));
}

#[test]
fn a_call_that_is_not_served_is_not_implemented() {
    // Services of Pyroscope of all kinds, and what may come.
    for service in [
        "adhocprofiles.v1.AdHocProfileService",
        "capabilities.v1.FeatureFlagsService",
        "debuginfo.v1alpha1.DebuginfoService",
        "ingester.v1.IngesterService",
        "metastore.v1.IndexService",
        "opentelemetry.proto.collector.profiles.v1development.ProfilesService",
        "push.v1.PusherService",
        "querier.v1.QuerierService",
        "query.v1.QueryFrontendService",
        "settings.v1.RecordingRulesService",
        "settings.v1.SettingsService",
        "status.v1.StatusService",
        "storegateway.v1.StoreGatewayService",
        "vcs.v1.VCSService",
        "version.v1.Version",
        "of_later.v2beta1.Service",
    ] {
        let path = format!("/pfx/{service}/ListWhatever");
        check("POST", &path, Err(501));
        check("GET", &path, Err(501));
        let problem = route("POST", &path).unwrap_err();
        assert_eq!(problem.code, "unimplemented");
        assert_eq!(
            problem.message,
            format!("{service}/ListWhatever is not implemented")
        );
    }
    for path in [
        "/querier.v1.QuerierService",
        "/querier.v1.QuerierService/",
        "/querier.v1.QuerierService/listWhatever",
        "/querier.QuerierService/List",
        "/querier.v.QuerierService/List",
        "/v1.QuerierService/List",
        "/.v1.QuerierService/List",
        "/a..v1.QuerierService/List",
        "/querier.v1.querier/List",
        "/querier.v1.%2e/List",
        "/assets/index.v1.js",
    ] {
        check("POST", path, Err(404));
    }
}
