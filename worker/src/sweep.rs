//! Looks through the bucket for objects that no row names: segments whose writer died before it could add the row, and
//! outputs of jobs that died.
//!
//! There are few of them, so whenever there is one the whole catalog is judged anew: what counts gets a row, what does not is
//! deleted.

use std::collections::HashSet;

use pilotlight_core::store::ObjectKey;

use crate::bucket::{Bucket, MAX_PAGE};
use crate::errors::Problem;
use crate::rebuild;
use crate::tenant::{Shard, TenantClient, Transport};

/// How old an object must be: an hour. A write takes seconds, a lease lasts five minutes and an invocation at most fifteen, so
/// nobody is about to add its row.
const SAFE_MILLIS: i64 = 3_600_000;

/// Sweeps at `now`.
pub(crate) async fn sweep(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    now: i64,
) -> Result<(), Problem> {
    let safe = now - SAFE_MILLIS;
    let written = |key: &str| key.parse::<ObjectKey>().map_or(i64::MAX, |key| key.millis);
    let listed = rebuild::list(bucket, shard).await?.into_iter();
    let old: Vec<String> =
        listed.filter(|o| o.uploaded_millis.max(written(&o.key)) <= safe).map(|listed| listed.key).collect();
    let unknown: HashSet<String> = client.unknown(&old).await?.into_iter().collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let dropped = rebuild::rebuild(bucket, client, shard).await?.dropped;
    // Names that no row had can only have got one from the judgement that dropped them.
    let dead: Vec<String> = dropped.into_iter().filter(|key| unknown.contains(key)).collect();
    for keys in dead.chunks(MAX_PAGE) {
        bucket.delete(keys).await?;
    }
    Ok(())
}
