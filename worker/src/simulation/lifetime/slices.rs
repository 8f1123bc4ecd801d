//! Slices: a bundle of what is stored answers as the store does, before and after compaction.

use std::collections::BTreeMap;

use pilotlight_core::bundles::{Bundle, Made};
use pilotlight_core::plans::{Plan, QueryPlan, static_catalog};
use pilotlight_core::{ProfileType, Selector, TimeRange};

use crate::api::query::{QueryRunner, Slice};
use crate::meter::Meter;
use crate::platform::limits::{self, Limits};
use crate::simulation::world::{BEGIN, DAY, HOUR, RETENTION, TYPE, World, counts};

fn range(from: i64, until: i64) -> TimeRange {
    TimeRange::of_millis(BEGIN + from, BEGIN + until)
}

fn slice(world: &World, range: TimeRange) -> Slice {
    limited_slice(world, range, Limits::default())
}

fn limited_slice(world: &World, range: TimeRange, limits: Limits) -> Slice {
    let (bucket, tenant) = (world.faulty_bucket(), world.tenant());
    let runner = QueryRunner::new(bucket, tenant, world.admission(), Meter::default());
    let runner = runner.limited(limits);
    let slice = runner.slice(Selector::default(), range);
    world.clock.run(slice).unwrap()
}

/// How often each profile is in a slice, asked of its files alone.
fn sliced(world: &World, within: TimeRange) -> BTreeMap<u32, i64> {
    let Slice {
        plan, range: of, ..
    } = slice(world, within);
    assert_eq!(of, within);
    let bundle = Bundle::new(Made::slice("", of, false), plan.finish().unwrap());
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
    // A tenant whose name no path in a zip may have.
    let world = World::new(&[".ops"]);
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
    let Slice { plan, .. } = slice(&world, range(-DAY, DAY));
    assert_eq!((plan.profiles(), plan.sums_only()), (0, 1));
}

#[test]
fn a_slice_says_which_range_was_searched() {
    let world = World::new(&["a"]);
    assert!(world.clock.run(world.push(5, 0)));
    world.clock.advance(3 * HOUR);
    assert!(world.clock.run(world.push(10, 0)));
    let own = limits::parse(br#"{"max_query_lookback": "1h"}"#).unwrap();
    let limits = Limits::default().with(&own);
    let until = world.clock.now() - BEGIN + 1;
    let slice = limited_slice(&world, range(-DAY, until), limits);
    assert_eq!(slice.range.from.millis(), world.clock.now() - HOUR);
    assert_eq!(slice.range.until, range(0, until).until);
    assert_eq!(slice.plan.profiles(), 1);
}

#[test]
fn a_slice_holds_all_memory_until_it_is_answered() {
    let world = World::new(&["a"]);
    world.memory.set_budget(100);
    assert!(world.clock.run(world.push(5, 0)));
    let slice = slice(&world, range(-DAY, DAY));
    assert_eq!(world.memory.admitted().bytes, 100);
    let problem = world.clock.run(world.admission().enter(1)).unwrap_err();
    assert_eq!(problem.status, 503);
    let Slice { plan, permit, .. } = slice;
    plan.finish().unwrap();
    drop(permit);
    assert_eq!(world.memory.admitted().bytes, 0);
}
