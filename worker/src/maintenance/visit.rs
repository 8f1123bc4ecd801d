//! A visit to one of a tenant's shards: what was replaced long enough ago is deleted, the catalog
//! is published if it is time to, and one compaction job is done, or now and then a sweep.

use pilotlight_core::plans::{CompactPlan, CompactTask};

use crate::bucket::drive::drive;
use crate::bucket::{Bucket, Condition};
use crate::maintenance::publish::publish;
use crate::maintenance::sweep::sweep;
use crate::meter::{Item, Meter, cpu};
use crate::platform::Platform;
use crate::platform::admission::Admission;
use crate::platform::errors::Problem;
use crate::tenant::{Blame, CompletedJob, FailedJob, Job, Row, Shard, TenantClient, Transport};

/// Days that a visit publishes beside a job: 8, at three requests each. Usually there are one or
/// two.
const FEW_DAYS: usize = 8;

/// Does what is due, and tells whether a job or a sweep was: then another may be. `now` in milliseconds;
/// `partition_bytes` is how much a job over blocks may hold at once,
/// [`pilotlight_core::plans::MAX_PARTITION_BYTES`] but in tests.
pub(crate) async fn visit(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    now: i64,
    partition_bytes: u64,
    admission: &Admission<impl Platform>,
    meter: &Meter,
) -> Result<bool, Problem> {
    // Trouble with one must not keep the other from being done.
    let due = client.begin_visit().await?;
    let deleted = delete(bucket, client, &due.keys).await;
    // Before a sweep, so that no day names what that deletes.
    let published = if due.publish {
        publish(bucket, client, shard, now).await
    } else {
        Ok(0)
    };
    // Each takes its fill of requests: a job is for the next visit.
    let worked = match published {
        Ok(days) if days > FEW_DAYS => Ok(true),
        _ if due.sweep => sweep(bucket, client, shard, now, admission)
            .await
            .map(|()| true),
        _ => compact(bucket, client, partition_bytes, admission, meter).await,
    };
    deleted.and(published).and(worked)
}

/// Deletes what nobody needs any more.
async fn delete(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    keys: &[String],
) -> Result<(), Problem> {
    if keys.is_empty() {
        return Ok(());
    }
    bucket.delete(keys).await?;
    client.forget(keys).await
}

/// Does a job or one of its partitions; says whether one was due, or why it came to nothing.
async fn compact(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    partition_bytes: u64,
    admission: &Admission<impl Platform>,
    meter: &Meter,
) -> Result<bool, Problem> {
    let Some(job) = client.lease().await? else {
        return Ok(false);
    };
    let token = job.token;
    let problem = match work(bucket, client, job, partition_bytes, admission, meter).await {
        Ok(()) => return Ok(true),
        Err(problem) => problem,
    };
    let failed = FailedJob {
        token,
        message: problem.message.clone(),
        blame: blame(&problem),
    };
    // If this is not heard either, the lease ends by itself.
    let _ = client.fail(&failed).await;
    Err(problem)
}

/// Reads the sources, makes the block, writes it and commits it.
async fn work(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    job: Job,
    partition_bytes: u64,
    admission: &Admission<impl Platform>,
    meter: &Meter,
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
        partition_bytes,
    };
    let plan = CompactPlan::without(sources, task, without)?;
    // What it reads at first is as much as it ever holds at once.
    let permit = admission.plan(&plan).await?;
    let plan = drive(plan, bucket).await?;
    meter.add(Item::WorkerCpuMicros, cpu::compaction_micros(plan.bytes()));
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
    bucket
        .put(&output.key, output.bytes, Condition::None)
        .await?;
    // If another has the lease by now, what was written counts for nothing, and is noted to be
    // deleted.
    client.commit(&done, &output.directory).await
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
