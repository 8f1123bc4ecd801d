//! The table of objects, and everything that writes it.
//!
//! ```text
//!  insert ─────────────────────────▶ live ──── replace ───▶ replaced ──▶ deleted ──▶ no row
//!  insert ──▶ pending ── make_live ──▶ │                        ▲
//!                 └──────────────────────── abandon ────────────┘
//! ```
//!
//! Each change has a number of the catalog's sequence. An object counts from the change
//! `added_change` until the change `replaced_change`. One that never counted has no `added_change`.
//!
//! Whoever calls these functions is inside a transaction.

pub(in crate::tenant) mod directories;
mod row;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use pilotlight_core::{
    plans::MAX_FAILURES,
    store::{ObjectKey, arrival_day},
};

use self::directories::insert_directory;
pub(in crate::tenant) use self::directories::put_directory;
pub(in crate::tenant) use self::row::{Facts, State};
use crate::platform::errors::Problem;
use crate::tenant::catalog::published::note_changed_days;
use crate::tenant::catalog::sql::{Rows, Sql, Value, number};
use crate::tenant::catalog::table::{Row, next, shape};

/// `key` is the name in the bucket, `arrival_millis` the time in it. Blocks have the token of their
/// lease as `job`. Objects that blocks of level 3 sum up have the token of those as `summary`.
pub(in crate::tenant) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS objects (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('pending', 'live', 'replaced', 'deleted')),
    level INTEGER NOT NULL,
    size INTEGER NOT NULL,
    segments INTEGER NOT NULL,
    day_bytes INTEGER NOT NULL,
    job INTEGER NOT NULL,
    summary INTEGER,
    arrival_millis INTEGER NOT NULL,
    min_millis INTEGER NOT NULL,
    max_millis INTEGER NOT NULL,
    added_change INTEGER,
    added_millis INTEGER NOT NULL,
    replaced_change INTEGER,
    replaced_millis INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    CHECK (state <> 'live' OR added_change IS NOT NULL),
    CHECK ((state IN ('replaced', 'deleted')) = (replaced_change IS NOT NULL AND replaced_millis IS NOT NULL))
);
CREATE INDEX IF NOT EXISTS objects_added ON objects (added_millis);
CREATE INDEX IF NOT EXISTS objects_summaries ON objects (job) WHERE level = 3;
CREATE INDEX IF NOT EXISTS objects_replaced ON objects (replaced_millis) WHERE replaced_millis IS NOT NULL;
CREATE TABLE IF NOT EXISTS directories (
    key TEXT NOT NULL,
    part INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (key, part)
) WITHOUT ROWID;";

/// Adds an object that counts from a change on.
pub(in crate::tenant) fn insert_live(
    sql: &impl Sql,
    row: &Row,
    directory: &[u8],
    facts: &Facts,
    change: i64,
    now: i64,
) -> Result<(), Problem> {
    insert(sql, State::Live, row, directory, facts, Some(change), now)?;
    note_changed_days(sql, &[arrival_day(arrival(&row.key)?)].into(), change)
}

/// Adds a partition of a job that is not done.
pub(in crate::tenant) fn insert_pending(
    sql: &impl Sql,
    row: &Row,
    directory: &[u8],
    facts: &Facts,
    now: i64,
) -> Result<(), Problem> {
    insert(sql, State::Pending, row, directory, facts, None, now)
}

fn insert(
    sql: &impl Sql,
    state: State,
    row: &Row,
    directory: &[u8],
    facts: &Facts,
    change: Option<i64>,
    now: i64,
) -> Result<(), Problem> {
    sql.exec(
        "INSERT INTO objects (key, state, level, size, segments, day_bytes, job,
           arrival_millis, min_millis, max_millis, added_change, added_millis)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        vec![
            row.key.as_str().into(),
            state.name().into(),
            i64::from(row.level.number()).into(),
            number(row.size as i64),
            number(facts.segments as i64),
            number(facts.day_bytes as i64),
            number(facts.job as i64),
            number(arrival(&row.key)?),
            number(facts.first_millis),
            number(facts.last_millis),
            change.map_or(Value::Null, number),
            number(now),
        ],
    )?;
    insert_directory(sql, &row.key, directory)
}

