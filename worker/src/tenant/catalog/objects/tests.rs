//! The states of a row, one after another.

use super::*;
use crate::tenant::catalog::sql::memory::MemorySql;
use crate::tenant::catalog::tests::{add, catalog, directory, keys};
use pilotlight_core::store::Level;

fn block(unique: u64) -> Row {
    Row {
        key: format!("t/a/s0/l1/0000000000010-{unique:016x}.blk"),
        level: Level::Minutes,
        size: 100,
    }
}

fn insert_share(sql: &MemorySql, unique: u64, job: u64) {
    let directory = directory(10);
    let facts = Facts {
        job,
        ..Facts::of(&directory)
    };
    insert_pending(
        sql,
        &block(unique),
        &directory.encode().unwrap(),
        &facts,
        20,
    )
    .unwrap();
}

fn states(sql: &MemorySql) -> Vec<Option<State>> {
    [1, 2, 3]
        .map(|unique| state_of(sql, &block(unique).key).unwrap())
        .into()
}

#[test]
fn from_pending_to_no_row() {
    let catalog = catalog();
    let sql = &catalog.sql;
    insert_share(sql, 1, 7);
    insert_share(sql, 2, 7);
    insert_share(sql, 3, 8);
    assert_eq!(states(sql), [Some(State::Pending); 3]);
    assert_eq!(keys(&catalog, 0, 99, 0), [""; 0]);
    let change = next(sql).unwrap();
    make_live(sql, 7, change).unwrap();
    abandon_job(sql, 8, 30).unwrap();
    assert_eq!(
        states(sql),
        [Some(State::Live), Some(State::Live), Some(State::Replaced)]
    );
    assert_eq!(keys(&catalog, 0, 99, 0), [block(1).key, block(2).key]);

    // What counts is neither abandoned nor deleted.
    let all = serde_json::to_string(&[1, 2, 3].map(|unique| block(unique).key)).unwrap();
    abandon(sql, &block(1).key, 30).unwrap();
    mark_deleted(sql, &all).unwrap();
    assert_eq!(
        states(sql),
        [Some(State::Live), Some(State::Live), Some(State::Deleted)]
    );
    replace(sql, &all, change + 1, 40).unwrap();
    mark_deleted(sql, &all).unwrap();
    drop_deleted(sql, 20).unwrap();
    assert_eq!(states(sql), [Some(State::Deleted); 3]);
    drop_deleted(sql, 21).unwrap();
    assert_eq!(states(sql), [None; 3]);
}

#[test]
fn what_may_be_in_the_bucket_is_deleted_again() {
    let catalog = catalog();
    let sql = &catalog.sql;
    for _ in 0..2 {
        abandon(sql, &block(1).key, 30).unwrap();
        assert_eq!(
            catalog.expired(30).unwrap(),
            [block(1).key],
            "no query ever read it"
        );
        mark_deleted(sql, &serde_json::to_string(&[block(1).key]).unwrap()).unwrap();
    }
}

#[test]
fn a_row_says_what_it_is() {
    let catalog = catalog();
    let key = add(&catalog, 10);
    for state in ["'gone'", "'replaced'", "'deleted'"] {
        let changed = catalog.sql.exec(
            &format!("UPDATE objects SET state = {state} WHERE key = ?"),
            vec![key.as_str().into()],
        );
        assert!(changed.unwrap_err().message.contains("CHECK"), "{state}");
    }
}
