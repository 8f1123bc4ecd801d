//! The list of endpoints: each is documented, reached, and asks for what its kind asks for.

use std::collections::BTreeSet;

use pilotlight_core::access::TokenScope;

use super::*;
use crate::auth::access::{Access, PUSH, READ};
use crate::http::endpoint::Rest;
use crate::http::route::route;

const DOCS: &str = include_str!("../../../docs/api.md");

fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    ENDPOINTS.iter().copied().flatten()
}

/// As the documentation has it.
fn row(endpoint: &Endpoint) -> String {
    let access = match endpoint.access {
        Access::Anyone => "none".to_owned(),
        Access::Tenant(scope) => format!("`{}`", scope.name()),
        Access::Installation(scope) => format!("`{}` of all tenants", scope.name()),
    };
    format!("| `{endpoint}` | {access} |")
}

/// The first two cells of the rows of the documentation that begin with a method and a path.
fn documented() -> BTreeSet<String> {
    let rows = DOCS.lines().filter(|line| {
        let method = line
            .strip_prefix("| `")
            .and_then(|row| row.split_once(" /"));
        method.is_some_and(|(method, _)| method.chars().all(|c| c.is_ascii_uppercase()))
    });
    let cells = rows.map(|row| row.splitn(4, '|').take(3).collect::<Vec<_>>().join("|"));
    cells.map(|cells| cells + "|").collect()
}

#[test]
fn each_has_a_row_in_the_documentation() {
    let declared: BTreeSet<String> = endpoints().map(row).collect();
    assert_eq!(declared.len(), endpoints().count(), "each is declared once");
    let documented = documented();
    let missing: Vec<_> = declared.difference(&documented).collect();
    let unknown: Vec<_> = documented.difference(&declared).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "docs/api.md lacks {missing:#?}, and has of no endpoint {unknown:#?}"
    );
}

#[test]
fn each_is_reached() {
    for endpoint in endpoints() {
        let rest = match endpoint.rest {
            Rest::Nothing => "",
            Rest::Id(_) | Rest::AnyId => "20780-00112233445566778899aabbccddeeff",
            Rest::Service => "checkout",
        };
        let path = format!("/prefix{}{rest}", endpoint.path);
        let found = route(ENDPOINTS, endpoint.method, &path);
        assert_eq!(found.ok().map(row), Some(row(endpoint)), "{path}");
    }
}

/// A second opinion on what the endpoints declare: a slip here would let somebody in.
#[test]
fn each_asks_for_what_its_kind_asks_for() {
    let public = endpoints().filter(|of| of.access == Access::Anyone);
    let public: Vec<String> = public.map(Endpoint::to_string).collect();
    assert_eq!(
        public,
        ["GET /healthz", "GET /ready", "GET /api/v1/openapi.json"]
    );
    for endpoint in endpoints() {
        let scope = endpoint.access.scope();
        if endpoint.path.contains("/admin/") {
            assert_eq!(scope, Some(TokenScope::Admin), "{endpoint}");
        }
        if endpoint.is_push {
            assert_eq!(endpoint.access, PUSH, "{endpoint}");
        }
        if endpoint.takes_several_tenants {
            assert_eq!(endpoint.access, READ, "{endpoint}");
        }
    }
}
