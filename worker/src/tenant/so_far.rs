//! The sums of an hour that is not over ([`SO_FAR`]): when a reader gets them, and when they end.
//!
//! They stand beside the blocks of level 1 of their hour that arrived until the time in their name, and a reader who asks for
//! them gets them in the place of those. So they end with the first change after which they would not stand for just these:
//! when a block comes or goes among them that no job made out of others among them.

use pilotlight_core::store::SO_FAR;

use super::catalog::LEASED;
use super::sql::{Sql, Value, number};
use crate::errors::Problem;

/// On a row `o` and rows `s`: whether those are sums that reach as far as the arrival of that.
fn reach() -> String {
    let [sums, object] = ["s", "o"].map(|of| format!("CAST(substr({of}.key, -34, 13) AS INTEGER)"));
    format!("s.level = {SO_FAR} AND {sums} / 3600000 = {object} / 3600000 AND {object} <= {sums}")
}

/// A condition on a row `o`: whether a reader of state ?2 gets it who asks for profiles from ?3 until ?4 and, with ?6, for sums
/// so far, as far as those are concerned. They must lie inside the span, and shares of one job count together.
pub(super) fn is_read() -> String {
    let inside = "SELECT min(s.min_millis > ?3 AND s.max_millis < ?4) FROM objects s
                  WHERE s.added <= ?2 AND (s.removed IS NULL OR s.removed > ?2)";
    format!(
        "CASE o.level WHEN {SO_FAR} THEN ?6 AND ({inside} AND s.level = {SO_FAR})
         WHEN 1 THEN NOT (?6 AND coalesce(({inside} AND {}), 0)) ELSE 1 END",
        reach()
    )
}

/// Ends sums that would not hold any more, before a job over the leased sources is done; inside its transaction, after its
/// output was added. New ones take the place of those before.
pub(super) fn settle(sql: &impl Sql, level: u8, token: i64, now: i64) -> Result<(), Problem> {
    // Of a job that leaves out what was deleted none of the sources is among them: they end when a deletion begins.
    let hold = format!(
        "SELECT max(early) = 0 OR ? = 1 AND min(early AND level = 1)
         FROM (SELECT o.level, EXISTS (SELECT 1 FROM objects s WHERE s.removed IS NULL AND {}) AS early
               FROM objects o WHERE o.key IN {LEASED})",
        reach()
    );
    let hold = level != SO_FAR && {
        let found = sql.query(&hold, vec![i64::from(level).into()])?.next().transpose()?;
        matches!(found.as_deref(), Some([Value::Integer(1)]))
    };
    if hold { Ok(()) } else { end(sql, token, now) }
}

/// Ends all sums so far but those of a job, with the last change; inside a transaction.
pub(super) fn end(sql: &impl Sql, but: i64, now: i64) -> Result<(), Problem> {
    sql.exec(
        &format!(
            "UPDATE objects SET removed = (SELECT last FROM sequence), removed_millis = ?
             WHERE level = {SO_FAR} AND removed IS NULL AND job <> ?"
        ),
        vec![number(now), number(but)],
    )
}

#[cfg(test)]
mod tests {
    use pilotlight_core::store::ObjectKey;

    use super::*;
    use crate::tenant::catalog::tests::{add, catalog, directory};
    use crate::tenant::catalog::{Ask, Catalog, Detail, Row};
    use crate::tenant::sql::memory::MemorySql;
    use crate::tenant::{Done, Wanted};

    const HOUR: i64 = 3_600_000;

    /// A live block of level 1 with a profile of the time at which it arrived.
    fn block(catalog: &Catalog<MemorySql>, millis: i64) -> String {
        let key = format!("t/a/s0/l1/{millis:013}-0000000000000000.blk");
        catalog.add(Row { key: key.clone(), level: 1, size: 100 }, &directory(millis), millis).unwrap();
        key
    }

    /// Does the next job and gives its level; its output has a profile of `millis`.
    fn work(catalog: &Catalog<MemorySql>, unique: u64, millis: i64, now: i64) -> u8 {
        let lease = catalog.lease(unique, now).unwrap().expect("a job is due").0;
        let (first, last) = (&lease.sources[0].key, &lease.sources[lease.sources.len() - 1].key);
        let named_after: ObjectKey = if lease.level == SO_FAR { last } else { first }.parse().unwrap();
        let output = Row { key: named_after.successor(lease.level, unique).to_string(), level: lease.level, size: 100 };
        catalog.commit(Done { token: lease.token, output, division: 0 }, &directory(millis), now).unwrap();
        lease.level
    }

