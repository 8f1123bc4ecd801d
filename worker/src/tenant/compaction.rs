//! Leases for compaction jobs.
//!
//! One job a tenant at a time. A lease has a token, which is a number of the catalog's sequence; a later lease has a
//! higher one, and only the holder of the current one may commit. A job that dies leaves at most an object that no row
//! names: the next lease gives that a row which is removed already, so that it is deleted like any other.
//!
//! A job that fails for a reason in its sources would fail for ever, and hold up all that come after it. Its failures are
//! counted with the rows of those to blame; after the third no job takes them any more, while queries still read them.

use pilotlight_core::{
    UnixNanos,
    plans::{MAX_FAILURES, ObjectSummary, pick_job},
    store::{Directory, ObjectKey},
};
use serde::{Deserialize, Serialize};

use super::catalog::{Catalog, Facts, Row, add, next, shape};
use super::deletions::{Wanted, done_with};
use super::sql::{Sql, Value, number};
use crate::errors::Problem;

/// How long a job may take: five minutes. One takes seconds; a cron invocation is stopped after 15 minutes at the latest.
const LEASE_MILLIS: i64 = 5 * 60 * 1000;

/// A job, and the right to commit it. The directories of the sources follow as blobs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lease {
    pub(crate) token: i64,
    /// Makes the output's name unique.
    pub(crate) unique: u64,
    /// Level of the block to be made.
    pub(crate) level: u8,
    pub(crate) sources: Vec<Row>,
    /// What is left out.
    pub(crate) without: Vec<Wanted>,
}

/// A lease and the directories that follow it.
type Leased = (Lease, Vec<Vec<u8>>);

/// A job that was done. The directory of the output follows as a blob.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) token: i64,
    pub(crate) output: Row,
}

/// A job that came to nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Failed {
    pub(crate) token: i64,
    pub(crate) message: String,
    pub(crate) blame: Blame,
}

/// Who is to blame for a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Blame {
    /// None of the sources: the bucket did not answer, or another has the lease.
    Nobody,
    /// One of them, by name.
    Object(String),
    /// Any of them.
    Sources,
}

/// The lease in the table.
pub(super) struct Held {
    pub(super) token: i64,
    pub(super) expires: i64,
    pub(super) output: String,
    sources: Vec<String>,
}

impl<S: Sql> Catalog<S> {
    /// Leases the next job that is due; `None` when there is none, or when another has the lease. `unique` makes the name
    /// of the output unique.
    pub(crate) fn lease(&self, unique: u64, now: i64) -> Result<Option<Leased>, Problem> {
        if let Some(held) = held(&self.sql)? {
            if held.expires > now {
                return Ok(None);
            }
            // Before the choice, so that it counts.
            let message = format!("the job with lease {} never ended", held.token);
            self.sql.transaction(move |sql| end(sql, held, &Blame::Sources, &message, now))?;
        }
        let (job, without) = match self.rewrite()? {
            Some((job, without)) => (Some(job), without),
            None => (pick_job(&self.live()?, UnixNanos::from_millis(now)), Vec::new()),
        };
        let Some(job) = job else { return Ok(None) };
        let (sources, directories) = self.rows(&job.sources)?;

        // As the plan names its output: after the first of its sources.
        let first = job.sources.first().and_then(|key| key.parse::<ObjectKey>().ok()).ok_or_else(shape)?;
        let output = ObjectKey { level: job.level, unique, ..first }.to_string();
        let names = serde_json::to_string(&job.sources).map_err(Problem::internal)?;
        let token = self.sql.transaction(move |sql| {
            let token = next(sql)?;
            let values = vec![number(token), number(now + LEASE_MILLIS), output.into(), names.into()];
            sql.exec("INSERT OR REPLACE INTO lease VALUES (1, ?, ?, ?, ?)", values)?;
            Ok(token)
        })?;
        Ok(Some((Lease { token, unique, level: job.level, sources, without }, directories)))
    }

