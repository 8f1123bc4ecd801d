//! Rebuilds the catalog of one of a tenant's shards from what is in the bucket.

use futures_util::{StreamExt, stream};
use pilotlight_core::{
    plans::{Dropped, Get, Plan, RebuildPlan},
    store::ObjectKey,
};
use serde::Serialize;

use crate::bucket::{Bucket, Listed, get_part, list_all};
use crate::maintenance::publish::days_in_bucket;
use crate::platform::admission::{Admission, need};
use crate::platform::errors::Problem;
use crate::platform::{CONNECTIONS, Platform};
use crate::tenant::{
    Blame, FailedJob, NewCatalog, RebuildLease, Row, Shard, TenantClient, Transport,
};

/// What is reckoned for the directory of an object: 4 kB. That of a segment has hundreds of bytes,
/// that of a block thousands.
const END_BYTES: u64 = 4 << 10;

/// What the ends of objects take that are read at once: 8 MiB, twice 64 ends of 64 kB.
const READING_BYTES: u64 = 8 << 20;

/// What came of a rebuild.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Report {
    /// Objects in the catalog now.
    pub(crate) objects: usize,
    /// Objects whose contents are in others.
    pub(crate) replaced: usize,
    /// Segments whose chunks were all counted before.
    pub(crate) repeated: usize,
    /// Summaries of what has changed since.
    pub(crate) outdated: usize,
    /// What was left of the sources of summaries.
    pub(crate) expired: usize,
    /// Objects that could not be read, each with what is wrong.
    pub(crate) damaged: Vec<(String, String)>,
    /// Names of all that does not count.
    #[serde(skip)]
    pub(crate) dropped: Vec<String>,
}

/// Reads the bucket's objects of a shard and replaces its catalog. Doing it twice is doing it once.
pub(crate) async fn rebuild(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    admission: &Admission<impl Platform>,
) -> Result<Report, Problem> {
    let begun = client.begin_rebuild().await?;
    let token = begun.token;
    let rebuilt = work(bucket, client, shard, admission, begun).await;
    if let Err(problem) = &rebuilt {
        let failed = FailedJob {
            token,
            message: problem.message.clone(),
            blame: Blame::Nobody,
        };
        // If this is not heard either, the lease ends by itself.
        let _ = client.fail(&failed).await;
    }
    rebuilt
}

async fn work(
    bucket: &impl Bucket,
    client: &TenantClient<impl Transport>,
    shard: &Shard,
    admission: &Admission<impl Platform>,
    RebuildLease { token, removed }: RebuildLease,
) -> Result<Report, Problem> {
    let listed = list(bucket, shard).await?;
    let directories = need(listed.iter().map(|object| object.size.min(END_BYTES)));
    let permit = admission
        .enter(directories.saturating_add(READING_BYTES))
        .await?;
    let listed = listed.into_iter();
    let mut plan = RebuildPlan::new(listed.map(|listed| (listed.key, listed.size)), removed);
    loop {
        let wants = plan.wants();
        if wants.is_empty() {
            break;
        }
        admission.renew(&permit);
        let read = |get: Get| async move { (get_part(bucket, &get).await, get) };
        let mut reads = stream::iter(wants).map(read).buffer_unordered(CONNECTIONS);
        while let Some((object, get)) = reads.next().await {
            match object? {
                Some(object) => plan.provide(&get, &object.bytes)?,
                None => plan.gone(&get.key),
            }
        }
    }
    let rebuilt = plan.finish()?;
    let mut report = Report {
        objects: rebuilt.rows.len(),
        ..Report::default()
    };
    for (key, why) in rebuilt.dropped {
        *match why {
            Dropped::Replaced => &mut report.replaced,
            Dropped::Repeated => &mut report.repeated,
            Dropped::Outdated => &mut report.outdated,
            Dropped::Expired => &mut report.expired,
        } += 1;
        report.dropped.push(key);
    }
    report.damaged = rebuilt
        .damaged
        .into_iter()
        .map(|(key, error)| (key, error.to_string()))
        .collect();
    let (mut rows, mut directories) = (Vec::new(), Vec::new());
    for row in rebuilt.rows {
        let level = row
            .key
            .parse::<ObjectKey>()
            .map_err(Problem::internal)?
            .level;
        rows.push(Row {
            key: row.key,
            level,
            size: row.size,
        });
        directories.push(row.directory);
    }
    let damaged = report.damaged.iter().map(|(key, _)| key.clone()).collect();
    let dropped = report.dropped.clone();
    let days = days_in_bucket(bucket, shard).await?;
    let replace = NewCatalog {
        token,
        rows,
        dropped,
        damaged,
        days,
        last_token: rebuilt.last_token,
    };
    client.replace_catalog(&replace, &directories).await?;
    Ok(report)
}

/// All of a shard's objects with profiles, in order of name.
pub(crate) async fn list(bucket: &impl Bucket, shard: &Shard) -> Result<Vec<Listed>, Problem> {
    Ok(list_all(bucket, &format!("t/{}/s{}/l", shard.tenant, shard.number)).await?)
}
