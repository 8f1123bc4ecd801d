//! Leases for compaction jobs.
//!
//! One job a tenant at a time. A lease has a token, which is a number of the catalog's sequence; a
//! later lease has a higher one, and only the holder of the current one may commit. A job that dies
//! leaves at most an object that no row names: the next lease abandons it, so that it is deleted
//! like any other.
//!
//! A large job is done in partitions, one after the other, by whoever comes next, under one lease.
//! Their blocks have rows that are not live until the last is done; then all of them take the place
//! of the sources, in one change.
//!
//! A job that fails for a reason in its sources would fail for ever, and hold up all that come
//! after it. Its failures are counted with the rows of those to blame; after the third no job takes
//! them any more, while queries still read them.

use pilotlight_core::{
    UnixNanos,
    plans::{JobCandidate, pick_job},
    store::{Directory, Level, ObjectKey},
};
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::deletions::{DeletionRequest, drop_finished_deletions};
use crate::tenant::catalog::lease_table::{Blame, LeaseRow, LeaseState, end, held};
use crate::tenant::catalog::objects::{
    Facts, State, abandon, insert_live, insert_pending, make_live, replace, state_of, summarize,
};
use crate::tenant::catalog::sql::{Sql, Value, number};
use crate::tenant::catalog::table::{Catalog, Row, next, shape};

/// How long a job may take: five minutes. One takes seconds; a cron invocation is stopped after 15
/// minutes at the latest.
const LEASE_MILLIS: i64 = 5 * 60 * 1000;

/// A job, and the right to commit it. The directories of the sources follow as blobs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lease {
    pub(crate) token: i64,
    /// Makes the output's name unique.
    pub(crate) unique: u64,
    /// Level of the blocks to be made.
    pub(crate) level: Level,
    /// Which of the job's partitions is to be done.
    pub(crate) partition: u32,
    pub(crate) sources: Vec<Row>,
    /// What is left out.
    pub(crate) without: Vec<DeletionRequest>,
}

/// A lease and the directories that follow it.
type Leased = (Lease, Vec<Vec<u8>>);

/// A job that was done. The directory of the output follows as a blob.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CompletedJob {
    pub(crate) token: i64,
    pub(crate) output: Row,
    /// Tells how the job was divided.
    pub(crate) partitioning: u64,
}

/// A job that came to nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FailedJob {
    pub(crate) token: i64,
    pub(crate) message: String,
    pub(crate) blame: Blame,
}

impl<S: Sql> Catalog<S> {
    /// Leases the next job that is due, or the next partition of the one under way; `None` when
    /// there is none, or when another has the lease. `unique` makes the name of the output unique.
    pub(crate) fn lease(&self, unique: u64, now: i64) -> Result<Option<Leased>, Problem> {
        let (job, level, under_way, without) = match held(&self.sql)? {
            Some(held) if held.state == LeaseState::Paused => (
                held.sources,
                held.level,
                Some((held.token, held.partition)),
                Vec::new(),
            ),
            Some(held) if held.is_held(now) => return Ok(None),
            ended => {
                if let Some(held) = ended {
                    // Before the choice, so that it counts.
                    let message =
                        format!("the job with lease {} did not finish in time", held.token);
                    self.sql
                        .transaction(move |sql| end(sql, held, &Blame::Sources, &message, now))?;
                }
                match self.rewrite()? {
                    Some((job, without)) => (job.sources, job.level, None, without),
                    None => match pick_job(&self.live()?, UnixNanos::from_millis(now)) {
                        Some(job) => (job.sources, job.level, None, Vec::new()),
                        None => return Ok(None),
                    },
                }
            }
        };
        let (sources, directories) = self.rows(&job)?;

        // As the plan names its output.
        let source = job
            .first()
            .and_then(|key| key.parse::<ObjectKey>().ok())
            .ok_or_else(shape)?;
        let output = source.successor(level, unique).to_string();
        let names = serde_json::to_string(&job).map_err(Problem::internal)?;
        let (token, partition) = self.sql.transaction(move |sql| {
            if let Some(under_way) = under_way {
                let values = vec![output.into(), number(now + LEASE_MILLIS)];
                sql.exec("UPDATE lease SET state = 'working', output = ?, expires_millis = ?", values)?;
                return Ok(under_way);
            }
            let token = next(sql)?;
            let values = vec![number(token), number(now + LEASE_MILLIS), output.into(), names.into(), i64::from(level.number()).into()];
            sql.exec(
                "INSERT OR REPLACE INTO lease (one, token, expires_millis, state, output, sources, level)
                 VALUES (1, ?, ?, 'working', ?, ?, ?)",
                values,
            )?;
            Ok((token, 0))
        })?;
        Ok(Some((
            Lease {
                token,
                unique,
                level,
                partition,
                sources,
                without,
            },
            directories,
        )))
    }

