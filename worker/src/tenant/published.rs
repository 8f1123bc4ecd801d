//! The catalog as objects of the bucket: what is known of them, and when they are written anew.
//!
//! A worker writes a part for each day on which something changed, then puts a head that names them in the place of the one
//! before, then tells. Each part has a row with its day in the place of the first millisecond. It is never live, and its `job`
//! is the state of the catalog that the part shows, -1 when it was written by nobody we know. So the rows tell which
//! days have changed since, and a part that no head names is deleted like any other object.
//!
//! What the head names must be readable as long as queries through it may be under way, so objects that were removed are
//! deleted only when the head has not named them for the grace period.

use pilotlight_core::store::CatalogPart;
use serde::{Deserialize, Serialize};

use super::catalog::{ARRIVAL, Catalog, PAGE_BYTES, Page, next, read_page, shape};
use super::shard::Shard;
use super::sql::{Sql, Value, number};
use super::sweep::begin_sweep;
use crate::errors::Problem;

/// `published` has the states that heads have shown, as far back as it takes to tell what they named a grace period ago;
/// `done` is the number of the last change after which nothing is left to be written.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS published (state INTEGER PRIMARY KEY, millis INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS publication (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    begun_millis INTEGER NOT NULL,
    token INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    done INTEGER NOT NULL
);
INSERT OR IGNORE INTO publication VALUES (1, 0, 0, 0, 0);";

/// How long it is from one publication to the next: half an hour. Each writes the head and the part of today, sometimes that
/// of yesterday: 5 writes an hour. A tenant with a segment every five seconds writes 700, so that is 1 %.
pub(crate) const PUBLISH_MILLIS: i64 = 30 * 60_000;

/// How long one may be under way: as long as an invocation lives at most.
const LEASE_MILLIS: i64 = 15 * 60_000;

/// Most days that are published at once: 200. Each takes two requests or a few, and an invocation may make 1,000. More have
/// changed only after a database was lost; the head then shows the latest first.
const MAX_DAYS: i64 = 200;

/// How long objects wait for the head that does not name them any more: a day. When it fails for so long, nothing of it is
/// of any use.
pub(super) const WAIT_MILLIS: i64 = 86_400_000;

/// A part by its day and what makes its name unique.
pub(crate) type PartName = (i64, u64);

/// A head that is in the bucket.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The state of the catalog that it shows: the token of its publication.
    pub(crate) state: i64,
    pub(crate) parts: Vec<PartName>,
}

/// What is to be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Publication {
    /// The state of the catalog that is shown, and the right to do so.
    pub(crate) token: i64,
    /// Makes the names of its parts unique.
    pub(crate) unique: u64,
    /// The days whose parts are to be written anew.
    pub(crate) days: Vec<i64>,
}

/// Which rows are asked for: token, day, and the name after which to go on.
pub(crate) type OfDay = (i64, i64, String);

impl<S: Sql> Catalog<S> {
    /// Whether there may be something to publish, and it is time to.
    pub(crate) fn publication_due(&self, now: i64) -> Result<bool, Problem> {
        let mut found = self.sql.query(
            "SELECT p.done < s.last AND abs(?1 - p.begun_millis) >= iif(p.token = 0, ?2, ?3) FROM publication p, sequence s",
            vec![number(now), PUBLISH_MILLIS.into(), LEASE_MILLIS.into()],
        )?;
        match found.next().transpose()?.as_deref() {
            None => Ok(false),
            Some([Value::Integer(due)]) => Ok(*due != 0),
            Some(_) => Err(shape()),
        }
    }