    /// Replaces the sources of a leased job by its output, or notes that it sums them up, in one change. Doing it twice is
    /// doing it once.
    pub(crate) fn commit(&self, done: Done, directory: &Directory, now: i64) -> Result<(), Problem> {
        let encoded = directory.encode().map_err(Problem::internal)?;
        let facts = Facts::of(directory);
        let stale = format!("the lease {} of {} is not the current one", done.token, done.output.key);
        let committed = self.sql.transaction(move |sql| {
            let Done { token, output } = done;
            if is_live(sql, &output.key)? {
                return Ok(true);
            }
            let Some(held) = held(sql)?.filter(|held| held.token == token && held.output == output.key) else {
                // It is in the bucket, maybe after its name was deleted once.
                bury(sql, &output.key, now)?;
                return Ok(false);
            };
            add(sql, &output, &encoded, &facts, now)?;
            if facts.sums_up {
                sql.exec(
                    "UPDATE objects SET summary = ?
                     WHERE removed IS NULL AND key IN (SELECT value FROM json_each((SELECT sources FROM lease)))",
                    vec![output.key.as_str().into()],
                )?;
            } else {
                // With the number that the output was added with, so that no reader sees both or neither.
                sql.exec(
                    "UPDATE objects SET removed = (SELECT last FROM sequence), removed_millis = ?
                     WHERE removed IS NULL AND key IN (SELECT value FROM json_each((SELECT sources FROM lease)))",
                    vec![number(now)],
                )?;
            }
            if facts.is_empty {
                // All of it was deleted.
                sql.exec(
                    "UPDATE objects SET removed = added, removed_millis = ? WHERE key = ?",
                    vec![number(now), output.key.into()],
                )?;
            }
            sql.exec("DELETE FROM lease WHERE token = ?", vec![number(held.token)])?;
            done_with(sql)?;
            Ok(true)
        })?;
        if committed { Ok(()) } else { Err(Problem::new(409, "aborted", stale)) }
    }

    /// Ends a job that came to nothing, if it still has the lease.
    pub(crate) fn fail(&self, failed: Failed, now: i64) -> Result<(), Problem> {
        let Failed { token, message, blame } = failed;
        self.sql.transaction(move |sql| match held(sql)? {
            Some(held) if held.token == token => end(sql, held, &blame, &message, now),
            _ => Ok(()),
        })
    }

    /// All live objects that a job may take.
    fn live(&self) -> Result<Vec<ObjectSummary>, Problem> {
        let found = self.sql.query(
            "SELECT key, size, day_bytes FROM objects WHERE removed IS NULL AND summary IS NULL AND failures < ?",
            vec![i64::from(MAX_FAILURES).into()],
        )?;
        let summary = |values: Result<Vec<Value>, Problem>| match <[Value; 3]>::try_from(values?) {
            Ok([Value::String(key), Value::Integer(size), Value::Integer(day_bytes)]) => {
                Ok(ObjectSummary { key, size: size as u64, day_bytes: day_bytes as u64, summed: false, failures: 0 })
            }
            _ => Err(shape()),
        };
        found.map(summary).collect()
    }
}

pub(super) fn held(sql: &impl Sql) -> Result<Option<Held>, Problem> {
    let mut found = sql.query("SELECT token, expires_millis, output, sources FROM lease", Vec::new())?;
    match found.next().transpose()?.map(<[Value; 4]>::try_from) {
        None => Ok(None),
        Some(Ok([Value::Integer(token), Value::Integer(expires), Value::String(output), Value::String(sources)])) => {
            let sources = serde_json::from_str(&sources).map_err(Problem::internal)?;
            Ok(Some(Held { token, expires, output, sources }))
        }
        Some(_) => Err(shape()),
    }
}

/// Takes a lease away from a job that came to nothing; inside a transaction.
pub(super) fn end(sql: &impl Sql, held: Held, blame: &Blame, message: &str, now: i64) -> Result<(), Problem> {
    bury(sql, &held.output, now)?;
    let blamed = match blame {
        Blame::Nobody => Vec::new(),
        Blame::Object(key) if held.sources.contains(key) => vec![key.clone()],
        Blame::Object(_) | Blame::Sources => held.sources,
    };
    let blamed = serde_json::to_string(&blamed).map_err(Problem::internal)?;
    sql.exec(
        "UPDATE objects SET failures = failures + 1, error = ? WHERE key IN (SELECT value FROM json_each(?))",
        vec![message.into(), blamed.into()],
    )?;
    sql.exec("DELETE FROM lease WHERE token = ?", vec![number(held.token)])
}

fn is_live(sql: &impl Sql, key: &str) -> Result<bool, Problem> {
    let mut found = sql.query("SELECT 1 FROM objects WHERE key = ? AND removed IS NULL", vec![key.into()])?;
    Ok(found.next().transpose()?.is_some())
}

