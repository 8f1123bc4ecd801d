//! When the bucket is looked through for objects that no row names, and which those are.

use crate::platform::errors::Problem;
use crate::tenant::catalog::sql::{Sql, Value, number};
use crate::tenant::catalog::{Catalog, shape};

pub(in crate::tenant) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS sweep (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    millis INTEGER NOT NULL,
    unknown TEXT,
    times INTEGER NOT NULL DEFAULT 0
);";

/// How long it is between two sweeps: six hours. A list of 1,000 names is one request: 120 a month
/// for each thousand objects, where a month of one segment a minute costs 43,000 writes.
pub(in crate::tenant) const SWEEP_MILLIS: i64 = 6 * 3_600_000;

/// How often the same objects are judged: three times. A bucket or a lease that was in the way is
/// so seldom thrice.
const MAX_TIMES: i64 = 3;

impl<S: Sql> Catalog<S> {
    /// Whether it is time for a sweep, which is begun by asking. The first is due six hours after
    /// the first question.
    pub(crate) fn claim_sweep(&self, now: i64) -> Result<bool, Problem> {
        let mut found = self.sql.query("SELECT millis FROM sweep", Vec::new())?;
        let last = match found.next().transpose()?.as_deref() {
            None => None,
            Some([Value::Integer(millis)]) => Some(*millis),
            Some([Value::Float(millis)]) => Some(*millis as i64),
            Some(_) => return Err(shape()),
        };
        drop(found);
        let due = last.is_some_and(|last| now - last >= SWEEP_MILLIS);
        if due || last.is_none() {
            self.sql.exec(
                "INSERT INTO sweep (one, millis) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET millis = excluded.millis",
                vec![number(now)],
            )?;
        }
        Ok(due)
    }

    /// Those names that no row has, or only one of an object that is deleted. When they are the
    /// same for a fourth time, none: what is damaged is not judged over and over.
    pub(crate) fn unknown(&self, keys: &[String]) -> Result<Vec<String>, Problem> {
        let unknown = self.absent(keys)?;
        let all = serde_json::to_string(&unknown).map_err(Problem::internal)?;
        self.sql.exec(
            "INSERT INTO sweep VALUES (1, 0, ?1, 1) ON CONFLICT (one) DO UPDATE
             SET times = iif(unknown IS ?1, times + 1, 1), unknown = ?1",
            vec![all.into()],
        )?;
        let times = self
            .sql
            .query("SELECT times FROM sweep", Vec::new())?
            .next()
            .transpose()?;
        let often = matches!(times.as_deref(), Some([Value::Integer(times)]) if *times > MAX_TIMES);
        Ok(if often { Vec::new() } else { unknown })
    }
}

/// Lets the next question find a sweep due.
pub(in crate::tenant) fn make_sweep_due(sql: &impl Sql) -> Result<(), Problem> {
    sql.exec(
        "INSERT INTO sweep (one, millis) VALUES (1, 0) ON CONFLICT (one) DO UPDATE SET millis = 0",
        Vec::new(),
    )
}
