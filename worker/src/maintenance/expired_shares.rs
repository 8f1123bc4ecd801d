//! Deletes shares whose time is over. Nobody reads them any more: an id says when it expires.

use pilotlight_core::store::{ShareId, TenantId, shares_prefix};

use crate::bucket::{Bucket, List};
use crate::platform::errors::Problem;

/// Deletes those on the first page of a tenant's shares, of which the first to expire is the first.
/// A page has as many as a tenant may have at once.
pub(crate) async fn delete_expired_shares(
    bucket: &impl Bucket,
    tenant: &TenantId,
    now: i64,
) -> Result<(), Problem> {
    let prefix = shares_prefix(tenant);
    let page = bucket
        .list(List {
            prefix: &prefix,
            ..List::default()
        })
        .await?;
    let names = page.objects.into_iter().map(|object| object.key);
    let expired: Vec<String> = names
        .filter(|key| {
            let id = key.strip_prefix(&prefix).map(str::parse::<ShareId>);
            matches!(id, Some(Ok(id)) if id.has_expired(now))
        })
        .collect();
    if expired.is_empty() {
        return Ok(());
    }
    Ok(bucket.delete(&expired).await?)
}
