//! Whatever is due and when, no duty of a visit starves.

use std::collections::{BTreeMap, BTreeSet};

use crate::simulation::world::{DAY, HOUR, MINUTE, World};

/// A step of xorshift64.
fn random(state: &mut u64, below: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % below
}

/// Pushes and visits at random times: up to twelve days without a visit, so that more days are to
/// be published than fit into a visit with a job; then visits at most ten minutes apart. A shard
/// that is visited less often than its catalog is published has no such bound.
#[test]
fn no_duty_waits_for_long() {
    let (mut done, mut postponed) = (BTreeSet::new(), BTreeSet::new());
    for seed in 1..=6u64 {
        let (mut state, mut n) = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), 0);
        let world = World::new(&["a"]);
        let mut waits = BTreeMap::<String, usize>::new();
        for _ in 0..12 {
            for _ in 0..random(&mut state, 13) {
                assert!(world.clock.run(world.push(n, 0)));
                n += 1;
                let pause = [HOUR, DAY][random(&mut state, 2) as usize];
                world.clock.advance(pause);
            }
            for _ in 0..3 + random(&mut state, 6) {
                let report = world.clock.run(world.visit_report(0)).unwrap();
                for (duty, _) in report.done {
                    waits.remove(&duty);
                    done.insert(duty);
                }
                for duty in report.postponed {
                    let waited = waits.entry(duty.clone()).or_default();
                    *waited += 1;
                    // A publication of many days, then a sweep.
                    assert!(*waited <= 2, "seed {seed}: {duty} waits");
                    postponed.insert(duty);
                }
                world
                    .clock
                    .advance(random(&mut state, 10 * MINUTE as u64) as i64);
            }
        }
    }
    let all = ["compact", "delete_replaced", "publish", "sweep"];
    assert!(done.iter().eq(all), "{done:?}");
    assert!(postponed.iter().eq(["compact", "sweep"]), "{postponed:?}");
}
