//! Retention: what was measured longer ago than a tenant keeps it is removed.
//!
//! | what | is kept |
//! |---|---|
//! | profiles that a block of level 3 sums up | `raw_days`; then the block stands alone |
//! | profiles that none sums up yet, or never will | until they are summarized, at most `sums_days` |
//! | blocks of level 3 | `sums_days` |
//!
//! A pin keeps the profiles and sums of its days for as long as it stands.
//!
//! An object goes as a whole, when the hour or day of its arrival and its latest profile both lie
//! that far back.

use pilotlight_core::store::Directory;

use crate::platform::config::Retention;
use crate::platform::errors::Problem;
use crate::tenant::catalog::deletions::drop_finished_deletions;
use crate::tenant::catalog::lease_table::{LEASED, LeaseState, held};
use crate::tenant::catalog::objects::{put_directory, replace, replace_sources};
use crate::tenant::catalog::sql::{Sql, Value, number};
use crate::tenant::catalog::table::{Catalog, next, shape, texts};
use crate::tenant::own_retention::Pin;

pub(in crate::tenant) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;";

const DAY_MILLIS: i64 = 86_400_000;

/// How often a catalog is looked through: once an hour. It has some 2,000 rows a tenant (30 days of
/// 24 hours, 400 of sums and the last hour's segments), so that costs 1.5 million rows read a
/// month, a fraction of a cent.
const CHECK_MILLIS: i64 = 3_600_000;

/// Most days whose blocks of level 3 are made to stand alone in one visit: 4. Their directories
/// have some megabytes in all, and their sources are at most 4 * 800 rows.
const MAX_SUMMARIES: usize = 4;

/// Most other rows that are removed in one visit: 1,000, as many objects as a visit deletes.
const MAX_ROWS: i64 = 1_000;

/// A condition on a row: its profiles start, and its hour or day of arrival ends, before a time, and
/// no pin keeps them. A job's commit must find its sources as they were.
fn over(before: i64, pins: &[Pin]) -> String {
    let span = "(CASE WHEN o.level = 3 THEN 86400000 ELSE 3600000 END)";
    let arrived = format!("(o.arrival_millis / {span} + 1) * {span}");
    let free = |Pin { from, until, .. }: &Pin| {
        format!(" AND NOT (o.min_millis < {until} AND o.max_millis >= {from})")
    };
    let free: String = pins.iter().map(free).collect();
    format!("(o.max_millis < {before} AND {arrived} <= {before} AND o.key NOT IN {LEASED}{free})")
}

impl<S: Sql> Catalog<S> {
    /// Whether it is time to look for what is over. During a rebuild, which puts back the directories
    /// that it has read, it is not.
    pub(in crate::tenant) fn retention_due(&self, now: i64) -> Result<bool, Problem> {
        let looked = self
            .setting("retained_millis")?
            .and_then(|millis| millis.parse::<i64>().ok());
        let lately = looked.is_some_and(|looked| now.abs_diff(looked) < CHECK_MILLIS as u64);
        let rebuilding = held(&self.sql)?
            .is_some_and(|lease| lease.state == LeaseState::Rebuilding && lease.is_held(now));
        Ok(!lately && !rebuilding)
    }

    /// Removes what is over, a bounded number of rows, where it is time to; says whether it looked.
    pub(in crate::tenant) fn retain(
        &self,
        retention: Retention,
        pins: &[Pin],
        now: i64,
    ) -> Result<bool, Problem> {
        if !self.retention_due(now)? {
            return Ok(false);
        }
        let Retention {
            raw_days,
            sums_days,
        } = retention;
        let over = |days: u32| over(now - i64::from(days) * DAY_MILLIS, pins);
        let summaries = self.without_sources(&over(raw_days))?;
        for &job in &summaries {
            self.drop_summary_sources(job, now)?;
        }
        let others = self.remove_old(&over(sums_days), now)?;
        if summaries.len() < MAX_SUMMARIES && others < MAX_ROWS {
            self.set("retained_millis", Some(now.to_string()))?;
        }
        Ok(true)
    }

    /// Jobs over days whose sources are all over.
    fn without_sources(&self, over: &str) -> Result<Vec<i64>, Problem> {
        let found = self.sql.query(
            &format!(
                "SELECT o.summary FROM objects o WHERE o.state = 'live' AND o.summary IS NOT NULL
                 GROUP BY o.summary HAVING min({over}) ORDER BY o.summary LIMIT ?"
            ),
            vec![(MAX_SUMMARIES as i64).into()],
        )?;
        let job = |values: Result<Vec<Value>, Problem>| match values?.pop() {
            Some(Value::Integer(job)) => Ok(job),
            _ => Err(shape()),
        };
        found.map(job).collect()
    }

