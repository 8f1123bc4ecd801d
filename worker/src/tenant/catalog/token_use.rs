//! When tokens were last used: rows of the one object that keeps them for the installation.

use serde::{Deserialize, Serialize};

use crate::platform::errors::Problem;
use crate::tenant::catalog::sql::{Sql, Value};
use crate::tenant::catalog::table::shape;

/// Made where it is needed: most objects keep no such rows.
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS token_use (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;";

/// Most rows, those used last: twice as many as there may be tokens.
const MAX_ROWS: i64 = 2_000;

/// A token's last use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenUse {
    pub(crate) id: String,
    /// The beginning of the hour, milliseconds since the epoch.
    pub(crate) at: i64,
}

/// Notes a use; a later one stays.
pub(in crate::tenant) fn note_use(sql: &impl Sql, used: &TokenUse) -> Result<(), Problem> {
    sql.define(SCHEMA)?;
    sql.exec(
        "INSERT INTO token_use VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET at = max(at, excluded.at)",
        vec![used.id.clone().into(), used.at.into()],
    )?;
    sql.exec(
        "DELETE FROM token_use WHERE id IN (SELECT id FROM token_use ORDER BY at DESC, id LIMIT -1 OFFSET ?)",
        vec![MAX_ROWS.into()],
    )
}

/// All of them, by id.
pub(in crate::tenant) fn uses(sql: &impl Sql) -> Result<Vec<TokenUse>, Problem> {
    sql.define(SCHEMA)?;
    let found = sql.query("SELECT id, at FROM token_use ORDER BY id", Vec::new())?;
    let used = |values: Result<Vec<Value>, Problem>| match <[Value; 2]>::try_from(values?) {
        Ok([Value::String(id), Value::Integer(at)]) => Ok(TokenUse { id, at }),
        _ => Err(shape()),
    };
    found.map(used).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::catalog::sql::memory::MemorySql;

    #[test]
    fn the_last_use_of_each() {
        let sql = MemorySql::new();
        assert_eq!(uses(&sql), Ok(Vec::new()));
        let used = |id: &str, at| TokenUse {
            id: id.to_owned(),
            at,
        };
        for one in [used("b", 5), used("a", 3), used("b", 4), used("a", 7)] {
            note_use(&sql, &one).unwrap();
        }
        assert_eq!(uses(&sql), Ok(vec![used("a", 7), used("b", 5)]));
    }

    #[test]
    fn bounded() {
        let sql = MemorySql::new();
        for at in 0..=MAX_ROWS {
            let id = format!("{at:04}");
            note_use(&sql, &TokenUse { id, at }).unwrap();
        }
        let kept = uses(&sql).unwrap();
        assert_eq!(kept.len() as i64, MAX_ROWS);
        assert_eq!(kept[0].at, 1, "the one used first has gone");
    }
}
