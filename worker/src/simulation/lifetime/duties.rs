//! Whatever is due and when, no duty of a visit starves.

use std::collections::{BTreeMap, BTreeSet};

use crate::simulation::random;
use crate::simulation::world::{DAY, HOUR, MINUTE, World};

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
            for _ in 0..random(&mut state) % 13 {
                assert!(world.clock.run(world.push(n, 0)));
                n += 1;
                let pause = [HOUR, DAY][(random(&mut state) % 2) as usize];
                world.clock.advance(pause);
            }
            for _ in 0..3 + random(&mut state) % 6 {
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
                    .advance((random(&mut state) % (10 * MINUTE as u64)) as i64);
            }
        }
    }
    let all = ["compact", "delete_replaced", "publish", "sweep"];
    assert!(done.iter().eq(all), "{done:?}");
    assert!(postponed.iter().eq(["compact", "sweep"]), "{postponed:?}");
}

#[test]
fn what_a_shard_says_of_its_visits() {
    let world = World::new(&["a"]);
    let check = |expect: [&str; 4]| {
        let state = world.clock.run(world.client(0).visit_state()).unwrap();
        let duties = state.duties.into_iter().map(|duty| {
            let last = duty
                .last
                .map(|last| (world.clock.now() - last.millis, last.items));
            let last = last.map_or("never".to_owned(), |(ago, items)| {
                format!("{items} {} min ago", ago / MINUTE)
            });
            let due = match duty.is_due {
                Some(true) => ", due",
                Some(false) => "",
                None => ", unknown",
            };
            format!("{}: {last}{due}", duty.duty)
        });
        assert_eq!(duties.collect::<Vec<_>>(), expect);
        state.visited_millis.map(|at| world.clock.now() - at)
    };
    let visit = || assert!(world.clock.run(world.visit(0)).is_ok());
    assert_eq!(
        check([
            "delete_replaced: never",
            "publish: never",
            "sweep: never",
            "compact: never, unknown",
        ]),
        None
    );
    visit();
    assert!(world.clock.run(world.push(1, 0)));
    world.clock.advance(2 * HOUR);
    check([
        "delete_replaced: never",
        "publish: never, due",
        "sweep: never",
        "compact: never",
    ]);
    visit();
    world.clock.advance(5 * MINUTE);
    assert_eq!(
        check([
            "delete_replaced: never",
            "publish: 1 5 min ago",
            "sweep: never",
            "compact: 1 5 min ago, due",
        ]),
        Some(5 * MINUTE)
    );
    visit();
    world.clock.advance(40 * MINUTE);
    visit();
    world.clock.advance(20 * MINUTE);
    check([
        "delete_replaced: never, due",
        "publish: 1 20 min ago",
        "sweep: never",
        "compact: 1 65 min ago",
    ]);
    visit();
    world.clock.advance(6 * HOUR);
    check([
        "delete_replaced: 1 360 min ago",
        "publish: 1 380 min ago",
        "sweep: never, due",
        "compact: 1 425 min ago",
    ]);
    visit();
    check([
        "delete_replaced: 1 360 min ago",
        "publish: 1 380 min ago",
        "sweep: 0 0 min ago",
        "compact: 1 425 min ago",
    ]);
}
