//! The catalog: one row per object of the tenant, with its directory, in the Durable Object's SQLite. A cache: every
//! object says by itself what its row says.
//!
//! Each change takes the next number of a sequence. A row is live from `added` until `removed`, so that a reader who
//! remembers the number of its first page sees one state of the catalog over all pages, whatever compaction does between.

use pilotlight_core::store::Directory;
use serde::{Deserialize, Serialize};
use worker::{
    SqlStorage, SqlStorageValue as Value, Storage,
    js_sys::{Function, Reflect},
    wasm_bindgen::{JsCast, JsValue, closure::Closure},
};

use crate::errors::Problem;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS sequence (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS objects (
    key TEXT PRIMARY KEY,
    level INTEGER NOT NULL,
    size INTEGER NOT NULL,
    min_millis INTEGER NOT NULL,
    max_millis INTEGER NOT NULL,
    added INTEGER NOT NULL,
    added_millis INTEGER NOT NULL,
    removed INTEGER,
    removed_millis INTEGER
);
CREATE INDEX IF NOT EXISTS objects_added ON objects (added_millis);
CREATE INDEX IF NOT EXISTS objects_removed ON objects (removed_millis) WHERE removed_millis IS NOT NULL;
CREATE TABLE IF NOT EXISTS directories (
    key TEXT NOT NULL,
    part INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (key, part)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lease (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    token INTEGER NOT NULL,
    expires_millis INTEGER NOT NULL,
    output TEXT NOT NULL,
    sources TEXT NOT NULL
);";

/// Largest piece of a directory in one row; SQLite in a Durable Object takes 2 MB a value.
const PART_BYTES: usize = 1 << 20;

/// Size at which a page of the catalog ends: 4 MB. A reader holds one page as bytes and what it decodes to.
const PAGE_BYTES: usize = 4 << 20;

/// A row, without its directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) key: String,
    pub(crate) level: u8,
    pub(crate) size: u64,
}

/// Which part of the catalog is asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ask {
    /// First and last millisecond, both inside.
    pub(crate) first_millis: i64,
    pub(crate) last_millis: i64,
    /// The key after which to go on, and the state of the catalog to go on with; absent at first.
    pub(crate) after: Option<(String, i64)>,
}

/// Head of a page; the rows' directories follow as blobs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Page {
    pub(crate) rows: Vec<Row>,
    /// What to ask for next, `None` at the end.
    pub(crate) after: Option<(String, i64)>,
}

/// The catalog's tables.
pub(crate) struct Catalog {
    storage: Storage,
    pub(super) sql: SqlStorage,
}

impl Catalog {
    pub(crate) fn new(storage: Storage) -> Result<Self, Problem> {
        let sql = storage.sql();
        sql.exec(SCHEMA, None)?;
        Ok(Self { storage, sql })
    }

