//! The stateless side of a shard: its calls as plain async functions over any line.

use std::cell::Cell;

use futures_util::{StreamExt, TryStreamExt, stream};
use pilotlight_core::{
    TimeRange,
    plans::{CatalogObject, Deletion},
    store::{Directory, Level},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::meter::MonthUsage;
use crate::platform::CONNECTIONS;
use crate::platform::errors::Problem;
use crate::tenant::catalog::commands::AdminCommand;
use crate::tenant::catalog::deletions::parsed;
use crate::tenant::catalog::leases::{CompletedJob, FailedJob, Lease};
use crate::tenant::catalog::pages::{CatalogQuery, Detail, Page};
use crate::tenant::catalog::published::{OfDay, Publication, PublishedDay};
use crate::tenant::catalog::replacement::{NewCatalog, RebuildLease};
use crate::tenant::catalog::table::Row;
use crate::tenant::catalog::tombstones::DueWork;
use crate::tenant::rpc::packet;
use crate::tenant::rpc::reply::{Appended, TenantRpc, Transport};
use crate::tenant::rpc::shard::shard_of;
use crate::tenant::visit_log::VisitState;

/// Most bytes of directories that one query plans with: 24 MB, which decode to some 50 MB.
const CATALOG_BYTES: usize = 24 << 20;

/// Calls to one of a tenant's shards.
pub(crate) struct TenantClient<T> {
    line: T,
}

/// A leased compaction job.
pub(crate) struct Job {
    pub(crate) token: i64,
    pub(crate) unique: u64,
    pub(crate) level: Level,
    pub(crate) partition: u32,
    pub(crate) sources: Vec<CatalogObject>,
    /// What is left out.
    pub(crate) without: Vec<Deletion>,
}

/// Calls to all of a tenant's shards.
pub(crate) struct TenantShards<T>(Vec<TenantClient<T>>);

impl<T: Transport> TenantShards<T> {
    /// Over a line to each, in order of number.
    pub(crate) fn new(lines: impl IntoIterator<Item = T>) -> Self {
        Self(lines.into_iter().map(TenantClient::new).collect())
    }

    /// Returns once all chunks are in the bucket, with what became of each. A failure may leave some
    /// of them stored; whoever sends all of them again is told [`Appended::Repeated`] for those.
    pub(crate) async fn append_all(&self, chunks: &[Vec<u8>]) -> Result<Vec<Appended>, Problem> {
        let mut of_shard = vec![Vec::new(); self.0.len()];
        for (place, chunk) in chunks.iter().enumerate() {
            let shard = shard_of(chunk, self.0.len() as u16)?;
            of_shard[usize::from(shard)].push(place);
        }
        let calls = self.0.iter().zip(of_shard);
        let calls = calls.filter(|(_, places)| !places.is_empty());
        let calls = calls.map(|(client, places)| async move {
            let of_client: Vec<&[u8]> = places.iter().map(|&i| chunks[i].as_slice()).collect();
            let appended = client.append(&of_client).await?;
            Ok::<_, Problem>(places.into_iter().zip(appended))
        });
        // All are made, whatever becomes of the first: what is stored need not be sent again.
        let answers: Vec<_> = stream::iter(calls).buffered(CONNECTIONS).collect().await;
        let mut appended = vec![Appended::Repeated; chunks.len()];
        for answer in answers {
            answer?.for_each(|(place, outcome)| appended[place] = outcome);
        }
        Ok(appended)
    }

    /// Of one chunk.
    #[cfg(test)]
    pub(crate) async fn append(&self, chunk: &[u8]) -> Result<Appended, Problem> {
        Ok(self.append_all(&[chunk.to_vec()]).await?[0])
    }

    /// The objects that touch a range of time, from one state of each catalog.
    pub(crate) async fn catalog(
        &self,
        range: TimeRange,
        detail: Detail,
    ) -> Result<Vec<CatalogObject>, Problem> {
        let left = Cell::new(CATALOG_BYTES);
        let of_each = stream::iter(&self.0)
            .map(|client| client.catalog(range, detail, &left))
            .buffered(CONNECTIONS);
        let of_each: Vec<Vec<CatalogObject>> = of_each.try_collect().await?;
        Ok(of_each.into_iter().flatten().collect())
    }

    /// First and last millisecond that profiles touch; `None` when there is no profile.
    pub(crate) async fn profile_times(&self) -> Result<Option<(i64, i64)>, Problem> {
        let of_each = stream::iter(&self.0)
            .map(TenantClient::profile_times)
            .buffered(CONNECTIONS);
        let found: Vec<Option<(i64, i64)>> = of_each.try_collect().await?;
        let both = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
        Ok(found.into_iter().flatten().reduce(both))
    }
}

impl<T> TenantShards<T> {
    /// The objects one by one.
    pub(crate) fn each(&self) -> &[TenantClient<T>] {
        &self.0
    }
}

impl<T: Transport> TenantClient<T> {
    pub(crate) fn new(line: T) -> Self {
        Self { line }
    }

    async fn append(&self, chunks: &[&[u8]]) -> Result<Vec<Appended>, Problem> {
        let body = packet::encode(&(), chunks).map_err(Problem::internal)?;
        let answer = self.call(TenantRpc::Append, &body).await?;
        let appended: Vec<Appended> = serde_json::from_slice(&answer).map_err(Problem::internal)?;
        if appended.len() != chunks.len() {
            return Err(Problem::internal(format!(
                "got {} answers for {} chunks",
                appended.len(),
                chunks.len()
            )));
        }
        Ok(appended)
    }

    async fn catalog(
        &self,
        range: TimeRange,
        detail: Detail,
        left: &Cell<usize>,
    ) -> Result<Vec<CatalogObject>, Problem> {
        let (first_millis, last_millis) = (range.from.millis(), range.until.millis());
        let mut query = CatalogQuery {
            first_millis,
            last_millis,
            detail,
            after: None,
        };
        let mut objects = Vec::new();
        loop {
            let body = self.call_json(TenantRpc::Catalog, &query).await?;
            let Some(rest) = left.get().checked_sub(body.len()) else {
                return Err(Problem::invalid(
                    "the range touches too many objects for one query; choose a shorter range",
                ));
            };
            left.set(rest);
            let (page, directories): (Page, _) =
                packet::decode(&body).map_err(Problem::internal)?;
            objects.extend(catalog_objects(page.rows, directories)?);
            if page.after.is_none() {
                return Ok(objects);
            }
            query.after = page.after;
        }
    }

    async fn profile_times(&self) -> Result<Option<(i64, i64)>, Problem> {
        serde_json::from_slice(&self.call(TenantRpc::ProfileTimes, &[]).await?)
            .map_err(Problem::internal)
    }

    /// Leases a compaction job, if one is due, with the catalog's rows of its sources.
    pub(crate) async fn lease(&self) -> Result<Option<Job>, Problem> {
        let body = self.call(TenantRpc::Lease, &[]).await?;
        if body.is_empty() {
            return Ok(None);
        }
        let (lease, directories): (Lease, Vec<_>) =
            packet::decode(&body).map_err(Problem::internal)?;
        let Lease {
            token,
            unique,
            level,
            partition,
            sources,
            without,
        } = lease;
        let (sources, without) = (catalog_objects(sources, directories)?, parsed(&without)?);
        Ok(Some(Job {
            token,
            unique,
            level,
            partition,
            sources,
            without,
        }))
    }

    /// Tells of a partition that is done, and whose block is in the bucket. The last one's replace
    /// the job's sources.
    pub(crate) async fn commit(
        &self,
        done: &CompletedJob,
        directory: &Directory,
    ) -> Result<(), Problem> {
        let directory = directory.encode().map_err(Problem::internal)?;
        let body = packet::encode(done, &[directory]).map_err(Problem::internal)?;
        self.call(TenantRpc::Commit, &body).await.map(drop)
    }

    /// Ends a job that came to nothing.
    pub(crate) async fn fail(&self, failed: &FailedJob) -> Result<(), Problem> {
        self.call_json(TenantRpc::Fail, failed).await.map(drop)
    }

    /// What is to be done before any job.
    pub(crate) async fn begin_visit(&self) -> Result<DueWork, Problem> {
        serde_json::from_slice(&self.call(TenantRpc::BeginVisit, &[]).await?)
            .map_err(Problem::internal)
    }

    /// Notes that objects are deleted.
    pub(crate) async fn forget(&self, keys: &[String]) -> Result<(), Problem> {
        self.call_json(TenantRpc::Forget, &keys).await.map(drop)
    }

    /// Begins a publication, if there is something to publish.
    pub(crate) async fn begin_publication(&self) -> Result<Publication, Problem> {
        serde_json::from_slice(&self.call(TenantRpc::BeginPublication, &[]).await?)
            .map_err(Problem::internal)
    }

    /// Tells which days of the catalog are in the bucket.
    pub(crate) async fn days_found(&self, days: &[i64]) -> Result<(), Problem> {
        self.call_json(TenantRpc::DaysFound, &days).await.map(drop)
    }

    /// The rows of a day in the state that is being published, each with its directory.
    pub(crate) async fn of_day(
        &self,
        token: i64,
        day: i64,
    ) -> Result<Vec<(Row, Vec<u8>)>, Problem> {
        let (mut of, mut rows, mut left): (OfDay, _, _) =
            ((token, day, String::new()), Vec::new(), CATALOG_BYTES);
        loop {
            let body = self.call_json(TenantRpc::OfDay, &of).await?;
            left = left
                .checked_sub(body.len())
                .ok_or_else(|| Problem::internal(format!("day {day} has too many objects")))?;
            let (page, directories): (Page, Vec<Vec<u8>>) =
                packet::decode(&body).map_err(Problem::internal)?;
            rows.extend(page.rows.into_iter().zip(directories));
            match page.after {
                Some((after, _)) => of.2 = after,
                None => return Ok(rows),
            }
        }
    }

    /// Ends a publication whose days are in the bucket.
    pub(crate) async fn end_publication(
        &self,
        token: i64,
        days: &[PublishedDay],
    ) -> Result<(), Problem> {
        self.call_json(TenantRpc::EndPublication, &(token, days))
            .await
            .map(drop)
    }

    /// Does what an operator wants.
    pub(crate) async fn order<A: DeserializeOwned>(
        &self,
        order: &AdminCommand,
    ) -> Result<A, Problem> {
        serde_json::from_slice(&self.call_json(TenantRpc::AdminCommand, order).await?)
            .map_err(Problem::internal)
    }

    /// Leases the catalog for a rebuild.
    pub(crate) async fn begin_rebuild(&self) -> Result<RebuildLease, Problem> {
        serde_json::from_slice(&self.call(TenantRpc::BeginRebuild, &[]).await?)
            .map_err(Problem::internal)
    }

    /// Replaces the catalog.
    pub(crate) async fn replace_catalog(
        &self,
        replace: &NewCatalog,
        directories: &[Vec<u8>],
    ) -> Result<(), Problem> {
        let body = packet::encode(replace, directories).map_err(Problem::internal)?;
        self.call(TenantRpc::ReplaceCatalog, &body).await.map(drop)
    }

    /// Those names that the catalog does not have.
    pub(crate) async fn unknown(&self, keys: &[String]) -> Result<Vec<String>, Problem> {
        serde_json::from_slice(&self.call_json(TenantRpc::Unknown, &keys).await?)
            .map_err(Problem::internal)
    }

    /// Notes that a sweep is done.
    pub(crate) async fn end_sweep(&self) -> Result<(), Problem> {
        self.call(TenantRpc::EndSweep, &[]).await.map(drop)
    }

    /// What visits did and what is due.
    pub(crate) async fn visit_state(&self) -> Result<VisitState, Problem> {
        serde_json::from_slice(&self.call(TenantRpc::VisitState, &[]).await?)
            .map_err(Problem::internal)
    }

    /// Takes along what was used.
    pub(crate) async fn book(&self) -> Result<(), Problem> {
        self.call(TenantRpc::Book, &[]).await.map(drop)
    }

    /// What was used this month.
    pub(crate) async fn month(&self) -> Result<MonthUsage, Problem> {
        serde_json::from_slice(&self.call(TenantRpc::Month, &[]).await?).map_err(Problem::internal)
    }

    async fn call_json(&self, call: TenantRpc, body: &impl Serialize) -> Result<Vec<u8>, Problem> {
        self.call(call, &serde_json::to_vec(body).map_err(Problem::internal)?)
            .await
    }

    async fn call(&self, call: TenantRpc, body: &[u8]) -> Result<Vec<u8>, Problem> {
        self.line.call(call, body).await?.outcome()
    }
}

/// Rows with the directories that came with them.
pub(crate) fn catalog_objects(
    rows: Vec<Row>,
    directories: Vec<Vec<u8>>,
) -> Result<Vec<CatalogObject>, Problem> {
    if rows.len() != directories.len() {
        return Err(Problem::internal(format!(
            "the catalog returned {} objects but {} directories",
            rows.len(),
            directories.len()
        )));
    }
    let object = |(Row { key, level, size }, directory): (Row, Vec<u8>)| {
        let directory =
            Directory::decode(&directory).map_err(|e| Problem::internal(format!("{key}: {e}")))?;
        Ok(CatalogObject {
            key,
            level,
            size,
            directory,
        })
    };
    rows.into_iter().zip(directories).map(object).collect()
}
