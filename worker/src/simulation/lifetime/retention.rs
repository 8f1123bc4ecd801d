//! Retention at its edges, with compaction between; and objects that were put aside.

use pilotlight_core::{
    ProfileType, Selector, TimeRange,
    plans::{Grouping, QueryAnswer},
    store::SumWindow,
};

use crate::api::admin::parked;
use crate::api::query::{Queries, QueryRunner};
use crate::meter::Meter;
use crate::platform::config::Retention;
use crate::simulation::world::faults::Fault;
use crate::simulation::world::{BEGIN, DAY, HOUR, MINUTE, RETENTION, TYPE, World, chunk, counts};
use crate::tenant::{Pin, retention_key};

/// A profile of one service in each of the first hours, and one an hour before midnight; all
/// compacted and summarized two days later.
fn summarized() -> World {
    let world = World::new(&["a"]);
    for n in 0..3 {
        assert!(world.clock.run(world.push(n * 5, 0)));
        world.clock.advance(HOUR);
    }
    world
        .clock
        .advance(BEGIN + 23 * HOUR + MINUTE - world.clock.now());
    assert!(world.clock.run(world.push(15, 0)));
    world.clock.advance(2 * DAY);
    world.compact_all();
    world
}

/// Goes on to a time after the beginning and visits.
fn visit_at(world: &World, after: i64) {
    let wait = BEGIN + after - world.clock.now();
    assert!(wait >= 0);
    world.clock.advance(wait);
    world.compact_all();
}

fn levels(world: &World) -> Vec<u8> {
    let mut levels: Vec<u8> = world
        .live()
        .iter()
        .map(|key| key.split("/l").nth(1).unwrap().as_bytes()[0] - b'0')
        .collect();
    levels.sort_unstable();
    levels
}

fn merged(world: &World, from: i64, until: i64) -> QueryAnswer {
    let runner = QueryRunner::new(
        world.faulty_bucket(),
        world.tenant(),
        world.admission(),
        Meter::default(),
    );
    let profile_type: ProfileType = TYPE.parse().unwrap();
    let range = TimeRange::of_millis(BEGIN + from, BEGIN + until);
    world
        .clock
        .run(runner.merged(&Selector::default(), &profile_type, range))
        .unwrap()
}

fn found(world: &World, from: i64, until: i64) -> (Vec<u32>, bool) {
    let answer = merged(world, from, until);
    (counts(&answer).into_keys().collect(), answer.rounded)
}

#[test]
fn profiles_go_first_and_their_sums_later() {
    let world = summarized();
    let raw = i64::from(RETENTION.raw_days) * DAY;
    assert_eq!(levels(&world), [1, 1, 1, 1, 3]);
    // The latest hour of arrival ends at midnight, so the last minute before 31 days is too early.
    visit_at(&world, raw + DAY - MINUTE);
    assert_eq!(levels(&world), [1, 1, 1, 1, 3]);
    assert_eq!(
        found(&world, MINUTE, 23 * HOUR),
        (vec![5, 10], false),
        "exact to the minute"
    );
    // The next look is an hour after the one before.
    visit_at(&world, raw + DAY - MINUTE + HOUR);
    assert_eq!(levels(&world), [3]);
    assert_eq!(world.objects().len(), 5, "bytes stay for queries under way");
    visit_at(&world, raw + DAY + 2 * HOUR);
    assert_eq!(world.objects(), world.live());
    assert_eq!(world.clock.run(world.published()).names(), world.live());

    assert_eq!(
        found(&world, -DAY, DAY),
        (vec![0, 5, 10, 15], false),
        "nothing is rounded where nothing is cut"
    );
    assert_eq!(
        found(&world, MINUTE, 23 * HOUR),
        (vec![5, 10], true),
        "hours that begin inside"
    );
    assert_eq!(found(&world, 2 * HOUR + MINUTE, DAY), (vec![15], true));
    let runner = QueryRunner::new(
        world.faulty_bucket(),
        world.tenant(),
        world.admission(),
        Meter::default(),
    );
    let range = TimeRange::of_millis(BEGIN, BEGIN + DAY);
    let timeline = world
        .clock
        .run(runner.timeline(
            &Selector::default(),
            None,
            range,
            Some(SumWindow::Minute),
            Grouping::Series,
        ))
        .unwrap();
    assert!(timeline.rounded, "there are no minutes any more");
    assert_eq!(
        timeline
            .series
            .iter()
            .map(|series| series.total())
            .sum::<i128>(),
        4
    );

    let sums = i64::from(RETENTION.sums_days) * DAY;
    visit_at(&world, sums + DAY - MINUTE);
    assert_eq!(levels(&world), [3]);
    visit_at(&world, sums + DAY + HOUR);
    assert_eq!(levels(&world), [0u8; 0]);
    visit_at(&world, sums + DAY + 2 * HOUR);
    assert_eq!(world.bucket.keys(), [""; 0]);
    assert_eq!(found(&world, -DAY, DAY), (Vec::new(), false));
}

