//! Pushes that were discarded: one row for each reason, in the first of a tenant's objects.

use pilotlight_core::ingest::DiscardReason;

use crate::meter::Discarded;
use crate::platform::errors::Problem;
use crate::tenant::catalog::sql::{Sql, Value};
use crate::tenant::catalog::table::shape;

/// Made where it is needed: most tenants have no such rows.
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS discarded (
    reason TEXT PRIMARY KEY, count INTEGER NOT NULL, last_millis INTEGER NOT NULL, last_message TEXT NOT NULL
) WITHOUT ROWID;";

/// Adds to the counts.
pub(in crate::tenant) fn add_discarded(
    sql: &impl Sql,
    discarded: Vec<Discarded>,
) -> Result<(), Problem> {
    sql.define(SCHEMA)?;
    for Discarded {
        reason,
        count,
        last_millis,
        last_message,
    } in discarded
    {
        sql.exec(
            "INSERT INTO discarded VALUES (?, ?, ?, ?) ON CONFLICT (reason) DO UPDATE SET
             count = count + excluded.count, last_millis = max(last_millis, excluded.last_millis),
             last_message = iif(excluded.last_millis >= last_millis, excluded.last_message, last_message)",
            vec![
                reason.name().into(),
                i64::try_from(count).unwrap_or(i64::MAX).into(),
                last_millis.into(),
                last_message.into(),
            ],
        )?;
    }
    Ok(())
}

/// The counts by reason. Reasons of another version are passed over.
pub(in crate::tenant) fn discarded(sql: &impl Sql) -> Result<Vec<Discarded>, Problem> {
    sql.define(SCHEMA)?;
    let found = sql.query(
        "SELECT reason, count, last_millis, last_message FROM discarded ORDER BY reason",
        Vec::new(),
    )?;
    let mut rows = Vec::new();
    for values in found {
        let Ok(
            [
                Value::String(name),
                Value::Integer(count),
                Value::Integer(last_millis),
                Value::String(last_message),
            ],
        ) = <[Value; 4]>::try_from(values?)
        else {
            return Err(shape());
        };
        let mut reasons = DiscardReason::ALL.into_iter();
        rows.extend(
            reasons
                .find(|reason| reason.name() == name)
                .map(|reason| Discarded {
                    reason,
                    count: count as u64,
                    last_millis,
                    last_message,
                }),
        );
    }
    Ok(rows)
}

/// Forgets what the last ones were told: it may name what the tenant measures. The counts go on.
pub(in crate::tenant) fn forget_messages(sql: &impl Sql) -> Result<(), Problem> {
    sql.define(SCHEMA)?;
    sql.exec("UPDATE discarded SET last_message = ''", Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::catalog::sql::memory::MemorySql;

    #[test]
    fn counts_and_the_last_message() {
        let sql = MemorySql::new();
        assert_eq!(discarded(&sql), Ok(Vec::new()));
        let one = |reason, count, last_millis, message: &str| Discarded {
            reason,
            count,
            last_millis,
            last_message: message.to_owned(),
        };
        let (series, labels) = (DiscardReason::SeriesLimit, DiscardReason::InvalidLabels);
        for new in [
            vec![one(series, 2, 5, "b"), one(labels, 1, 1, "c")],
            vec![one(series, 3, 4, "a")],
            vec![one(labels, 1, 2, "d")],
        ] {
            add_discarded(&sql, new).unwrap();
        }
        let expect = vec![one(labels, 2, 2, "d"), one(series, 5, 5, "b")];
        assert_eq!(discarded(&sql), Ok(expect));
        forget_messages(&sql).unwrap();
        let expect = vec![one(labels, 2, 2, ""), one(series, 5, 5, "")];
        assert_eq!(discarded(&sql), Ok(expect));
    }

    #[test]
    fn a_reason_of_another_version() {
        let sql = MemorySql::new();
        assert_eq!(discarded(&sql), Ok(Vec::new()));
        let row = "INSERT INTO discarded VALUES ('of_tomorrow', 1, 2, 'x')";
        sql.exec(row, Vec::new()).unwrap();
        assert_eq!(discarded(&sql), Ok(Vec::new()));
    }
}