/// When an object began to be written, as its name says.
fn arrival(key: &str) -> Result<i64, Problem> {
    Ok(key.parse::<ObjectKey>().map_err(Problem::internal)?.millis)
}

/// The state of an object that has a row.
pub(in crate::tenant) fn state_of(sql: &impl Sql, key: &str) -> Result<Option<State>, Problem> {
    match sql
        .query("SELECT state FROM objects WHERE key = ?", vec![key.into()])?
        .next()
        .transpose()?
        .as_deref()
    {
        None => Ok(None),
        Some([Value::String(name)]) => State::ALL
            .into_iter()
            .find(|s| s.name() == name)
            .map(Some)
            .ok_or_else(shape),
        Some(_) => Err(shape()),
    }
}

/// Lets all partitions of a job count from a change on.
pub(in crate::tenant) fn make_live(sql: &impl Sql, job: i64, change: i64) -> Result<(), Problem> {
    let made = sql.query(
        "UPDATE objects SET state = 'live', added_change = ? WHERE state = 'pending' AND job = ? RETURNING arrival_millis",
        vec![number(change), number(job)],
    )?;
    note_changed_days(sql, &days(made)?, change)
}

/// Lets live objects count until a change; `keys` as JSON.
pub(in crate::tenant) fn replace(
    sql: &impl Sql,
    keys: &str,
    change: i64,
    now: i64,
) -> Result<(), Problem> {
    replace_where(
        sql,
        "key IN (SELECT value FROM json_each(?))",
        keys.into(),
        change,
        now,
    )
}

/// The same with the objects that a job's blocks sum up.
pub(in crate::tenant) fn replace_sources(
    sql: &impl Sql,
    job: i64,
    change: i64,
    now: i64,
) -> Result<(), Problem> {
    replace_where(sql, "summary = ?", number(job), change, now)
}

/// The same with blocks of level 3, and all others of their jobs; what they sum up stands for
/// itself again.
pub(in crate::tenant) fn replace_summaries(
    sql: &impl Sql,
    keys: &str,
    change: i64,
    now: i64,
) -> Result<(), Problem> {
    let jobs = "(SELECT job FROM objects WHERE key IN (SELECT value FROM json_each(?)))";
    replace_where(
        sql,
        &format!("level = 3 AND job IN {jobs}"),
        keys.into(),
        change,
        now,
    )?;
    sql.exec(
        &format!("UPDATE objects SET summary = NULL WHERE summary IN {jobs}"),
        vec![keys.into()],
    )
}

fn replace_where(
    sql: &impl Sql,
    which: &str,
    value: Value,
    change: i64,
    now: i64,
) -> Result<(), Problem> {
    let replaced = sql.query(
        &format!(
            "UPDATE objects SET state = 'replaced', replaced_change = ?, replaced_millis = ?
             WHERE state = 'live' AND {which} RETURNING arrival_millis"
        ),
        vec![number(change), number(now), value],
    )?;
    note_changed_days(sql, &days(replaced)?, change)
}

/// Lets nothing count any more, and no push be known. All of it may be deleted at once.
pub(in crate::tenant) fn replace_all(sql: &impl Sql, change: i64) -> Result<(), Problem> {
    sql.exec(
        "UPDATE objects SET state = 'replaced', replaced_change = coalesce(replaced_change, ?), replaced_millis = 0
         WHERE state <> 'deleted'",
        vec![number(change)],
    )?;
    sql.exec("DELETE FROM directories", Vec::new())
}

/// Takes care that an object is deleted that may be in the bucket and does not count.
pub(in crate::tenant) fn abandon(sql: &impl Sql, key: &str, now: i64) -> Result<(), Problem> {
    let change = next(sql)?;
    sql.exec(
        "INSERT INTO objects (key, state, level, size, segments, day_bytes, job,
           arrival_millis, min_millis, max_millis, added_millis, replaced_change, replaced_millis)
         VALUES (?1, 'replaced', 1, 0, 0, 0, 0, ?2, 0, 0, ?3, ?4, ?3)
         ON CONFLICT (key) DO UPDATE SET state = 'replaced', replaced_change = coalesce(replaced_change, ?4),
           replaced_millis = ?3 WHERE state <> 'live'",
        vec![key.into(), number(arrival(key)?), number(now), number(change)],
    )
}

