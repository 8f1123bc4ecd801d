//! The catalog: one row per object of the tenant, with its directory, in the Durable Object's
//! SQLite. A cache: every object says by itself what its row says.
//!
//! Each change takes the next number of a sequence. An object counts from one change until another
//! ([`crate::tenant::catalog::objects`]), so a reader who remembers the number of its first page sees one
//! state of the catalog over all pages, whatever compaction does between.

pub(crate) mod commands;
pub(crate) mod deletions;
pub(crate) mod leases;
pub(crate) mod objects;
pub(crate) mod orphans;
pub(crate) mod published;
pub(crate) mod replacement;
pub(crate) mod retention;
pub(crate) mod sql;
pub(crate) mod token_use;
pub(crate) mod tombstones;
pub(crate) mod usage;

use pilotlight_core::store::{Directory, Level};
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::objects::{Facts, State, insert_live, state_of};
use crate::tenant::catalog::sql::{Rows, Sql, Value, number};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS sequence (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS lease (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    token INTEGER NOT NULL,
    expires_millis INTEGER NOT NULL,
    output TEXT NOT NULL,
    sources TEXT NOT NULL,
    level INTEGER NOT NULL DEFAULT 0,
    next_partition INTEGER NOT NULL DEFAULT 0,
    partitioning TEXT NOT NULL DEFAULT ''
);";

/// Sources of the running job.
pub(in crate::tenant) const LEASED: &str =
    "(SELECT value FROM json_each((SELECT sources FROM lease)))";

/// Size at which a page of the catalog ends: 4 MB. A reader holds one page as bytes and what it
/// decodes to.
pub(in crate::tenant) const PAGE_BYTES: usize = 4 << 20;

/// A row, without its directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) key: String,
    pub(crate) level: Level,
    pub(crate) size: u64,
}

/// Which part of the catalog is asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CatalogQuery {
    /// First and last millisecond, both inside.
    pub(crate) first_millis: i64,
    pub(crate) last_millis: i64,
    #[serde(default)]
    pub(crate) detail: Detail,
    /// The key after which to go on, and the state of the catalog to go on with; absent at first.
    pub(crate) after: Option<(String, i64)>,
}

/// Which objects a query needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Detail {
    /// All.
    #[default]
    Each,
    /// Those that a summary stands for whose profiles all lie in the span may be left out.
    Summed,
}

/// Head of a page; the rows' directories follow as blobs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Page {
    pub(crate) rows: Vec<Row>,
    /// What to ask for next, `None` at the end.
    pub(crate) after: Option<(String, i64)>,
}

/// The catalog in a database.
pub(crate) struct Catalog<S> {
    pub(in crate::tenant) sql: S,
}

