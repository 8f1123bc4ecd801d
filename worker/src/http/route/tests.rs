//! Paths and what they ask for.

use super::*;
use crate::api::ENDPOINTS;
use crate::api::reports::REPORTS;

/// Method and path lead to the endpoint of that name, or to a status.
fn check(method: &str, path: &str, expect: Result<&str, u16>) {
    let found = route(ENDPOINTS, method, path);
    assert_eq!(
        found
            .map(Endpoint::to_string)
            .map_err(|problem| problem.status),
        expect.map(str::to_owned),
        "{method} {path}"
    );
}

#[test]
fn paths_match_under_any_prefix() {
    check("POST", "/ingest", Ok("POST /ingest"));
    check("POST", "/pyroscope/ingest", Ok("POST /ingest"));
    check("POST", "/pfx/ingest", Ok("POST /ingest"));
    check(
        "POST",
        "/pfx/v1development/profiles",
        Ok("POST /v1development/profiles"),
    );
    check(
        "POST",
        "/a/b/querier.v1.QuerierService/Series",
        Ok("POST /querier.v1.QuerierService/Series"),
    );
    check("GET", "/api/v1/services", Ok("GET /api/v1/services"));
    for report in REPORTS {
        let (path, name) = (report.endpoint.path, report.endpoint.to_string());
        check("GET", &format!("/pfx{path}"), Ok(&name));
        check("POST", &format!("/pfx{path}"), Err(405));
    }
    check("POST", "/pfx/mcp", Ok("POST /mcp"));
    for method in ["GET", "DELETE"] {
        check(method, "/mcp", Err(405));
    }
    check(
        "GET",
        "/api/v1/openapi.json",
        Ok("GET /api/v1/openapi.json"),
    );
    for method in ["GET", "HEAD"] {
        for call in ["render", "render-diff", "label-values"] {
            let path = format!("/pyroscope/{call}");
            check(method, &format!("/pfx{path}"), Ok(&format!("GET {path}")));
        }
    }
    check("POST", "/pyroscope/render-diff", Err(405));
    check(
        "POST",
        "/api/v1/admin/bucket-check",
        Ok("POST /api/v1/admin/bucket-check"),
    );
    check(
        "POST",
        "/api/v1/admin/rebuild",
        Ok("POST /api/v1/admin/rebuild"),
    );
    check("HEAD", "/healthz", Ok("GET /healthz"));
    check(
        "POST",
        "/base/push.v1.PusherService/Push",
        Ok("POST /push.v1.PusherService/Push"),
    );
    for (call, expect) in [
        ("Upload/3f2a", "Upload/ID"),
        ("UploadFinished", "UploadFinished"),
    ] {
        let service = "/debuginfo.v1alpha1.DebuginfoService";
        let expect = format!("POST {service}/{expect}");
        check("POST", &format!("{service}/{call}"), Ok(&expect));
    }
    check(
        "GET",
        "/api/v1/admin/retention",
        Ok("GET /api/v1/admin/retention"),
    );
    check(
        "PUT",
        "/x/api/v1/admin/retention",
        Ok("PUT /api/v1/admin/retention"),
    );
    check(
        "GET",
        "/api/v1/admin/maintenance",
        Ok("GET /api/v1/admin/maintenance"),
    );
}

#[test]
fn shares_by_id() {
    let text = "20780-00112233445566778899aabbccddeeff";
    check("POST", "/api/v1/shares", Ok("POST /api/v1/shares"));
    check("GET", "/x/api/v1/shares", Ok("GET /api/v1/shares"));
    for (method, expect) in [
        ("GET", Ok("GET /api/v1/shares/ID")),
        ("HEAD", Ok("GET /api/v1/shares/ID")),
        ("DELETE", Ok("DELETE /api/v1/shares/ID")),
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
    let pgo = Ok("GET /pgo/SERVICE");
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
    check("POST", "/pgo/ingest", Ok("POST /ingest"));
    check("GET", "/pgo/api/v1/labels", Ok("GET /api/v1/labels"));
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
    let problem = route(ENDPOINTS, "POST", "/api/v1/admin/retention")
        .err()
        .unwrap();
    assert_eq!(
        problem.message,
        "/api/v1/admin/retention accepts GET or PUT, not POST"
    );
    check("DELETE", "/", Err(404));
    check("POST", "/querier.v1.QuerierService/SelectOther", Err(501));
    check("GET", "/querier.v1.QuerierService/Diff", Err(405));
    check("POST", "/push.v1.PusherService/Other", Err(501));
    check("GET", "/push.v1.PusherService/Push", Err(405));
}

#[test]
fn calls_of_services() {
    for call in [
        "settings.v1.SettingsService/Get",
        "settings.v1.SettingsService/Delete",
        "adhocprofiles.v1.AdHocProfileService/Upload",
        "adhocprofiles.v1.AdHocProfileService/Diff",
        "status.v1.StatusService/GetBuildInfo",
    ] {
        let expect = format!("POST /{call}");
        for prefix in ["", "/pfx", "/pgo"] {
            check("POST", &format!("{prefix}/{call}"), Ok(&expect));
        }
        check("GET", &format!("/{call}"), Err(405));
        check("POST", &format!("/x{call}"), Err(501));
    }
    check(
        "GET",
        "/x/api/v1/status/buildinfo",
        Ok("GET /api/v1/status/buildinfo"),
    );
    check("GET", "/ready", Ok("GET /ready"));
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
        let problem = route(ENDPOINTS, "POST", &path).err().unwrap();
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
