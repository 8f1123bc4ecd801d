//! The catalog as objects of the bucket: which days have changed since theirs was written, and who
//! may write.
//!
//! A worker begins a publication, writes each changed day, and reports that it is done. Only the
//! publication that began last may read rows and report. One that dies leaves entity tags that we
//! do not know. The next publication's condition then fails, and it reads the tag from the bucket.
//!
//! What a day names must be readable as long as queries through it may be under way, so objects
//! that were replaced are deleted only when their day has been published without them for the grace
//! period.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::pages::{PAGE_BYTES, Page, read_page};
use crate::tenant::catalog::sql::{Sql, Value, number};
use crate::tenant::catalog::table::{Catalog, next, shape};

/// A day has a row when its objects have changed since it was last published as empty.
///
/// `changed` is the number of the first change since the last publication began, so a busy day is
/// noted once each time. `published` is the state that its object in the bucket shows, and `etag`
/// that object's entity tag, as far as we know.
///
/// `publication` is the last one that began: `running`, `ended`, or `void` when something else has
/// made it worthless. `days` is `unknown` until it is known which days the bucket has. It is
/// `found` when there are some out of the time before a database was lost, of which no sweep has
/// judged the objects, and `known` otherwise.
pub(in crate::tenant) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS days (
    day INTEGER PRIMARY KEY,
    changed INTEGER NOT NULL,
    published INTEGER NOT NULL DEFAULT 0,
    published_millis INTEGER NOT NULL DEFAULT 0,
    etag TEXT
);
CREATE INDEX IF NOT EXISTS days_changed ON days (day) WHERE changed > published;
CREATE TABLE IF NOT EXISTS publication (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    state TEXT NOT NULL CHECK (state IN ('running', 'ended', 'void')),
    token INTEGER NOT NULL,
    begun_millis INTEGER NOT NULL,
    days TEXT NOT NULL CHECK (days IN ('unknown', 'found', 'known'))
);
INSERT OR IGNORE INTO publication VALUES (1, 'ended', 0, 0, 'unknown');";

/// How long it is from one publication to the next: half an hour. Each writes today, sometimes also
/// yesterday: 3 writes an hour. A tenant with a segment every six seconds writes 600, so that is
/// 0.5 %.
pub(crate) const PUBLISH_MILLIS: i64 = 30 * 60_000;

/// How long one may be under way: as long as an invocation lives at most.
const LEASE_MILLIS: i64 = 15 * 60_000;

/// Most days that are published at once: 200. Each takes two requests or a few, and an invocation
/// may make 1,000. More have changed only after a database was lost; then the latest come first.
const MAX_DAYS: i64 = 200;

/// How long objects wait for their day to be published without them: a day. When that fails for so
/// long, the catalog in the bucket is of no use.
pub(in crate::tenant) const WAIT_MILLIS: i64 = 86_400_000;

/// A day that is to be published, or was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PublishedDay {
    pub(crate) day: i64,
    /// The entity tag of its object; `None` when there is none, or it is not known.
    pub(crate) etag: Option<String>,
}

/// What a worker that wants to publish is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Publication {
    /// Nothing: nothing has changed, or another is at it.
    NotDue,
    /// To tell first which days are in the bucket: this database has never known.
    DaysUnknown,
    /// To write these days.
    Begun {
        /// The state of the catalog that is shown, and the right to do so.
        token: i64,
        days: Vec<PublishedDay>,
    },
}

/// Which rows are asked for: token, day, and the name after which to go on.
pub(crate) type OfDay = (i64, i64, String);

impl<S: Sql> Catalog<S> {
    /// Whether there is something to publish, and it is time to.
    pub(crate) fn publication_due(&self, now: i64) -> Result<bool, Problem> {
        holds(
            &self.sql,
            "SELECT abs(?1 - begun_millis) >= iif(state = 'ended', ?2, ?3)
             AND days != 'found' AND EXISTS (SELECT 1 FROM days WHERE changed > published) FROM publication",
            vec![number(now), PUBLISH_MILLIS.into(), LEASE_MILLIS.into()],
        )
    }

    /// Begins a publication, if there is something to publish and nobody is at it.
    pub(crate) fn begin_publication(&self, now: i64) -> Result<Publication, Problem> {
        if !self.publication_due(now)? {
            return Ok(Publication::NotDue);
        }
        if !are_days_known(&self.sql)? {
            return Ok(Publication::DaysUnknown);
        }
        self.sql.transaction(move |sql| {
            let token = next(sql)?;
            sql.exec(
                "UPDATE publication SET state = 'running', token = ?, begun_millis = ?",
                vec![number(token), number(now)],
            )?;
            let found = sql.query(
                "SELECT day, etag FROM days WHERE changed > published ORDER BY day DESC LIMIT ?",
                vec![MAX_DAYS.into()],
            )?;
            let day = |values: Result<Vec<Value>, Problem>| match <[Value; 2]>::try_from(values?) {
                Ok([Value::Integer(day), Value::String(etag)]) => Ok(PublishedDay {
                    day,
                    etag: Some(etag),
                }),
                Ok([Value::Integer(day), Value::Null]) => Ok(PublishedDay { day, etag: None }),
                _ => Err(shape()),
            };
            Ok(Publication::Begun {
                token,
                days: found.map(day).collect::<Result<_, _>>()?,
            })
        })
    }

    /// Takes note of the days that are in the bucket. Those that have no row are published again,
    /// or deleted.
    ///
    /// A database that has never published and finds some is not the first: a sweep then looks for
    /// the objects that the one before knew. The days stay as they are until it is done.
    pub(crate) fn days_found(&self, days: &[i64]) -> Result<(), Problem> {
        let days = days.to_vec();
        self.sql.transaction(move |sql| {
            let is_new = !are_days_known(sql)?;
            add_days(sql, &days)?;
            if !is_new {
                return Ok(());
            }
            let state = if days.is_empty() { "known" } else { "found" };
            sql.exec("UPDATE publication SET days = ?", vec![state.into()])?;
            if state == "found" {
                make_sweep_due(sql)?;
            }
            Ok(())
        })
    }

