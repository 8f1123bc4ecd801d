//! Shares: profiles that people put into the bucket for some days, to hand on a link to them.
//!
//! | call | answer |
//! |---|---|
//! | `POST …/api/v1/shares?days&name` with the bytes of a file | 201, `{"id","expires","size"}` |
//! | `GET …/api/v1/shares?after` | `{"shares":[{"id","name","size","created","expires"}],"next"}` |
//! | `GET …/api/v1/shares/ID` | the bytes |
//! | `DELETE …/api/v1/shares/ID` | 204, also when there is none |

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use futures_util::{StreamExt, stream};
use pilotlight_core::store::{
    MAX_SHARE_BYTES, MAX_SHARE_HEAD, ShareError, ShareId, TenantId, encode_share, share_head,
    shares_prefix,
};
use serde::Serialize;
use worker::{Request, Response, ResponseBuilder};

use crate::auth::access::READ;
use crate::bucket::{Bucket, BucketError, Condition, Listed, MAX_PAGE, Object, list_all};
use crate::http::body;
use crate::http::endpoint::{Endpoint, Rest};
use crate::http::parameters::Parameters;
use crate::http::percent::escaped;
use crate::http::scope::Scope;
use crate::platform::admission::{Admission, Permit};
use crate::platform::clock;
use crate::platform::errors::Problem;
use crate::platform::{CONNECTIONS, Platform};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post("/api/v1/shares", READ, |request, scope| {
        Box::pin(upload(request, scope))
    }),
    Endpoint::get("/api/v1/shares", READ, |request, scope| {
        Box::pin(list_page(request, scope))
    }),
    Endpoint::get(BY_ID, READ, |request, scope| {
        Box::pin(download(request, scope))
    })
    .followed_by(Rest::Id(check_id)),
    Endpoint::delete(BY_ID, READ, |request, scope| {
        Box::pin(delete(request, scope))
    })
    .followed_by(Rest::Id(check_id)),
];

const BY_ID: &str = "/api/v1/shares/";

/// How many days a share is kept, at most: a quarter of a year.
pub(crate) const MAX_DAYS: usize = 90;

/// How many days when nothing is said.
const DEFAULT_DAYS: usize = 30;

/// Most shares of a tenant at once: a page of the bucket's list, which one request reads unless some
/// have expired.
const MAX_SHARES: usize = MAX_PAGE;

/// Shares on a page of the list: 40. The name of each is a request, and the free plan allows 50.
const PAGE: usize = 40;

/// What is read of a share at first: 1 MiB, all of most. What is larger asks for more room before.
const AT_ONCE: u64 = 1 << 20;

/// How many times its bytes a share takes while it is read: 2, itself and its parts as they come, or
/// its copy in the answer.
const READ_FACTOR: u64 = 2;

const DAY_MILLIS: i64 = 86_400_000;

/// What is to be shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewShare<'a> {
    pub(crate) name: &'a str,
    pub(crate) content: &'a [u8],
    pub(crate) days: usize,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Created {
    pub(crate) id: String,
    /// Milliseconds since the epoch.
    expires: i64,
    /// Bytes of the content.
    size: usize,
}

/// A share that was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) name: String,
    size: u64,
    pub(crate) created: i64,
    expires: i64,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Listing {
    /// Those that expire first come first.
    shares: Vec<Entry>,
    /// What `after` is on the next page.
    next: Option<String>,
}

impl From<ShareError> for Problem {
    fn from(error: ShareError) -> Self {
        match error {
            ShareError::TooLarge(_) => Self::new(413, "resource_exhausted", error),
            _ => Self::invalid(error),
        }
    }
}

async fn upload(request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let (bucket, tenant, now) = (scope.bucket()?, scope.tenant(), clock::now_millis());
    let parameters = Parameters::of(request);
    let days = parameters.number("days", 1, MAX_DAYS, DEFAULT_DAYS)?;
    let rate = scope.limits.rate();
    scope.isolate().rates.admit(tenant.as_str(), rate, now)?;
    let content = body::read(request, &scope.isolate().bodies, MAX_SHARE_BYTES).await?;
    scope
        .isolate()
        .rates
        .charge(tenant.as_str(), rate, content.len() as u64, now);
    let _permit = scope.admission().push(content.len()).await?;
    let share = NewShare {
        name: parameters.get("name").unwrap_or("profile"),
        content: &content,
        days,
    };
    let created = create(&bucket, tenant, share, now).await?;
    Ok(ResponseBuilder::new()
        .with_status(201)
        .from_json(&created)?)
}

