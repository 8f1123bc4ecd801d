//! Sums of the hour that is not over: each operation goes wrong once, and whatever happens they never count beside what they
//! stand for.

use futures_util::future::{join, join_all};
use pilotlight_core::TimeRange;
use pilotlight_core::plans::MIN_JOB_OBJECTS;
use pilotlight_core::store::{SO_FAR, place};

use super::erasure::wanted;
use super::faults::FAULTS;
use super::storms::{Pushed, check, check_now_and_later, settle, visits};
use super::{DAY, HOUR, MINUTE, World};
use crate::admin::delete_profiles;
use crate::tenant::Detail;

/// As many as are summed up.
const BLOCKS: u32 = 4;
const EACH: u32 = MIN_JOB_OBJECTS as u32;

/// Blocks of the running hour, of a segment a profile.
fn blocks(world: &World, first: u32) -> Vec<Pushed> {
    let mut pushed = Vec::new();
    for n in first..first + BLOCKS * EACH {
        pushed.push(Pushed { n, acknowledged: world.clock.run(world.push(n, 0)) });
        if (n + 1) % EACH == 0 {
            world.clock.run(world.visit(0)).unwrap();
        }
    }
    pushed
}

/// A share for all, or each for a service or two.
const SHARES: [u64; 2] = [1 << 20, 100];

/// A world that is about to have sums so far.
fn beginning(share_bytes: u64) -> (World, Vec<Pushed>) {
    let world = World { share_bytes, ..World::new(&["a"]) };
    let pushed = blocks(&world, 0);
    assert_eq!(levels(&world), [1; BLOCKS as usize]);
    (world, pushed)
}

/// Levels of what a query for everything reads, in order.
fn levels(world: &World) -> Vec<u8> {
    let objects = world.clock.run(world.tenant().catalog(TimeRange::ALL, Detail::SoFar)).unwrap();
    let mut levels: Vec<u8> = objects.iter().map(|object| object.level).collect();
    levels.sort_unstable();
    levels
}

/// Names of the sums that count.
fn sums(world: &World) -> Vec<String> {
    let objects = world.clock.run(world.tenant().catalog(TimeRange::ALL, Detail::SoFar)).unwrap();
    objects.into_iter().filter(|object| object.level == SO_FAR).map(|object| object.key).collect()
}

/// Sums are made while profiles are being pushed, the blocks become one, and then all that comes after.
async fn scenario(world: &World, retries: u32) -> Vec<Pushed> {
    let mut pushed = Vec::new();
    for batch in [100..102, 110..112, 120..121] {
        let told = join(join_all(batch.clone().map(|n| world.push(n, retries))), visits(world, 4)).await.0;
        pushed.extend(batch.zip(told).map(|(n, acknowledged)| Pushed { n, acknowledged }));
        let _ = world.query().await;
        world.clock.advance(MINUTE);
    }
    for (wait, most) in [(HOUR, 4), (DAY, 4)] {
        world.clock.advance(wait);
        visits(world, most).await;
        let _ = world.query().await;
    }
    pushed
}

#[test]
fn sums_stand_for_the_blocks_of_the_hour() {
    let (mut world, mut pushed) = beginning(SHARES[1]);
    world.clock.run(visits(&world, 5));
    assert_eq!(levels(&world), [SO_FAR; 5], "a share for each service");
    check(&world, &pushed, "summed up");

    world.share_bytes = SHARES[0];
    pushed.extend(blocks(&world, 100));
    assert_eq!(levels(&world).len(), 5 + BLOCKS as usize);
    check(&world, &pushed, "further blocks");
    world.clock.run(visits(&world, 1));
    assert_eq!((world.live().len(), levels(&world)), (2 * BLOCKS as usize, vec![SO_FAR]));
    check(&world, &pushed, "summed up anew");
    // These blocks become one, and the sums go on.
    let before = sums(&world);
    world.compact_all();
    assert_eq!((world.live().len(), sums(&world)), (1, before));
    check(&world, &pushed, "merged");

    world.wipe();
    let report = world.clock.run(world.rebuild()).unwrap();
    assert_eq!((report.objects, sums(&world)), (1, vec![]));
    check(&world, &pushed, "rebuilt");
    assert_eq!(settle(&world), [""; 0]);
    check(&world, &pushed, "settled");
}

