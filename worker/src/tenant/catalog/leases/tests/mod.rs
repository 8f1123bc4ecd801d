//! Leases, failures and what a reader sees meanwhile.

mod partitions;

use pilotlight_core::plans::RETRY_WINDOW_MILLIS;

use super::*;
use crate::tenant::catalog::pages::CatalogQuery;
use crate::tenant::catalog::published::tests::publish;
use crate::tenant::catalog::sql::memory::MemorySql;
use crate::tenant::catalog::tests::{add, catalog, directory, keys, since};

const HOUR: i64 = 3_600_000;

/// A catalog with two segments of the first hour, and a time at which they are due.
fn due() -> (Catalog<MemorySql>, [String; 2], i64) {
    let catalog = catalog();
    let sources = [add(&catalog, 10), add(&catalog, 20)];
    (catalog, sources, 2 * HOUR)
}

fn lease(catalog: &Catalog<MemorySql>, unique: u64, now: i64) -> Option<Lease> {
    catalog
        .lease(unique, now)
        .unwrap()
        .map(|(lease, directories)| {
            assert_eq!(directories.len(), lease.sources.len());
            lease
        })
}

fn output(unique: u64) -> Row {
    Row {
        key: format!("t/a/s0/l1/0000000000010-{unique:016x}.blk"),
        level: Level::Minutes,
        size: 50,
    }
}

fn commit(catalog: &Catalog<MemorySql>, token: i64, unique: u64, now: i64) -> Result<(), u16> {
    catalog
        .commit(
            CompletedJob {
                token,
                output: output(unique),
                partitioning: 0,
            },
            &directory(10),
            now,
        )
        .map_err(|problem| problem.status)
}

#[test]
fn a_job_from_lease_to_deletion() {
    let (catalog, sources, now) = due();
    let leased = lease(&catalog, 1, now).unwrap();
    assert_eq!(
        leased
            .sources
            .iter()
            .map(|row| &row.key)
            .collect::<Vec<_>>(),
        [&sources[0], &sources[1]]
    );
    assert_eq!(
        keys(&catalog, 0, 99, 0),
        sources,
        "until the commit nothing changes"
    );
    commit(&catalog, leased.token, 1, now + 1).unwrap();
    assert_eq!(keys(&catalog, 0, 99, 0), [output(1).key]);

    assert_eq!(
        catalog.expired(now + 1).unwrap(),
        [""; 0],
        "their day may name them"
    );
    publish(&catalog, now + 1);
    assert_eq!(
        catalog.expired(now).unwrap(),
        [""; 0],
        "running queries may still read them"
    );
    assert_eq!(catalog.expired(now + 1).unwrap(), sources);
    assert_eq!(
        since(&catalog, 0).len(),
        3,
        "what they held is known as long"
    );
    let all = [sources.as_slice(), &[output(1).key]].concat();
    catalog.forget(&all).unwrap();
    assert_eq!(catalog.expired(i64::MAX).unwrap(), [""; 0]);
    assert_eq!(
        keys(&catalog, 0, 99, 0),
        [output(1).key],
        "only what was removed is forgotten"
    );
    assert!(
        lease(&catalog, 2, now + 2).is_none(),
        "nothing is due any more"
    );
}

#[test]
fn the_row_of_a_deleted_object_outlives_the_retry_window() {
    let catalog = catalog();
    let sources: Vec<String> = (10..74).map(|millis| add(&catalog, millis)).collect();
    let token = lease(&catalog, 1, 100).unwrap().token;
    commit(&catalog, token, 1, 101).unwrap();
    catalog.forget(&sources).unwrap();
    catalog.purge(RETRY_WINDOW_MILLIS + 10).unwrap();
    assert_eq!(since(&catalog, 0).len(), 65);
    catalog.purge(RETRY_WINDOW_MILLIS + 74).unwrap();
    assert_eq!(since(&catalog, 0).len(), 1);
    assert_eq!(keys(&catalog, i64::MIN, i64::MAX, 0), [output(1).key]);
}

fn fail(catalog: &Catalog<MemorySql>, token: i64, blame: Blame, now: i64) {
    catalog
        .fail(
            FailedJob {
                token,
                message: "it broke".to_owned(),
                blame,
            },
            now,
        )
        .unwrap();
}

fn failures(catalog: &Catalog<MemorySql>) -> Vec<(i64, Option<String>)> {
    let rows = catalog.sql.query(
        "SELECT failures, error FROM objects WHERE level = 0 ORDER BY key",
        Vec::new(),
    );
    let row = |values: Result<Vec<Value>, Problem>| match <[Value; 2]>::try_from(values.unwrap())
        .unwrap()
    {
        [Value::Integer(failures), Value::String(error)] => (failures, Some(error)),
        [Value::Integer(failures), _] => (failures, None),
        other => panic!("{other:?}"),
    };
    rows.unwrap().map(row).collect()
}

