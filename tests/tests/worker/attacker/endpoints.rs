//! What the worker serves, and to whom. A test of the worker holds the tables of `docs/api.md` equal to
//! what its endpoints declare.

use regex_lite::Regex;

/// Whom an endpoint is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Anyone,
    /// A token of the tenant with this scope.
    Tenant(String),
    /// A token of all tenants with this scope.
    Installation(String),
}

pub(crate) struct Endpoint {
    pub(crate) method: String,
    /// With an id where one is needed.
    pub(crate) path: String,
    pub(crate) access: Access,
}

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let docs = include_str!("../../../../docs/api.md");
    let row = Regex::new(r"(?m)^\| `([A-Z]+) (/[^` ]*)` \| (?:none|`(\w+)`( of all tenants)?) \|")
        .expect("a pattern");
    let endpoints: Vec<Endpoint> = row
        .captures_iter(docs)
        .map(|found| Endpoint {
            method: found[1].to_owned(),
            path: found[2].replace(
                "/shares/ID",
                "/shares/20780-00112233445566778899aabbccddeeff",
            ),
            access: match (found.get(3), found.get(4)) {
                (None, _) => Access::Anyone,
                (Some(scope), None) => Access::Tenant(scope.as_str().to_owned()),
                (Some(scope), Some(_)) => Access::Installation(scope.as_str().to_owned()),
            },
        })
        .collect();
    assert!(endpoints.len() > 70, "{} endpoints", endpoints.len());
    endpoints
}
