//! The life of an object after it was replaced.
//!
//! Its bytes are deleted after a grace period, in which queries that began before may read them.
//! Its row stays at least until the retry window after it was added has passed: a Durable Object
//! that comes to life recalls from the rows' directories which chunks were written, and a client
//! may send one again although the segment is compacted and deleted by then.

use pilotlight_core::plans::RETRY_WINDOW_MILLIS;
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::objects::{drop_deleted, mark_deleted};
use crate::tenant::catalog::published::{WAIT_MILLIS, drop_empty_days};
use crate::tenant::catalog::sql::{Sql, number};
use crate::tenant::catalog::table::{Catalog, each_directory, texts};

/// Most names of expired objects at once: one deletion takes 1,000, a job has at most 800 sources.
const MAX_EXPIRED: u32 = 1_000;

/// What a visit is to do before any job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DueWork {
    /// Objects that nobody needs any more.
    pub(crate) keys: Vec<String>,
    /// Whether the catalog is to be published.
    pub(crate) publish: bool,
    /// Whether a sweep is due, which the caller is to do.
    pub(crate) sweep: bool,
}

impl<S: Sql> Catalog<S> {
    /// Names of objects that were replaced at or before a time and are not known to be deleted: no
    /// query reads them any more. Those that ever counted only if their day was published without
    /// them by then, or they have waited for long.
    pub(crate) fn expired(&self, before: i64) -> Result<Vec<String>, Problem> {
        let found = self.sql.query(
            "SELECT key FROM objects WHERE state = 'replaced' AND replaced_millis <= ?1
             AND (added_change IS NULL OR replaced_millis <= ?2
               OR replaced_change <= (SELECT published FROM days
                                      WHERE day = arrival_millis / 86400000 AND published_millis <= ?1))
             ORDER BY replaced_millis LIMIT ?3",
            vec![number(before), number(before - WAIT_MILLIS), i64::from(MAX_EXPIRED).into()],
        )?;
        texts(found)
    }

    /// Notes that replaced objects are deleted.
    pub(crate) fn forget(&self, keys: &[String]) -> Result<(), Problem> {
        let keys = serde_json::to_string(keys).map_err(Problem::internal)?;
        mark_deleted(&self.sql, &keys)
    }

    /// Drops rows of deleted objects whose chunks nobody sends again, and of days that are empty.
    pub(crate) fn purge(&self, now: i64) -> Result<(), Problem> {
        self.sql.transaction(move |sql| {
            drop_deleted(sql, now - RETRY_WINDOW_MILLIS)?;
            drop_empty_days(sql, now)
        })
    }

    /// Hands over the directories of objects added since `since`, oldest first, each with the time
    /// of addition. Those of objects that were replaced too, as long as their rows are there.
    pub(crate) fn since(
        &self,
        since: i64,
        mut take: impl FnMut(i64, Vec<u8>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let found = self.sql.query(
            "SELECT o.key, o.added_millis, d.bytes FROM objects o JOIN directories d ON d.key = o.key
             WHERE o.added_millis >= ? ORDER BY o.added_millis, o.key, d.part",
            vec![number(since)],
        )?;
        each_directory(found, |_, at, bytes| take(at, bytes))
    }
}