#[test]
fn an_object_that_breaks_three_jobs_is_put_aside() {
    let (catalog, sources, now) = due();
    for unique in 1..=3 {
        let leased = lease(&catalog, unique, now).unwrap();
        assert_eq!(leased.sources.len(), 2);
        fail(
            &catalog,
            leased.token,
            Blame::Object(sources[0].clone()),
            now,
        );
    }
    assert_eq!(
        failures(&catalog),
        [(3, Some("it broke".to_owned())), (0, None)]
    );
    let leased = lease(&catalog, 4, now).unwrap();
    assert_eq!(
        leased
            .sources
            .iter()
            .map(|row| &row.key)
            .collect::<Vec<_>>(),
        [&sources[1]]
    );
    let output = Row {
        key: format!("t/a/s0/l1/0000000000020-{:016x}.blk", 4),
        ..output(4)
    };
    catalog
        .commit(
            CompletedJob {
                token: leased.token,
                output: output.clone(),
                partitioning: 0,
            },
            &directory(20),
            now,
        )
        .unwrap();
    assert_eq!(
        keys(&catalog, 0, 99, 0),
        [sources[0].clone(), output.key],
        "queries still read it"
    );
    publish(&catalog, now);
    assert_eq!(
        catalog.expired(now).unwrap().len(),
        4,
        "three outputs and a source"
    );
}

#[test]
fn a_bucket_that_is_away_is_not_the_sources_fault() {
    let (catalog, _, now) = due();
    for unique in 1..=4 {
        let token = lease(&catalog, unique, now).unwrap().token;
        fail(&catalog, token, Blame::Nobody, now);
    }
    assert_eq!(failures(&catalog), [(0, None), (0, None)]);
}

#[test]
fn jobs_that_never_end_are_failures() {
    let (catalog, _, now) = due();
    let tries = (0..)
        .take_while(|&i| lease(&catalog, 1 + i as u64, now + i * LEASE_MILLIS).is_some())
        .count();
    assert_eq!(tries, 3);
    assert_eq!(failures(&catalog)[1].0, 3);
}

#[test]
fn who_has_lost_the_lease_cannot_fail_it() {
    let (catalog, _, now) = due();
    let first = lease(&catalog, 1, now).unwrap().token;
    let second = lease(&catalog, 2, now + LEASE_MILLIS).unwrap().token;
    fail(&catalog, first, Blame::Sources, now);
    assert_eq!(commit(&catalog, second, 2, now), Ok(()));
}

#[test]
fn a_reader_sees_the_sources_or_the_output() {
    let (catalog, sources, now) = due();
    let token = lease(&catalog, 1, now).unwrap().token;
    let query = CatalogQuery {
        first_millis: 0,
        last_millis: 99,
        ..CatalogQuery::default()
    };
    let (first, _) = catalog.page(&query, 0).unwrap();
    commit(&catalog, token, 1, now).unwrap();
    let (rest, _) = catalog
        .page(
            &CatalogQuery {
                after: first.after,
                ..query
            },
            0,
        )
        .unwrap();
    assert_eq!(
        [&first.rows[0].key, &rest.rows[0].key],
        [&sources[0], &sources[1]]
    );
    assert_eq!((rest.rows.len(), rest.after), (1, None));
}

#[test]
fn one_holder_at_a_time() {
    let (catalog, _, now) = due();
    let first = lease(&catalog, 1, now).unwrap();
    assert!(lease(&catalog, 2, now + LEASE_MILLIS - 1).is_none());
    let second = lease(&catalog, 2, now + LEASE_MILLIS).unwrap();
    assert!(second.token > first.token);
    assert_eq!(
        commit(&catalog, first.token, 1, now),
        Err(409),
        "the first is stale"
    );
    assert_eq!(
        commit(&catalog, second.token, 1, now),
        Err(409),
        "its output is not the second's"
    );
    assert_eq!(commit(&catalog, second.token, 2, now), Ok(()));
    assert_eq!(
        commit(&catalog, second.token, 2, now),
        Ok(()),
        "twice is once"
    );
    assert_eq!(
        commit(&catalog, first.token, 1, now),
        Err(409),
        "still stale"
    );
    assert_eq!(keys(&catalog, 0, 99, 0), [output(2).key]);
}

#[test]
fn a_holder_that_is_late_but_alone_may_commit() {
    let (catalog, _, now) = due();
    let token = lease(&catalog, 1, now).unwrap().token;
    assert_eq!(commit(&catalog, token, 1, now + 10 * LEASE_MILLIS), Ok(()));
}

#[test]
fn the_output_of_a_dead_holder_is_deleted() {
    let (catalog, _, now) = due();
    lease(&catalog, 1, now).unwrap();
    lease(&catalog, 2, now + LEASE_MILLIS).unwrap();
    assert_eq!(
        catalog.expired(now + LEASE_MILLIS).unwrap(),
        [output(1).key]
    );
}