    /// Takes in what was made of a leased job's sources. With the last partition its blocks take
    /// the place of the sources, or are noted to sum them up, in one change. Doing it twice is
    /// doing it once.
    pub(crate) fn commit(
        &self,
        done: CompletedJob,
        directory: &Directory,
        now: i64,
    ) -> Result<(), Problem> {
        let encoded = directory.encode().map_err(Problem::internal)?;
        let facts = Facts {
            job: done.token as u64,
            ..Facts::of(directory)
        };
        let stale = format!(
            "the lease {} for {} is not the current one",
            done.token, done.output.key
        );
        let committed = self.sql.transaction(move |sql| {
            let CompletedJob { token, output, partitioning } = done;
            if matches!(state_of(sql, &output.key)?, Some(State::Pending | State::Live)) {
                return Ok(true);
            }
            let partitioning = format!("{partitioning:016x}");
            let writes = LeaseState::Working {
                output: output.key.clone(),
            };
            let fits = |held: &LeaseRow| {
                held.token == token
                    && held.state == writes
                    && held.partition == facts.partition.number
                    && (held.partition == 0 || held.partitioning.as_ref() == Some(&partitioning))
            };
            let Some(held) = held(sql)?.filter(fits) else {
                // It is in the bucket, maybe after its name was deleted once.
                abandon(sql, &output.key, now)?;
                return Ok(false);
            };
            if facts.partition.number + 1 < facts.partition.count {
                insert_pending(sql, &output, &encoded, &facts, now)?;
                sql.exec(
                    "UPDATE lease SET state = 'paused', output = NULL, expires_millis = ?, next_partition = next_partition + 1, partitioning = ?",
                    vec![number(now + LEASE_MILLIS), partitioning.into()],
                )?;
                return Ok(true);
            }
            // One change for all, so that no reader sees both sources and outputs, or neither.
            let change = next(sql)?;
            make_live(sql, held.token, change)?;
            if facts.is_empty {
                // All of it was deleted.
                insert_pending(sql, &output, &encoded, &facts, now)?;
                abandon(sql, &output.key, now)?;
            } else {
                insert_live(sql, &output, &encoded, &facts, change, now)?;
            }
            let sources = serde_json::to_string(&held.sources).map_err(Problem::internal)?;
            if !held.level.has_profiles() {
                summarize(sql, &sources, held.token)?;
            } else {
                replace(sql, &sources, change, now)?;
            }
            sql.exec("DELETE FROM lease", Vec::new())?;
            drop_finished_deletions(sql)?;
            Ok(true)
        })?;
        if committed {
            Ok(())
        } else {
            Err(Problem::new(409, "aborted", stale))
        }
    }

    /// Ends a job that came to nothing, if it still has the lease.
    pub(crate) fn fail(&self, failed: FailedJob, now: i64) -> Result<(), Problem> {
        let FailedJob {
            token,
            message,
            blame,
        } = failed;
        self.sql.transaction(move |sql| match held(sql)? {
            Some(held) if held.token != token => Ok(()),
            Some(held) if blame == Blame::Passing && held.partition > 0 => {
                if let LeaseState::Working { output } = &held.state {
                    abandon(sql, output, now)?;
                }
                sql.exec(
                    "UPDATE lease SET state = 'paused', output = NULL",
                    Vec::new(),
                )
            }
            Some(held) => end(sql, held, &blame, &message, now),
            None => Ok(()),
        })
    }

    /// All live objects that no summary sums up.
    fn live(&self) -> Result<Vec<JobCandidate>, Problem> {
        let found = self.sql.query(
            "SELECT key, size, segments, day_bytes, failures FROM objects WHERE state = 'live' AND summary IS NULL",
            Vec::new(),
        )?;
        let summary = |values: Result<Vec<Value>, Problem>| match <[Value; 5]>::try_from(values?) {
            Ok(
                [
                    Value::String(key),
                    Value::Integer(size),
                    Value::Integer(segments),
                    Value::Integer(day_bytes),
                    Value::Integer(failures),
                ],
            ) => Ok(JobCandidate {
                key,
                size: size as u64,
                segments: segments as u64,
                day_bytes: day_bytes as u64,
                summarized: false,
                failures: failures as u32,
            }),
            _ => Err(shape()),
        };
        found.map(summary).collect()
    }
}

#[cfg(test)]
mod tests;
