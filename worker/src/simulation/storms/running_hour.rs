//! Blocks of the running hour: each operation goes wrong once while they are made and become larger
//! ones, and at the end all is as it must be.

use futures_util::future::{join, join_all};
use pilotlight_core::plans::MIN_JOB_OBJECTS;

use crate::api::admin::deletions::delete_profiles;
use crate::simulation::lifetime::erasure::wanted;
use crate::simulation::storms::{Pushed, check, check_now_and_later, finish_all_work, visits};
use crate::simulation::world::faults::FAULTS;
use crate::simulation::world::{DAY, HOUR, MINUTE, World};

const EACH: u32 = MIN_JOB_OBJECTS as u32;

/// Levels of what a query for everything reads, in order.
fn levels(world: &World) -> Vec<u8> {
    let level = |key: &String| {
        key.split_once("/l")
            .map(|(_, rest)| rest.as_bytes()[0] - b'0')
    };
    let mut levels: Vec<u8> = world.live().iter().filter_map(level).collect();
    levels.sort_unstable();
    levels
}

/// One profile a segment, and a job for each so many, but not for the last.
fn blocks(world: &World, count: u32) -> Vec<Pushed> {
    let mut pushed = Vec::new();
    for n in 0..count * EACH {
        pushed.push(Pushed {
            n,
            acknowledged: world.clock.run(world.push(n, 0)),
        });
        if (n + 1) % EACH == 0 && n + 1 < count * EACH {
            assert!(world.clock.run(world.visit(0)).unwrap());
        }
    }
    pushed
}

/// A world that is about to have one more block of the first tier, with which they become one of
/// the second.
fn beginning() -> (World, Vec<Pushed>) {
    let world = World {
        partition_bytes: 1 << 20,
        ..World::new(&["a"])
    };
    let pushed = blocks(&world, EACH);
    (world, pushed)
}

/// Visits while profiles are being pushed; then what comes after, up to the block of the hour and
/// its sums.
async fn scenario(world: &World, retries: u32) -> Vec<Pushed> {
    let mut pushed = Vec::new();
    for batch in [100..102, 110..112] {
        let told = join(
            join_all(batch.clone().map(|n| world.push(n, retries))),
            visits(world, 2),
        )
        .await
        .0;
        pushed.extend(
            batch
                .zip(told)
                .map(|(n, acknowledged)| Pushed { n, acknowledged }),
        );
        let _ = world.query().await;
        world.clock.advance(MINUTE);
    }
    for (wait, most) in [(HOUR, 4), (HOUR, 4), (DAY, 4)] {
        world.clock.advance(wait);
        visits(world, most).await;
        let _ = world.query().await;
    }
    pushed
}

#[test]
fn objects_of_one_tier_become_one_of_the_next() {
    let (world, pushed) = beginning();
    let (segments, blocks) = (vec![0; MIN_JOB_OBJECTS], vec![1; MIN_JOB_OBJECTS - 1]);
    assert_eq!(levels(&world), [segments, blocks].concat());
    world.clock.run(world.visit(0)).unwrap();
    assert_eq!(levels(&world), [1; MIN_JOB_OBJECTS]);
    world.clock.run(world.visit(0)).unwrap();
    assert_eq!(levels(&world), [1]);
    assert!(!world.clock.run(world.visit(0)).unwrap());
    check(&world, &pushed, "of the second tier");

    // A lost database knows the tiers from the objects.
    world.wipe();
    world.clock.run(world.rebuild()).unwrap();
    for n in 0..MIN_JOB_OBJECTS as u32 - 1 {
        world.clock.run(world.push(100 + n, 0));
    }
    assert!(
        !world.clock.run(world.visit(0)).unwrap(),
        "one of the second tier and not enough segments"
    );
    world.clock.run(world.push(200, 0));
    assert!(world.clock.run(world.visit(0)).unwrap());
    assert_eq!(levels(&world), [1, 1]);
    assert_eq!(finish_all_work(&world), [""; 0]);
    check(&world, &pushed, "settled");
}

#[test]
fn profiles_of_the_running_hour_are_deleted() {
    let (world, pushed) = beginning();
    world.clock.run(visits(&world, 2));
    let of_service = |n: &u32| n % 5 == 1;
    assert!(world.counts().keys().any(of_service));
    world
        .clock
        .run(delete_profiles(
            &world.tenant(),
            wanted("{service_name=\"app1\"}", -DAY, DAY),
        ))
        .unwrap();
    assert_eq!(finish_all_work(&world), [""; 0]);
    let left = pushed
        .iter()
        .filter(|pushed| !of_service(&pushed.n))
        .count();
    assert_eq!(
        (world.counts().keys().any(of_service), world.counts().len()),
        (false, left)
    );
    world.wipe();
    world.clock.run(world.rebuild()).unwrap();
    assert!(
        !world.counts().keys().any(of_service),
        "nor does it come back"
    );
}

#[test]
fn all_counts_once_whatever_fails() {
    let (calm, _) = beginning();
    let first = calm.faults.operations().len();
    calm.clock.run(scenario(&calm, 0));
    let operations = calm.faults.operations();
    let commits = operations
        .iter()
        .enumerate()
        .skip(first)
        .filter(|(_, name)| **name == "/compaction/commit");
    // Both tiers, all faults; what comes later goes wrong in one of three ways: other storms have
    // all of them.
    let second_tier = commits.map(|(at, _)| at).nth(1).unwrap() + 10;
    for (number, fault) in FAULTS.into_iter().enumerate() {
        let chosen = |at: usize| at < second_tier || (at + number).is_multiple_of(3);
        for (at, operation) in operations
            .iter()
            .enumerate()
            .skip(first)
            .filter(|(at, _)| chosen(*at))
        {
            let (world, mut pushed) = beginning();
            let retries = (at % 2) as u32 * 3;
            world.faults.plan(at, fault);
            pushed.extend(world.clock.run(scenario(&world, retries)));
            world.faults.stop();
            let when = format!("{fault:?} at {operation}, operation {at}, {retries} retries");
            check_now_and_later(&world, &pushed, at, &when);
        }
    }
}
