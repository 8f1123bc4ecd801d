//! Does one compaction job, or one of its partitions.

use futures_util::FutureExt;
use pilotlight_core::plans::{CompactPlan, CompactTask};

use crate::bucket::drive::drive;
use crate::bucket::{Bucket, Condition};
use crate::maintenance::duty::{Done, Duty};
use crate::maintenance::shard_visit::{FULL, ShardVisit};
use crate::meter::{Item, cpu};
use crate::platform::Platform;
use crate::platform::errors::Problem;
use crate::tenant::{Blame, CompletedJob, FailedJob, Job, Row, Transport};

pub(super) fn duty<'a, B: Bucket, T: Transport, P: Platform>() -> Duty<ShardVisit<'a, B, T, P>> {
    Duty {
        name: "compact",
        // The shard says whether there is a job when it is asked for one.
        is_due: |_| true,
        needs: FULL,
        run: |visit| compact(visit).boxed_local(),
    }
}

/// The items are jobs: none or one.
async fn compact(
    visit: &ShardVisit<'_, impl Bucket, impl Transport, impl Platform>,
) -> Result<Done, Problem> {
    let Some(job) = visit.client.lease().await? else {
        return Ok(Done {
            requests: 1,
            ..Done::default()
        });
    };
    let token = job.token;
    let problem = match work(visit, job).await {
        Ok(()) => {
            return Ok(Done {
                requests: FULL.requests,
                items: 1,
                is_more_due: true,
            });
        }
        Err(problem) => problem,
    };
    let failed = FailedJob {
        token,
        message: problem.message.clone(),
        blame: blame(&problem),
    };
    // If the shard does not hear of it, the lease ends by itself.
    let _ = visit.client.fail(&failed).await;
    Err(problem)
}

/// Reads the sources, makes the block, writes it and commits it.
async fn work(
    visit: &ShardVisit<'_, impl Bucket, impl Transport, impl Platform>,
    job: Job,
) -> Result<(), Problem> {
    let Job {
        token,
        unique,
        level,
        partition,
        sources,
        without,
    } = job;
    let task = CompactTask {
        level,
        token: token as u64,
        unique,
        partition,
        partition_bytes: visit.partition_bytes,
    };
    let plan = CompactPlan::without(sources, task, without)?;
    // What it reads at first is as much as it ever holds at once.
    let permit = visit.admission.plan(&plan).await?;
    let plan = drive(plan, visit.bucket).await?;
    visit
        .meter
        .add(Item::WorkerCpuMicros, cpu::compaction_micros(plan.bytes()));
    let (partitioning, output) = (plan.partitioning(), plan.finish()?);
    // What is left is the block on its way into the bucket.
    drop(permit);
    let row = Row {
        key: output.key.clone(),
        level: output.level,
        size: output.bytes.len() as u64,
    };
    let done = CompletedJob {
        token,
        output: row,
        partitioning,
    };
    visit
        .bucket
        .put(&output.key, output.bytes, Condition::None)
        .await?;
    // If another has the lease by now, the shard refuses the block and notes it to be deleted.
    visit.client.commit(&done, &output.directory).await
}

/// Only what is wrong with the sources is their fault; else a bucket that is away for three minutes
/// would put all aside.
fn blame(problem: &Problem) -> Blame {
    match (&problem.object, problem.status) {
        (Some(key), _) => Blame::Object(key.clone()),
        (None, 409) => Blame::Nobody,
        (None, 429 | 502 | 503) => Blame::Passing,
        (None, _) => Blame::Sources,
    }
}