    /// Removes the sources of a job's blocks of level 3, which are all that is left of them, in one
    /// change.
    fn drop_summary_sources(&self, job: i64, now: i64) -> Result<(), Problem> {
        let of_job = "SELECT key FROM objects WHERE state = 'live' AND level = 3 AND job = ?";
        let summaries = texts(self.sql.query(of_job, vec![number(job)])?)?;
        let (_, directories) = self.rows(&summaries)?;
        let alone = |bytes: &Vec<u8>| {
            let mut directory = Directory::decode(bytes)?;
            directory.drop_lineage();
            directory.encode()
        };
        let encoded: Result<Vec<_>, _> = directories.iter().map(alone).collect();
        let (encoded, catalog) = (
            encoded.map_err(Problem::internal)?,
            Self {
                sql: self.sql.clone(),
            },
        );
        self.sql.transaction(move |sql| {
            let change = next(sql)?;
            replace_sources(sql, job, change, now)?;
            for (summary, directory) in summaries.iter().zip(&encoded) {
                put_directory(sql, summary, directory)?;
            }
            drop_finished_deletions(sql)?;
            catalog.set("last_source_drop", Some(change.to_string()))
        })
    }

    /// Removes sums that are over, and profiles that were never summarized.
    fn remove_old(&self, over: &str, now: i64) -> Result<i64, Problem> {
        let over = over.to_owned();
        self.sql.transaction(move |sql| {
            let found = sql.query(
                &format!(
                    "SELECT o.key FROM objects o WHERE o.state = 'live' AND o.summary IS NULL AND {over}
                     AND o.job NOT IN (SELECT summary FROM objects WHERE state = 'live' AND summary IS NOT NULL)
                     LIMIT ?"
                ),
                vec![number(MAX_ROWS)],
            )?;
            let keys = texts(found)?;
            if !keys.is_empty() {
                let change = next(sql)?;
                let json = serde_json::to_string(&keys).map_err(Problem::internal)?;
                replace(sql, &json, change, now)?;
                drop_finished_deletions(sql)?;
            }
            Ok(keys.len() as i64)
        })
    }

    /// The number of the last change by which a block came to stand alone: who read a part of the
    /// catalog before it cannot go on.
    pub(in crate::tenant) fn last_source_drop(&self) -> Result<i64, Problem> {
        Ok(self
            .setting("last_source_drop")?
            .and_then(|change| change.parse().ok())
            .unwrap_or(0))
    }

    pub(in crate::tenant) fn setting(&self, name: &str) -> Result<Option<String>, Problem> {
        Ok(texts(self.sql.query(
            "SELECT value FROM settings WHERE name = ?",
            vec![name.into()],
        )?)?
        .pop())
    }

    pub(in crate::tenant) fn set(&self, name: &str, value: Option<String>) -> Result<(), Problem> {
        match value {
            Some(value) => self.sql.exec(
                "INSERT OR REPLACE INTO settings VALUES (?, ?)",
                vec![name.into(), value.into()],
            ),
            None => self
                .sql
                .exec("DELETE FROM settings WHERE name = ?", vec![name.into()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use pilotlight_core::store::{BlockEntry, Contents, Level};

    use super::*;
    use crate::tenant::catalog::objects::summarize;
    use crate::tenant::catalog::pages::CatalogQuery;
    use crate::tenant::catalog::table::Row;
    use crate::tenant::catalog::tests::{add, catalog, keys};

    #[test]
    fn a_reader_does_not_see_half_of_it() {
        let catalog = catalog();
        let sources = vec![add(&catalog, 10), add(&catalog, 20)];
        let key = "t/a/s0/l3/0000000000010-0000000000000000.blk".to_owned();
        let block = BlockEntry {
            summarizes: sources.clone(),
            token: 5,
            ..BlockEntry::default()
        };
        let directory = Directory {
            label_sets: Vec::new(),
            types: Vec::new(),
            contents: Contents::Block(block),
        };
        catalog
            .add(
                Row {
                    key: key.clone(),
                    level: Level::Day,
                    size: 1,
                },
                &directory,
                30,
            )
            .unwrap();
        summarize(&catalog.sql, &serde_json::to_string(&sources).unwrap(), 5).unwrap();

        let query = CatalogQuery {
            first_millis: 0,
            last_millis: 99,
            ..CatalogQuery::default()
        };
        let (first, _) = catalog.page(&query, 0).unwrap();
        assert_eq!(first.rows.len(), 1);
        let retention = Retention {
            raw_days: 1,
            sums_days: 9,
        };
        // The segments' hour ended an hour after the epoch.
        for (now, expect) in [
            (DAY_MILLIS + CHECK_MILLIS - 1, 3),
            (DAY_MILLIS + 2 * CHECK_MILLIS, 1),
        ] {
            assert_eq!(catalog.retain(retention, &[], now), Ok(true));
            assert_eq!(keys(&catalog, 0, 99, 0).len(), expect);
        }
        assert_eq!(
            catalog.retain(retention, &[], DAY_MILLIS + 3 * CHECK_MILLIS - 1),
            Ok(false),
            "it looks once an hour"
        );
        let problem = catalog
            .page(
                &CatalogQuery {
                    after: first.after,
                    ..query.clone()
                },
                0,
            )
            .unwrap_err();
        assert_eq!((problem.status, problem.retry_after), (503, Some(1)));
        let (_, directories) = catalog.page(&query, 0).unwrap();
        assert_eq!(
            Directory::decode(&directories[0])
                .unwrap()
                .block()
                .unwrap()
                .summarizes,
            [""; 0]
        );
    }
}