    /// Levels and arrivals of what a reader of a span gets.
    fn read(catalog: &Catalog<MemorySql>, last_millis: i64) -> Vec<(u8, i64)> {
        let mut ask = Ask { first_millis: -1, last_millis, detail: Detail::SoFar, after: None };
        let mut found = Vec::new();
        loop {
            let (page, _) = catalog.page(&ask, 0).unwrap();
            found.extend(page.rows.iter().map(|row| (row.level, row.key.parse::<ObjectKey>().unwrap().millis)));
            ask.after = page.after;
            if ask.after.is_none() {
                return found;
            }
        }
    }

    /// Six blocks, and sums of all of them.
    fn summed() -> Catalog<MemorySql> {
        let catalog = catalog();
        (1..=6).for_each(|at| drop(block(&catalog, at * 10)));
        assert_eq!(work(&catalog, 1, 60, 100), SO_FAR);
        catalog
    }

    #[test]
    fn a_reader_gets_sums_or_blocks() {
        let catalog = summed();
        assert_eq!(read(&catalog, 99), [(SO_FAR, 60)]);
        let blocks: Vec<(u8, i64)> = (1..=6).map(|at| (1, at * 10)).collect();
        assert_eq!(read(&catalog, 60), blocks, "which do not lie inside the span");
        let all = crate::tenant::catalog::tests::keys(&catalog, -1, 99, 0);
        assert!(all.len() == 6 && all.iter().all(|key| key.contains("/l1/")), "others never get them");
        add(&catalog, 70);
        block(&catalog, 80);
        block(&catalog, HOUR + 5);
        assert_eq!(read(&catalog, 2 * HOUR), [(0, 70), (1, 80), (1, HOUR + 5), (SO_FAR, 60)]);
    }

    #[test]
    fn a_reader_keeps_to_one_state() {
        let catalog = summed();
        block(&catalog, 80);
        let ask = Ask { first_millis: -1, last_millis: 99, detail: Detail::SoFar, after: None };
        let first = catalog.page(&ask, 0).unwrap().0;
        assert_eq!(first.rows[0].key.parse::<ObjectKey>().unwrap().millis, 80);
        // Meanwhile the six blocks become one, others come, and the sums are made anew.
        assert_eq!(work(&catalog, 2, 10, 100), 1);
        (82..90).for_each(|at| drop(block(&catalog, at)));
        assert_eq!(work(&catalog, 3, 89, 100), SO_FAR);
        let rest = catalog.page(&Ask { after: first.after, ..ask }, 1 << 20).unwrap().0;
        assert_eq!((rest.rows.len(), rest.rows[0].level, rest.after), (1, SO_FAR, None));
        assert_eq!(read(&catalog, 99), [(SO_FAR, 89)]);
    }

    #[test]
    fn sums_go_on_while_their_blocks_merge() {
        let catalog = summed();
        assert_eq!(work(&catalog, 2, 10, 100), 1);
        assert_eq!(read(&catalog, 99), [(SO_FAR, 60)]);
        assert_eq!(read(&catalog, 60), [(1, 10)]);
    }

    #[test]
    fn sums_end_when_a_block_comes_among_theirs() {
        for (late, ends) in [(60, true), (61, false)] {
            let catalog = summed();
            assert_eq!(work(&catalog, 2, 10, 100), 1);
            // Ten segments, of which the first was written early.
            (0..10).for_each(|at| drop(add(&catalog, late + at)));
            assert_eq!(read(&catalog, 99).len(), 11);
            assert_eq!(work(&catalog, 3, late, 100), 1);
            let expect: &[(u8, i64)] = if ends { &[(1, 10), (1, 60)] } else { &[(1, 61), (SO_FAR, 60)] };
            assert_eq!(read(&catalog, 99), expect);
        }
    }

    #[test]
    fn sums_end_with_their_hour() {
        let catalog = summed();
        assert_eq!(work(&catalog, 2, 10, 2 * HOUR), 2);
        assert_eq!(read(&catalog, 99), [(2, 10)]);
        // When one block is left alone, with its day.
        let catalog = summed();
        assert_eq!(work(&catalog, 2, 10, 100), 1);
        assert_eq!(read(&catalog, 99), [(SO_FAR, 60)]);
        assert_eq!(work(&catalog, 3, 10, 25 * HOUR), 3);
        assert_eq!(read(&catalog, 99), [(3, 10)]);
    }

    #[test]
    fn sums_end_when_profiles_are_deleted() {
        let wanted = Wanted { query: "{service_name=\"app\"}".to_owned(), from: 0, until: 15 };
        let catalog = summed();
        catalog.delete_profiles(wanted, 100).unwrap();
        assert_eq!(read(&catalog, 99).len(), 6);
        assert_eq!(work(&catalog, 2, 10, 100), 1);
        assert_eq!(work(&catalog, 3, 60, 100), SO_FAR);
        assert_eq!(read(&catalog, 99), [(SO_FAR, 60)]);
    }
}
