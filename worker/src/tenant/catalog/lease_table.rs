//! The table of the lease: one row while a job or a rebuild is under way.

use pilotlight_core::store::Level;
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::objects::{abandon, abandon_job, count_failure};
use crate::tenant::catalog::sql::{Sql, Value};
use crate::tenant::catalog::table::{level_of, shape};

pub(in crate::tenant) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS lease (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    token INTEGER NOT NULL,
    expires_millis INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('working', 'paused', 'rebuilding')),
    output TEXT,
    sources TEXT NOT NULL DEFAULT '[]',
    level INTEGER NOT NULL DEFAULT 0,
    next_partition INTEGER NOT NULL DEFAULT 0,
    partitioning TEXT,
    CHECK ((state = 'working') = (output IS NOT NULL))
);";

/// Sources of the running job.
pub(in crate::tenant) const LEASED: &str =
    "(SELECT value FROM json_each((SELECT sources FROM lease)))";

/// Who is to blame for a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Blame {
    /// None of the sources: another has the lease.
    Nobody,
    /// None of the sources: the bucket did not answer, or there was no memory. The partitions that
    /// are done stay, and the job goes on.
    Passing,
    /// One of them, by name.
    Object(String),
    /// Any of them.
    Sources,
}

/// What is done under a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tenant) enum LeaseState {
    /// A job, or one of its partitions, writes this object.
    Working { output: String },
    /// A partition of a job is done, and nobody is at the next one.
    Paused,
    /// The catalog is rebuilt.
    Rebuilding,
}

/// The lease in the table.
pub(in crate::tenant) struct LeaseRow {
    pub(in crate::tenant) token: i64,
    pub(in crate::tenant) expires: i64,
    pub(in crate::tenant) state: LeaseState,
    pub(in crate::tenant) sources: Vec<String>,
    pub(in crate::tenant) level: Level,
    pub(in crate::tenant) partition: u32,
    /// How the job is divided, known after its first partition.
    pub(in crate::tenant) partitioning: Option<String>,
}

/// No lease is longer: 15 minutes, which is that of a rebuild.
pub(in crate::tenant) const MAX_LEASE_MILLIS: i64 = 15 * 60_000;

impl LeaseRow {
    /// Whether somebody has it at `now`. One that ends later was made while the clock was ahead.
    pub(in crate::tenant) fn is_held(&self, now: i64) -> bool {
        (1..=MAX_LEASE_MILLIS).contains(&(self.expires - now))
    }
}

pub(in crate::tenant) fn held(sql: &impl Sql) -> Result<Option<LeaseRow>, Problem> {
    let mut found = sql.query(
        "SELECT token, expires_millis, state, output, sources, level, next_partition, partitioning FROM lease",
        Vec::new(),
    )?;
    let Some(values) = found.next().transpose()? else {
        return Ok(None);
    };
    let Ok(
        [
            Value::Integer(token),
            Value::Integer(expires),
            Value::String(state),
            output,
            Value::String(sources),
            Value::Integer(level),
            Value::Integer(partition),
            partitioning,
        ],
    ) = <[Value; 8]>::try_from(values)
    else {
        return Err(shape());
    };
    let state = match (state.as_str(), output) {
        ("working", Value::String(output)) => LeaseState::Working { output },
        ("paused", Value::Null) => LeaseState::Paused,
        ("rebuilding", Value::Null) => LeaseState::Rebuilding,
        _ => return Err(shape()),
    };
    Ok(Some(LeaseRow {
        token,
        expires,
        state,
        sources: serde_json::from_str(&sources).map_err(Problem::internal)?,
        level: level_of(level)?,
        partition: partition as u32,
        partitioning: match partitioning {
            Value::Null => None,
            Value::String(partitioning) => Some(partitioning),
            _ => return Err(shape()),
        },
    }))
}

/// Takes a lease away from a job that came to nothing; inside a transaction.
pub(in crate::tenant) fn end(
    sql: &impl Sql,
    held: LeaseRow,
    blame: &Blame,
    message: &str,
    now: i64,
) -> Result<(), Problem> {
    let blamed = match blame {
        Blame::Nobody | Blame::Passing => Vec::new(),
        Blame::Object(key) if held.sources.contains(key) => vec![key.clone()],
        Blame::Object(_) | Blame::Sources => held.sources.clone(),
    };
    let blamed = serde_json::to_string(&blamed).map_err(Problem::internal)?;
    count_failure(sql, &blamed, message)?;
    drop_lease(sql, now)
}

/// Ends the lease, if there is one, with all that was done under it; inside a transaction.
pub(in crate::tenant) fn drop_lease(sql: &impl Sql, now: i64) -> Result<(), Problem> {
    let Some(held) = held(sql)? else {
        return Ok(());
    };
    if let LeaseState::Working { output } = &held.state {
        abandon(sql, output, now)?;
    }
    abandon_job(sql, held.token, now)?;
    sql.exec("DELETE FROM lease", Vec::new())
}
