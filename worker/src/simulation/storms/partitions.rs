//! Jobs that are done in partitions: each operation goes wrong once, and at the end all partitions
//! count or none.

use futures_util::future::join_all;

use crate::simulation::storms::{
    Pushed, check, check_with_and_without_catalog, finish_all_work, visits,
};
use crate::simulation::world::faults::{FAULTS, Fault};
use crate::simulation::world::{DAY, HOUR, MINUTE, World};

/// Two batches of profiles of several services in one hour.
async fn pushes(world: &World) -> Vec<Pushed> {
    let mut pushed = Vec::new();
    for batch in [0..3, 5..8] {
        let told = join_all(batch.clone().map(|n| world.push(n, 0))).await;
        pushed.extend(
            batch
                .zip(told)
                .map(|(n, acknowledged)| Pushed { n, acknowledged }),
        );
        world.clock.sleep(MINUTE).await;
    }
    pushed
}

/// A world that is about to have two blocks of level 1 of an hour. The second segment is written
/// and has no row, since the shard died; it will be adopted after the first has become a block.
fn beginning() -> (World, Vec<Pushed>) {
    let calm = World::new(&["a"]);
    calm.clock.run(pushes(&calm));
    let last_put = calm
        .faults
        .operations()
        .iter()
        .rposition(|name| *name == "put")
        .unwrap();
    let world = World::new(&["a"]);
    world.faults.plan(last_put, Fault::KillObjectsAfter);
    let pushed = world.clock.run(pushes(&world));
    world.faults.stop();
    assert_eq!(pushed.iter().filter(|p| p.acknowledged).count(), 3);
    assert_eq!((world.live().len(), world.bucket.keys().len()), (1, 2));
    (world, pushed)
}

/// The first block, the adoption, the second block, an hour's and a day's blocks in partitions.
async fn scenario(world: &World) {
    for (wait, most) in [(2 * HOUR, 2), (7 * HOUR, 5), (HOUR, 3), (DAY, 6)] {
        world.clock.advance(wait);
        visits(world, most).await;
        let _ = world.query().await;
    }
}

fn of_level(world: &World, level: u8) -> usize {
    world
        .live()
        .iter()
        .filter(|key| key.contains(&format!("/l{level}/")))
        .count()
}

#[test]
fn an_hour_and_a_day_are_done_in_shares() {
    let (world, pushed) = beginning();
    world.clock.run(scenario(&world));
    world.compact_all();
    assert_eq!(
        (of_level(&world, 0), of_level(&world, 1)),
        (0, 0),
        "{:?}",
        world.live()
    );
    assert!(
        of_level(&world, 2) > 1 && of_level(&world, 3) > 1,
        "{:?}",
        world.live()
    );
    check(&world, &pushed, "calm");
    assert_eq!(
        world.counts().into_iter().collect::<Vec<_>>(),
        [0, 1, 2, 5, 6, 7].map(|n| (n, 1))
    );
    assert_eq!(finish_all_work(&world), [""; 0]);
}

#[test]
fn all_shares_count_or_none_whatever_fails() {
    let (calm, _) = beginning();
    let first = calm.faults.operations().len();
    calm.clock.run(scenario(&calm));
    let operations = calm.faults.operations();
    for fault in FAULTS {
        for (at, operation) in operations.iter().enumerate().skip(first) {
            let (world, pushed) = beginning();
            world.faults.plan(at, fault);
            world.clock.run(scenario(&world));
            world.faults.stop();
            let when = format!("{fault:?} at {operation}, operation {at}");
            check_with_and_without_catalog(&world, &pushed, at, &when);
            assert_eq!(finish_all_work(&world), [""; 0], "{when}");
            // What was not acknowledged was written, so it is found at last.
            let counts = world.counts();
            assert_eq!(
                counts.into_iter().collect::<Vec<_>>(),
                [0, 1, 2, 5, 6, 7].map(|n| (n, 1)),
                "{when}, days later"
            );
        }
    }
}