#[test]
fn sums_go_with_the_next_segment() {
    let (world, mut pushed) = beginning(SHARES[0]);
    let told = world.clock.run(async { join(world.push(100, 0), visits(&world, 1)).await.0 });
    pushed.push(Pushed { n: 100, acknowledged: told });
    let [name] = &sums(&world)[..] else { panic!("{:?}", levels(&world)) };
    assert_ne!(place(name).0, name);
    check(&world, &pushed, "carried");
    assert_eq!(settle(&world), [""; 0]);
    check(&world, &pushed, "settled");
}

#[test]
fn damaged_sums_are_passed_over() {
    let (world, pushed) = beginning(SHARES[0]);
    world.clock.run(visits(&world, 1));
    for key in sums(&world) {
        let mut len = 0;
        world.bucket.damage(&key, |bytes| len = bytes.len());
        for at in (0..len).step_by(11) {
            let flip = |bytes: &mut Vec<u8>| bytes[at] ^= 1 << (at % 8);
            world.bucket.damage(&key, flip);
            check(&world, &pushed, &format!("{key}, byte {at}"));
            world.bucket.damage(&key, flip);
        }
        world.bucket.damage(&key, |bytes| bytes.truncate(9));
    }
    // Jobs over them fail until they are set aside, and all goes on.
    blocks_beside(&world);
    world.clock.advance(HOUR + MINUTE);
    assert_eq!(settle(&world), [""; 0]);
    check(&world, &pushed, "settled");
}

/// Further blocks, whatever becomes of the jobs.
fn blocks_beside(world: &World) {
    for n in 200..200 + 2 * BLOCKS * EACH {
        assert!(world.clock.run(world.push(n, 0)));
        if (n + 1) % (EACH / 2) == 0 {
            let _ = world.clock.run(world.visit(0));
        }
    }
    assert!(!sums(world).is_empty());
}

#[test]
fn profiles_that_are_deleted_are_in_no_sums() {
    let (world, pushed) = beginning(SHARES[0]);
    world.clock.run(visits(&world, 1));
    world.clock.run(delete_profiles(&world.tenant(), wanted("{service_name=\"app1\"}", -DAY, DAY))).unwrap();
    assert_eq!(sums(&world), [""; 0], "they end at once");
    let expect: Vec<u32> = pushed.iter().map(|p| p.n).filter(|n| n % 5 != 1).collect();
    world.compact_all();
    assert!(!sums(&world).is_empty(), "and are made anew from what is left");
    assert_eq!(world.counts().into_keys().collect::<Vec<_>>(), expect);
    assert_eq!(settle(&world), [""; 0]);
    assert_eq!(world.counts().into_keys().collect::<Vec<_>>(), expect);
}

#[test]
fn all_counts_once_whatever_fails() {
    for (number, fault) in FAULTS.into_iter().enumerate() {
        let share_bytes = SHARES[number % 2];
        let (calm, _) = beginning(share_bytes);
        let first = calm.faults.operations().len();
        calm.clock.run(scenario(&calm, 0));
        let operations = calm.faults.operations();
        // One at each: other storms have all of them.
        for (at, operation) in
            operations.iter().enumerate().skip(first).filter(|(at, _)| (at + number).is_multiple_of(FAULTS.len()))
        {
            let (world, mut pushed) = beginning(share_bytes);
            let retries = (at % 2) as u32 * 3;
            world.faults.plan(at, fault);
            pushed.extend(world.clock.run(scenario(&world, retries)));
            world.faults.stop();
            let when = format!("{fault:?} at {operation}, operation {at}, {retries} retries");
            check_now_and_later(&world, &pushed, at, &when);
        }
    }
}