    /// Begins a publication over the head that was found; `None` when nothing has changed, or another is under way.
    pub(crate) fn begin_publication(
        &self,
        shard: &Shard,
        found: &Head,
        unique: u64,
        now: i64,
        grace_millis: i64,
    ) -> Result<Option<Publication>, Problem> {
        if !self.publication_due(now)? {
            return Ok(None);
        }
        let (state, there) = (found.state, names(shard, &found.parts)?);
        let (shard, was_published) = (shard.clone(), !found.parts.is_empty());
        self.sql.transaction(move |sql| {
            if was_published && is_new(sql)? {
                // The database before this one was lost. Once, the head is left as it is until a sweep has found the objects.
                begin_sweep(sql)?;
                sql.exec("UPDATE publication SET begun_millis = ?, done = -1", vec![number(now)])?;
                return Ok(None);
            }
            // After the loss of a database: a head must be later than the one before.
            sql.exec("UPDATE sequence SET last = max(last, ?)", vec![number(state)])?;
            let token = next(sql)?;
            // Those that we do not know, or took for replaced, are replaced now.
            add_parts(sql, &there, -1, now)?;
            bury_others(sql, &there, now)?;
            let mut days = changed_days(sql)?;
            let whole = days.len() as i64 <= MAX_DAYS;
            days.truncate(MAX_DAYS as usize);
            sql.exec(
                "UPDATE publication SET begun_millis = ?, token = ?, whole = ?",
                vec![number(now), number(token), i64::from(whole).into()],
            )?;
            if days.is_empty() {
                end(sql, token, now, grace_millis)?;
                return Ok(None);
            }
            let written: Vec<PartName> = days.iter().map(|&day| (day, unique)).collect();
            add_parts(sql, &names(&shard, &written)?, token, now)?;
            Ok(Some(Publication { token, unique, days }))
        })
    }

    /// A page of the rows of a day, in the state that is being published.
    pub(crate) fn of_day(&self, (token, day, after): OfDay) -> Result<(Page, Vec<Vec<u8>>), Problem> {
        if !is_current(&self.sql, token)? || token < self.stood_alone()? {
            return Err(stale(token));
        }
        let found = self.sql.query(
            &format!(
                "SELECT o.key, o.level, o.size, d.bytes
                 FROM (SELECT key, level, size FROM objects WHERE key > ?1 AND added <= ?2 AND level BETWEEN 0 AND 3
                       AND (removed IS NULL OR removed > ?2) AND {ARRIVAL} / 86400000 = ?3) o
                 JOIN directories d ON d.key = o.key ORDER BY o.key, d.part"
            ),
            vec![after.into(), number(token), number(day)],
        )?;
        read_page(found, token, PAGE_BYTES)
    }

    /// Ends a publication whose head is in the bucket.
    pub(crate) fn end_publication(&self, shard: &Shard, head: &Head, now: i64, grace_millis: i64) -> Result<(), Problem> {
        let (token, there) = (head.state, names(shard, &head.parts)?);
        self.sql.transaction(move |sql| {
            if !is_current(sql, token)? {
                return Err(stale(token));
            }
            bury_others(sql, &there, now)?;
            end(sql, token, now, grace_millis)
        })
    }
}

/// Makes void what is known of the head, and the publication under way: the next one writes every part anew.
pub(super) fn unpublish(sql: &impl Sql) -> Result<(), Problem> {
    sql.exec("UPDATE publication SET done = -1, token = iif(token = 0, 0, -1)", Vec::new())?;
    sql.exec("DELETE FROM published", Vec::new())?;
    sql.exec("UPDATE objects SET job = -1 WHERE level = -1 AND removed_millis IS NULL", Vec::new())
}

/// Names of parts, as JSON.
fn names(shard: &Shard, parts: &[PartName]) -> Result<String, Problem> {
    let name = |&(day, unique): &PartName| {
        let key = CatalogPart { day, unique, ..CatalogPart::default() }.key(&shard.tenant, shard.number);
        (day, key)
    };
    serde_json::to_string(&parts.iter().map(name).collect::<Vec<_>>()).map_err(Problem::internal)
}