    /// Runs `change` as one transaction: an error takes all of it back.
    pub(super) fn transaction<T: 'static>(
        &self,
        change: impl FnOnce(&SqlStorage) -> Result<T, Problem> + 'static,
    ) -> Result<T, Problem> {
        let sql = self.sql.clone();
        let outcome = std::rc::Rc::new(std::cell::RefCell::new(None));
        let result = outcome.clone();
        let body = Closure::once_into_js(move || -> Result<(), JsValue> {
            let ended = change(&sql);
            let thrown = ended.as_ref().map(drop).map_err(|problem| JsValue::from_str(&problem.message));
            *result.borrow_mut() = Some(ended);
            thrown
        });
        // The `worker` crate has no binding for it.
        let storage: &JsValue = self.storage.as_raw().as_ref();
        let run: Function = Reflect::get(storage, &"transactionSync".into()).map_err(worker::Error::from)?.unchecked_into();
        let thrown = run.call1(storage, &body);
        let ended = outcome.borrow_mut().take();
        match (ended, thrown) {
            (Some(Ok(value)), Ok(_)) => Ok(value),
            (Some(Err(problem)), _) => Err(problem),
            (_, Err(error)) => Err(worker::Error::from(error).into()),
            (None, Ok(_)) => Err(Problem::internal("a transaction did not run")),
        }
    }

    /// Adds a row for an object that is in the bucket.
    pub(crate) fn add(&self, row: Row, directory: &Directory, now: i64) -> Result<(), Problem> {
        let encoded = directory.encode().map_err(Problem::internal)?;
        let span = span_millis(directory);
        self.transaction(move |sql| add(sql, &row, &encoded, span, now))
    }

    /// A page of the rows that touch a span of time.
    pub(crate) fn page(&self, ask: &Ask) -> Result<(Page, Vec<Vec<u8>>), Problem> {
        let (after, state) = match ask.after.clone() {
            Some((key, state)) => (key, state),
            None => (String::new(), self.last()?),
        };
        let found = self.sql.exec(
            "SELECT o.key, o.level, o.size, d.bytes FROM objects o JOIN directories d ON d.key = o.key
             WHERE o.key > ?1 AND o.added <= ?2 AND (o.removed IS NULL OR o.removed > ?2)
               AND o.max_millis >= ?3 AND o.min_millis <= ?4
             ORDER BY o.key, d.part",
            vec![after.into(), number(state), number(ask.first_millis), number(ask.last_millis)],
        )?;
        let (mut page, mut directories, mut bytes) = (Page::default(), Vec::<Vec<u8>>::new(), 0);
        for values in found.raw() {
            let (row, part) = row(values?)?;
            bytes += part.len() + row.key.len();
            match page.rows.last() {
                Some(last) if last.key == row.key => directories.last_mut().expect("one for each row").extend(part),
                Some(last) if bytes > PAGE_BYTES => {
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

    /// The rows of objects by name, in that order, with their directories.
    pub(super) fn rows(&self, keys: &[String]) -> Result<(Vec<Row>, Vec<Vec<u8>>), Problem> {
        let keys_json = serde_json::to_string(keys).map_err(Problem::internal)?;
        let found = self.sql.exec(
            "SELECT o.key, o.level, o.size, d.bytes FROM json_each(?) j
             JOIN objects o ON o.key = j.value JOIN directories d ON d.key = o.key ORDER BY j.id, d.part",
            vec![keys_json.into()],
        )?;
        let (mut rows, mut directories) = (Vec::<Row>::new(), Vec::<Vec<u8>>::new());
        for values in found.raw() {
            let (row, part) = row(values?)?;
            if rows.last().is_some_and(|last| last.key == row.key) {
                directories.last_mut().expect("one for each row").extend(part);
            } else {
                rows.push(row);
                directories.push(part);
            }
        }
        if rows.len() == keys.len() { Ok((rows, directories)) } else { Err(shape()) }
    }

    /// Directories of the objects written since `since`, oldest first, with the time of writing. Compacted ones too, as
    /// long as their rows are there.
    pub(crate) fn since(&self, since: i64) -> Result<Vec<(i64, Vec<u8>)>, Problem> {
        let found = self.sql.exec(
            "SELECT o.key, o.added_millis, d.bytes FROM objects o JOIN directories d ON d.key = o.key
             WHERE o.added_millis >= ? ORDER BY o.added, o.key, d.part",
            vec![number(since)],
        )?;
        let (mut directories, mut before) = (Vec::<(i64, Vec<u8>)>::new(), String::new());
        for values in found.raw() {
            let Ok([Value::String(key), Value::Integer(at), Value::Blob(part)]) = <[Value; 3]>::try_from(values?) else {
                return Err(shape());
            };
            match directories.last_mut() {
                Some((_, bytes)) if key == before => bytes.extend(part),
                _ => directories.push((at, part)),
            }
            before = key;
        }
        Ok(directories)
    }

    /// The number of the last change.
    fn last(&self) -> Result<i64, Problem> {
        let mut found = self.sql.exec("SELECT last FROM sequence", None)?.raw();
        match found.next().transpose()?.as_deref() {
            None => Ok(0),
            Some([Value::Integer(last)]) => Ok(*last),
            Some(_) => Err(shape()),
        }
    }
}

/// Takes the next number of the sequence.
pub(super) fn next(sql: &SqlStorage) -> Result<i64, Problem> {
    let found =
        sql.exec("INSERT INTO sequence VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET last = last + 1 RETURNING last", None)?;
    match found.raw().next().transpose()?.as_deref() {
        Some([Value::Integer(last)]) => Ok(*last),
        _ => Err(shape()),
    }
}

/// Adds a row and its directory; inside a transaction.
pub(super) fn add(sql: &SqlStorage, row: &Row, directory: &[u8], span: (i64, i64), now: i64) -> Result<(), Problem> {
    let added = next(sql)?;
    sql.exec(
        "INSERT INTO objects (key, level, size, min_millis, max_millis, added, added_millis) VALUES (?, ?, ?, ?, ?, ?, ?)",
        vec![
            row.key.as_str().into(),
            i64::from(row.level).into(),
            number(row.size as i64),
            number(span.0),
            number(span.1),
            number(added),
            number(now),
        ],
    )?;
    for (part, bytes) in directory.chunks(PART_BYTES).enumerate() {
        sql.exec(
            "INSERT INTO directories VALUES (?, ?, ?)",
            vec![row.key.as_str().into(), (part as i64).into(), bytes.to_vec().into()],
        )?;
    }
    Ok(())
}

/// First and last whole millisecond that a directory's profiles touch.
pub(super) fn span_millis(directory: &Directory) -> (i64, i64) {
    let millis = |time: Option<pilotlight_core::UnixNanos>| time.map_or(0, pilotlight_core::UnixNanos::millis);
    (millis(directory.min_time()), millis(directory.max_time()))
}

/// Largest whole number that JavaScript, through which all values pass, keeps exact.
const MAX_EXACT: i64 = (1 << 53) - 1;

/// An integer parameter. Times beyond the exact range lie 285,000 years away and mean "unbounded".
pub(super) fn number(value: i64) -> Value {
    Value::Integer(value.clamp(-MAX_EXACT, MAX_EXACT))
}

fn row(values: Vec<Value>) -> Result<(Row, Vec<u8>), Problem> {
    match <[Value; 4]>::try_from(values) {
        Ok([Value::String(key), Value::Integer(level), Value::Integer(size), Value::Blob(part)]) => {
            Ok((Row { key, level: level as u8, size: size as u64 }, part))
        }
        _ => Err(shape()),
    }
}

pub(super) fn shape() -> Problem {
    Problem::internal("the catalog's table does not have the shape of this version")
}