/// Gives an object that may be in the bucket, and counts for nothing, a row that is removed.
pub(super) fn bury(sql: &impl Sql, key: &str, now: i64) -> Result<(), Problem> {
    // A rebuild has a lease too, and no output.
    if key.is_empty() {
        return Ok(());
    }
    let number_of_change = next(sql)?;
    sql.exec(
        "INSERT INTO objects (key, level, size, day_bytes, min_millis, max_millis, added, added_millis, removed, removed_millis)
         VALUES (?1, 1, 0, 0, 0, 0, ?2, ?3, ?2, ?3)
         ON CONFLICT (key) DO UPDATE SET deleted = 0, removed_millis = ?3 WHERE removed IS NOT NULL",
        vec![key.into(), number(number_of_change), number(now)],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::catalog::Ask;
    use crate::tenant::catalog::tests::{add, catalog, directory, keys, since};
    use crate::tenant::sql::memory::MemorySql;
    use crate::tenant::window::WINDOW_MILLIS;

    const HOUR: i64 = 3_600_000;

    /// A catalog with two segments of the first hour, and a time at which they are due.
    fn due() -> (Catalog<MemorySql>, [String; 2], i64) {
        let catalog = catalog();
        let sources = [add(&catalog, 10), add(&catalog, 20)];
        (catalog, sources, 2 * HOUR)
    }

    fn lease(catalog: &Catalog<MemorySql>, unique: u64, now: i64) -> Option<Lease> {
        catalog.lease(unique, now).unwrap().map(|(lease, directories)| {
            assert_eq!(directories.len(), lease.sources.len());
            lease
        })
    }

    fn output(unique: u64) -> Row {
        Row { key: format!("t/a/s0/l1/0000000000010-{unique:016x}.blk"), level: 1, size: 50 }
    }

    fn commit(catalog: &Catalog<MemorySql>, token: i64, unique: u64, now: i64) -> Result<(), u16> {
        catalog.commit(Done { token, output: output(unique) }, &directory(10), now).map_err(|problem| problem.status)
    }

    #[test]
    fn a_job_from_lease_to_deletion() {
        let (catalog, sources, now) = due();
        let leased = lease(&catalog, 1, now).unwrap();
        assert_eq!(leased.sources.iter().map(|row| &row.key).collect::<Vec<_>>(), [&sources[0], &sources[1]]);
        assert_eq!(keys(&catalog, 0, 99, 0), sources, "until the commit nothing changes");
        commit(&catalog, leased.token, 1, now + 1).unwrap();
        assert_eq!(keys(&catalog, 0, 99, 0), [output(1).key]);

        assert_eq!(catalog.expired(now).unwrap(), [""; 0], "running queries may still read them");
        assert_eq!(catalog.expired(now + 1).unwrap(), sources);
        assert_eq!(since(&catalog, 0).len(), 3, "what they held is known as long");
        let all = [sources.as_slice(), &[output(1).key]].concat();
        catalog.forget(&all).unwrap();
        assert_eq!(catalog.expired(i64::MAX).unwrap(), [""; 0]);
        assert_eq!(keys(&catalog, 0, 99, 0), [output(1).key], "only what was removed is forgotten");
        assert!(lease(&catalog, 2, now + 2).is_none(), "nothing is due any more");
    }

    #[test]
    fn the_row_of_a_deleted_object_outlives_the_retry_window() {
        let catalog = catalog();
        let sources: Vec<String> = (10..74).map(|millis| add(&catalog, millis)).collect();
        let token = lease(&catalog, 1, 100).unwrap().token;
        commit(&catalog, token, 1, 101).unwrap();
        catalog.forget(&sources).unwrap();
        catalog.purge(WINDOW_MILLIS + 10).unwrap();
        assert_eq!(since(&catalog, 0).len(), 65);
        catalog.purge(WINDOW_MILLIS + 74).unwrap();
        assert_eq!(since(&catalog, 0).len(), 1);
        assert_eq!(keys(&catalog, i64::MIN, i64::MAX, 0), [output(1).key]);
    }

    fn fail(catalog: &Catalog<MemorySql>, token: i64, blame: Blame, now: i64) {
        catalog.fail(Failed { token, message: "it broke".to_owned(), blame }, now).unwrap();
    }

    fn failures(catalog: &Catalog<MemorySql>) -> Vec<(i64, Option<String>)> {
        let rows = catalog.sql.query("SELECT failures, error FROM objects WHERE level = 0 ORDER BY key", Vec::new());
        let row = |values: Result<Vec<Value>, Problem>| match <[Value; 2]>::try_from(values.unwrap()).unwrap() {
            [Value::Integer(failures), Value::String(error)] => (failures, Some(error)),
            [Value::Integer(failures), _] => (failures, None),
            other => panic!("{other:?}"),
        };
        rows.unwrap().map(row).collect()
    }

    #[test]
    fn an_object_that_breaks_three_jobs_is_put_aside() {
        let (catalog, sources, now) = due();
        for unique in 1..=3 {
            let leased = lease(&catalog, unique, now).unwrap();
            assert_eq!(leased.sources.len(), 2);
            fail(&catalog, leased.token, Blame::Object(sources[0].clone()), now);
        }
        assert_eq!(failures(&catalog), [(3, Some("it broke".to_owned())), (0, None)]);
        let leased = lease(&catalog, 4, now).unwrap();
        assert_eq!(leased.sources.iter().map(|row| &row.key).collect::<Vec<_>>(), [&sources[1]]);
        let output = Row { key: format!("t/a/s0/l1/0000000000020-{:016x}.blk", 4), ..output(4) };
        catalog.commit(Done { token: leased.token, output: output.clone() }, &directory(20), now).unwrap();
        assert_eq!(keys(&catalog, 0, 99, 0), [sources[0].clone(), output.key], "queries still read it");
        assert_eq!(catalog.expired(now).unwrap().len(), 4, "three outputs and a source");
    }

    #[test]
    fn a_bucket_that_is_away_is_not_the_sources_fault() {
        let (catalog, _, now) = due();
        for unique in 1..=4 {
            let token = lease(&catalog, unique, now).unwrap().token;
            fail(&catalog, token, Blame::Nobody, now);
        }
        assert_eq!(failures(&catalog), [(0, None), (0, None)]);
    }

    #[test]
    fn jobs_that_never_end_are_failures() {
        let (catalog, _, now) = due();
        let tries = (0..).take_while(|&i| lease(&catalog, 1 + i as u64, now + i * LEASE_MILLIS).is_some()).count();
        assert_eq!(tries, 3);
        assert_eq!(failures(&catalog)[1].0, 3);
    }

    #[test]
    fn who_has_lost_the_lease_cannot_fail_it() {
        let (catalog, _, now) = due();
        let first = lease(&catalog, 1, now).unwrap().token;
        let second = lease(&catalog, 2, now + LEASE_MILLIS).unwrap().token;
        fail(&catalog, first, Blame::Sources, now);
        assert_eq!(commit(&catalog, second, 2, now), Ok(()));
    }

    #[test]
    fn a_reader_sees_the_sources_or_the_output() {
        let (catalog, sources, now) = due();
        let token = lease(&catalog, 1, now).unwrap().token;
        let ask = Ask { first_millis: 0, last_millis: 99, ..Ask::default() };
        let (first, _) = catalog.page(&ask, 0).unwrap();
        commit(&catalog, token, 1, now).unwrap();
        let (rest, _) = catalog.page(&Ask { after: first.after, ..ask }, 0).unwrap();
        assert_eq!([&first.rows[0].key, &rest.rows[0].key], [&sources[0], &sources[1]]);
        assert_eq!((rest.rows.len(), rest.after), (1, None));
    }

    #[test]
    fn one_holder_at_a_time() {
        let (catalog, _, now) = due();
        let first = lease(&catalog, 1, now).unwrap();
        assert!(lease(&catalog, 2, now + LEASE_MILLIS - 1).is_none());
        let second = lease(&catalog, 2, now + LEASE_MILLIS).unwrap();
        assert!(second.token > first.token);
        assert_eq!(commit(&catalog, first.token, 1, now), Err(409), "the first is stale");
        assert_eq!(commit(&catalog, second.token, 1, now), Err(409), "its output is not the second's");
        assert_eq!(commit(&catalog, second.token, 2, now), Ok(()));
        assert_eq!(commit(&catalog, second.token, 2, now), Ok(()), "twice is once");
        assert_eq!(commit(&catalog, first.token, 1, now), Err(409), "still stale");
        assert_eq!(keys(&catalog, 0, 99, 0), [output(2).key]);
    }

    #[test]
    fn a_holder_that_is_late_but_alone_may_commit() {
        let (catalog, _, now) = due();
        let token = lease(&catalog, 1, now).unwrap().token;
        assert_eq!(commit(&catalog, token, 1, now + 10 * LEASE_MILLIS), Ok(()));
    }

    #[test]
    fn the_output_of_a_dead_holder_is_deleted() {
        let (catalog, _, now) = due();
        lease(&catalog, 1, now).unwrap();
        lease(&catalog, 2, now + LEASE_MILLIS).unwrap();
        assert_eq!(catalog.expired(now + LEASE_MILLIS).unwrap(), [output(1).key]);
    }
}
