//! `DELETE …/admin/tenant`: deletes everything of a tenant.

use pilotlight_core::store::{TenantId, catalog_prefix, shares_prefix, symbols_prefix};
use serde::Serialize;
use worker::Response;

use crate::api::alerts::record::alerts_key;
use crate::api::annotations::annotations_key;
use crate::api::pyroscope::settings_key;
use crate::api::rules::record::rules_key;
use crate::api::rules::remote_write::progress_key;
use crate::auth::access::ADMIN;
use crate::bucket::{Bucket, List, MAX_PAGE, list_all};
use crate::http::endpoint::Endpoint;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;
use crate::tenant::{AdminCommand, TenantShards, Transport, retention_key};

pub(crate) const ENDPOINTS: &[Endpoint] = &[Endpoint::delete(
    "/api/v1/admin/tenant",
    ADMIN,
    |_, scope| Box::pin(delete(scope)),
)];

/// Most times that up to a thousand objects are deleted in one call: 24. Each takes three requests,
/// or two and one for each of at most 32 shards of a tenant; a worker may make 1,000 in one
/// invocation, so with many objects a call may have to be repeated.
const MAX_ROUNDS: usize = 24;

/// How long an object may be in the bucket before its row is written: 15 minutes, as long as an
/// invocation lives.
const YOUNG_MILLIS: i64 = 15 * 60_000;

/// What came of the deletion of a tenant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Deleted {
    /// Objects deleted by this call.
    deleted: u64,
    /// Objects that are still there: the schedule deletes them, or another call.
    pub(crate) left: u64,
}

async fn delete(scope: &Scope) -> Result<Response, Problem> {
    let (shards, bucket, now) = (scope.shards()?, scope.bucket()?, clock::now_millis());
    let deleted = delete_tenant(&bucket, &shards, scope.tenant(), now).await?;
    Ok(Response::from_json(&deleted)?)
}

/// Deletes everything of a tenant that is stored by now. From the first step on nothing of it is in
/// any answer.
///
/// Then all that the catalogs know is deleted, and what the bucket has beyond that unless it is so
/// young that its row may be yet to come. What is pushed meanwhile stays. A push that was stored
/// before is stored again. What was used this month remains to be paid for.
pub(crate) async fn delete_tenant<T: Transport>(
    bucket: &impl Bucket,
    shards: &TenantShards<T>,
    tenant: &TenantId,
    now: i64,
) -> Result<Deleted, Problem> {
    let mut outcome = Deleted::default();
    for client in shards.each() {
        client.order::<()>(&AdminCommand::DeleteAll).await?;
    }
    // First, so that nobody looks for what the days of the catalog name.
    for (number, _) in (0..).zip(shards.each()) {
        delete_all(bucket, &catalog_prefix(tenant, number)).await?;
    }
    // Shares and symbol tables have no rows that may be yet to come.
    for prefix in [shares_prefix(tenant), symbols_prefix(tenant)] {
        outcome.deleted += delete_all(bucket, &prefix).await?;
    }
    let records = [
        settings_key,
        annotations_key,
        retention_key,
        rules_key,
        alerts_key,
        progress_key,
    ]
    .map(|key| key(tenant));
    bucket.delete(&records).await?;
    let mut rounds = 0;
    for client in shards.each() {
        loop {
            let keys = client.begin_visit().await?.keys;
            if keys.is_empty() || rounds == MAX_ROUNDS {
                break;
            }
            bucket.delete(&keys).await?;
            client.forget(&keys).await?;
            outcome.deleted += keys.len() as u64;
            rounds += 1;
        }
        outcome.left += client.order::<u64>(&AdminCommand::Left).await?;
    }
    let (prefix, mut after) = (format!("t/{tenant}/"), None::<String>);
    while rounds < MAX_ROUNDS {
        let page = bucket
            .list(List {
                prefix: &prefix,
                delimiter: None,
                after: after.as_deref(),
            })
            .await?;
        let mut keys = Vec::new();
        for object in page.objects {
            if now.saturating_sub(object.uploaded_millis) > YOUNG_MILLIS {
                keys.push(object.key)
            } else {
                outcome.left += 1
            }
        }
        for client in shards.each() {
            keys = client.order(&AdminCommand::Unknown(keys)).await?;
        }
        if !keys.is_empty() {
            bucket.delete(&keys).await?;
        }
        outcome.deleted += keys.len() as u64;
        (rounds, after) = (rounds + 1, page.next);
        if after.is_none() {
            return Ok(outcome);
        }
    }
    // At least one more: the list has not been seen to its end.
    Ok(Deleted {
        left: outcome.left.max(1),
        ..outcome
    })
}

/// Deletes all objects whose names begin so; gives their number.
async fn delete_all(bucket: &impl Bucket, prefix: &str) -> Result<u64, Problem> {
    let listed = list_all(bucket, prefix).await?;
    let keys: Vec<String> = listed.into_iter().map(|listed| listed.key).collect();
    for keys in keys.chunks(MAX_PAGE) {
        bucket.delete(keys).await?;
    }
    Ok(keys.len() as u64)
}
