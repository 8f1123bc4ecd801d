//! A catalog that is replaced by what was read out of the bucket.
//!
//! Who rebuilds has the lease meanwhile, so that no compaction changes what is being read. Pushes
//! go on: the rows that they add stay, unless what was listed knows better.

use pilotlight_core::{
    plans::CountedChunks,
    store::{Directory, Level, ObjectKey},
};
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::lease_table::{Blame, LeaseState, MAX_LEASE_MILLIS, end, held};
use crate::tenant::catalog::objects::{Facts, drop_one, drop_rebuilt, insert_live, summarize};
use crate::tenant::catalog::published::{add_days, change_all_days, days_are_judged};
use crate::tenant::catalog::sql::{Sql, Value, number};
use crate::tenant::catalog::table::{Catalog, Row, next, texts};

/// How long a rebuild may take: a quarter of an hour. It reads one or two ranges of each object,
/// some 50 a second: 40,000 objects.
const REBUILD_MILLIS: i64 = MAX_LEASE_MILLIS;

/// The right to replace the catalog.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RebuildLease {
    pub(crate) token: i64,
    /// Objects that are about to be deleted: they count for nothing, and may be gone at any time.
    pub(crate) removed: Vec<String>,
}

/// What the catalog is to hold. The directories of the rows follow as blobs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NewCatalog {
    pub(crate) token: i64,
    pub(crate) rows: Vec<Row>,
    /// What is in the bucket and does not count.
    pub(crate) dropped: Vec<String>,
    /// What could not be read: if there are rows of it, they stay.
    pub(crate) damaged: Vec<String>,
    /// The days of the catalog that are in the bucket.
    pub(crate) days: Vec<i64>,
    /// The highest token of a block in the bucket.
    pub(crate) last_token: u64,
}

impl<S: Sql> Catalog<S> {
    /// Leases the catalog for a rebuild.
    pub(crate) fn begin_rebuild(&self, now: i64) -> Result<RebuildLease, Problem> {
        let token = self.sql.transaction(move |sql| {
            if let Some(held) = held(sql)? {
                if held.is_held(now) {
                    return Err(Problem::unavailable("a compaction or a rebuild is under way; try again in a few minutes"));
                }
                let message = format!("the job with lease {} did not finish in time", held.token);
                // A job that only waits for its next partition had no trouble.
                let blame = match held.state {
                    LeaseState::Paused => Blame::Nobody,
                    _ => Blame::Sources,
                };
                end(sql, held, &blame, &message, now)?;
            }
            let token = next(sql)?;
            let values = vec![number(token), number(now + REBUILD_MILLIS)];
            sql.exec(
                "INSERT OR REPLACE INTO lease (one, token, expires_millis, state) VALUES (1, ?, ?, 'rebuilding')",
                values,
            )?;
            Ok(token)
        })?;
        let removed = names(&self.sql, "state IN ('pending', 'replaced')", Vec::new())?;
        Ok(RebuildLease { token, removed })
    }

    /// Replaces all rows but those that were added since the rebuild began, in one change.
    pub(crate) fn replace_catalog(
        &self,
        replace: NewCatalog,
        directories: Vec<Vec<u8>>,
        now: i64,
    ) -> Result<(), Problem> {
        if replace.rows.len() != directories.len() {
            return Err(Problem::invalid(format!(
                "got {} rows but {} directories",
                replace.rows.len(),
                directories.len()
            )));
        }
        let mut rows = Vec::with_capacity(directories.len());
        for (row, bytes) in replace.rows.iter().zip(directories) {
            let key: ObjectKey = row.key.parse().map_err(Problem::invalid)?;
            let directory = Directory::decode(&bytes).map_err(Problem::invalid)?;
            rows.push((row.clone(), key.millis, bytes, Facts::of(&directory)));
        }
        let judged: Vec<&String> = replace
            .rows
            .iter()
            .map(|row| &row.key)
            .chain(&replace.dropped)
            .collect();
        let judged = serde_json::to_string(&judged).map_err(Problem::internal)?;
        let damaged = serde_json::to_string(&replace.damaged).map_err(Problem::internal)?;
        let last_token = i64::try_from(replace.last_token).unwrap_or(i64::MAX);
        let later = self.later(&replace, &judged, &rows)?;
        self.sql.transaction(move |sql| {
            let token = replace.token;
            if held(sql)?.is_none_or(|held| held.token != token) {
                return Err(Problem::new(
                    409,
                    "aborted",
                    format!("the rebuild {token} has lost its lease"),
                ));
            }
            // What was replaced meanwhile stays so.
            let replaced = names(sql, "replaced_change > ?", vec![number(token)])?;
            drop_rebuilt(sql, token, &judged, &damaged)?;
            sql.exec(
                "UPDATE sequence SET last = max(last, ?)",
                vec![number(last_token)],
            )?;
            let (change, mut summaries) = (next(sql)?, Vec::new());
            for (row, arrival, bytes, facts) in rows
                .into_iter()
                .filter(|(row, ..)| !replaced.contains(&row.key))
            {
                // When its chunks arrived: an object that comes to life recalls those of late.
                insert_live(sql, &row, &bytes, &facts, change, arrival)?;
                if facts.is_summary {
                    summaries.push((facts.job, bytes));
                }
            }
            for (summary, bytes) in summaries {
                let directory = Directory::decode(&bytes).map_err(Problem::internal)?;
                let summarizes = directory.block().map_or(&[][..], |block| &block.summarizes);
                let sources = serde_json::to_string(summarizes).map_err(Problem::internal)?;
                summarize(sql, &sources, summary as i64)?;
            }
            for (row, changed) in later {
                drop_one(sql, &row.key)?;
                if let Some((bytes, facts)) = changed {
                    insert_live(sql, &row, &bytes, &facts, change, now)?;
                }
            }
            // Rows may be gone without a trace.
            add_days(sql, &replace.days)?;
            days_are_judged(sql)?;
            change_all_days(sql)?;
            sql.exec("DELETE FROM lease WHERE token = ?", vec![number(token)])
        })
    }