/// A pin of a minute of the first day.
fn pin() -> Pin {
    Pin {
        from: BEGIN + HOUR,
        until: BEGIN + HOUR + MINUTE,
        text: "the outage".to_owned(),
    }
}

#[test]
fn a_pin_keeps_its_day() {
    let world = summarized();
    world.keep(|kept| kept.pin(pin()).unwrap());
    // A day of which nothing is stored.
    let beside = Pin {
        from: BEGIN + 2 * DAY,
        until: BEGIN + 3 * DAY,
        ..pin()
    };
    world.keep(|kept| kept.pin(beside.clone()).unwrap());
    let sums = i64::from(RETENTION.sums_days) * DAY;
    for after in [i64::from(RETENTION.raw_days) * DAY, sums] {
        visit_at(&world, after + DAY + 2 * HOUR);
        assert_eq!(levels(&world), [1, 1, 1, 1, 3]);
        assert_eq!(
            found(&world, MINUTE, 23 * HOUR),
            (vec![5, 10], false),
            "exact to the minute"
        );
    }
    world.keep(|kept| kept.unpin(pin().from, pin().until));
    // First the profiles, then the sums.
    visit_at(&world, sums + DAY + 4 * HOUR);
    visit_at(&world, sums + DAY + 6 * HOUR);
    assert_eq!(levels(&world), [0u8; 0]);
}

#[test]
fn a_pin_outlives_the_catalog() {
    let world = summarized();
    world.keep(|kept| kept.pin(pin()).unwrap());
    world.wipe();
    world.clock.run(world.rebuild()).unwrap();
    visit_at(
        &world,
        i64::from(RETENTION.sums_days) * DAY + DAY + 2 * HOUR,
    );
    assert_eq!(levels(&world), [1, 1, 1, 1, 3]);
}

#[test]
fn nothing_is_removed_while_nobody_knows_what_is_kept() {
    let world = summarized();
    world.keep(|kept| kept.pin(pin()).unwrap());
    let key = retention_key(&world.shard().tenant);
    let flip = |bytes: &mut Vec<u8>| bytes[0] ^= 1;
    world.bucket.damage(&key, flip);
    let sums = i64::from(RETENTION.sums_days) * DAY;
    visit_at(&world, sums + DAY + 2 * HOUR);
    assert_eq!(levels(&world), [1, 1, 1, 1, 3]);
    world.bucket.damage(&key, flip);
    world.keep(|kept| kept.unpin(pin().from, pin().until));
    visit_at(&world, sums + DAY + 4 * HOUR);
    visit_at(&world, sums + DAY + 6 * HOUR);
    assert_eq!(levels(&world), [0u8; 0]);
}

#[test]
fn a_tenant_may_have_its_own() {
    let world = summarized();
    // As long as their sums: both go at once.
    let own = Retention {
        raw_days: 3,
        sums_days: 3,
    };
    world.keep(|kept| kept.set(Some(own)).unwrap());
    visit_at(&world, 4 * DAY);
    assert_eq!(levels(&world), [0u8; 0]);
}

