//! Once a minute: one compaction job, and deletion of what was compacted before.

use pilotlight_core::{plans::CompactPlan, store::Tenant as TenantId};
use worker::{Bucket, Env};

use crate::bucket;
use crate::drive::drive;
use crate::errors::Problem;
use crate::tenant::{Job, Row, TenantClient};

/// Most tenants looked at in one invocation: each costs up to four requests, and the free plan allows 50.
const TENANTS_AT_ONCE: usize = 8;

/// Looks at some tenants, others each minute, and compacts for the first that has a job due.
pub(crate) async fn run(env: &Env, scheduled_millis: i64) -> Result<(), Problem> {
    let bucket = env.bucket("BUCKET")?;
    let tenants = bucket::tenants(&bucket).await?;
    let mut compacted = false;
    for tenant in turn(&tenants, scheduled_millis.div_euclid(60_000)) {
        let client = TenantClient::new(env, tenant.clone())?;
        // A tenant in trouble must not keep the others from theirs.
        let outcome = match delete_expired(&bucket, &client).await {
            Ok(()) if !compacted => compact(&bucket, &client).await,
            other => other.map(|()| false),
        };
        match outcome {
            Ok(did) => compacted |= did,
            Err(problem) => worker::console_error!("cron, tenant {tenant}: {}", problem.message),
        }
    }
    Ok(())
}

/// The tenants whose turn it is in a minute: a window that moves on by one a minute, so each is the first in its turn.
fn turn(tenants: &[TenantId], minute: i64) -> impl Iterator<Item = &TenantId> {
    let start = if tenants.is_empty() { 0 } else { minute.rem_euclid(tenants.len() as i64) as usize };
    tenants[start..].iter().chain(&tenants[..start]).take(TENANTS_AT_ONCE)
}

/// Does a job, if one is due; says whether.
async fn compact(bucket: &Bucket, client: &TenantClient) -> Result<bool, Problem> {
    let Some(Job { token, unique, sources, .. }) = client.lease().await? else { return Ok(false) };
    let plan = CompactPlan::new(sources, 1, token as u64, unique)?;
    let output = drive(plan, bucket).await?.finish()?;
    let row = Row { key: output.key.clone(), level: 1, size: output.bytes.len() as u64 };
    bucket::put(bucket, &output.key, output.bytes).await?;
    let committed = client.commit(token, row, &output.directory).await;
    if committed.as_ref().is_err_and(|problem| problem.status == 409) {
        // Another has the lease by now; what was written counts for nothing.
        bucket.delete(&output.key).await?;
    }
    committed.map(|()| true)
}

async fn delete_expired(bucket: &Bucket, client: &TenantClient) -> Result<(), Problem> {
    let keys = client.expired().await?;
    if keys.is_empty() {
        return Ok(());
    }
    bucket.delete_multiple(keys.iter().map(String::as_str).collect()).await?;
    client.forget(&keys).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(count: usize, minute: i64, expect: &[usize]) {
        let tenants: Vec<TenantId> = (0..count).map(|i| format!("t{i}").parse().unwrap()).collect();
        let found: Vec<usize> = turn(&tenants, minute).map(|t| t.as_str()[1..].parse().unwrap()).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn every_tenant_has_its_turn() {
        check(0, 7, &[]);
        check(1, 7, &[0]);
        check(3, 4, &[1, 2, 0]);
        check(3, -1, &[2, 0, 1]);
        check(12, 10, &[10, 11, 0, 1, 2, 3, 4, 5]);
    }
}
