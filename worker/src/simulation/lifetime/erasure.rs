//! Deletion of single profiles: a brute-force account of what is to be left, in every state of the
//! catalog.

use std::collections::BTreeMap;

use crate::api::admin::deletions::{delete_profiles, deletions};
use crate::simulation::world::faults::{FAULTS, Fault};
use crate::simulation::world::{BEGIN, DAY, HOUR, MINUTE, World};
use crate::tenant::{DeletionRequest, StartedDeletion};

/// Time from one profile to the next.
const STEP: i64 = 3 * HOUR;

/// So many profiles; services app0 to app4 in turn.
fn pushed(world: &World, count: u32) {
    for n in 0..count {
        world
            .clock
            .advance(BEGIN + i64::from(n) * STEP - world.clock.now());
        assert!(world.clock.run(world.push(n, 3)));
    }
}

pub(in crate::simulation) fn wanted(query: &str, from: i64, until: i64) -> DeletionRequest {
    DeletionRequest {
        query: query.to_owned(),
        from: BEGIN + from,
        until: BEGIN + until,
    }
}

fn delete(world: &World, wanted: &DeletionRequest) -> StartedDeletion {
    for _ in 0..3 {
        let deletion = world
            .faults
            .invocation(async { delete_profiles(&world.tenant(), wanted.clone()).await });
        if let Ok(begun) = world.clock.run(deletion) {
            return begun;
        }
    }
    panic!("it fails three times");
}

/// What has to be left.
fn left(app: Option<u32>, from: i64, until: i64) -> BTreeMap<u32, i64> {
    let gone = |n: &u32| {
        app.is_none_or(|app| n % 5 == app) && (from..until).contains(&(i64::from(*n) * STEP))
    };
    (0..12).filter(|n| !gone(n)).map(|n| (n, 1)).collect()
}

/// Visits until nothing is due, leases that died have ended and what was replaced is deleted.
fn finish_all_work(world: &World) {
    for _ in 0..4 {
        world.compact_all();
        world.clock.advance(HOUR);
    }
    world.compact_all();
    assert_eq!(world.objects(), world.live());
    assert_eq!(world.clock.run(world.published()).names(), world.live());
    assert_eq!(world.clock.run(deletions(&world.tenant())), Ok(Vec::new()));
}

fn check(world: &World, expect: &BTreeMap<u32, i64>, when: &str) {
    assert_eq!(world.counts(), *expect, "{when}");
}

#[test]
fn exactly_what_is_selected_goes() {
    let cases = [
        ("{service_name=\"app1\"}", Some(1), -DAY, 100 * DAY),
        ("{service_name=\"app1\"}", Some(1), 0, 3 * STEP),
        ("{}", None, 2 * STEP, 9 * STEP),
        ("{}", None, -DAY, 100 * DAY),
        ("{service_name=\"none\"}", Some(9), -DAY, 100 * DAY),
        (
            "{service_name=\"\\x61pp\\061\",__type__!=\"none\"}",
            Some(1),
            -DAY,
            100 * DAY,
        ),
        ("{__type__!=\"cpu\"}", Some(9), -DAY, 100 * DAY),
        ("{__unit__!~\"nano.*\"}", Some(9), -DAY, 100 * DAY),
    ];
    // When it is deleted: before any job, half of them done, all done and summarized.
    for (query, app, from, until) in cases {
        for state in 0..3 {
            let world = World::new(&["a"]);
            pushed(&world, 12);
            match state {
                0 => {}
                1 => (0..5).for_each(|_| drop(world.clock.run(world.visit(0)))),
                _ => {
                    world.clock.advance(2 * DAY);
                    world.compact_all();
                }
            }
            let when = format!("{query} from {from} until {until} in state {state}");
            let begun = delete(&world, &wanted(query, from, until));
            let expect = left(app, from, until);
            assert_eq!(begun.objects == 0, expect.len() == 12, "{when}");
            let pending = world.clock.run(deletions(&world.tenant())).unwrap();
            assert_eq!(
                pending
                    .iter()
                    .map(|pending| pending.left as u64)
                    .sum::<u64>(),
                begun.objects,
                "{when}"
            );
            finish_all_work(&world);
            check(&world, &expect, &when);
            world.clock.advance(3 * DAY);
            finish_all_work(&world);
            check(&world, &expect, &format!("{when}, days later"));
            assert_eq!(world.live().is_empty(), expect.is_empty(), "{when}");
        }
    }
}

#[test]
fn a_job_under_way_brings_nothing_back() {
    let world = World::new(&["a"]);
    pushed(&world, 12);
    world.clock.advance(HOUR + 2 * MINUTE);
    world.clock.run(world.publish()).unwrap();
    let begun = std::cell::Cell::new(None);
    // The job's output is written when the deletion begins: behind the visit, the retention, the lease and a source.
    let put = world.faults.operations().len() + 4;
    world.faults.plan(put, Fault::Stall);
    let second = async {
        world.clock.sleep(MINUTE).await;
        begun.set(
            delete_profiles(
                &world.tenant(),
                wanted("{service_name=\"app0\"}", -DAY, 100 * DAY),
            )
            .await
            .ok(),
        );
    };
    let (job, ()) = world
        .clock
        .run(futures_util::future::join(world.visit(0), second));
    assert_eq!(world.faults.operations()[put], "put");
    assert_eq!(job.map_err(|problem| problem.status), Err(409));
    assert_eq!(begun.get().map(|begun| begun.objects), Some(3));
    finish_all_work(&world);
    check(&world, &left(Some(0), -DAY, 100 * DAY), "after all");
}

#[test]
fn what_is_pushed_later_stays() {
    let world = World::new(&["a"]);
    pushed(&world, 12);
    delete(&world, &wanted("{service_name=\"app2\"}", -DAY, 100 * DAY));
    assert!(world.clock.run(world.push(12, 0)), "the same service");
    delete(&world, &wanted("{service_name=\"app1\"}", -DAY, 100 * DAY));
    finish_all_work(&world);
    let expect: Vec<u32> = (0..13)
        .filter(|n| *n == 12 || !matches!(n % 5, 1 | 2))
        .collect();
    assert_eq!(world.counts().into_keys().collect::<Vec<_>>(), expect);
}

#[test]
fn any_operation_may_fail() {
    let (from, until) = (STEP, 4 * STEP);
    let scenario = |world: &World| {
        delete(world, &wanted("{}", from, until));
        for _ in 0..6 {
            let _ = world.clock.run(world.visit(0));
            world.clock.advance(15 * MINUTE);
        }
    };
    // Two blocks, and segments of the other hours.
    let begin = || {
        let world = World::new(&["a"]);
        pushed(&world, 6);
        (0..2).for_each(|_| drop(world.clock.run(world.visit(0))));
        world
    };
    let calm = begin();
    let before = calm.faults.operations().len();
    scenario(&calm);
    let mut expect = left(None, from, until);
    expect.retain(|n, _| *n < 6);
    for at in before..calm.faults.operations().len() {
        for fault in FAULTS {
            let world = begin();
            world.faults.plan(at, fault);
            scenario(&world);
            world.faults.stop();
            world.clock.advance(DAY);
            finish_all_work(&world);
            check(&world, &expect, &format!("{fault:?} at {at}"));
        }
    }
}
