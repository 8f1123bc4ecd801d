//! Calls about tokens, for administrators: those of all tenants, or of one for its own tokens.
//!
//! | call | answer |
//! |---|---|
//! | `POST …/api/v1/admin/tokens` with `{"name","tenant","scopes","ttl_seconds"}` | the token, this once, and its record |
//! | `GET …/api/v1/admin/tokens` | `{"tokens":[{"id","name","tenant","scopes","created","expires","revoked","last_used"}]}` |
//! | `DELETE …/api/v1/admin/tokens?id` | the record |

use std::collections::HashMap;

use pilotlight_core::access::{
    RegistryError, Token, TokenRecord, TokenRegistry, TokenScope, TokenTenant,
};
use serde::{Deserialize, Serialize};
use worker::{Request, Response};

use crate::auth::access::ADMIN;
use crate::auth::{Reason, Refusals, last_used};
use crate::bucket::shared_object::{change, current};
use crate::bucket::{AnyBucket, Metered};
use crate::http::body;
use crate::http::endpoint::{Endpoint, Installation};
use crate::http::parameters::Parameters;
use crate::platform::clock;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::of_installation("POST", PATH, ADMIN, |request, installation| {
        Box::pin(create(request, installation))
    }),
    Endpoint::of_installation("GET", PATH, ADMIN, |_, installation| {
        Box::pin(list(installation))
    }),
    Endpoint::of_installation("DELETE", PATH, ADMIN, |request, installation| {
        Box::pin(revoke(request, installation))
    }),
];

const PATH: &str = "/api/v1/admin/tokens";

/// Most bytes of a body: one kilobyte, many times what a name and a tenant take.
const MAX_REQUEST: usize = 1 << 10;

/// Longest life of a token that expires: ten years.
const MAX_TTL_SECONDS: i64 = 10 * 366 * 86_400;

/// Bytes of an id: 48 bits, among at most a thousand.
const ID_BYTES: usize = 6;

/// What a new token is to be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewToken {
    #[serde(default)]
    name: String,
    tenant: TokenTenant,
    scopes: Vec<TokenScope>,
    /// How long it is to be valid; for ever when not given.
    ttl_seconds: Option<i64>,
}

/// A record as it is shown: without its digest.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    id: &'a str,
    name: &'a str,
    tenant: &'a TokenTenant,
    scopes: &'a [TokenScope],
    created: i64,
    expires: Option<i64>,
    revoked: Option<i64>,
    /// The beginning of the hour of its last use.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used: Option<i64>,
}

#[derive(Serialize)]
struct Created<'a> {
    token: &'a str,
    #[serde(flatten)]
    record: Shown<'a>,
}

#[derive(Serialize)]
struct List<'a> {
    tokens: Vec<Shown<'a>>,
}

impl<'a> Shown<'a> {
    fn of(record: &'a TokenRecord, last_used: Option<i64>) -> Self {
        Self {
            id: &record.id,
            name: &record.name,
            tenant: &record.tenant,
            scopes: &record.scopes,
            created: record.created,
            expires: record.expires,
            revoked: record.revoked,
            last_used,
        }
    }
}

async fn create(request: &mut Request, installation: &Installation) -> Result<Response, Problem> {
    let bucket = bucket(installation)?;
    let asked: NewToken = body::json(
        request,
        &installation.isolate.bodies,
        MAX_REQUEST,
        "token request",
    )
    .await?;
    let (auth, reach) = (&installation.isolate.auth, &installation.caller.reach);
    let (token, record) = new(
        asked,
        reach,
        entropy()?,
        clock::now_millis(),
        &auth.refusals,
    )?;
    let add = |registry: &mut TokenRegistry| {
        let added = registry.add(record.clone(), clock::now_millis());
        added.map_err(registry_problem)
    };
    change(&bucket, &auth.tokens, clock::now_millis, add).await?;
    Ok(Response::from_json(&Created {
        token: token.expose(),
        record: Shown::of(&record, None),
    })?)
}

async fn list(installation: &Installation) -> Result<Response, Problem> {
    let bucket = bucket(installation)?;
    let tokens = &installation.isolate.auth.tokens;
    let registry = current(&bucket, tokens, clock::now_millis).await?;
    let used: HashMap<String, i64> = last_used(&installation.env, &installation.meter)
        .await?
        .into_iter()
        .map(|used| (used.id, used.at))
        .collect();
    let records = registry.records().iter();
    let own = records.filter(|record| installation.caller.reach.covers(&record.tenant));
    let tokens = own.map(|record| Shown::of(record, used.get(&record.id).copied()));
    Ok(Response::from_json(&List {
        tokens: tokens.collect(),
    })?)
}

