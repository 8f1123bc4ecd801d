//! Publications: what is due, who may write, and how long what a day names stays.

use super::*;
use crate::platform::config::Retention;
use crate::tenant::catalog::sql::memory::MemorySql;
use crate::tenant::catalog::tests::{add, catalog};

const DAY_MILLIS: i64 = 86_400_000;

/// A catalog that knows that the bucket has no days.
fn known() -> Catalog<MemorySql> {
    let catalog = catalog();
    catalog.days_found(&[]).unwrap();
    catalog
}

fn begin(catalog: &Catalog<MemorySql>, now: i64) -> Option<(i64, Vec<PublishedDay>)> {
    match catalog.begin_publication(now).unwrap() {
        Publication::Begun { token, days } => Some((token, days)),
        Publication::NotDue | Publication::DaysUnknown => None,
    }
}

/// Ends a publication; those days that have objects get the time as their tag.
fn end(
    catalog: &Catalog<MemorySql>,
    token: i64,
    days: &[PublishedDay],
    now: i64,
) -> Result<(), u16> {
    let written = |&PublishedDay { day, .. }: &PublishedDay| {
        let is_empty = of_day(catalog, token, day).is_ok_and(|rows| rows.is_empty());
        PublishedDay {
            day,
            etag: (!is_empty).then(|| now.to_string()),
        }
    };
    let days: Vec<PublishedDay> = days.iter().map(written).collect();
    catalog
        .end_publication(token, &days, now)
        .map_err(|problem| problem.status)
}

/// What a worker does; gives the days that it wrote.
pub(crate) fn publish(catalog: &Catalog<MemorySql>, now: i64) -> Vec<i64> {
    if !are_days_known(&catalog.sql).unwrap() {
        catalog.days_found(&[]).unwrap();
    }
    let Some((token, days)) = begin(catalog, now) else {
        return Vec::new();
    };
    end(catalog, token, &days, now).unwrap();
    numbers(&days)
}

fn numbers(days: &[PublishedDay]) -> Vec<i64> {
    days.iter().map(|published| published.day).collect()
}

fn of_day(catalog: &Catalog<MemorySql>, token: i64, day: i64) -> Result<Vec<String>, u16> {
    let page = catalog.of_day((token, day, String::new()));
    page.map(|(page, _)| page.rows.into_iter().map(|row| row.key).collect())
        .map_err(|problem| problem.status)
}

#[test]
fn only_what_has_changed_and_not_too_often() {
    let catalog = known();
    assert_eq!(
        catalog.publication_due(PUBLISH_MILLIS),
        Ok(false),
        "there is nothing"
    );
    let keys = [10, 20, DAY_MILLIS].map(|millis| add(&catalog, millis));
    let now = PUBLISH_MILLIS;
    assert_eq!(publish(&catalog, now), [1, 0]);
    let now = 2 * now;
    assert_eq!(
        catalog.publication_due(now),
        Ok(false),
        "nothing has changed"
    );
    let late = add(&catalog, DAY_MILLIS + 5);
    assert_eq!(catalog.publication_due(now - 1), Ok(false));
    let (token, days) = begin(&catalog, now).unwrap();
    assert_eq!(
        days,
        [PublishedDay {
            day: 1,
            etag: Some(PUBLISH_MILLIS.to_string())
        }]
    );
    let later = add(&catalog, DAY_MILLIS + 6);
    assert_eq!(
        of_day(&catalog, token, 1),
        Ok(vec![keys[2].clone(), late.clone()]),
        "as it was when it began"
    );
    assert_eq!(of_day(&catalog, token, 0), Ok(keys[..2].to_vec()));
    assert_eq!(of_day(&catalog, token, 2), Ok(Vec::new()));
    assert_eq!(of_day(&catalog, token - 1, 0), Err(409));
    assert_eq!(
        begin(&catalog, now + LEASE_MILLIS - 1),
        None,
        "one at a time"
    );
    end(&catalog, token, &days, now).unwrap();
    let (token, days) = begin(&catalog, now + PUBLISH_MILLIS).unwrap();
    assert_eq!(numbers(&days), [1], "what came meanwhile");
    assert_eq!(
        of_day(&catalog, token, 1),
        Ok(vec![keys[2].clone(), late, later])
    );
}

#[test]
fn who_is_late_gets_no_rows_and_ends_nothing() {
    let catalog = known();
    add(&catalog, 10);
    let mut now = PUBLISH_MILLIS;
    let (dead, days) = begin(&catalog, now).unwrap();
    now += LEASE_MILLIS;
    let (token, again) = begin(&catalog, now).unwrap();
    assert_eq!(days, again);
    assert_eq!(
        (of_day(&catalog, dead, 0), end(&catalog, dead, &days, now)),
        (Err(409), Err(409))
    );
    assert!(of_day(&catalog, token, 0).is_ok());
    catalog.sql.transaction(change_all_days).unwrap();
    assert_eq!(
        (of_day(&catalog, token, 0), end(&catalog, token, &days, now)),
        (Err(409), Err(409))
    );
    assert_eq!(catalog.may_be_written(now + LEASE_MILLIS - 1), Ok(true));
    assert_eq!(catalog.may_be_written(now + LEASE_MILLIS), Ok(false));
    assert_eq!(publish(&catalog, now + LEASE_MILLIS - 1), [0; 0]);
    assert_eq!(publish(&catalog, now + LEASE_MILLIS), [0]);
}

