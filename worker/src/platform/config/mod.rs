//! Configuration: the variables of `wrangler.toml`, parsed once into a type that needs no further
//! checks.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use pilotlight_core::access::TokenDigest;
use thiserror::Error;

use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::platform::limits::{self, Limits};

/// When batches are written, and how much may wait; see [`Config`] for bounds and defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flush {
    /// How long a batch gathers at most, milliseconds. A push into silence waits for less: see
    /// `load.rs` of the tenant.
    pub(crate) millis: u32,
    /// Size at which a batch is written without waiting.
    pub(crate) bytes: usize,
    /// Most bytes in memory that are not yet in the bucket; beyond, senders are asked to come
    /// again.
    pub(crate) pending: usize,
}

/// How long a tenant's profiles are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Retention {
    /// Profiles one by one.
    pub(crate) raw_days: u32,
    /// Their sums over hours and days.
    pub(crate) sums_days: u32,
}

impl Retention {
    /// Both from 1 to [`MAX_DAYS`], and sums at least as long as what they are made from.
    pub(crate) fn checked(self) -> Result<Self, Problem> {
        let Self {
            raw_days,
            sums_days,
        } = self;
        if raw_days == 0 || sums_days > MAX_DAYS || raw_days > sums_days {
            return Err(Problem::invalid(format!(
                "raw_days and sums_days must satisfy 1 <= raw_days <= sums_days <= {MAX_DAYS} (got {raw_days} and {sums_days})"
            )));
        }
        Ok(self)
    }
}

/// Whether requests need a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Auth {
    /// Every request does, but for `/healthz`.
    Required,
    /// None does: whoever reaches the worker may do everything.
    Open,
}

/// What an operator may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// How long pushes wait at most for others to share their object, and how much may wait.
    /// Latency against the cost of requests to the bucket.
    pub(crate) flush: Flush,
    /// Whether requests need a token, which then says the tenant.
    pub(crate) auth: Auth,
    /// What is stored of the first administrator's token, which lets into everything.
    pub(crate) admin_token: Option<TokenDigest>,
    /// Whether `X-Scope-OrgID` names the tenant where requests need no token; else all is
    /// `anonymous`.
    pub(crate) multitenancy: bool,
    /// What holds for tenants that have no limits of their own.
    pub(crate) limits: Limits,
    /// How many Durable Objects share a tenant's services. May be raised at any time; lowered, it
    /// hides what the shards beyond have in their catalogs.
    pub(crate) tenant_shards: u16,
    /// How long compacted objects stay for queries that run, seconds.
    pub(crate) compact_grace_seconds: u32,
    /// What a part of a large query reads at most. A query that reads more is answered by several
    /// invocations.
    pub(crate) subquery_bytes: u32,
    /// How long a tenant's profiles and sums are kept that has no retention of its own.
    pub(crate) retention: Retention,
}

/// A variable that does not say what it should.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("variable {name} must be {expected} (got {found:?})")]
pub(crate) struct ConfigError {
    pub(crate) name: &'static str,
    pub(crate) found: String,
    pub(crate) expected: &'static str,
}

/// What the variables and secrets of an environment are, by their names.
pub(crate) fn variables(env: &worker::Env) -> impl Fn(&str) -> Option<String> {
    |name| env.var(name).ok().map(|value| value.to_string())
}

/// Longest flush window, by default and at most. Agents give up after 10 seconds; four of
/// them are left for the write and the way. With 5 s a fleet makes a fifth more writes.
const MAX_FLUSH_MS: u32 = 6_000;

/// Size at which a batch is written without waiting: 4 MiB, at which requests to the bucket cost
/// little per byte.
const FLUSH_BYTES: u32 = 4 << 20;

/// Smallest such size: 64 KiB, some ten chunks of 6 kB; with less, each push may as well have an
/// object of its own.
const MIN_FLUSH_BYTES: u32 = 64 << 10;

/// Most bytes that wait in memory, by default: 12 MiB, three batches. A bucket that takes 500 ms a
/// write then still allows 24 MB/s. Laid out in a batch they are there twice, which is what
/// [`crate::platform::admission`] leaves for them.
const PENDING_BYTES: u32 = 12 << 20;

/// Most that an operator may allow: 32 MiB. A batch that is written is there twice more, laid out
/// and being sent, and may be as large as all that waits: at most 96 MiB of the 128 of an isolate.
const MAX_PENDING_BYTES: u32 = 32 << 20;

/// What a part of a query reads, by default: 4 MiB, some 0.2 s of CPU and 0.3 s on the way. With
/// four parts at once, each of which takes six times that in memory, an isolate has room for the
/// sum.
const SUBQUERY_BYTES: u32 = 4 << 20;

/// Bounds of it: a call of 64 KiB costs more than it reads, and one of 16 MiB takes most of an
/// isolate.
const SUBQUERY_RANGE: RangeInclusive<u32> = 64 << 10..=16 << 20;

/// Longest grace period: 15 minutes, as long as an invocation lives, so no query takes longer. Days
/// of the catalog are written anew each half hour, and what a day named must be deletable before
/// the next one is.
const MAX_GRACE: u32 = 900;

