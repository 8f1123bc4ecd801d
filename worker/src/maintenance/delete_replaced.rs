//! Deletes replaced objects whose grace period is over.

use futures_util::FutureExt;

use crate::bucket::Bucket;
use crate::maintenance::duty::{Budget, Done, Duty};
use crate::maintenance::shard_visit::ShardVisit;
use crate::platform::Platform;
use crate::platform::errors::Problem;
use crate::tenant::Transport;

/// One deletion of up to 1,000 objects, and the call that notes it.
pub(super) const NEEDS: Budget = Budget {
    requests: 2,
    millis: 60_000,
};

pub(super) fn duty<'a, B: Bucket, T: Transport, P: Platform>() -> Duty<ShardVisit<'a, B, T, P>> {
    Duty {
        name: "delete_replaced",
        is_due: |visit| !visit.due.keys.is_empty(),
        needs: NEEDS,
        run: |visit| delete_replaced(visit).boxed_local(),
    }
}

/// The items are objects.
async fn delete_replaced(
    visit: &ShardVisit<'_, impl Bucket, impl Transport, impl Platform>,
) -> Result<Done, Problem> {
    let keys = &visit.due.keys;
    visit.bucket.delete(keys).await?;
    visit.client.forget(keys).await?;
    Ok(Done {
        requests: NEEDS.requests,
        items: keys.len() as u64,
        is_more_due: false,
    })
}
