//! Blocks that go into the bucket inside segments: each operation goes wrong once, and at the end all is as it must be.

use futures_util::future::{join, join_all};
use pilotlight_core::plans::MIN_JOB_OBJECTS;
use pilotlight_core::store::place;

use super::erasure::wanted;
use super::faults::{FAULTS, Fault};
use super::storms::{Pushed, check, check_now_and_later, settle, visits};
use super::{BEGIN, DAY, HOUR, MINUTE, World};
use crate::admin::delete_profiles;

/// One profile a segment, until there are enough for a job.
async fn pushes(world: &World) -> Vec<Pushed> {
    let mut pushed = Vec::new();
    for n in 0..MIN_JOB_OBJECTS as u32 {
        pushed.push(Pushed { n, acknowledged: world.push(n, 0).await });
    }
    pushed
}

/// A world that is about to have a job over the segments of the running hour.
fn beginning() -> (World, Vec<Pushed>) {
    let world = World::new(&["a"]);
    let pushed = world.clock.run(pushes(&world));
    (world, pushed)
}

/// A visit while profiles are being pushed; then what comes after, up to the block of the hour and its sums.
async fn scenario(world: &World, retries: u32) -> Vec<Pushed> {
    let mut pushed = Vec::new();
    for batch in [20..22, 30..32] {
        let told = join(join_all(batch.clone().map(|n| world.push(n, retries))), visits(world, 1)).await.0;
        pushed.extend(batch.zip(told).map(|(n, acknowledged)| Pushed { n, acknowledged }));
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

fn carried(world: &World) -> Vec<String> {
    world.live().into_iter().filter(|key| place(key).0 != key).collect()
}

#[test]
fn a_block_goes_with_the_next_segment_and_both_go_in_the_end() {
    let (world, mut pushed) = beginning();
    let before = world.objects().len();
    pushed.extend(world.clock.run(async {
        let told = join(world.push(20, 0), visits(&world, 1)).await.0;
        [Pushed { n: 20, acknowledged: told }]
    }));
    assert_eq!(world.objects().len(), before + 1, "the block is no object");
    let [name] = &carried(&world)[..] else { panic!("{:?}", world.live()) };
    assert_eq!(world.live().len(), 2);
    assert!(world.live().contains(&place(name).0.to_owned()));
    check(&world, &pushed, "carried");

    // The segment becomes a block, and is there still for the sake of the one inside.
    world.clock.advance(HOUR + MINUTE);
    world.clock.run(world.visit(0)).unwrap();
    let segment = place(name).0.to_owned();
    assert!(world.live().contains(name) && !world.live().contains(&segment));
    check(&world, &pushed, "the segment is replaced");
    world.wipe();
    let report = world.clock.run(world.rebuild()).unwrap();
    assert_eq!((report.objects, report.dropped.contains(&segment)), (2, false));
    check(&world, &pushed, "rebuilt");

    assert_eq!(settle(&world), [""; 0]);
    assert_eq!(carried(&world), [""; 0]);
    check(&world, &pushed, "settled");
}

#[test]
fn profiles_inside_a_segment_are_deleted() {
    let (world, _) = beginning();
    world.clock.run(async { join(world.push(20, 0), visits(&world, 1)).await });
    assert_eq!(carried(&world).len(), 1);
    let of_service = |n: &u32| n % 5 == 1;
    assert!(world.counts().keys().any(of_service));
    world.clock.run(delete_profiles(&world.tenant(), wanted("{service_name=\"app1\"}", -DAY, DAY))).unwrap();
    assert_eq!(settle(&world), [""; 0]);
    assert_eq!((world.counts().keys().any(of_service), world.counts().len()), (false, MIN_JOB_OBJECTS + 1 - 2));
    world.wipe();
    world.clock.run(world.rebuild()).unwrap();
    assert!(!world.counts().keys().any(of_service), "nor does it come back");
}

#[test]
fn what_is_not_of_this_hour_is_written_by_itself() {
    for (wait, expect) in [(0, 1), (HOUR + MINUTE, 0)] {
        let (world, _) = beginning();
        world.clock.advance(wait);
        world.clock.run(async { join(world.push(20, 0), visits(&world, 1)).await });
        assert_eq!(carried(&world).len(), expect);
        assert_eq!(world.live().iter().filter(|key| key.contains("/l1/")).count(), 1);
    }
    // Nor when nothing is about to be written.
    let (world, _) = beginning();
    world.clock.run(visits(&world, 1));
    assert_eq!((carried(&world).len(), world.live().len()), (0, 1));
}

#[test]
fn a_segment_that_is_late_leaves_the_block_behind() {
    let world = World::new(&["a"]);
    world.clock.advance(HOUR - 5_000);
    let first = world.clock.run(pushes(&world));
    world.clock.advance(BEGIN + HOUR - 100 - world.clock.now());
    let told = world.clock.run(async { join(world.push(20, 0), visits(&world, 1)).await.0 });
    assert!(told);
    assert_eq!((carried(&world).len(), world.live().len()), (0, MIN_JOB_OBJECTS + 1), "the job came to nothing");
    world.clock.run(world.visit(0)).unwrap();
    assert_eq!((carried(&world).len(), world.live().len()), (0, 2));
    check(&world, &first, "written by itself");
}

#[test]
fn all_counts_once_whatever_fails() {
    let (calm, _) = beginning();
    let first = calm.faults.operations().len();
    calm.clock.run(scenario(&calm, 0));
    let operations = calm.faults.operations();
    assert!(operations.contains(&"/compaction/carry"));
    let carried = operations.iter().rposition(|name| *name == "/compaction/carry").unwrap() + 10;
    for (number, fault) in FAULTS.into_iter().enumerate() {
        // What comes later goes wrong in one of three ways: other storms have all of them.
        let chosen = |at: usize| at < carried || (at + number).is_multiple_of(3);
        for (at, operation) in operations.iter().enumerate().skip(first).filter(|(at, _)| chosen(*at)) {
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

#[test]
fn a_segment_without_a_row_is_adopted_with_the_block_inside() {
    let (calm, _) = beginning();
    calm.clock.run(scenario(&calm, 0));
    let operations = calm.faults.operations();
    let carry = operations.iter().position(|name| *name == "/compaction/carry").unwrap();
    let put = carry + operations[carry..].iter().position(|name| *name == "put").unwrap();
    for rebuilt in [false, true] {
        let (world, mut pushed) = beginning();
        world.faults.plan(put, Fault::KillObjectsAfter);
        pushed.extend(world.clock.run(scenario(&world, 0)));
        world.faults.stop();
        assert_eq!(pushed.iter().filter(|p| !p.acknowledged).count(), 2);
        if rebuilt {
            world.wipe();
            world.clock.run(world.rebuild()).unwrap();
        }
        assert_eq!(settle(&world), [""; 0]);
        assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), pushed.iter().map(|p| (p.n, 1)).collect::<Vec<_>>());
    }
}
