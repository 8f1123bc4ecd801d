//! A database that is lost, after histories of faults and deaths: what the bucket says is the
//! catalog again.

use futures_util::future::{join, join_all};

use crate::bucket::Bucket;
use crate::simulation::storms::{Pushed, check};
use crate::simulation::world::faults::FAULTS;
use crate::simulation::world::{DAY, HOUR, MINUTE, World};

/// Numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Pushes, visits and time in random order, a fault somewhere in each step.
async fn history(world: &World, dice: &mut Dice, steps: u64, pushed: &mut Vec<Pushed>) {
    for _ in 0..steps {
        let fault = FAULTS[dice.below(FAULTS.len() as u64) as usize];
        world.faults.plan(
            world.faults.operations().len() + dice.below(12) as usize,
            fault,
        );
        match dice.below(5) {
            0 | 1 => {
                let first = pushed.len() as u32;
                let (count, retries) = (1 + dice.below(3) as u32, dice.below(3) as u32);
                let told = join_all((first..first + count).map(|n| world.push(n, retries))).await;
                pushed.extend(
                    (first..)
                        .zip(told)
                        .map(|(n, acknowledged)| Pushed { n, acknowledged }),
                );
            }
            2 | 3 => {
                for _ in 0..3 {
                    let _ = world.visit(0).await;
                }
            }
            _ => world
                .clock
                .advance([MINUTE, 7 * MINUTE, HOUR, DAY][dice.below(4) as usize]),
        }
        world.faults.stop();
    }
}

#[test]
fn a_lost_database_is_rebuilt_from_the_bucket() {
    let (mut replaced, mut repeated) = (0, 0);
    for seed in 0..40 {
        let (world, mut dice, mut pushed) = (World::new(&["a"]), Dice(seed), Vec::new());
        for round in 0..2 {
            world.clock.run(history(&world, &mut dice, 14, &mut pushed));
            // Whoever was at work has died with the database, or ended long ago.
            world.wipe();
            let report = world.clock.run(world.rebuild()).unwrap();
            assert_eq!(report.damaged, []);
            (replaced, repeated) = (replaced + report.replaced, repeated + report.repeated);
            let when = format!("seed {seed}, round {round}");
            check(&world, &pushed, &when);
            let live = world.live();
            assert_eq!(
                world.clock.run(world.rebuild()).unwrap(),
                report,
                "{when}, again"
            );
            assert_eq!(world.live(), live, "{when}, again");
        }
        for later in ["compacted", "days later"] {
            world.compact_all();
            check(&world, &pushed, &format!("seed {seed}, {later}"));
            world.clock.advance(2 * DAY);
        }
    }
    assert!(
        replaced > 10 && repeated > 1,
        "{replaced} and {repeated}: the histories leave too little behind"
    );
}

#[test]
fn a_catalog_that_is_sound_stays_as_it_is() {
    for seed in 0..10 {
        let (world, mut dice, mut pushed) = (World::new(&["a"]), Dice(1000 + seed), Vec::new());
        world.clock.run(history(&world, &mut dice, 20, &mut pushed));
        // Leases end.
        world.clock.advance(HOUR);
        // While the bucket is read, pushes go on.
        let more = pushed.len() as u32..pushed.len() as u32 + 3;
        let (report, told) = world.clock.run(join(
            world.rebuild(),
            join_all(more.clone().map(|n| world.push(n, 1))),
        ));
        pushed.extend(
            more.zip(told)
                .map(|(n, acknowledged)| Pushed { n, acknowledged }),
        );
        report.unwrap();
        check(&world, &pushed, &format!("seed {seed}"));
        world.compact_all();
        world.clock.advance(2 * DAY);
        world.compact_all();
        check(&world, &pushed, &format!("seed {seed}, days later"));
    }
}