async fn list_page(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let (bucket, parameters) = (scope.bucket()?, Parameters::of(request));
    let after = parameters.get("after").map(str::parse).transpose();
    let after = after.map_err(Problem::invalid)?;
    let page = list(&bucket, scope.tenant(), after, clock::now_millis()).await?;
    Ok(Response::from_json(&page)?)
}

async fn download(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let (bucket, id, now) = (scope.bucket()?, id(&request.path())?, clock::now_millis());
    let (shared, _permit) = read(&bucket, scope.tenant(), id, now, &scope.admission()).await?;
    Ok(file(shared, id, now)?)
}

async fn delete(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let id = id(&request.path())?;
    scope.bucket()?.delete(&[id.key(scope.tenant())]).await?;
    Ok(Response::empty()?.with_status(204))
}

/// The id in the path of a request.
fn id(path: &str) -> Result<ShareId, Problem> {
    let (_, id) = path.split_once(BY_ID).unwrap_or_default();
    id.parse().map_err(Problem::invalid)
}

/// What is no id is nobody's name in the bucket.
fn check_id(id: &str) -> Result<(), Problem> {
    id.parse::<ShareId>().map(drop).map_err(Problem::invalid)
}

/// Stores a share, unless it is stored already.
pub(crate) async fn create(
    bucket: &impl Bucket,
    tenant: &TenantId,
    NewShare {
        name,
        content,
        days,
    }: NewShare<'_>,
    now: i64,
) -> Result<Created, Problem> {
    let object = encode_share(name, content)?;
    let day = u32::try_from(now.div_euclid(DAY_MILLIS) + days as i64).map_err(Problem::internal)?;
    let id = ShareId::of(day, &object);
    let created = Created {
        id: id.to_string(),
        expires: id.expires_millis(),
        size: content.len(),
    };
    let (key, prefix) = (id.key(tenant), shares_prefix(tenant));
    let listed = list_all(bucket, &prefix).await?;
    if listed.iter().any(|object| object.key == key) {
        return Ok(created);
    }
    // Those that have expired stay until the next sweep.
    if kept(&listed, &prefix, now).count() >= MAX_SHARES {
        let message = format!(
            "this tenant has {MAX_SHARES} shares, the maximum: delete one, or wait until one expires"
        );
        return Err(Problem::new(429, "resource_exhausted", message));
    }
    match bucket.put(&key, object, Condition::Absent).await {
        // Somebody else was quicker, with the same bytes.
        Err(BucketError::Precondition { .. }) => Ok(created),
        written => written.map(|_| created).map_err(Problem::from),
    }
}

/// Reads a share. The permit is to be kept until its bytes are in the answer.
pub(crate) async fn read(
    bucket: &impl Bucket,
    tenant: &TenantId,
    id: ShareId,
    now: i64,
    admission: &Admission<impl Platform>,
) -> Result<(Shared, Permit), Problem> {
    if id.has_expired(now) {
        let message = "this share has expired; its profile was deleted";
        return Err(Problem::new(410, "not_found", message));
    }
    let key = id.key(tenant);
    let unknown =
        || Problem::not_found("share not found: it was deleted, or belongs to another tenant");
    let mut permit = admission.enter(READ_FACTOR * AT_ONCE).await?;
    let object = bucket.get(&key, Some(0..AT_ONCE)).await?;
    let Object {
        size,
        bytes: mut content,
        ..
    } = object.ok_or_else(unknown)?;
    if size > AT_ONCE {
        // Given back before more is asked for, so that two of these never wait for each other.
        drop((content, permit));
        permit = admission.enter(READ_FACTOR.saturating_mul(size)).await?;
        content = bucket.get(&key, None).await?.ok_or_else(unknown)?.bytes;
    }
    let damaged =
        |why: &str| Problem::internal(format!("object {key} is damaged: {why}")).about(&key);
    if !id.matches(&content) {
        return Err(damaged("its bytes don't match its name"));
    }
    let (name, at) = share_head(&content).map_err(|error| damaged(&error.to_string()))?;
    content.drain(..at);
    Ok((Shared { name, content }, permit))
}

