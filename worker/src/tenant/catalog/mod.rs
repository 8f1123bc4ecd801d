//! The catalog: one row per object of the tenant, with its directory, in the Durable Object's
//! SQLite. A cache: every object says by itself what its row says.
//!
//! Each change takes the next number of a sequence. An object counts from one change until another
//! ([`crate::tenant::catalog::objects`]), so a reader who remembers the number of its first page sees one
//! state of the catalog over all pages, whatever compaction does between.

pub(crate) mod commands;
pub(crate) mod deletions;
pub(crate) mod discards;
pub(crate) mod lease_table;
pub(crate) mod leases;
pub(crate) mod objects;
pub(crate) mod orphans;
pub(crate) mod pages;
pub(crate) mod published;
pub(crate) mod replacement;
pub(crate) mod retention;
pub(crate) mod sql;
pub(crate) mod table;
pub(crate) mod token_use;
pub(crate) mod tombstones;
pub(crate) mod usage;

use pilotlight_core::store::Directory;

use crate::platform::errors::Problem;
use crate::tenant::catalog::objects::{Facts, State, insert_live, state_of};
use crate::tenant::catalog::sql::{Sql, Value};
use crate::tenant::catalog::table::{next, shape};
pub(crate) use pages::Detail;
pub(crate) use table::{Catalog, Row};

impl<S: Sql> Catalog<S> {
    pub(crate) fn new(sql: S) -> Result<Self, Problem> {
        sql.define(crate::tenant::catalog::table::SCHEMA)?;
        sql.define(crate::tenant::catalog::lease_table::SCHEMA)?;
        sql.define(crate::tenant::catalog::objects::SCHEMA)?;
        sql.define(crate::tenant::catalog::retention::SCHEMA)?;
        sql.define(crate::tenant::catalog::deletions::SCHEMA)?;
        sql.define(crate::tenant::catalog::orphans::SCHEMA)?;
        sql.define(crate::tenant::catalog::published::SCHEMA)?;
        Ok(Self { sql })
    }

    /// Adds a row for an object that is in the bucket.
    pub(crate) fn add(&self, row: Row, directory: &Directory, now: i64) -> Result<(), Problem> {
        let encoded = directory.encode().map_err(Problem::internal)?;
        let facts = Facts::of(directory);
        self.sql.transaction(move |sql| {
            let change = next(sql)?;
            insert_live(sql, &row, &encoded, &facts, change, now)
        })
    }

    /// Whether an object counts.
    pub(in crate::tenant) fn is_live(&self, key: &str) -> Result<bool, Problem> {
        Ok(state_of(&self.sql, key)? == Some(State::Live))
    }

    /// How many objects are in the bucket, and their bytes; with those that were replaced and are
    /// still there.
    pub(crate) fn stored(&self) -> Result<(u64, u64), Problem> {
        let mut found = self.sql.query(
            "SELECT count(*), coalesce(sum(size), 0) FROM objects WHERE state <> 'deleted'",
            Vec::new(),
        )?;
        match found.next().transpose()?.map(<[Value; 2]>::try_from) {
            Some(Ok([Value::Integer(objects), Value::Integer(bytes)])) => {
                Ok((objects as u64, bytes as u64))
            }
            _ => Err(shape()),
        }
    }

    /// First and last millisecond that profiles touch, without a look at directories; `None` when there
    /// is no profile.
    pub(crate) fn profile_times(&self) -> Result<Option<(i64, i64)>, Problem> {
        // An object without a profile has zeros.
        let mut found = self.sql.query(
            "SELECT min(min_millis), max(max_millis) FROM objects
             WHERE state = 'live' AND NOT (min_millis = 0 AND max_millis = 0)",
            Vec::new(),
        )?;
        match found.next().transpose()?.map(<[Value; 2]>::try_from) {
            Some(Ok([Value::Null, Value::Null])) => Ok(None),
            Some(Ok([Value::Integer(first), Value::Integer(last)])) => Ok(Some((first, last))),
            _ => Err(shape()),
        }
    }
}

#[cfg(test)]
pub(in crate::tenant) mod tests;