fn add_parts(sql: &impl Sql, parts: &str, job: i64, now: i64) -> Result<(), Problem> {
    sql.exec(
        "INSERT INTO objects (key, level, size, segments, day_bytes, job, min_millis, max_millis, added, added_millis, removed)
         SELECT value ->> 1, -1, 0, 0, 0, ?2, value ->> 0, 0, 0, ?3, 0 FROM json_each(?1) WHERE true
         ON CONFLICT (key) DO UPDATE SET removed_millis = NULL, deleted = 0, job = excluded.job
         WHERE removed_millis IS NOT NULL",
        vec![parts.into(), number(job), number(now)],
    )
}

/// Lets parts go that are not among these.
fn bury_others(sql: &impl Sql, parts: &str, now: i64) -> Result<(), Problem> {
    sql.exec(
        "UPDATE objects SET removed_millis = ? WHERE level = -1 AND removed_millis IS NULL
         AND key NOT IN (SELECT value ->> 1 FROM json_each(?))",
        vec![number(now), parts.into()],
    )
}

/// Days on which something has changed since their part was written, the latest first; one more than are published at once.
fn changed_days(sql: &impl Sql) -> Result<Vec<i64>, Problem> {
    let found = sql.query(
        &format!(
            "SELECT day FROM (
               SELECT {ARRIVAL} / 86400000 AS day, NULL AS state, coalesce(removed, added) AS change, removed IS NULL AS there
               FROM objects WHERE level BETWEEN 0 AND 3 AND (removed IS NULL OR removed > added)
               UNION ALL SELECT min_millis, job, 0, 1 FROM objects WHERE level = -1 AND removed_millis IS NULL)
             GROUP BY day HAVING max(there) AND max(change) > coalesce(max(state), -1) OR max(state) < 0
             ORDER BY day DESC LIMIT ?"
        ),
        vec![(MAX_DAYS + 1).into()],
    )?;
    let day = |values: Result<Vec<Value>, Problem>| match values?.pop() {
        Some(Value::Integer(day)) => Ok(day),
        _ => Err(shape()),
    };
    found.map(day).collect()
}

fn is_current(sql: &impl Sql, token: i64) -> Result<bool, Problem> {
    let mut found = sql.query("SELECT 1 FROM publication WHERE token = ?", vec![number(token)])?;
    Ok(found.next().transpose()?.is_some())
}

/// Whether nothing was ever published out of this database, nor made void.
fn is_new(sql: &impl Sql) -> Result<bool, Problem> {
    let mut found = sql.query("SELECT 1 FROM publication WHERE done = 0 AND begun_millis = 0", Vec::new())?;
    Ok(found.next().transpose()?.is_some())
}

/// Notes what the head shows now, unless days were left out.
fn end(sql: &impl Sql, token: i64, now: i64, grace_millis: i64) -> Result<(), Problem> {
    sql.exec("INSERT INTO published SELECT ?, ? FROM publication WHERE whole", vec![number(token), number(now)])?;
    sql.exec(
        "DELETE FROM published WHERE state < (SELECT max(state) FROM published WHERE millis <= ?)",
        vec![number(now - grace_millis)],
    )?;
    sql.exec("UPDATE publication SET token = 0, done = iif(whole, ?, done)", vec![number(token)])
}

