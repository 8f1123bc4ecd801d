//! Partitions of a job.

use pilotlight_core::store::{BlockEntry, Contents, Dataset, Part, Partition};

use super::*;

/// The directory of a partition that holds a profile of `millis`.
fn partition(token: i64, millis: i64, number: u32, count: u32) -> Directory {
    let (partition, time) = (Partition { number, count }, UnixNanos::from_millis(millis));
    let dataset = Dataset {
        profile_type: 0,
        series: vec![0],
        min_time: time,
        max_time: time,
        profiles: 1,
        stacks: 0,
        symbols: Part { offset: 8, len: 17 },
        totals: None,
        window_totals: None,
        all_totals: None,
        pages: Vec::new(),
        sums: Vec::new(),
        links: Vec::new(),
    };
    let block = BlockEntry {
        token: token as u64,
        partition,
        datasets: vec![dataset],
        ..BlockEntry::default()
    };
    Directory {
        contents: Contents::Block(block),
        ..directory(millis)
    }
}

fn done(token: i64, unique: u64, partitioning: u64) -> CompletedJob {
    CompletedJob {
        token,
        output: output(unique),
        partitioning,
    }
}

#[test]
fn shares_count_when_the_last_is_done() {
    let (catalog, sources, now) = due();
    let first = lease(&catalog, 1, now).unwrap();
    assert_eq!(first.partition, 0);
    for _ in 0..2 {
        // Twice is once.
        catalog
            .commit(
                done(first.token, 1, 77),
                &partition(first.token, 10, 0, 2),
                now,
            )
            .unwrap();
    }
    assert_eq!(keys(&catalog, 0, 99, 0), sources);
    assert_eq!(
        catalog.expired(i64::MAX).unwrap(),
        [""; 0],
        "it is not forgotten either"
    );
    // Whoever comes next does the next, however late.
    let second = lease(&catalog, 2, now + 9 * LEASE_MILLIS).unwrap();
    assert_eq!(
        (second.partition, second.token, &second.sources),
        (1, first.token, &first.sources)
    );
    assert!(
        lease(&catalog, 3, now + 9 * LEASE_MILLIS + 1).is_none(),
        "one at a time"
    );
    catalog
        .commit(
            done(second.token, 2, 77),
            &partition(second.token, 20, 1, 2),
            now,
        )
        .unwrap();
    assert_eq!(keys(&catalog, 0, 99, 0), [output(1).key, output(2).key]);
    publish(&catalog, now);
    assert_eq!(catalog.expired(now).unwrap(), sources);
    assert_eq!(
        lease(&catalog, 4, now + 9 * LEASE_MILLIS).unwrap().level,
        Level::Hour,
        "the job is done"
    );
}

/// A catalog with a job of `count` partitions, of which the first is done and the second is leased;
/// the names of its sources, its token and the time.
fn first_is_done(count: u32) -> (Catalog<MemorySql>, [String; 2], i64, i64) {
    let (catalog, sources, now) = due();
    let token = lease(&catalog, 1, now).unwrap().token;
    catalog
        .commit(done(token, 1, 77), &partition(token, 10, 0, count), now)
        .unwrap();
    lease(&catalog, 2, now).unwrap();
    (catalog, sources, token, now)
}

#[test]
fn partitions_of_a_job_that_comes_to_nothing_are_deleted() {
    let dies = |catalog: &Catalog<MemorySql>, now| drop(lease(catalog, 3, now + LEASE_MILLIS));
    let fails = |catalog: &Catalog<MemorySql>, now| {
        let token = held(&catalog.sql).unwrap().unwrap().token;
        fail(catalog, token, Blame::Nobody, now);
    };
    let deletes = |catalog: &Catalog<MemorySql>, now| {
        let wanted = DeletionRequest {
            query: "{service_name=\"none\"}".to_owned(),
            from: 0,
            until: 99,
        };
        catalog.delete_profiles(wanted, now).unwrap();
    };
    type End = fn(&Catalog<MemorySql>, i64);
    for (way, end) in [dies as End, fails, deletes].into_iter().enumerate() {
        let (catalog, sources, token, now) = first_is_done(3);
        end(&catalog, now);
        assert_eq!(keys(&catalog, 0, 99, 0), sources, "{way}");
        let expired = catalog.expired(now + LEASE_MILLIS).unwrap();
        assert_eq!(expired, [output(1).key, output(2).key], "{way}");
        let problem = catalog
            .commit(done(token, 2, 77), &partition(token, 20, 1, 3), now)
            .unwrap_err();
        assert_eq!(problem.status, 409, "{way}");
    }
}

#[test]
fn a_partition_of_another_partitioning_is_refused() {
    let (catalog, sources, token, now) = first_is_done(2);
    let problem = catalog
        .commit(done(token, 2, 78), &partition(token, 20, 1, 2), now)
        .unwrap_err();
    assert_eq!(problem.status, 409);
    let problem = catalog
        .commit(done(token, 2, 77), &partition(token, 20, 0, 2), now)
        .unwrap_err();
    assert_eq!(problem.status, 409);
    assert_eq!(keys(&catalog, 0, 99, 0), sources);
}

#[test]
fn a_failure_that_passes_keeps_the_partitions_that_are_done() {
    let (catalog, sources, token, now) = first_is_done(2);
    fail(&catalog, token, Blame::Passing, now);
    assert_eq!(
        catalog.expired(now + LEASE_MILLIS).unwrap(),
        [output(2).key],
        "what it wrote"
    );
    let again = lease(&catalog, 3, now).unwrap();
    assert_eq!((again.token, again.partition), (token, 1));
    catalog
        .commit(done(token, 3, 77), &partition(token, 20, 1, 2), now)
        .unwrap();
    assert_eq!(keys(&catalog, 0, 99, 0), [output(1).key, output(3).key]);
    // Before the first is done there is nothing to keep.
    let (catalog, _, now) = due();
    let token = lease(&catalog, 1, now).unwrap().token;
    fail(&catalog, token, Blame::Passing, now);
    assert_ne!(lease(&catalog, 2, now).unwrap().token, token);
    assert_eq!(sources.len(), failures(&catalog).len());
}
