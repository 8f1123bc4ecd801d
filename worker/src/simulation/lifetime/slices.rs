//! Slices: a bundle of what is stored answers as the store does, before and after compaction.

use std::collections::BTreeMap;

use pilotlight_core::bundles::{Bundle, Made};
use pilotlight_core::plans::{Plan, QueryPlan, SlicePlan, static_catalog};
use pilotlight_core::{ProfileType, Selector, TimeRange, UnixNanos};

use crate::api::query::QueryRunner;
use crate::meter::Meter;
use crate::simulation::world::{BEGIN, DAY, HOUR, RETENTION, TYPE, World, counts};

fn range(from: i64, until: i64) -> TimeRange {
    TimeRange {
        from: UnixNanos::from_millis(BEGIN + from),
        until: UnixNanos::from_millis(BEGIN + until),
    }
}

fn slice(world: &World, range: TimeRange) -> SlicePlan {
    let (bucket, tenant) = (world.faulty_bucket(), world.tenant());
    let runner = QueryRunner::new(bucket, tenant, world.platform(), Meter::default());
    let slice = runner.slice(Selector::default(), range);
    world.clock.run(slice).unwrap()
}

/// How often each profile is in a slice, asked of its files alone.
fn sliced(world: &World, within: TimeRange) -> BTreeMap<u32, i64> {
    let plan = slice(world, within);
    let bundle = Bundle::new(Made::slice("", within, false), plan.finish().unwrap());
    let zip = bundle.zip(Vec::new()).unwrap();
    let files = Bundle::read(&zip).unwrap().site(Vec::new()).unwrap();
    let bytes: BTreeMap<&str, &[u8]> = files
        .iter()
        .map(|file| (file.key.as_str(), file.bytes.as_slice()))
        .collect();
    let catalog = files.last().unwrap();
    let day = (catalog.key.as_str(), catalog.bytes.as_slice());
    let all = range(-DAY, 100 * DAY);
    let objects = static_catalog([day], all).unwrap();
    let profile_type: ProfileType = TYPE.parse().unwrap();
    let mut plan = QueryPlan::new(&Selector::default(), &profile_type, all, &objects).unwrap();
    for get in plan.wants() {
        let start = get.offset as usize;
        let part = &bytes[get.key.as_str()][start..start + get.length as usize];
        plan.provide(&get, part).unwrap();
    }
    counts(&plan.finish().unwrap())
}

#[test]
fn a_slice_has_what_was_selected_and_nothing_else() {
    let world = World::new(&["a"]);
    for n in 0..4 {
        assert!(world.clock.run(world.push(n * 5, 0)));
        world.clock.advance(HOUR);
    }
    let some = range(HOUR / 2, 5 * HOUR / 2);
    let expect = BTreeMap::from([(5, 1), (10, 1)]);
    assert_eq!(sliced(&world, some), expect);
    world.clock.advance(2 * DAY);
    world.compact_all();
    assert_eq!(sliced(&world, some), expect);
    assert_eq!(sliced(&world, range(-DAY, DAY)), world.counts());
}

#[test]
fn sums_of_deleted_profiles_are_told_of() {
    let world = World::new(&["a"]);
    assert!(world.clock.run(world.push(5, 0)));
    world.clock.advance(2 * DAY);
    world.compact_all();
    world
        .clock
        .advance((i64::from(RETENTION.raw_days) + 2) * DAY);
    world.compact_all();
    let plan = slice(&world, range(-DAY, DAY));
    assert_eq!((plan.profiles(), plan.sums_only()), (0, 1));
}
