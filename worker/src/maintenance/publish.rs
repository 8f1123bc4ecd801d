//! Writes the catalog of one of a tenant's shards into the bucket, for readers that have nothing
//! else.
//!
//! Each day that has changed is written in the place of what was there, under the condition that it
//! is still there. Whoever writes too late is refused by the bucket.

use futures_util::FutureExt;
use pilotlight_core::UnixNanos;
use pilotlight_core::store::{
    CatalogDay, CatalogRow, catalog_key, catalog_key_day, catalog_prefix,
};

use crate::bucket::{Bucket, BucketError, Condition, list_all};
use crate::maintenance::duty::{Budget, Done, Duty};
use crate::maintenance::shard_visit::ShardVisit;
use crate::platform::Platform;
use crate::platform::errors::Problem;
use crate::tenant::{Publication, PublishedDay, Row, Shard, TenantClient, Transport};

/// How often a day is tried: three times. The first fails when the answer to an earlier write was
/// lost, the second when another publication began meanwhile, which the shard then says.
const TRIES: usize = 3;

/// Requests that a day counts as: its rows, its object, and one more now and then.
const DAY_REQUESTS: u64 = 3;

/// What eight days need, and the calls that begin and end a publication. Usually there are one or
/// two days. A publication of more days leaves too few requests for a sweep or a job.
pub(super) const NEEDS: Budget = Budget {
    requests: 2 + 8 * DAY_REQUESTS,
    millis: 2 * 60_000,
};

pub(super) fn duty<'a, B: Bucket, T: Transport, P: Platform>() -> Duty<ShardVisit<'a, B, T, P>> {
    Duty {
        name: "publish",
        is_due: |visit| visit.due.publish,
        needs: NEEDS,
        run: |visit| run(visit).boxed_local(),
    }
}

/// The items are days.
async fn run(
    visit: &ShardVisit<'_, impl Bucket, impl Transport, impl Platform>,
) -> Result<Done, Problem> {
    let days = publish(visit.bucket, visit.client, visit.shard, visit.now).await? as u64;
    Ok(Done {
        requests: 2 + days * DAY_REQUESTS,
        items: days,
        is_more_due: false,
    })
}

/// Publishes what has changed; gives the number of days that have.
pub(crate) async fn publish(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    now: i64,
) -> Result<usize, Problem> {
    let mut publication = client.begin_publication().await?;
    if publication == Publication::DaysUnknown {
        client
            .days_found(&days_in_bucket(bucket, shard).await?)
            .await?;
        publication = client.begin_publication().await?;
    }
    let Publication::Begun { token, days } = publication else {
        return Ok(0);
    };
    let (mut published, mut failed) = (Vec::with_capacity(days.len()), None);
    for PublishedDay { day, etag } in days {
        // A day that cannot be written must not keep the others from it.
        match publish_day(bucket, client, shard, token, day, etag, now).await {
            Ok(etag) => published.push(PublishedDay { day, etag }),
            Err(problem) => failed = Some(problem),
        }
    }
    client.end_publication(token, &published).await?;
    failed.map_or(Ok(published.len()), Err)
}

/// Writes one day in the place of the object with the entity tag; gives the new one, `None` when
/// nothing is left of the day.
async fn publish_day(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    token: i64,
    day: i64,
    mut etag: Option<String>,
    now: i64,
) -> Result<Option<String>, Problem> {
    let key = catalog_key(&shard.tenant, shard.number, day);
    for _ in 0..TRIES {
        // After the tag was read: the shard refuses when another publication has begun by
        // now.
        let rows = client.of_day(token, day).await?;
        if rows.is_empty() {
            bucket.delete(&[key]).await?;
            return Ok(None);
        }
        let condition = etag.map_or(Condition::Absent, Condition::Matches);
        match bucket.put(&key, encode(rows, now)?, condition).await {
            Err(BucketError::Precondition { .. }) => {
                etag = bucket.get(&key, None).await?.map(|object| object.etag)
            }
            written => return Ok(Some(written?)),
        }
    }
    Err(Problem::new(
        409,
        "aborted",
        format!("{key} was overwritten by another writer in all {TRIES} attempts"),
    ))
}

fn encode(rows: Vec<(Row, Vec<u8>)>, now: i64) -> Result<Vec<u8>, Problem> {
    let row = |(row, directory): (Row, Vec<u8>)| CatalogRow {
        key: row.key,
        size: row.size,
        directory,
    };
    let day = CatalogDay {
        written: UnixNanos::from_millis(now),
        rows: rows.into_iter().map(row).collect(),
    };
    day.encode().map_err(Problem::internal)
}

/// The days of a shard's catalog that are in the bucket.
pub(crate) async fn days_in_bucket(
    bucket: &impl Bucket,
    shard: &Shard,
) -> Result<Vec<i64>, Problem> {
    let prefix = catalog_prefix(&shard.tenant, shard.number);
    let listed = list_all(bucket, &prefix).await?.into_iter();
    Ok(listed
        .filter_map(|listed| catalog_key_day(listed.key.strip_prefix(&prefix)?))
        .collect())
}
