//! What every part of the catalog works with: its database, its sequence of changes, and the values
//! that columns hold.

use pilotlight_core::store::Level;
use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::sql::{Rows, Sql, Value};

pub(in crate::tenant) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS sequence (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL);";

/// A row, without its directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) key: String,
    pub(crate) level: Level,
    pub(crate) size: u64,
}

/// The catalog in a database.
pub(crate) struct Catalog<S> {
    pub(in crate::tenant) sql: S,
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

/// The level that a column has.
pub(in crate::tenant) fn level_of(number: i64) -> Result<Level, Problem> {
    u8::try_from(number)
        .ok()
        .and_then(|number| Level::try_from(number).ok())
        .ok_or_else(shape)
}

pub(in crate::tenant) fn shape() -> Problem {
    Problem::internal("the catalog's table doesn't match this version's schema")
}