async fn revoke(request: &Request, installation: &Installation) -> Result<Response, Problem> {
    let (bucket, parameters) = (bucket(installation)?, Parameters::of(request));
    let id = parameters.required("id")?;
    let revoke = |registry: &mut TokenRegistry| {
        let revoked = registry.revoke(id, &installation.caller.reach, clock::now_millis());
        revoked
            .cloned()
            .ok_or_else(|| Problem::not_found("token not found"))
    };
    let tokens = &installation.isolate.auth.tokens;
    let record = change(&bucket, tokens, clock::now_millis, revoke).await?;
    Ok(Response::from_json(&Shown::of(&record, None))?)
}

fn bucket(installation: &Installation) -> Result<Metered<AnyBucket>, Problem> {
    let bucket = AnyBucket::open(&installation.env)?;
    Ok(Metered::new(bucket, installation.meter.clone()))
}

/// A new token and its record, if the caller's reach covers its tenant.
fn new(
    asked: NewToken,
    reach: &TokenTenant,
    (secret, id): ([u8; 32], [u8; ID_BYTES]),
    now: i64,
    refusals: &Refusals,
) -> Result<(Token, TokenRecord), Problem> {
    if !reach.covers(&asked.tenant) {
        refusals.count(Reason::Tenant);
        let message = "this token can only create tokens for its own tenant";
        return Err(Problem::new(403, "permission_denied", message));
    }
    let expires = match asked.ttl_seconds {
        None => None,
        Some(seconds @ 1..=MAX_TTL_SECONDS) => Some(now + seconds * 1000),
        Some(seconds) => {
            return Err(Problem::invalid(format!(
                "ttl_seconds must be from 1 to {MAX_TTL_SECONDS} (got {seconds})"
            )));
        }
    };
    let token = Token::from_entropy(secret);
    let record = TokenRecord {
        id: id.iter().map(|byte| format!("{byte:02x}")).collect(),
        name: asked.name,
        tenant: asked.tenant,
        scopes: asked.scopes,
        sha256: token.digest(),
        created: now,
        expires,
        revoked: None,
    };
    Ok((token, record.checked().map_err(Problem::invalid)?))
}

fn entropy() -> Result<([u8; 32], [u8; ID_BYTES]), Problem> {
    Ok((clock::entropy()?, clock::entropy()?))
}

fn registry_problem(error: RegistryError) -> Problem {
    match error {
        RegistryError::Full | RegistryError::TenantFull(_) => {
            Problem::new(429, "resource_exhausted", error)
        }
        RegistryError::Json(_) | RegistryError::Version(_) => Problem::internal(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(json: &str, reach: &str) -> Result<TokenRecord, (u16, String)> {
        let wanted = serde_json::from_str(json).map_err(|e| (400, e.to_string()))?;
        let made = new(
            wanted,
            &reach.parse().unwrap(),
            ([1; 32], [2; 6]),
            1_000,
            &Refusals::default(),
        );
        made.map(|(_, record)| record)
            .map_err(|problem| (problem.status, problem.message))
    }

    #[test]
    fn what_is_wanted_is_checked() {
        let made = make(
            r#"{"tenant":"t1","scopes":["push"],"ttl_seconds":60}"#,
            "t1",
        )
        .unwrap();
        assert_eq!(
            (made.id.as_str(), made.expires),
            ("020202020202", Some(61_000))
        );
        let status = |json, reach| make(json, reach).map(drop).map_err(|(status, _)| status);
        let plain = r#"{"tenant":"t1","scopes":["read","push"],"name":"ci"}"#;
        assert_eq!(status(plain, "*"), Ok(()));
        assert_eq!(status(plain, "t2"), Err(403));
        assert_eq!(
            status(r#"{"tenant":"*","scopes":["read"]}"#, "t1"),
            Err(403)
        );
        for wrong in [
            r#"{"scopes":["read"]}"#,
            r#"{"tenant":"t1"}"#,
            r#"{"tenant":"t1","scopes":[]}"#,
            r#"{"tenant":"t1","scopes":["write"]}"#,
            r#"{"tenant":"a/b","scopes":["read"]}"#,
            r#"{"tenant":"t1","scopes":["read"],"ttl_seconds":0}"#,
            r#"{"tenant":"t1","scopes":["read"],"ttl_seconds":9999999999}"#,
            r#"{"tenant":"t1","scopes":["read"],"expire":1}"#,
            r#"{"tenant":"t1","scopes":["read"],"name":"a\nb"}"#,
        ] {
            assert_eq!(status(wrong, "*"), Err(400), "{wrong}");
        }
    }

    #[test]
    fn a_digest_is_not_shown() {
        let record = make(r#"{"tenant":"t1","scopes":["push"]}"#, "*").unwrap();
        let shown = serde_json::to_string(&Shown::of(&record, Some(7))).unwrap();
        assert_eq!(
            shown,
            r#"{"id":"020202020202","name":"","tenant":"t1","scopes":["push"],"created":1000,"expires":null,"revoked":null,"last_used":7}"#
        );
    }
}