/// The same with the partitions of a job that came to nothing.
pub(in crate::tenant) fn abandon_job(sql: &impl Sql, job: i64, now: i64) -> Result<(), Problem> {
    let change = next(sql)?;
    sql.exec(
        "UPDATE objects SET state = 'replaced', replaced_change = ?, replaced_millis = ? WHERE state = 'pending' AND job = ?",
        vec![number(change), number(now), number(job)],
    )
}

/// Notes that objects are not in the bucket any more; `keys` as JSON. Those that count are left
/// alone.
pub(in crate::tenant) fn mark_deleted(sql: &impl Sql, keys: &str) -> Result<(), Problem> {
    sql.exec(
        "UPDATE objects SET state = 'deleted' WHERE state = 'replaced' AND key IN (SELECT value FROM json_each(?))",
        vec![keys.into()],
    )
}

/// Drops the rows of deleted objects that were added before a time.
pub(in crate::tenant) fn drop_deleted(sql: &impl Sql, before: i64) -> Result<(), Problem> {
    let which = "state = 'deleted' AND replaced_millis IS NOT NULL AND added_millis < ?";
    drop_where(sql, which, vec![number(before)])
}

/// Drops what a rebuild that began with a change replaces: rows that it has judged, and live ones
/// that it has not found, but not those that it could not read. What has changed since stays. Names
/// as JSON.
pub(in crate::tenant) fn drop_rebuilt(
    sql: &impl Sql,
    began: i64,
    judged: &str,
    unread: &str,
) -> Result<(), Problem> {
    let which = "key IN (SELECT value FROM json_each(?2)) AND (replaced_change IS NULL OR replaced_change <= ?1)
        OR state = 'live' AND added_change <= ?1 AND key NOT IN (SELECT value FROM json_each(?3))";
    drop_where(
        sql,
        which,
        vec![number(began), judged.into(), unread.into()],
    )
}

/// Drops the row of an object that a rebuild counts elsewhere.
pub(in crate::tenant) fn drop_one(sql: &impl Sql, key: &str) -> Result<(), Problem> {
    drop_where(sql, "key = ?", vec![key.into()])
}

fn drop_where(sql: &impl Sql, which: &str, values: Vec<Value>) -> Result<(), Problem> {
    // The rows last, since the directories are found by them.
    let directories =
        format!("DELETE FROM directories WHERE key IN (SELECT key FROM objects WHERE {which})");
    sql.exec(&directories, values.clone())?;
    sql.exec(&format!("DELETE FROM objects WHERE {which}"), values)
}

/// Notes that the blocks of a job sum up live objects; `keys` as JSON.
pub(in crate::tenant) fn summarize(sql: &impl Sql, keys: &str, job: i64) -> Result<(), Problem> {
    sql.exec(
        "UPDATE objects SET summary = ? WHERE state = 'live' AND key IN (SELECT value FROM json_each(?))",
        vec![number(job), keys.into()],
    )
}

/// Counts a failure of a job against its sources; `keys` as JSON.
pub(in crate::tenant) fn count_failure(
    sql: &impl Sql,
    keys: &str,
    message: &str,
) -> Result<(), Problem> {
    sql.exec(
        "UPDATE objects SET failures = failures + 1, error = ? WHERE key IN (SELECT value FROM json_each(?))",
        vec![message.into(), keys.into()],
    )
}

/// Lets jobs take parked objects again, and gives their number.
pub(in crate::tenant) fn forgive_failures(sql: &impl Sql) -> Result<usize, Problem> {
    let found = sql.query(
        "UPDATE objects SET failures = 0, error = NULL WHERE state = 'live' AND failures >= ? RETURNING 1",
        vec![i64::from(MAX_FAILURES).into()],
    )?;
    Ok(found.collect::<Result<Vec<_>, _>>()?.len())
}

/// The days of arrivals.
fn days(arrivals: Rows) -> Result<BTreeSet<i64>, Problem> {
    let day = |values: Result<Vec<Value>, Problem>| match values?.as_slice() {
        [Value::Integer(millis)] => Ok(arrival_day(*millis)),
        _ => Err(shape()),
    };
    arrivals.map(day).collect()
}