#[test]
fn profiles_wait_for_their_sums() {
    let world = World::new(&["a"]);
    assert!(world.clock.run(world.push(0, 0)));
    // Nobody visits for 40 days: the first visit finds a segment that is over, and makes a block
    // and sums of it first.
    world.clock.advance(40 * DAY);
    world.compact_all();
    assert_eq!(levels(&world), [1, 3]);
    world.clock.advance(HOUR);
    world.compact_all();
    assert_eq!((levels(&world), world.counts().len()), (vec![3], 1));
}

#[test]
fn late_arrivals_and_late_profiles_stay() {
    let world = World::new(&["a"]);
    let old = chunk(0, BEGIN - 50 * DAY);
    world.clock.run(world.tenant().append(&old)).unwrap();
    let ahead = chunk(1, BEGIN + 5 * DAY);
    world.clock.advance(2 * DAY);
    world.clock.run(world.tenant().append(&ahead)).unwrap();
    visit_at(&world, 31 * DAY - HOUR);
    assert_eq!(
        levels(&world),
        [1, 1, 3, 3],
        "what came late is not over because it tells of long ago"
    );
    visit_at(&world, 31 * DAY + HOUR);
    assert_eq!(levels(&world), [1, 3, 3]);
    visit_at(&world, 35 * DAY - HOUR);
    assert_eq!(
        levels(&world),
        [1, 3, 3],
        "arrived on the third day, of the sixth"
    );
    visit_at(&world, 35 * DAY + 2 * HOUR);
    assert_eq!(levels(&world), [3, 3]);
}

#[test]
fn retention_goes_on_after_any_fault() {
    let until = 32 * DAY;
    let steps = |world: &World| {
        for hours in [0, 2, 4] {
            world
                .clock
                .advance(BEGIN + until + hours * HOUR - world.clock.now());
            let _ = world.clock.run(world.visit(0));
        }
    };
    let calm = summarized();
    let before = calm.faults.operations().len();
    steps(&calm);
    for at in before..calm.faults.operations().len() {
        for fault in crate::simulation::world::faults::FAULTS
            .into_iter()
            .filter(|fault| *fault != Fault::Stall)
        {
            let world = summarized();
            world.faults.plan(at, fault);
            steps(&world);
            world.faults.stop();
            visit_at(&world, until + 6 * HOUR);
            visit_at(&world, until + 8 * HOUR);
            assert_eq!(
                (levels(&world), world.objects()),
                (vec![3], world.live()),
                "{fault:?} at {at}"
            );
            assert_eq!(
                found(&world, -DAY, DAY),
                (vec![0, 5, 10, 15], false),
                "{fault:?} at {at}"
            );
        }
    }
}

#[test]
fn what_is_parked_is_shown_and_tried_again() {
    let world = World::new(&["a"]);
    assert!(world.clock.run(world.push(0, 0)));
    world.clock.advance(HOUR + 2 * MINUTE);
    let key = world.live()[0].clone();
    let flip = |bytes: &mut Vec<u8>| {
        let middle = bytes.len() / 4;
        bytes[middle] ^= 1;
    };
    world.bucket.damage(&key, flip);
    for _ in 0..3 {
        assert!(world.clock.run(world.visit(0)).is_err());
    }
    assert_eq!(world.clock.run(world.visit(0)), Ok(false));
    let parked = world.clock.run(parked::parked(&world.tenant())).unwrap();
    assert_eq!(
        (
            parked.len(),
            &parked[0].key,
            parked[0].level,
            parked[0].failures
        ),
        (1, &key, 0, 3)
    );
    assert!(parked[0].error.contains("checksum"), "{}", parked[0].error);

    world.bucket.damage(&key, flip);
    assert_eq!(
        world.clock.run(parked::retry_parked(&world.tenant())),
        Ok(1)
    );
    assert_eq!(
        world.clock.run(parked::parked(&world.tenant())),
        Ok(Vec::new())
    );
    assert_eq!(world.clock.run(world.visit(0)), Ok(true));
    assert_eq!(levels(&world), [1]);
}
