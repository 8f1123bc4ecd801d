//! Looks through the bucket for objects that no row names: segments whose writer died before it could add the row, outputs of
//! jobs that died, and parts of the catalog whose publication was lost with a database.
//!
//! There are few of them, so whenever there is one the whole catalog is judged anew: what counts gets a row, what does not is
//! deleted.

use std::collections::HashSet;

use pilotlight_core::store::{CatalogHead, ObjectKey, arrival_day, decode_catalog_part, head_key, place};

use crate::admission::Admission;
use crate::bucket::{Bucket, MAX_PAGE};
use crate::errors::Problem;
use crate::platform::Platform;
use crate::rebuild;
use crate::tenant::{Order, Shard, TenantClient, Transport};

/// How old an object must be: an hour. A write takes seconds, a lease lasts five minutes and an invocation at most fifteen, so
/// nobody is about to add its row.
const SAFE_MILLIS: i64 = 3_600_000;

/// Sweeps at `now`.
pub(crate) async fn sweep(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    now: i64,
    admission: &Admission<impl Platform>,
) -> Result<(), Problem> {
    let safe = now - SAFE_MILLIS;
    sweep_parts(bucket, client, shard, safe).await?;
    let written = |key: &str| key.parse::<ObjectKey>().map_or(i64::MAX, |key| key.millis);
    let listed = rebuild::list(bucket, shard, "l").await?.into_iter();
    let old: Vec<String> =
        listed.filter(|o| o.uploaded_millis.max(written(&o.key)) <= safe).map(|listed| listed.key).collect();
    let unknown: HashSet<String> = client.unknown(&old).await?.into_iter().collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let dropped = rebuild::rebuild(bucket, client, shard, admission).await?.dropped;
    // Names that no row had can only have got one from the judgement that dropped them.
    let mut dead: Vec<String> = dropped.into_iter().filter(|key| unknown.contains(key)).collect();
    // A head out of the time before a database was lost is all that a reader has; the next sweep finds another.
    let named = named(bucket, shard, &dead).await?;
    dead.retain(|key| !named.contains(key));
    delete(bucket, &dead).await
}

/// Names in the bucket of what the head names among the objects of the days of these.
async fn named(bucket: &impl Bucket, shard: &Shard, keys: &[String]) -> Result<HashSet<String>, Problem> {
    let mut named = HashSet::new();
    let arrival = |key: &String| Some(arrival_day(key.parse::<ObjectKey>().ok()?.millis));
    let days: HashSet<i64> = keys.iter().filter_map(arrival).collect();
    if days.is_empty() {
        return Ok(named);
    }
    let head = bucket.get(&head_key(&shard.tenant, shard.number), None).await?;
    // What cannot be read, nobody reads.
    let head = head.and_then(|object| CatalogHead::decode(&object.bytes).ok()).unwrap_or_default();
    for part in head.parts.iter().filter(|part| days.contains(&part.day)) {
        let object = bucket.get(&part.key(&shard.tenant, shard.number), None).await?;
        let rows = object.and_then(|object| decode_catalog_part(&object.bytes).ok()).unwrap_or_default();
        named.extend(rows.iter().map(|row| place(&row.key).0.to_owned()));
    }
    Ok(named)
}

async fn delete(bucket: &impl Bucket, keys: &[String]) -> Result<(), Problem> {
    for keys in keys.chunks(MAX_PAGE) {
        bucket.delete(keys).await?;
    }
    Ok(())
}

/// Deletes parts that neither a row nor the head names.
async fn sweep_parts(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    safe: i64,
) -> Result<(), Problem> {
    let head = head_key(&shard.tenant, shard.number);
    let listed = rebuild::list(bucket, shard, "catalog/").await?.into_iter();
    let old: Vec<String> = listed.filter(|o| o.uploaded_millis <= safe && o.key != head).map(|listed| listed.key).collect();
    let mut unknown: Vec<String> = client.order(&Order::Unknown(old)).await?;
    if unknown.is_empty() {
        return Ok(());
    }
    if let Some(object) = bucket.get(&head, None).await? {
        // Which parts a damaged head names is not to be known; the next publication replaces it.
        let Ok(head) = CatalogHead::decode(&object.bytes) else { return Ok(()) };
        let named: Vec<String> = head.parts.iter().map(|part| part.key(&shard.tenant, shard.number)).collect();
        unknown.retain(|key| !named.contains(key));
    }
    delete(bucket, &unknown).await
}