/// Most shards of a tenant: 32. A query asks each, six at a time, and the schedule visits each.
const MAX_SHARDS: u32 = 32;

/// Longest retention: ten years of 366 days.
pub(crate) const MAX_DAYS: u32 = 3_660;

impl Config {
    /// Parses the variables that `var` gives; absent ones take their defaults.
    pub(crate) fn parse(var: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let flush_ms = number(
            &var,
            "FLUSH_MS",
            MAX_FLUSH_MS,
            0..=MAX_FLUSH_MS,
            "a number of milliseconds from 0 to 6000",
        )?;
        let allowed = MIN_FLUSH_BYTES..=MAX_PENDING_BYTES;
        let expected = "a number of bytes from 65536 to 33554432";
        let pending = number(&var, "PENDING_BYTES", PENDING_BYTES, allowed, expected)?;
        let expected = "a number of bytes from 65536 to PENDING_BYTES";
        let bytes = number(
            &var,
            "FLUSH_BYTES",
            FLUSH_BYTES.min(pending),
            MIN_FLUSH_BYTES..=pending,
            expected,
        )?;
        let shards = number(
            &var,
            "TENANT_SHARDS",
            1,
            1..=MAX_SHARDS,
            "a number from 1 to 32",
        )?;
        let grace = number(
            &var,
            "COMPACT_GRACE_SECONDS",
            600,
            0..=MAX_GRACE,
            "a number of seconds from 0 to 900",
        )?;
        let expected = "a number of bytes from 65536 to 16777216";
        let part = number(
            &var,
            "SUBQUERY_BYTES",
            SUBQUERY_BYTES,
            SUBQUERY_RANGE,
            expected,
        )?;
        let expected = "a number of days from 1 to 3660";
        let raw_days = number(&var, "RETENTION_RAW_DAYS", 30, 1..=MAX_DAYS, expected)?;
        let expected = "a number of days from RETENTION_RAW_DAYS to 3660";
        let sums_days = number(
            &var,
            "RETENTION_SUMS_DAYS",
            raw_days.max(400),
            raw_days..=MAX_DAYS,
            expected,
        )?;
        Ok(Self {
            flush: Flush {
                millis: flush_ms,
                bytes: bytes as usize,
                pending: pending as usize,
            },
            auth: match var("AUTH").as_deref().map(str::trim) {
                None | Some("required" | "") => Auth::Required,
                Some("open") => Auth::Open,
                Some(found) => {
                    return Err(ConfigError {
                        name: "AUTH",
                        found: found.to_owned(),
                        expected: "required or open",
                    });
                }
            },
            admin_token: admin_token(&var)?,
            multitenancy: match var("MULTITENANCY").as_deref() {
                None | Some("false" | "") => false,
                Some("true") => true,
                Some(found) => {
                    return Err(ConfigError {
                        name: "MULTITENANCY",
                        found: found.to_owned(),
                        expected: "true or false",
                    });
                }
            },
            limits: limits_of(&var)?,
            tenant_shards: shards as u16,
            compact_grace_seconds: grace,
            subquery_bytes: part,
            retention: Retention {
                raw_days,
                sums_days,
            },
        })
    }

    /// Parses the variables of an environment.
    pub(crate) fn of(env: &worker::Env) -> Result<Self, ConfigError> {
        Self::parse(variables(env))
    }
}

/// The first administrator's token. A value that is none is not shown: it may be the token itself.
fn admin_token(var: &impl Fn(&str) -> Option<String>) -> Result<Option<TokenDigest>, ConfigError> {
    let given = var("ADMIN_TOKEN_SHA256").map(|value| value.trim().to_owned());
    let Some(given) = given.filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let wrong = || ConfigError {
        name: "ADMIN_TOKEN_SHA256",
        found: "…".to_owned(),
        expected: "the SHA-256 of a token, 64 hexadecimal digits",
    };
    TokenDigest::from_hex(&given).map(Some).ok_or_else(wrong)
}

/// `LIMITS`: an object as the calls about limits take it.
fn limits_of(var: &impl Fn(&str) -> Option<String>) -> Result<Limits, ConfigError> {
    let given = var("LIMITS").map(|value| value.trim().to_owned());
    let Some(given) = given.filter(|value| !value.is_empty()) else {
        return Ok(Limits::default());
    };
    let own = limits::parse(given.as_bytes()).map_err(|problem| ConfigError {
        name: "LIMITS",
        found: problem,
        expected: "an object of limits, like {\"ingestion_rate_mb\": 8}",
    })?;
    Ok(Limits::default().with(&own))
}

fn number(
    var: &impl Fn(&str) -> Option<String>,
    name: &'static str,
    default: u32,
    allowed: RangeInclusive<u32>,
    expected: &'static str,
) -> Result<u32, ConfigError> {
    let Some(found) = var(name) else {
        return Ok(default);
    };
    match found.trim().parse() {
        Ok(value) if allowed.contains(&value) => Ok(value),
        _ => Err(ConfigError {
            name,
            found,
            expected,
        }),
    }
}