/// A page of a tenant's shares.
async fn list(
    bucket: &impl Bucket,
    tenant: &TenantId,
    after: Option<ShareId>,
    now: i64,
) -> Result<Listing, Problem> {
    let prefix = shares_prefix(tenant);
    let listed = list_all(bucket, &prefix).await?;
    let mut wanted: Vec<_> = kept(&listed, &prefix, now)
        .filter(|(id, _)| after.is_none_or(|after| *id > after))
        .take(PAGE + 1)
        .collect();
    let more = wanted.len() > PAGE;
    wanted.truncate(PAGE);
    let next = wanted.last().filter(|_| more).map(|(id, _)| id.to_string());
    let shares = entries(bucket, wanted).await?;
    Ok(Listing { shares, next })
}

/// The shares that were stored last, those first; at most as many as on a page.
pub(crate) async fn newest(
    bucket: &impl Bucket,
    tenant: &TenantId,
    now: i64,
) -> Result<Vec<Entry>, Problem> {
    let prefix = shares_prefix(tenant);
    let listed = list_all(bucket, &prefix).await?;
    let mut wanted: Vec<_> = kept(&listed, &prefix, now).collect();
    wanted.sort_by_key(|(id, listed)| (Reverse(listed.uploaded_millis), *id));
    wanted.truncate(PAGE);
    entries(bucket, wanted).await
}

/// When a share was stored; `None` when there is none.
pub(crate) async fn created(
    bucket: &impl Bucket,
    tenant: &TenantId,
    id: ShareId,
) -> Result<Option<i64>, Problem> {
    let listed = list_all(bucket, &id.key(tenant)).await?;
    Ok(listed.first().map(|object| object.uploaded_millis))
}

/// Those of a list that are shares and have not expired.
fn kept<'a>(
    listed: &'a [Listed],
    prefix: &'a str,
    now: i64,
) -> impl Iterator<Item = (ShareId, &'a Listed)> {
    let known = listed
        .iter()
        .filter_map(move |object| Some((id_of(object, prefix)?, object)));
    known.filter(move |(id, _)| !id.has_expired(now))
}

/// What shares say of themselves.
async fn entries(
    bucket: &impl Bucket,
    wanted: Vec<(ShareId, &Listed)>,
) -> Result<Vec<Entry>, Problem> {
    let entry = |(id, listed): (ShareId, &Listed)| {
        let (key, created) = (listed.key.clone(), listed.uploaded_millis);
        async move {
            let range = Some(0..MAX_SHARE_HEAD as u64);
            let begin = bucket.get(&key, range).await?;
            // One that was deleted meanwhile, or is damaged, must not keep the others away.
            let known = begin.and_then(|object| {
                let (name, at) = share_head(&object.bytes).ok()?;
                Some(Entry {
                    id: id.to_string(),
                    name,
                    size: object.size.saturating_sub(at as u64),
                    created,
                    expires: id.expires_millis(),
                })
            });
            Ok::<_, Problem>(known)
        }
    };
    let mut found = stream::iter(wanted).map(entry).buffered(CONNECTIONS);
    let mut entries = Vec::new();
    while let Some(entry) = found.next().await {
        entries.extend(entry?);
    }
    Ok(entries)
}

/// The id of an object of a list; `None` for what is no share.
pub(crate) fn id_of(listed: &Listed, prefix: &str) -> Option<ShareId> {
    listed.key.strip_prefix(prefix)?.parse().ok()
}

/// A share as a file to download. It never changes, so a browser may keep it, for who may read it.
fn file(Shared { name, content }: Shared, id: ShareId, now: i64) -> worker::Result<Response> {
    let seconds = id.expires_millis().saturating_sub(now).max(0) / 1_000;
    let response = Response::from_bytes(content)?;
    for (header, value) in [
        (
            "cache-control",
            &*format!("private, max-age={seconds}, immutable"),
        ),
        ("content-disposition", &disposition(&name)),
        ("content-type", "application/octet-stream"),
        ("vary", "authorization, x-scope-orgid"),
    ] {
        response.headers().set(header, value)?;
    }
    Ok(response)
}

/// The name of a file as a header has it (RFC 8187).
fn disposition(name: &str) -> String {
    format!("attachment; filename*=UTF-8''{}", escaped(name))
}
