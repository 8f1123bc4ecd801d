//! When the bucket is looked through for objects that no row names, and which those are.

use crate::platform::errors::Problem;
use crate::tenant::catalog::published::days_are_judged;
use crate::tenant::catalog::sql::{Sql, Value, number};
use crate::tenant::catalog::table::Catalog;

/// `done_millis` is when the last sweep ended, 0 when one is wanted at once; `tried_millis` is when
/// the last one began. `unknown` is what it found, and `times` how often that was judged.
pub(in crate::tenant) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS sweep (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    done_millis INTEGER NOT NULL,
    tried_millis INTEGER NOT NULL DEFAULT 0,
    unknown TEXT,
    times INTEGER NOT NULL DEFAULT 0
);";

/// How long it is from one sweep to the next: six hours. A list of 1,000 names is one request: 120
/// a month for each thousand objects, where a month of one segment a minute costs 43,000 writes.
pub(in crate::tenant) const SWEEP_MILLIS: i64 = 6 * 3_600_000;

/// How long a sweep that did not end is waited for: 15 minutes, as long as an invocation may live.
const RETRY_MILLIS: i64 = 15 * 60_000;

/// How often the same objects are judged: three times. What is damaged stays so.
const MAX_TIMES: i64 = 3;

/// Of a time, [`SWEEP_MILLIS`] and [`RETRY_MILLIS`]; a clock that was ahead may be set back.
const IS_DUE: &str = "abs(?1 - done_millis) >= ?2 AND abs(?1 - tried_millis) >= ?3";

impl<S: Sql> Catalog<S> {
    /// Whether the next visit is to sweep.
    pub(crate) fn sweep_due(&self, now: i64) -> Result<bool, Problem> {
        let due = self.sql.query(
            &format!("SELECT 1 FROM sweep WHERE {IS_DUE}"),
            vec![number(now), SWEEP_MILLIS.into(), RETRY_MILLIS.into()],
        )?;
        Ok(due.count() > 0)
    }

    /// Whether the caller is to sweep. One that does not end is begun again. The first is due six
    /// hours after the first question.
    pub(crate) fn begin_sweep(&self, now: i64) -> Result<bool, Problem> {
        self.sql.transaction(move |sql| {
            sql.exec(
                "INSERT OR IGNORE INTO sweep (one, done_millis) VALUES (1, ?)",
                vec![number(now)],
            )?;
            let begun = sql.query(
                &format!("UPDATE sweep SET tried_millis = ?1 WHERE {IS_DUE} RETURNING 1"),
                vec![number(now), SWEEP_MILLIS.into(), RETRY_MILLIS.into()],
            )?;
            Ok(begun.count() > 0)
        })
    }

    /// Notes that a sweep has judged all there is. Days out of the time before a database was lost
    /// may be published anew from now on.
    pub(crate) fn end_sweep(&self, now: i64) -> Result<(), Problem> {
        self.sql.transaction(move |sql| {
            sql.exec(
                "UPDATE sweep SET done_millis = ?, times = times + 1",
                vec![number(now)],
            )?;
            days_are_judged(sql)
        })
    }

    /// Those names that no row has, or only one of an object that is deleted. When they were judged
    /// three times, none: what is damaged is not judged over and over.
    pub(crate) fn unknown(&self, keys: &[String]) -> Result<Vec<String>, Problem> {
        let unknown = self.absent(keys)?;
        let all = serde_json::to_string(&unknown).map_err(Problem::internal)?;
        self.sql.exec(
            "INSERT INTO sweep (one, done_millis, unknown) VALUES (1, 0, ?1) ON CONFLICT (one) DO UPDATE
             SET times = iif(unknown IS ?1, times, 0), unknown = ?1",
            vec![all.into()],
        )?;
        let times = self
            .sql
            .query("SELECT times FROM sweep", Vec::new())?
            .next()
            .transpose()?;
        let often =
            matches!(times.as_deref(), Some([Value::Integer(times)]) if *times >= MAX_TIMES);
        Ok(if often { Vec::new() } else { unknown })
    }
}