    /// A page of the rows of a day, in the state that is being published.
    pub(crate) fn of_day(
        &self,
        (token, day, after): OfDay,
    ) -> Result<(Page, Vec<Vec<u8>>), Problem> {
        if !is_running(&self.sql, token)? || token < self.last_source_drop()? {
            return Err(stale(token));
        }
        let found = self.sql.query(
            "SELECT o.key, o.level, o.size, d.bytes
             FROM (SELECT key, level, size FROM objects WHERE key > ?1 AND added_change <= ?2
                   AND (replaced_change IS NULL OR replaced_change > ?2) AND arrival_millis / 86400000 = ?3) o
             JOIN directories d ON d.key = o.key ORDER BY o.key, d.part",
            vec![after.into(), number(token), number(day)],
        )?;
        read_page(found, token, PAGE_BYTES)
    }

    /// Ends a publication whose days are in the bucket.
    pub(crate) fn end_publication(
        &self,
        token: i64,
        days: &[PublishedDay],
        now: i64,
    ) -> Result<(), Problem> {
        let days = serde_json::to_string(days).map_err(Problem::internal)?;
        self.sql.transaction(move |sql| {
            if !is_running(sql, token)? {
                return Err(stale(token));
            }
            sql.exec(
                "UPDATE days SET published = ?1, published_millis = ?2, etag = value ->> 'etag'
                 FROM json_each(?3) WHERE day = value ->> 'day'",
                vec![number(token), number(now), days.into()],
            )?;
            sql.exec("UPDATE publication SET state = 'ended'", Vec::new())
        })
    }

    /// Whether a publication that was made void may still write.
    pub(in crate::tenant) fn may_be_written(&self, now: i64) -> Result<bool, Problem> {
        holds(
            &self.sql,
            "SELECT state = 'void' AND abs(? - begun_millis) < ? FROM publication",
            vec![number(now), LEASE_MILLIS.into()],
        )
    }
}

/// Notes that the objects of days have changed; inside the transaction that changed them.
pub(in crate::tenant) fn note_changed_days(
    sql: &impl Sql,
    days: &BTreeSet<i64>,
    change: i64,
) -> Result<(), Problem> {
    if days.is_empty() {
        return Ok(());
    }
    let days = serde_json::to_string(days).map_err(Problem::internal)?;
    sql.exec(
        "INSERT INTO days (day, changed) SELECT value, ? FROM json_each(?) WHERE true
         ON CONFLICT (day) DO UPDATE SET changed = excluded.changed
         WHERE changed <= (SELECT token FROM publication)",
        vec![number(change), days.into()],
    )
}

/// Notes days that are in the bucket; inside a transaction.
pub(in crate::tenant) fn add_days(sql: &impl Sql, days: &[i64]) -> Result<(), Problem> {
    let (change, days) = (
        next(sql)?,
        serde_json::to_string(days).map_err(Problem::internal)?,
    );
    sql.exec(
        "INSERT INTO days (day, changed) SELECT value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING",
        vec![number(change), days.into()],
    )
}

/// Notes that the catalog has what the days in the bucket name, as far as it counts; inside a
/// transaction.
pub(in crate::tenant) fn days_are_judged(sql: &impl Sql) -> Result<(), Problem> {
    sql.exec("UPDATE publication SET days = 'known'", Vec::new())
}

/// Lets the next visit find a sweep due.
fn make_sweep_due(sql: &impl Sql) -> Result<(), Problem> {
    sql.exec(
        "INSERT INTO sweep (one, done_millis) VALUES (1, 0)
         ON CONFLICT (one) DO UPDATE SET done_millis = 0, tried_millis = 0",
        Vec::new(),
    )
}

/// Notes that all days have changed, and makes the publication under way void; inside a
/// transaction.
pub(in crate::tenant) fn change_all_days(sql: &impl Sql) -> Result<(), Problem> {
    let change = next(sql)?;
    sql.exec("UPDATE days SET changed = ?", vec![number(change)])?;
    sql.exec(
        "UPDATE publication SET state = 'void' WHERE state = 'running'",
        Vec::new(),
    )
}

/// Drops the rows of days that were published as empty long ago; inside a transaction.
pub(in crate::tenant) fn drop_empty_days(sql: &impl Sql, now: i64) -> Result<(), Problem> {
    sql.exec(
        "DELETE FROM days WHERE etag IS NULL AND changed <= published AND published_millis < ?",
        vec![number(now - WAIT_MILLIS)],
    )
}

fn are_days_known(sql: &impl Sql) -> Result<bool, Problem> {
    holds(sql, "SELECT days != 'unknown' FROM publication", Vec::new())
}

fn is_running(sql: &impl Sql, token: i64) -> Result<bool, Problem> {
    holds(
        sql,
        "SELECT state = 'running' AND token = ? FROM publication",
        vec![number(token)],
    )
}

fn holds(sql: &impl Sql, condition: &str, values: Vec<Value>) -> Result<bool, Problem> {
    match sql.query(condition, values)?.next().transpose()?.as_deref() {
        Some([Value::Integer(holds)]) => Ok(*holds != 0),
        _ => Err(shape()),
    }
}

fn stale(token: i64) -> Problem {
    Problem::new(
        409,
        "aborted",
        format!("the publication {token} is not the current one"),
    )
}

#[cfg(test)]
pub(in crate::tenant) mod tests;
