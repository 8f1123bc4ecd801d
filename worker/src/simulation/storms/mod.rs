//! Each operation of a long scenario goes wrong once, in each way there is; afterwards all is as it
//! must be.

mod partitions;
mod running_hour;

use std::collections::BTreeSet;

use futures_util::future::join_all;

use crate::simulation::world::faults::{FAULTS, Fault};
use crate::simulation::world::{DAY, HOUR, MINUTE, World};

/// What a client knows of a profile that it pushed.
pub(super) struct Pushed {
    pub(super) n: u32,
    pub(super) acknowledged: bool,
}

/// Pushes in batches, queries, compactions, deletions. Goes on whatever fails.
async fn scenario(world: &World, retries: u32) -> Vec<Pushed> {
    let mut pushed = Vec::new();
    let batch = async |numbers: std::ops::Range<u32>| {
        let told = join_all(numbers.clone().map(|n| world.push(n, retries))).await;
        numbers
            .zip(told)
            .map(|(n, acknowledged)| Pushed { n, acknowledged })
            .collect::<Vec<_>>()
    };
    pushed.extend(batch(0..3).await);
    pushed.extend(batch(3..5).await);
    let _ = world.query().await;
    world.clock.advance(HOUR + 2 * MINUTE);
    pushed.extend(batch(5..7).await);
    visits(world, 3).await;
    let _ = world.query().await;
    // Beyond the grace period: deletion, and the other hour's compaction.
    world.clock.advance(HOUR + 2 * MINUTE);
    visits(world, 4).await;
    let _ = world.query().await;
    world.clock.advance(DAY);
    visits(world, 4).await;
    pushed
}

/// Visits until nothing is due, at most so many.
pub(super) async fn visits(world: &World, most: usize) {
    for _ in 0..most {
        let visited = world.visit(0).await;
        // Whatever days are there: what they name is, too.
        world.published().await;
        if let Ok(false) = visited {
            return;
        }
    }
}

/// Every profile that a client was told of is there once, the others at most once.
pub(super) fn check(world: &World, pushed: &[Pushed], when: &str) {
    let counts = world.counts();
    for Pushed { n, acknowledged } in pushed {
        let count = counts.get(n).copied().unwrap_or(0);
        assert!(
            if *acknowledged {
                count == 1
            } else {
                count <= 1
            },
            "{when}: profile {n} counts {count}"
        );
    }
}

/// The same, each third time also after the loss of the database.
pub(super) fn check_with_and_without_catalog(
    world: &World,
    pushed: &[Pushed],
    at: usize,
    when: &str,
) {
    check(world, pushed, when);
    if at.is_multiple_of(3) {
        world.wipe();
        world.clock.run(world.rebuild()).unwrap();
        check(world, pushed, &format!("{when}, rebuilt"));
    }
}

/// The same, and once more when all is done that is due: nothing is in the bucket then that no
/// catalog knows.
pub(super) fn check_now_and_later(world: &World, pushed: &[Pushed], at: usize, when: &str) {
    check_with_and_without_catalog(world, pushed, at, when);
    assert_eq!(finish_all_work(world), [""; 0], "{when}");
    check(world, pushed, &format!("{when}, days later"));
}

/// Lets all be done that is due, days later, and gives the objects in the bucket that no catalog
/// knows. The one in the bucket answers as the other.
pub(super) fn finish_all_work(world: &World) -> Vec<String> {
    // Leases end, then jobs are done, then the catalog is published, then what was replaced is
    // deleted.
    for _ in 0..4 {
        world.clock.advance(DAY);
        world.compact_all();
    }
    let (there, live) = (world.bucket.keys(), world.live());
    assert!(
        live.iter().all(|name| there.contains(name)),
        "a row without an object"
    );
    let published = world.clock.run(world.published());
    assert_eq!(published.names(), live);
    assert_eq!(published.counts(world), world.counts());
    there
        .into_iter()
        .filter(|key| !live.contains(key) && !published.catalog.contains(key))
        .collect()
}

fn storm(retries: u32, fault: Fault) {
    let calm = World::new(&["a"]);
    calm.clock.run(scenario(&calm, retries));
    let operations = calm.faults.operations();
    for (at, operation) in operations.iter().enumerate() {
        let world = World::new(&["a"]);
        world.faults.plan(at, fault);
        let pushed = world.clock.run(scenario(&world, retries));
        let when = format!("{fault:?} at {operation}, operation {at}, {retries} retries");
        assert!(
            world.faults.operations().len() > at,
            "{when}: never came so far"
        );
        world.faults.stop();
        if retries > 0 {
            assert!(
                pushed.iter().all(|p| p.acknowledged),
                "{when}: a client gave up"
            );
        }
        check(&world, &pushed, &when);
        // Sweeps find what nobody knows.
        assert_eq!(finish_all_work(&world), [""; 0], "{when}");
        check(&world, &pushed, &format!("{when}, days later"));
        // An object that dies after a write and before the row leaves a segment to be adopted.
        let written = fault == Fault::KillObjectsAfter && *operation == "put";
        assert!(
            !written || world.counts().len() == 7,
            "{when}: {:?}",
            world.counts()
        );
    }
}

#[test]
fn the_scenario_does_all_there_is() {
    let world = World::new(&["a"]);
    let pushed = world.clock.run(scenario(&world, 0));
    assert!(pushed.iter().all(|p| p.acknowledged));
    let kinds: BTreeSet<&str> = world.faults.operations().into_iter().collect();
    for kind in [
        "put",
        "get",
        "delete",
        "delay",
        "/append",
        "/catalog",
        "/compaction/lease",
        "/compaction/commit",
    ] {
        assert!(kinds.contains(kind), "{kind} is not among {kinds:?}");
    }
    for kind in [
        "/visit/begin",
        "/compaction/forget",
        "/publication/begin",
        "/publication/day",
        "/publication/end",
    ] {
        assert!(kinds.contains(kind), "{kind} is not among {kinds:?}");
    }
    assert_eq!(world.counts().into_values().collect::<Vec<_>>(), [1; 7]);
    assert_eq!(finish_all_work(&world), [""; 0]);
    let segments = world
        .bucket
        .keys()
        .into_iter()
        .filter(|key| key.ends_with(".seg"))
        .count();
    assert_eq!(segments, 0, "all is compacted");
}

#[test]
fn any_operation_may_fail_once_for_clients_that_try_again() {
    for fault in FAULTS {
        storm(3, fault);
    }
}

#[test]
fn any_operation_may_fail_once_for_clients_that_do_not() {
    for fault in FAULTS {
        storm(0, fault);
    }
}