impl<S: Sql> Catalog<S> {
    pub(crate) fn new(sql: S) -> Result<Self, Problem> {
        sql.define(SCHEMA)?;
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

    /// A page of the rows that touch a span of time; it ends when their directories are more than
    /// `page_bytes`.
    pub(crate) fn page(
        &self,
        query: &CatalogQuery,
        page_bytes: usize,
    ) -> Result<(Page, Vec<Vec<u8>>), Problem> {
        let (after, state) = match query.after.clone() {
            // One part would have a block beside its sources, the other a block that stands for
            // them.
            Some((_, state)) if state < self.last_source_drop()? => {
                return Err(Problem::unavailable("the catalog has changed; ask again"));
            }
            Some((key, state)) => (key, state),
            None => (String::new(), self.last()?),
        };
        let found = self.sql.query(
            "SELECT o.key, o.level, o.size, d.bytes FROM objects o JOIN directories d ON d.key = o.key
             WHERE o.key > ?1 AND o.added_change <= ?2 AND (o.replaced_change IS NULL OR o.replaced_change > ?2)
               AND o.max_millis >= ?3 AND o.min_millis <= ?4
               AND NOT (?5 AND o.summary IS NOT NULL AND coalesce((
                 SELECT min(s.added_change <= ?2 AND (s.replaced_change IS NULL OR s.replaced_change > ?2)
                   AND s.min_millis > ?3 AND s.max_millis < ?4)
                 FROM objects s WHERE s.level = 3 AND s.job = o.summary), 0))
             ORDER BY o.key, d.part",
            vec![
                after.into(),
                number(state),
                number(query.first_millis),
                number(query.last_millis),
                i64::from(query.detail == Detail::Summed).into(),
            ],
        )?;
        read_page(found, state, page_bytes)
    }

    /// The rows of objects by name, in that order, with their directories.
    pub(in crate::tenant) fn rows(
        &self,
        keys: &[String],
    ) -> Result<(Vec<Row>, Vec<Vec<u8>>), Problem> {
        let keys_json = serde_json::to_string(keys).map_err(Problem::internal)?;
        let found = self.sql.query(
            "SELECT o.key, o.level, o.size, d.bytes FROM json_each(?) j
             JOIN objects o ON o.key = j.value JOIN directories d ON d.key = o.key ORDER BY j.id, d.part",
            vec![keys_json.into()],
        )?;
        let (mut rows, mut directories) = (Vec::<Row>::new(), Vec::<Vec<u8>>::new());
        for values in found {
            let (row, part) = row(values?)?;
            match (rows.last(), directories.last_mut()) {
                (Some(last), Some(directory)) if last.key == row.key => directory.extend(part),
                _ => {
                    rows.push(row);
                    directories.push(part);
                }
            }
        }
        if rows.len() == keys.len() {
            Ok((rows, directories))
        } else {
            Err(shape())
        }
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

    /// The number of the last change.
    fn last(&self) -> Result<i64, Problem> {
        let mut found = self.sql.query("SELECT last FROM sequence", Vec::new())?;
        match found.next().transpose()?.as_deref() {
            None => Ok(0),
            Some([Value::Integer(last)]) => Ok(*last),
            Some(_) => Err(shape()),
        }
    }
}

/// Reads rows of a state until their directories are more than `page_bytes`.
pub(in crate::tenant) fn read_page(
    found: Rows,
    state: i64,
    page_bytes: usize,
) -> Result<(Page, Vec<Vec<u8>>), Problem> {
    let (mut page, mut directories, mut bytes) = (Page::default(), Vec::<Vec<u8>>::new(), 0);
    for values in found {
        let (row, part) = row(values?)?;
        bytes += part.len() + row.key.len();
        match (page.rows.last(), directories.last_mut()) {
            (Some(last), Some(directory)) if last.key == row.key => directory.extend(part),
            (Some(last), _) if bytes > page_bytes => {
                page.after = Some((last.key.clone(), state));
                break;
            }
            _ => {
                page.rows.push(row);
                directories.push(part);
            }
        }
    }
    Ok((page, directories))
}

/// Takes the next number of the sequence.
pub(in crate::tenant) fn next(sql: &impl Sql) -> Result<i64, Problem> {
    let mut found = sql.query(
        "INSERT INTO sequence VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET last = last + 1 RETURNING last",
        Vec::new(),
    )?;
    match found.next().transpose()?.as_deref() {
        Some([Value::Integer(last)]) => Ok(*last),
        _ => Err(shape()),
    }
}

/// Puts rows of (key, number, part of a directory) together and hands the directories over one at a
/// time: all of ten minutes may be a hundred megabytes.
pub(in crate::tenant) fn each_directory(
    found: Rows,
    mut take: impl FnMut(String, i64, Vec<u8>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut open: Option<(String, i64, Vec<u8>)> = None;
    for values in found {
        let Ok(
            [
                Value::String(key),
                Value::Integer(number),
                Value::Blob(part),
            ],
        ) = <[Value; 3]>::try_from(values?)
        else {
            return Err(shape());
        };
        match &mut open {
            Some((before, _, bytes)) if *before == key => bytes.extend(part),
            _ => {
                if let Some((key, number, bytes)) = open.replace((key, number, part)) {
                    take(key, number, bytes)?;
                }
            }
        }
    }
    open.map_or(Ok(()), |(key, number, bytes)| take(key, number, bytes))
}

/// Rows of a text each.
pub(in crate::tenant) fn texts(found: Rows) -> Result<Vec<String>, Problem> {
    let text = |values: Result<Vec<Value>, Problem>| match values?.pop() {
        Some(Value::String(text)) => Ok(text),
        _ => Err(shape()),
    };
    found.map(text).collect()
}

fn row(values: Vec<Value>) -> Result<(Row, Vec<u8>), Problem> {
    match <[Value; 4]>::try_from(values) {
        Ok(
            [
                Value::String(key),
                Value::Integer(level),
                Value::Integer(size),
                Value::Blob(part),
            ],
        ) => Ok((
            Row {
                key,
                level: level_of(level)?,
                size: size as u64,
            },
            part,
        )),
        _ => Err(shape()),
    }
}

/// The level that a column has.
pub(in crate::tenant) fn level_of(number: i64) -> Result<Level, Problem> {
    u8::try_from(number)
        .ok()
        .and_then(|number| Level::try_from(number).ok())
        .ok_or_else(shape)
}

pub(in crate::tenant) fn shape() -> Problem {
    Problem::internal("the catalog's table does not have the shape of this version")
}

#[cfg(test)]
pub(in crate::tenant) mod tests;
