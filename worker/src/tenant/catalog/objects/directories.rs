//! The table of directories: the bytes of each, in pieces.

use crate::platform::errors::Problem;
use crate::tenant::catalog::sql::Sql;

/// Largest piece of a directory in one row; SQLite in a Durable Object takes 2 MB a value.
pub(in crate::tenant) const PART_BYTES: usize = 1 << 20;

/// Puts a directory in the place of the one that is there.
pub(in crate::tenant) fn put_directory(
    sql: &impl Sql,
    key: &str,
    directory: &[u8],
) -> Result<(), Problem> {
    sql.exec("DELETE FROM directories WHERE key = ?", vec![key.into()])?;
    insert_directory(sql, key, directory)
}

pub(super) fn insert_directory(sql: &impl Sql, key: &str, directory: &[u8]) -> Result<(), Problem> {
    for (part, bytes) in directory.chunks(PART_BYTES).enumerate() {
        sql.exec(
            "INSERT INTO directories VALUES (?, ?, ?)",
            vec![key.into(), (part as i64).into(), bytes.to_vec().into()],
        )?;
    }
    Ok(())
}