#[test]
fn a_new_database_leaves_the_days_of_a_lost_one_for_a_while() {
    let catalog = catalog();
    add(&catalog, 10);
    let now = 5 * DAY_MILLIS;
    catalog.begin_sweep(now - 1).unwrap();
    assert_eq!(catalog.begin_publication(now), Ok(Publication::DaysUnknown));
    catalog.days_found(&[0, 3]).unwrap();
    assert_eq!(
        (catalog.begin_sweep(now), catalog.begin_sweep(now)),
        (Ok(true), Ok(false))
    );
    assert_eq!(
        catalog.begin_publication(now + PUBLISH_MILLIS - 1),
        Ok(Publication::NotDue)
    );
    // However long it takes, until the sweep is done.
    assert_eq!(
        catalog.begin_publication(now + 10 * PUBLISH_MILLIS),
        Ok(Publication::NotDue)
    );
    assert_eq!(catalog.begin_sweep(now + PUBLISH_MILLIS), Ok(true));
    catalog.end_sweep(now + PUBLISH_MILLIS).unwrap();
    let (token, days) = begin(&catalog, now + PUBLISH_MILLIS).unwrap();
    assert_eq!(numbers(&days), [3, 0]);
    assert_eq!(of_day(&catalog, token, 3), Ok(Vec::new()));
    // Later ones are only noted.
    catalog.days_found(&[0, 3, 7]).unwrap();
    assert_eq!(catalog.begin_sweep(now + 2 * PUBLISH_MILLIS), Ok(false));
}

#[test]
fn what_a_day_names_stays() {
    let catalog = known();
    let key = add(&catalog, 10);
    publish(&catalog, PUBLISH_MILLIS);
    let removed = PUBLISH_MILLIS + 1;
    let now = removed + 2 * DAY_MILLIS;
    catalog
        .retain(
            Retention {
                raw_days: 1,
                sums_days: 1,
            },
            &[],
            now,
        )
        .unwrap();
    assert_eq!(catalog.expired(now).unwrap(), [""; 0]);
    let (token, days) = begin(&catalog, now).unwrap();
    assert_eq!(
        (numbers(&days), of_day(&catalog, token, 0)),
        (vec![0], Ok(Vec::new()))
    );
    assert_eq!(catalog.expired(now).unwrap(), [""; 0]);
    end(&catalog, token, &days, now).unwrap();
    assert_eq!(
        catalog.expired(now - 1).unwrap(),
        [""; 0],
        "who has read the old one"
    );
    assert_eq!(catalog.expired(now).unwrap(), [key]);
    catalog.purge(now + WAIT_MILLIS).unwrap();
    assert_eq!(
        catalog
            .sql
            .query("SELECT day FROM days", Vec::new())
            .unwrap()
            .count(),
        1
    );
    catalog.purge(now + WAIT_MILLIS + 1).unwrap();
    assert_eq!(
        catalog
            .sql
            .query("SELECT day FROM days", Vec::new())
            .unwrap()
            .count(),
        0,
        "it is empty"
    );
}

#[test]
fn not_for_ever() {
    let catalog = known();
    let key = add(&catalog, 10);
    publish(&catalog, PUBLISH_MILLIS);
    let now = 2 * DAY_MILLIS;
    catalog
        .retain(
            Retention {
                raw_days: 1,
                sums_days: 1,
            },
            &[],
            now,
        )
        .unwrap();
    assert_eq!(catalog.expired(now + WAIT_MILLIS - 1).unwrap(), [""; 0]);
    assert_eq!(catalog.expired(now + WAIT_MILLIS).unwrap(), [key.as_str()]);
    catalog.forget(&[key]).unwrap();
    catalog.purge(now + WAIT_MILLIS).unwrap();
    assert_eq!(
        publish(&catalog, now + WAIT_MILLIS),
        [0],
        "although there is no row of the object"
    );
}

#[test]
fn many_days_are_published_in_turns() {
    let catalog = known();
    (0..MAX_DAYS + 50).for_each(|day| drop(add(&catalog, day * DAY_MILLIS)));
    let mut now = PUBLISH_MILLIS;
    for expect in [MAX_DAYS, 50] {
        assert_eq!(catalog.publication_due(now), Ok(true));
        assert_eq!(publish(&catalog, now).len() as i64, expect);
        now += PUBLISH_MILLIS;
    }
    assert_eq!(catalog.publication_due(now), Ok(false));
}

#[test]
fn a_busy_day_is_noted_once() {
    let catalog = known();
    add(&catalog, 10);
    let changed = || {
        let mut found = catalog
            .sql
            .query("SELECT changed FROM days", Vec::new())
            .unwrap();
        match found.next().unwrap().unwrap().as_slice() {
            [Value::Integer(changed)] => *changed,
            other => panic!("{other:?}"),
        }
    };
    let first = changed();
    add(&catalog, 20);
    assert_eq!(changed(), first);
    publish(&catalog, PUBLISH_MILLIS);
    add(&catalog, 30);
    assert!(changed() > first);
}