    /// Rows that were added since the rebuild began, of chunks that the rebuild counts elsewhere:
    /// what is left of each.
    fn later(
        &self,
        replace: &NewCatalog,
        judged: &str,
        rows: &[Judged],
    ) -> Result<Vec<Later>, Problem> {
        let added =
            "state = 'live' AND added_change > ? AND key NOT IN (SELECT value FROM json_each(?))";
        let keys = names(&self.sql, added, vec![number(replace.token), judged.into()])?;
        let (kept, directories) = self.rows(&keys)?;
        let mut counted = CountedChunks::default();
        if !kept.is_empty() {
            for (_, arrival, bytes, _) in
                rows.iter().filter(|(row, ..)| row.level == Level::Segment)
            {
                let directory = Directory::decode(bytes).map_err(Problem::internal)?;
                counted.count(directory.chunks().iter().map(|chunk| chunk.id), *arrival);
            }
        }
        let mut later = Vec::new();
        for (row, bytes) in kept.into_iter().zip(directories) {
            let arrival = row
                .key
                .parse::<ObjectKey>()
                .map_err(Problem::internal)?
                .millis;
            let mut directory = Directory::decode(&bytes).map_err(Problem::internal)?;
            let counts = counted.count(directory.chunks().iter().map(|chunk| chunk.id), arrival);
            if counts.contains(&false) {
                directory.keep_chunks(&counts);
                let bytes = directory.encode().map_err(Problem::internal)?;
                later.push((
                    row,
                    counts
                        .contains(&true)
                        .then(|| (bytes, Facts::of(&directory))),
                ));
            }
        }
        Ok(later)
    }
}

/// A row, when its chunks arrived, its directory and what that says.
type Judged = (Row, i64, Vec<u8>, Facts);

/// A row and its new directory; `None` when nothing is left.
type Later = (Row, Option<(Vec<u8>, Facts)>);

fn names(sql: &impl Sql, which: &str, values: Vec<Value>) -> Result<Vec<String>, Problem> {
    texts(sql.query(
        &format!("SELECT key FROM objects WHERE {which} ORDER BY key"),
        values,
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::catalog::tests::{add, catalog, directory, keys};

    const NOW: i64 = 2 * 3_600_000;

    fn replace(token: i64, keys: &[&String]) -> NewCatalog {
        let rows = keys
            .iter()
            .map(|key| Row {
                key: (*key).clone(),
                level: Level::Segment,
                size: 100,
            })
            .collect();
        NewCatalog {
            token,
            rows,
            dropped: Vec::new(),
            damaged: Vec::new(),
            days: Vec::new(),
            last_token: 1_000,
        }
    }

    #[test]
    fn one_at_a_time() {
        let catalog = catalog();
        let added = [add(&catalog, 10), add(&catalog, 20)];
        let token = catalog.begin_rebuild(NOW).unwrap().token;
        assert!(catalog.lease(1, NOW).unwrap().is_none());
        assert_eq!(catalog.begin_rebuild(NOW).unwrap_err().status, 503);
        let later = NOW + REBUILD_MILLIS;
        assert!(catalog.lease(1, later).unwrap().is_some());
        assert_eq!(
            catalog
                .replace_catalog(replace(token, &[]), Vec::new(), later)
                .unwrap_err()
                .status,
            409
        );
        assert_eq!(keys(&catalog, 0, 99, 0), added);
        assert_eq!(
            catalog.expired(i64::MAX).unwrap(),
            [""; 0],
            "a rebuild has no output"
        );
    }

    #[test]
    fn rows_added_meanwhile_stay_and_count_once() {
        let catalog = catalog();
        let [kept, _lost] = [10, 20].map(|millis| add(&catalog, millis));
        let token = catalog.begin_rebuild(NOW).unwrap().token;
        // The ids of these are 10, which the first has, and 30.
        let [_again, new] = [266, 30].map(|millis| add(&catalog, millis));
        let directories = vec![directory(10).encode().unwrap()];
        catalog
            .replace_catalog(replace(token, &[&kept]), directories, NOW)
            .unwrap();
        assert_eq!(keys(&catalog, 0, 999, 0), [kept, new]);
        let (lease, _) = catalog.lease(1, NOW).unwrap().unwrap();
        assert!(lease.token > 1_000, "{}", lease.token);
    }

    #[test]
    fn what_is_about_to_be_deleted_is_named() {
        let catalog = catalog();
        (10..74).for_each(|millis| drop(add(&catalog, millis)));
        let (lease, _) = catalog.lease(1, 100).unwrap().unwrap();
        let failed = crate::tenant::FailedJob {
            token: lease.token,
            message: String::new(),
            blame: Blame::Nobody,
        };
        catalog.fail(failed, 100).unwrap();
        let removed = catalog.begin_rebuild(100).unwrap().removed;
        assert_eq!(removed, ["t/a/s0/l1/0000000000010-0000000000000001.blk"]);
    }
}
