//! Looks through the bucket for objects that no row names: segments whose writer died before it
//! could add the row, outputs of jobs that died, and days of the catalog that were published out of
//! a database that is lost.
//!
//! There are few of them, so whenever there is one the whole catalog is judged anew: what counts
//! gets a row, what does not is deleted. With the first shard go the tenant's shares that have
//! expired.

use std::collections::HashSet;

use futures_util::FutureExt;
use pilotlight_core::store::{CatalogDay, ObjectKey, arrival_day, catalog_key};

use crate::bucket::{Bucket, MAX_PAGE};
use crate::maintenance::duty::{Done, Duty};
use crate::maintenance::expired_shares::delete_expired_shares;
use crate::maintenance::publish::days_in_bucket;
use crate::maintenance::rebuild;
use crate::maintenance::shard_visit::{FULL, ShardVisit};
use crate::platform::Platform;
use crate::platform::admission::Admission;
use crate::platform::errors::Problem;
use crate::tenant::{Shard, TenantClient, Transport};

/// How old an object must be: an hour. A write takes seconds, a lease lasts five minutes and an
/// invocation at most fifteen, so nobody is about to add its row.
const SAFE_MILLIS: i64 = 3_600_000;

pub(super) fn duty<'a, B: Bucket, T: Transport, P: Platform>() -> Duty<ShardVisit<'a, B, T, P>> {
    Duty {
        name: "sweep",
        is_due: |visit| visit.due.sweep,
        // A tenant's objects may be many pages, and all of their directories are read when one is
        // unknown.
        needs: FULL,
        run: |visit| run(visit).boxed_local(),
    }
}

/// The items are objects that no row named.
async fn run(
    visit: &ShardVisit<'_, impl Bucket, impl Transport, impl Platform>,
) -> Result<Done, Problem> {
    let unknown = sweep(
        visit.bucket,
        visit.client,
        visit.shard,
        visit.now,
        visit.admission,
    );
    Ok(Done {
        requests: FULL.requests,
        items: unknown.await?,
        is_more_due: false,
    })
}

/// Sweeps at `now` and gives the number of objects that no row named. A sweep that fails is begun
/// again by a later visit.
async fn sweep(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    now: i64,
    admission: &Admission<impl Platform>,
) -> Result<u64, Problem> {
    let judged = judge(bucket, client, shard, now, admission).await;
    // Trouble with one must not keep the other from being done.
    let shares = match shard.number {
        0 => delete_expired_shares(bucket, &shard.tenant, now).await,
        _ => Ok(()),
    };
    let unknown = judged.and_then(|unknown| shares.map(|()| unknown))?;
    client.end_sweep().await?;
    Ok(unknown)
}

/// Adopts or deletes what no row names; gives the number of those objects.
async fn judge(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    now: i64,
    admission: &Admission<impl Platform>,
) -> Result<u64, Problem> {
    let safe = now - SAFE_MILLIS;
    client
        .days_found(&days_in_bucket(bucket, shard).await?)
        .await?;
    let written = |key: &str| key.parse::<ObjectKey>().map_or(i64::MAX, |key| key.millis);
    let listed = rebuild::list(bucket, shard).await?.into_iter();
    let old: Vec<String> = listed
        .filter(|o| o.uploaded_millis.max(written(&o.key)) <= safe)
        .map(|listed| listed.key)
        .collect();
    let unknown: HashSet<String> = client.unknown(&old).await?.into_iter().collect();
    if unknown.is_empty() {
        return Ok(0);
    }
    let dropped = rebuild::rebuild(bucket, client, shard, admission)
        .await?
        .dropped;
    // Names that no row had can only have got one from the judgement that dropped them.
    let mut dead: Vec<String> = dropped
        .into_iter()
        .filter(|key| unknown.contains(key))
        .collect();
    // A day out of the time before a database was lost is all that a reader has; by the next sweep
    // it is published anew.
    let named = named(bucket, shard, &dead).await?;
    dead.retain(|key| !named.contains(key));
    delete(bucket, &dead).await?;
    Ok(unknown.len() as u64)
}

/// What the published days name, of the days of these.
async fn named(
    bucket: &impl Bucket,
    shard: &Shard,
    keys: &[String],
) -> Result<HashSet<String>, Problem> {
    let arrival = |key: &String| Some(arrival_day(key.parse::<ObjectKey>().ok()?.millis));
    let days: HashSet<i64> = keys.iter().filter_map(arrival).collect();
    let mut named = HashSet::new();
    for day in days {
        let object = bucket
            .get(&catalog_key(&shard.tenant, shard.number, day), None)
            .await?;
        // What cannot be read, nobody reads.
        let published = object
            .and_then(|object| CatalogDay::decode(&object.bytes).ok())
            .unwrap_or_default();
        named.extend(published.rows.into_iter().map(|row| row.key));
    }
    Ok(named)
}

async fn delete(bucket: &impl Bucket, keys: &[String]) -> Result<(), Problem> {
    for keys in keys.chunks(MAX_PAGE) {
        bucket.delete(keys).await?;
    }
    Ok(())
}
