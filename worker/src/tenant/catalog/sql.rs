//! The database of a Durable Object, behind a trait so that what the catalog does to it is tested
//! natively.

use std::cell::RefCell;
use std::rc::Rc;

pub(crate) use worker::SqlStorageValue as Value;
use worker::js_sys::{Function, Reflect};
use worker::wasm_bindgen::{JsCast, JsValue, closure::Closure};
use worker::{SqlCursor, SqlCursorRawIterator, SqlStorage, Storage};

use crate::meter::{Item, Meter};
use crate::platform::errors::Problem;

/// Rows as they are read.
pub(crate) type Rows = Box<dyn Iterator<Item = Result<Vec<Value>, Problem>>>;

/// An SQLite database.
pub(crate) trait Sql: Clone + 'static {
    /// Runs statements without values.
    fn define(&self, statements: &str) -> Result<(), Problem>;

    /// Runs one statement and gives its rows.
    fn query(&self, statement: &str, values: Vec<Value>) -> Result<Rows, Problem>;

    /// Runs one statement.
    fn exec(&self, statement: &str, values: Vec<Value>) -> Result<(), Problem> {
        self.query(statement, values)?
            .try_for_each(|row| row.map(drop))
    }

    /// Runs `change` as one transaction: an error takes all of it back.
    fn transaction<T: 'static>(
        &self,
        change: impl FnOnce(&Self) -> Result<T, Problem> + 'static,
    ) -> Result<T, Problem>;
}

/// The real one.
#[derive(Clone)]
pub(in crate::tenant) struct DurableSql {
    /// JavaScript's `DurableObjectStorage`.
    storage: JsValue,
    sql: SqlStorage,
    meter: Meter,
}

impl DurableSql {
    /// Adds the rows that are read and written to `meter`.
    pub(in crate::tenant) fn new(storage: &Storage, meter: Meter) -> Self {
        let raw: &JsValue = storage.as_raw().as_ref();
        Self {
            storage: raw.clone(),
            sql: storage.sql(),
            meter,
        }
    }
}

impl Sql for DurableSql {
    fn define(&self, statements: &str) -> Result<(), Problem> {
        self.sql.exec(statements, None)?;
        Ok(())
    }

    fn query(&self, statement: &str, values: Vec<Value>) -> Result<Rows, Problem> {
        let cursor = self.sql.exec(statement, values)?;
        let rows = Counted {
            rows: cursor.raw(),
            cursor,
            meter: self.meter.clone(),
        };
        Ok(Box::new(rows.map(|row| Ok(row?))))
    }

    fn transaction<T: 'static>(
        &self,
        change: impl FnOnce(&Self) -> Result<T, Problem> + 'static,
    ) -> Result<T, Problem> {
        let (sql, outcome) = (self.clone(), Rc::new(RefCell::new(None)));
        let result = outcome.clone();
        let body = Closure::once_into_js(move || -> Result<(), JsValue> {
            let ended = change(&sql);
            // What is thrown takes the changes back.
            let thrown = ended
                .as_ref()
                .map(drop)
                .map_err(|problem| JsValue::from_str(&problem.message));
            *result.borrow_mut() = Some(ended);
            thrown
        });
        // The `worker` crate has no binding for it.
        let run: Function = Reflect::get(&self.storage, &"transactionSync".into())
            .map_err(worker::Error::from)?
            .unchecked_into();
        let thrown = run.call1(&self.storage, &body);
        let ended = outcome.borrow_mut().take();
        match (ended, thrown) {
            (Some(Ok(value)), Ok(_)) => Ok(value),
            (Some(Err(problem)), _) => Err(problem),
            (_, Err(error)) => Err(worker::Error::from(error).into()),
            (None, Ok(_)) => Err(Problem::internal("a transaction did not run")),
        }
    }
}

/// Rows that are counted when all that are wanted have been read.
struct Counted {
    rows: SqlCursorRawIterator,
    cursor: SqlCursor,
    meter: Meter,
}

impl Iterator for Counted {
    type Item = worker::Result<Vec<Value>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.meter
            .add(Item::RowsRead, self.cursor.rows_read() as u64);
        self.meter
            .add(Item::RowsWritten, self.cursor.rows_written() as u64);
    }
}

/// Largest whole number that JavaScript, through which all values pass, keeps exact.
const MAX_EXACT: i64 = (1 << 53) - 1;

/// An integer value. Times beyond the exact range lie 285,000 years away and mean "unbounded".
pub(in crate::tenant) fn number(value: i64) -> Value {
    Value::Integer(value.clamp(-MAX_EXACT, MAX_EXACT))
}

#[cfg(test)]
pub(crate) mod memory {
    //! An SQLite database in memory.

    use rusqlite::{Connection, params_from_iter, types};

    use super::*;

    #[derive(Clone)]
    pub(crate) struct MemorySql(Rc<Connection>);

    impl MemorySql {
        pub(crate) fn new() -> Self {
            let connection = Connection::open_in_memory().unwrap();
            // Enough for all statements of a catalog; parsing one takes longer than running it.
            connection.set_prepared_statement_cache_capacity(256);
            Self(Rc::new(connection))
        }

        /// How many rows of tables were changed so far.
        pub(crate) fn changes(&self) -> u64 {
            self.0.total_changes()
        }
    }

    impl Sql for MemorySql {
        fn define(&self, statements: &str) -> Result<(), Problem> {
            self.0.execute_batch(statements).map_err(Problem::internal)
        }

        fn query(&self, statement: &str, values: Vec<Value>) -> Result<Rows, Problem> {
            let values = values.into_iter().map(|value| match value {
                Value::Null => types::Value::Null,
                Value::Boolean(value) => types::Value::Integer(value.into()),
                Value::Integer(value) => types::Value::Integer(value),
                Value::Float(value) => types::Value::Real(value),
                Value::String(value) => types::Value::Text(value),
                Value::Blob(value) => types::Value::Blob(value),
            });
            let read = || -> rusqlite::Result<Vec<Vec<Value>>> {
                let mut statement = self.0.prepare_cached(statement)?;
                let columns = statement.column_count();
                let rows = statement.query_map(params_from_iter(values), |row| {
                    let value = |i| {
                        Ok(match row.get::<_, types::Value>(i)? {
                            types::Value::Null => Value::Null,
                            types::Value::Integer(value) => Value::Integer(value),
                            types::Value::Real(value) => Value::Float(value),
                            types::Value::Text(value) => Value::String(value),
                            types::Value::Blob(value) => Value::Blob(value),
                        })
                    };
                    (0..columns).map(value).collect()
                })?;
                rows.collect()
            };
            Ok(Box::new(
                read().map_err(Problem::internal)?.into_iter().map(Ok),
            ))
        }

        fn transaction<T: 'static>(
            &self,
            change: impl FnOnce(&Self) -> Result<T, Problem> + 'static,
        ) -> Result<T, Problem> {
            let transaction = self.0.unchecked_transaction().map_err(Problem::internal)?;
            let value = change(self)?;
            transaction.commit().map_err(Problem::internal)?;
            Ok(value)
        }
    }
}