fn stale(token: i64) -> Problem {
    Problem::new(409, "aborted", format!("the publication {token} is not the current one"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::tenant::catalog::tests::{add, catalog};
    use crate::tenant::sql::memory::MemorySql;

    const GRACE: i64 = 1_000;
    const DAY_MILLIS: i64 = 86_400_000;

    fn begin(catalog: &Catalog<MemorySql>, found: &Head, now: i64) -> Option<Publication> {
        let shard: Shard = "a".parse().unwrap();
        catalog.begin_publication(&shard, found, now as u64, now, GRACE).unwrap()
    }

    fn end(catalog: &Catalog<MemorySql>, token: i64, parts: &[PartName], now: i64) -> Result<(), u16> {
        let head = Head { state: token, parts: parts.to_vec() };
        catalog.end_publication(&"a".parse().unwrap(), &head, now, GRACE).map_err(|problem| problem.status)
    }

    /// What a worker does with days that all have objects: gives the head.
    pub(crate) fn publish(catalog: &Catalog<MemorySql>, found: &Head, now: i64) -> Option<Head> {
        let Publication { token, unique, days } = begin(catalog, found, now)?;
        let kept = found.parts.iter().filter(|(day, _)| !days.contains(day)).copied();
        let parts: Vec<PartName> = kept.chain(days.iter().map(|&day| (day, unique))).collect();
        end(catalog, token, &parts, now).unwrap();
        Some(Head { state: token, parts })
    }

    fn days_of(catalog: &Catalog<MemorySql>, found: &Head, now: i64) -> Vec<i64> {
        begin(catalog, found, now).map_or(Vec::new(), |publication| publication.days)
    }

    fn of_day(catalog: &Catalog<MemorySql>, token: i64, day: i64) -> Result<Vec<String>, u16> {
        let page = catalog.of_day((token, day, String::new()));
        page.map(|(page, _)| page.rows.into_iter().map(|row| row.key).collect()).map_err(|problem| problem.status)
    }

    #[test]
    fn only_what_has_changed_and_not_too_often() {
        let catalog = catalog();
        assert_eq!(catalog.publication_due(PUBLISH_MILLIS), Ok(false), "there is nothing");
        let keys = [10, 20, DAY_MILLIS].map(|millis| add(&catalog, millis));
        let now = PUBLISH_MILLIS;
        let head = publish(&catalog, &Head::default(), now).unwrap();
        assert_eq!(head.parts, [(1, now as u64), (0, now as u64)]);
        let now = 2 * now;
        assert_eq!(catalog.publication_due(now), Ok(false), "nothing has changed");
        let late = add(&catalog, DAY_MILLIS + 5);
        assert_eq!(catalog.publication_due(now - 1), Ok(false));
        let Publication { token, days, .. } = begin(&catalog, &head, now).unwrap();
        assert_eq!(days, [1]);
        add(&catalog, DAY_MILLIS + 6);
        assert_eq!(of_day(&catalog, token, 1), Ok(vec![keys[2].clone(), late]), "as it was when it began");
        assert_eq!(of_day(&catalog, token, 0), Ok(keys[..2].to_vec()));
        assert_eq!(of_day(&catalog, token, 2), Ok(Vec::new()));
        assert_eq!(of_day(&catalog, token - 1, 0), Err(409));
        assert_eq!(begin(&catalog, &head, now + LEASE_MILLIS - 1), None, "one at a time");
    }

    #[test]
    fn the_head_says_whose_parts_count() {
        let catalog = catalog();
        [10, DAY_MILLIS].iter().for_each(|&millis| drop(add(&catalog, millis)));
        let (head, mut now) = (publish(&catalog, &Head::default(), PUBLISH_MILLIS).unwrap(), PUBLISH_MILLIS);
        let part = |day: i64, unique: i64| format!("t/a/s0/catalog/{day}-{unique:016x}.part");
        // The next writes a part and dies.
        now += PUBLISH_MILLIS;
        let dead = now;
        add(&catalog, 20);
        let token = begin(&catalog, &head, now).unwrap().token;
        now += LEASE_MILLIS;
        assert_eq!(days_of(&catalog, &head, now), [0]);
        assert_eq!(end(&catalog, token, &head.parts, now), Err(409));
        assert_eq!(catalog.expired(now).unwrap(), [part(0, dead)]);
        // The next dies after the head was written.
        let head = Head { state: head.state + 9, parts: vec![(0, now as u64), head.parts[0]] };
        now += LEASE_MILLIS;
        assert!(publish(&catalog, &head, now).is_none(), "nothing is left to do");
        assert_eq!(catalog.expired(now).unwrap(), [part(0, dead), part(0, PUBLISH_MILLIS)]);
        // A head out of the past, and one of nobody.
        now += PUBLISH_MILLIS;
        add(&catalog, 30);
        let found = Head { state: 1 << 40, parts: vec![(0, PUBLISH_MILLIS as u64), (7, 7)] };
        let publication = begin(&catalog, &found, now).unwrap();
        assert_eq!((publication.days, publication.token), (vec![7, 1, 0], (1 << 40) + 1));
        assert!(!catalog.expired(now).unwrap().contains(&part(0, PUBLISH_MILLIS)), "it is named");
    }

    #[test]
    fn a_new_database_leaves_the_head_of_a_lost_one_for_a_while() {
        let catalog = catalog();
        add(&catalog, 10);
        let now = 5 * DAY_MILLIS;
        catalog.sweep_due(now - 1).unwrap();
        let found = Head { state: 70, parts: vec![(3, 3)] };
        assert_eq!(begin(&catalog, &found, now), None);
        assert_eq!((catalog.sweep_due(now), catalog.sweep_due(now)), (Ok(true), Ok(false)));
        assert_eq!(begin(&catalog, &found, now + PUBLISH_MILLIS - 1), None);
        assert_eq!(days_of(&catalog, &found, now + PUBLISH_MILLIS), [3, 0]);
    }

    #[test]
    fn what_the_head_names_stays() {
        let catalog = catalog();
        let key = add(&catalog, 10);
        let head = publish(&catalog, &Head::default(), PUBLISH_MILLIS).unwrap();
        let removed = PUBLISH_MILLIS + 1;
        let wanted = crate::tenant::Retention { raw_days: 1, sums_days: 1 };
        let now = removed + 2 * DAY_MILLIS;
        catalog.retain(wanted, now).unwrap();
        assert_eq!(catalog.expired(now).unwrap(), [""; 0]);
        // A head without it.
        let Publication { token, days, .. } = begin(&catalog, &head, now).unwrap();
        assert_eq!((days, of_day(&catalog, token, 0)), (vec![0], Ok(Vec::new())));
        assert_eq!(catalog.expired(now).unwrap(), [""; 0]);
        end(&catalog, token, &[], now).unwrap();
        assert_eq!(catalog.expired(now - 1).unwrap(), [""; 0], "who has read the old one");
        assert_eq!(catalog.expired(now).unwrap().len(), 3, "the object and two parts, of which one was never written");
        assert!(catalog.expired(now).unwrap().contains(&key));
    }

    #[test]
    fn not_for_ever() {
        let catalog = catalog();
        let key = add(&catalog, 10);
        let head = publish(&catalog, &Head::default(), PUBLISH_MILLIS).unwrap();
        let now = 2 * DAY_MILLIS;
        catalog.retain(crate::tenant::Retention { raw_days: 1, sums_days: 1 }, now).unwrap();
        assert_eq!(catalog.expired(now + WAIT_MILLIS - 1).unwrap(), [""; 0]);
        assert_eq!(catalog.expired(now + WAIT_MILLIS).unwrap(), [key.as_str()]);
        catalog.forget(&[key]).unwrap();
        catalog.purge(now + WAIT_MILLIS).unwrap();
        assert_eq!(days_of(&catalog, &head, now + WAIT_MILLIS), [0], "there is no row to tell so");
    }

    #[test]
    fn many_days_are_published_in_turns() {
        let catalog = catalog();
        (0..MAX_DAYS + 50).for_each(|day| drop(add(&catalog, day * DAY_MILLIS)));
        let (mut now, mut head) = (PUBLISH_MILLIS, Head::default());
        for expect in [MAX_DAYS, MAX_DAYS + 50] {
            assert_eq!(catalog.publication_due(now), Ok(true));
            head = publish(&catalog, &head, now).unwrap();
            assert_eq!(head.parts.len() as i64, expect);
            now += PUBLISH_MILLIS;
        }
        assert_eq!(catalog.publication_due(now), Ok(false));
    }
}