#[test]
fn damage_is_named_and_stops_nothing() {
    let world = World::new(&["a"]);
    for n in 0..3 {
        assert!(world.clock.run(world.push(n, 0)));
    }
    let keys = world.live();
    world.bucket.damage(&keys[0], |bytes| bytes.truncate(30));
    world
        .bucket
        .damage(&keys[1], |bytes| *bytes.last_mut().unwrap() ^= 1);
    world.wipe();
    let report = world.clock.run(world.rebuild()).unwrap();
    assert_eq!(report.objects, 1);
    assert_eq!(
        report
            .damaged
            .iter()
            .map(|(key, _)| key)
            .collect::<Vec<_>>(),
        [&keys[0], &keys[1]]
    );
    assert!(
        report.damaged[0].1.contains(" bytes, got "),
        "{:?}",
        report.damaged
    );
    assert!(
        report.damaged[1].1.contains("version 0"),
        "{:?}",
        report.damaged
    );
    assert_eq!(world.counts().into_iter().collect::<Vec<_>>(), [(2, 1)]);
}

#[test]
fn a_summary_without_all_of_its_sources_stands_alone() {
    let world = World::new(&["a"]);
    for n in 0..3 {
        assert!(world.clock.run(world.push(n, 0)));
        world.clock.advance(HOUR);
    }
    world.clock.advance(DAY);
    world.compact_all();
    // The catalog is published, then what was replaced is deleted.
    for _ in 0..2 {
        world.clock.advance(HOUR);
        world.compact_all();
    }
    let keys = world.live();
    assert_eq!(
        keys.iter().filter(|key| key.contains("/l3/")).count(),
        1,
        "{keys:?}"
    );
    world.wipe();
    assert_eq!(
        world.clock.run(world.rebuild()).unwrap().objects,
        keys.len()
    );
    assert_eq!(world.live(), keys);
    let before = world.counts();
    world.clock.run(world.bucket.delete(&keys[..1])).unwrap();
    let report = world.clock.run(world.rebuild()).unwrap();
    assert_eq!((report.objects, report.expired), (1, 2));
    assert_eq!(world.counts(), before);
    assert_eq!(world.clock.run(world.rebuild()).unwrap(), report);
}

#[test]
fn a_sweep_adopts_what_counts_and_deletes_what_does_not() {
    let world = World::new(&["a"]);
    assert!(world.clock.run(world.push(1, 0)));
    let first = world.live();
    // The shard dies after the write: the client sends again, and what it sends is there twice.
    world.faults.plan(
        world.faults.operations().len() + 2,
        crate::simulation::world::faults::Fault::KillObjectsAfter,
    );
    assert!(world.clock.run(world.push(2, 3)));
    // And once more, with a client that gives up.
    world.faults.plan(
        world.faults.operations().len() + 2,
        crate::simulation::world::faults::Fault::KillObjectsAfter,
    );
    assert!(!world.clock.run(world.push(3, 0)));
    world.faults.stop();
    assert_eq!(
        (world.objects().len(), world.live().len()),
        (4, 2),
        "{:?}",
        world.faults.operations()
    );
    let stray = first[0].replace("/l0/", "/l1/").replace(".seg", ".blk");
    world
        .clock
        .run(
            world
                .bucket
                .put(&stray, vec![1, 2, 3], crate::bucket::Condition::None),
        )
        .unwrap();

    assert_eq!(world.clock.run(world.visit(0)), Ok(false));
    assert_eq!(world.counts().into_keys().collect::<Vec<_>>(), [1, 2]);
    world.clock.advance(7 * HOUR);
    assert_eq!(world.clock.run(world.visit(0)), Ok(true));
    assert_eq!(
        world.counts().into_iter().collect::<Vec<_>>(),
        [(1, 1), (2, 1), (3, 1)]
    );
    assert_eq!(
        (world.objects().len(), world.live().len()),
        (5, 3),
        "what had a row is not deleted at once"
    );
    world.compact_all();
    for _ in 0..5 {
        world.clock.advance(7 * HOUR);
        world.compact_all();
    }
    assert_eq!(
        world.counts().into_iter().collect::<Vec<_>>(),
        [(1, 1), (2, 1), (3, 1)]
    );
    // Blocks of the hour and the day, and what is damaged.
    assert_eq!((world.objects().len(), world.live().len()), (3, 2));
    let operations = world.faults.operations().len();
    world.clock.advance(7 * HOUR);
    world.compact_all();
    let since = &world.faults.operations()[operations..];
    assert!(
        since.contains(&"list") && !since.contains(&"/rebuild/begin"),
        "nothing new: {since:?}"
    );
}
