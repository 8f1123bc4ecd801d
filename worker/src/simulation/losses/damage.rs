//! Stored bytes that change: a query says which object is damaged and never answers wrongly, and
//! compaction goes around.

use std::collections::BTreeMap;

use crate::platform::errors::Problem;
use crate::simulation::world::{HOUR, MINUTE, World, counts};

/// Pushes so many in each of some hours.
fn pushed(hours: u32, each: u32) -> World {
    let world = World::new(&["a"]);
    for n in 0..hours * each {
        assert!(world.clock.run(world.push(n, 0)));
        if n % each == each - 1 {
            world.clock.advance(HOUR + 2 * MINUTE);
        }
    }
    world
}

fn ones(count: u32) -> BTreeMap<u32, i64> {
    (0..count).map(|n| (n, 1)).collect()
}

/// Flips a bit in every so-manyeth byte of every object, one at a time, and asks; gives how often
/// damage was noticed.
fn flip_all(world: &World, expect: &BTreeMap<u32, i64>, step: usize) -> usize {
    let mut noticed = 0;
    for key in world.live() {
        let mut len = 0;
        world.bucket.damage(&key, |bytes| len = bytes.len());
        for at in (0..len).step_by(step) {
            let flip = |bytes: &mut Vec<u8>| bytes[at] ^= 1 << (at % 8);
            world.bucket.damage(&key, flip);
            match world.clock.run(world.query()) {
                Ok(answer) => assert_eq!(counts(&answer), *expect, "{key}, byte {at}"),
                Err(problem) => {
                    noticed += 1;
                    assert_eq!(
                        (problem.code.as_str(), problem.object.as_ref()),
                        ("data_loss", Some(&key))
                    );
                    assert!(problem.message.contains(&key), "{}", problem.message);
                }
            }
            world.bucket.damage(&key, flip);
        }
    }
    assert_eq!(world.counts(), *expect);
    noticed
}

#[test]
fn no_flipped_bit_changes_an_answer() {
    let world = pushed(2, 3);
    assert!(flip_all(&world, &ones(6), 7) > 100);
    world.compact_all();
    assert!(world.live().iter().all(|key| key.ends_with(".blk")));
    assert!(flip_all(&world, &ones(6), 3) > 50);
}

#[test]
fn objects_that_are_cut_short_or_gone_are_named() {
    let world = pushed(1, 2);
    let key = world.live()[0].clone();
    let whole = world
        .clock
        .run(crate::bucket::Bucket::get(&world.bucket, &key, None))
        .unwrap()
        .unwrap()
        .bytes;
    world.bucket.damage(&key, |bytes| bytes.truncate(40));
    let Problem { code, object, .. } = world.clock.run(world.query()).unwrap_err();
    assert_eq!((code.as_str(), object.as_ref()), ("data_loss", Some(&key)));
    world.bucket.damage(&key, |bytes| *bytes = whole);
    world
        .clock
        .run(crate::bucket::Bucket::delete(
            &world.bucket,
            std::slice::from_ref(&key),
        ))
        .unwrap();
    let Problem { status, object, .. } = world.clock.run(world.query()).unwrap_err();
    assert_eq!((status, object), (503, Some(key)));
}

#[test]
fn a_damaged_segment_does_not_hold_up_the_others() {
    let world = pushed(2, 2);
    let live = world.live();
    world.bucket.damage(&live[0], |bytes| {
        let middle = bytes.len() / 4;
        bytes[middle] ^= 1;
    });
    let outcomes: Vec<_> = (0..6)
        .map(|_| world.clock.run(world.visit(0)).map_err(|p| p.code))
        .collect();
    let loss = || Err("data_loss".to_owned());
    // The damaged one breaks three jobs; then its neighbour is compacted without it, then the next
    // hour.
    assert_eq!(
        outcomes,
        [loss(), loss(), loss(), Ok(true), Ok(true), Ok(false)]
    );
    let live_now = world.live();
    assert_eq!((live_now.len(), live_now.contains(&live[0])), (3, true));
    let problem = world.clock.run(world.query()).unwrap_err();
    assert_eq!(
        problem.object.as_ref(),
        Some(&live[0]),
        "queries still say so"
    );
}

#[test]
fn a_bucket_that_is_away_puts_nothing_aside() {
    let world = pushed(1, 2);
    world.clock.run(world.publish()).unwrap();
    for _ in 0..5 {
        // The job's first read, which is the second operation after the two calls before it.
        world.faults.plan(
            world.faults.operations().len() + 2,
            crate::simulation::world::faults::Fault::FailBefore,
        );
        assert_eq!(world.clock.run(world.visit(0)).unwrap_err().status, 503);
    }
    assert_eq!(world.clock.run(world.visit(0)), Ok(true));
    assert_eq!(world.counts(), ones(2));
}
