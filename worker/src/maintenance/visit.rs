//! A visit to one of a tenant's shards: the duties that are due and fit, in order.

use crate::bucket::Bucket;
use crate::maintenance::duty::{Duty, VisitReport, run_duties};
use crate::maintenance::shard_visit::{ShardVisit, VISIT};
use crate::maintenance::{compact, delete_replaced, publish, sweep};
use crate::meter::{DutyCounts, Meter};
use crate::platform::Platform;
use crate::platform::admission::Admission;
use crate::platform::errors::Problem;
use crate::tenant::{Shard, TenantClient, Transport};

/// What a visit does, in order. Publishing is before sweeping, so that no day names what a sweep
/// deletes. Compaction is last: it may use all requests whenever a job is due.
fn duties<'a, B: Bucket, T: Transport, P: Platform>() -> Vec<Duty<ShardVisit<'a, B, T, P>>> {
    vec![
        delete_replaced::duty(),
        publish::duty(),
        sweep::duty(),
        compact::duty(),
    ]
}

/// Does what is due and counts what became of it. `partition_bytes` is how much a job over blocks may
/// hold at once, [`pilotlight_core::plans::MAX_PARTITION_BYTES`] but in tests. Of several problems the
/// first is returned and the others are noted.
pub(crate) async fn visit(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    partition_bytes: u64,
    admission: &Admission<impl Platform>,
    meter: &Meter,
    counts: &DutyCounts,
) -> Result<VisitReport, Problem> {
    let platform = &admission.platform;
    let now = platform.now_millis();
    let visit = ShardVisit {
        bucket,
        client,
        shard,
        now,
        partition_bytes,
        admission,
        meter,
        due: client.begin_visit().await?,
    };
    let elapsed = || platform.now_millis() - now;
    let (report, problems) = run_duties(&duties(), &visit, VISIT, elapsed, counts).await;
    let mut problems = problems.into_iter().map(|(duty, problem)| Problem {
        message: format!("{duty}: {}", problem.message),
        ..problem
    });
    let Some(first) = problems.next() else {
        return Ok(report);
    };
    for problem in problems {
        platform.note(&format!("visit of {shard}: {}", problem.message));
    }
    Err(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maintenance::shard_visit::FULL;

    #[test]
    fn what_fits_beside_a_job() {
        let used = delete_replaced::NEEDS.requests + publish::NEEDS.requests;
        assert_eq!(VISIT.requests - used, FULL.requests);
        let millis = delete_replaced::NEEDS.millis + publish::NEEDS.millis;
        assert!(millis + FULL.millis <= VISIT.millis);
    }
}
