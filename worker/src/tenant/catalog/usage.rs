//! What a tenant used this month: kept in memory, and now and then added to a row of the database.

use std::cell::{Cell, RefCell};

use crate::meter::{Item, MonthUsage, Usage};
use crate::platform::errors::Problem;
use crate::tenant::catalog::shape;
use crate::tenant::catalog::sql::{Sql, Value, number};

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS usage (month TEXT PRIMARY KEY, counts TEXT NOT NULL) WITHOUT ROWID;";

/// How long counts stay in memory alone: a minute, so that their row costs at most 44,640 writes, 4
/// cents, a month. That much is what an eviction can lose.
const SAVE_MILLIS: i64 = 60_000;

/// How long a Durable Object stays in memory, and is charged for, after a request: ten seconds.
const IDLE_MILLIS: i64 = 10_000;

/// The counts of a shard.
pub(crate) struct UsageBook<S> {
    sql: S,
    pending: RefCell<Usage>,
    /// When the counts were saved last; `None` before the first time.
    saved: Cell<Option<i64>>,
    /// Until when the shard stays in memory as far as is known.
    awake_until: Cell<i64>,
}

impl<S: Sql> UsageBook<S> {
    pub(crate) fn new(sql: S) -> Result<Self, Problem> {
        sql.define(SCHEMA)?;
        Ok(Self {
            sql,
            pending: RefCell::default(),
            saved: Cell::new(None),
            awake_until: Cell::new(0),
        })
    }

    /// Counts a request to the shard at `now`, and the time for which it keeps the shard in
    /// memory.
    pub(crate) fn request(&self, now: i64) {
        let until = now + IDLE_MILLIS;
        let awake = until - self.awake_until.get().clamp(now, until);
        self.awake_until.set(until.max(self.awake_until.get()));
        let mut pending = self.pending.borrow_mut();
        pending.add(Item::ObjectRequests, 1);
        pending.add(Item::ObjectMillis, awake as u64);
    }

    /// Adds what was used; now and then that is saved.
    pub(crate) fn add(&self, usage: Usage, now: i64) -> Result<(), Problem> {
        *self.pending.borrow_mut() += usage;
        // A clock that was set back must not stop it for long.
        let due = self
            .saved
            .get()
            .is_none_or(|saved| now.abs_diff(saved) >= SAVE_MILLIS as u64);
        if due { self.save(now) } else { Ok(()) }
    }

    /// Adds what is in memory to the row of the month. When that fails, it stays in memory.
    pub(crate) fn save(&self, now: i64) -> Result<(), Problem> {
        let pending = *self.pending.borrow();
        if !pending.is_empty() {
            let mut counts = self.read(now)?.1;
            counts += pending;
            let counts = serde_json::to_string(&counts).map_err(Problem::internal)?;
            self.sql.exec(
                "INSERT OR REPLACE INTO usage VALUES (strftime('%Y-%m', ?1, 'unixepoch'), ?2)",
                vec![number(now.div_euclid(1000)), counts.into()],
            )?;
            *self.pending.borrow_mut() = Usage::default();
        }
        self.saved.set(Some(now));
        Ok(())
    }

    /// The month so far, without what is stored.
    pub(crate) fn month(&self, now: i64) -> Result<MonthUsage, Problem> {
        let (month, mut usage) = self.read(now)?;
        usage += *self.pending.borrow();
        Ok(MonthUsage {
            month,
            usage,
            ..MonthUsage::default()
        })
    }

    /// The month at `now`, and its row.
    fn read(&self, now: i64) -> Result<(String, Usage), Problem> {
        let mut found = self.sql.query(
            "SELECT m.month, u.counts FROM (SELECT strftime('%Y-%m', ?, 'unixepoch') AS month) m
             LEFT JOIN usage u ON u.month = m.month",
            vec![number(now.div_euclid(1000))],
        )?;
        match found.next().transpose()?.map(<[Value; 2]>::try_from) {
            Some(Ok([Value::String(month), Value::Null])) => Ok((month, Usage::default())),
            Some(Ok([Value::String(month), Value::String(counts)])) => {
                Ok((month, serde_json::from_str(&counts).map_err(|_| shape())?))
            }
            _ => Err(shape()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::catalog::sql::memory::MemorySql;

    /// 2026-11-30T23:58:00Z, and two minutes and a second later.
    const NOVEMBER: i64 = 1_796_083_080_000;
    const DECEMBER: i64 = NOVEMBER + 121_000;

    #[test]
    fn counts_outlive_the_object() {
        let sql = MemorySql::new();
        let book = UsageBook::new(sql.clone()).unwrap();
        book.add(Usage::of(Item::Pushes, 1), NOVEMBER).unwrap();
        book.add(Usage::of(Item::Pushes, 2), NOVEMBER + 1).unwrap();
        assert_eq!(book.month(NOVEMBER).unwrap().usage.count(Item::Pushes), 3);
        book.save(NOVEMBER + 2).unwrap();
        let after = UsageBook::new(sql).unwrap().month(NOVEMBER + 3).unwrap();
        assert_eq!(
            (after.month.as_str(), after.usage),
            ("2026-11", Usage::of(Item::Pushes, 3))
        );
    }

    #[test]
    fn what_is_not_saved_yet_is_saved_within_a_minute() {
        let sql = MemorySql::new();
        let book = UsageBook::new(sql.clone()).unwrap();
        let saved = |now| {
            UsageBook::new(sql.clone())
                .unwrap()
                .month(now)
                .unwrap()
                .usage
                .count(Item::Pushes)
        };
        book.add(Usage::of(Item::Pushes, 1), NOVEMBER).unwrap();
        assert_eq!(saved(NOVEMBER), 1, "the first at once");
        book.add(Usage::of(Item::Pushes, 1), NOVEMBER + SAVE_MILLIS - 1)
            .unwrap();
        assert_eq!(saved(NOVEMBER), 1);
        book.add(Usage::of(Item::Pushes, 1), NOVEMBER + SAVE_MILLIS)
            .unwrap();
        assert_eq!(saved(NOVEMBER), 3);
    }

    #[test]
    fn a_month_has_its_own_row() {
        let book = UsageBook::new(MemorySql::new()).unwrap();
        book.add(Usage::of(Item::RowsRead, 5), NOVEMBER).unwrap();
        book.add(Usage::of(Item::RowsRead, 7), DECEMBER).unwrap();
        let counts = [NOVEMBER, DECEMBER].map(|now| book.month(now).unwrap());
        assert_eq!(
            counts.map(|m| (m.month, m.usage.count(Item::RowsRead))),
            [("2026-11".to_owned(), 5), ("2026-12".to_owned(), 7)]
        );
    }

    #[test]
    fn time_in_memory() {
        let book = UsageBook::new(MemorySql::new()).unwrap();
        let millis = |book: &UsageBook<_>| {
            book.month(NOVEMBER)
                .unwrap()
                .usage
                .count(Item::ObjectMillis)
        };
        book.request(NOVEMBER);
        assert_eq!(millis(&book), 10_000, "it stays for a while");
        book.request(NOVEMBER + 4_000);
        assert_eq!(millis(&book), 14_000, "the time in between counts once");
        book.request(NOVEMBER + 60_000);
        assert_eq!(millis(&book), 24_000);
        book.request(NOVEMBER);
        assert_eq!(
            book.month(NOVEMBER)
                .unwrap()
                .usage
                .count(Item::ObjectRequests),
            4
        );
    }
}
