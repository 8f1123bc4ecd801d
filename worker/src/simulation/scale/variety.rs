//! A service with more stacks and symbols than fit memory: refused where it must be exact, answered
//! with the bound of its error where the largest nodes are asked for.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use pilotlight_core::{
    By, CallTree, NodeId, Profile, ProfileType, Selector, TimeRange, UnixNanos, plans::Outgrown,
};

use super::invocations::{Kept, Others};
use super::subqueries::days;
use crate::api::query::{Fanout, Queries, QueryRunner};
use crate::meter::Meter;
use crate::simulation::world::{BEGIN, DAY, TYPE, World};

const DAYS: u64 = 44;

/// Totals of the functions below `main`, and that of everything.
fn add_totals(profile: &Profile, totals: &mut BTreeMap<String, i64>) {
    let tree = CallTree::new(profile, 0, By::Name);
    *totals.entry(String::new()).or_default() += tree.total();
    for main in tree.shape().children(NodeId::ROOT) {
        for node in tree.shape().children(main) {
            *totals
                .entry(tree.shape().name(node).to_owned())
                .or_default() += tree.total_value(node);
        }
    }
}

fn check(world: &World, subquery_bytes: u64, others: bool, exact: &BTreeMap<String, i64>) {
    let (cache, meter) = (Kept::default(), Meter::default());
    let others = others.then(|| Others {
        bucket: world.bucket.clone(),
        cache: cache.clone(),
        meter: meter.clone(),
        calls: Rc::new(Cell::new(0)),
        admission: world.admission(),
    });
    let fan = Fanout {
        admission: world.admission(),
        cache,
        invocations: others,
        subquery_bytes,
    };
    let runner = QueryRunner::with(world.bucket.clone(), world.tenant(), meter, fan);
    let (selector, of_type) = asked();
    let range = days_from(0, DAYS);
    let merged = |outgrown| {
        world
            .clock
            .run(runner.merged_when(&selector, &of_type, range, outgrown))
    };
    // The cache has parts of what was folded first, if anything.
    let answer = merged(Outgrown::Fold).unwrap();
    let refused = merged(Outgrown::Refuse).unwrap_err();
    assert_eq!(refused.status, 413);
    assert!(
        refused.message.contains("more than 32 MiB"),
        "{}",
        refused.message
    );
    assert_eq!(answer.profiles, DAYS);
    let bound = answer.error_bounds.node;
    assert!(bound > 0 && bound <= answer.error_bounds.function);
    let mut found = BTreeMap::new();
    add_totals(&answer.profile, &mut found);
    assert_eq!(found[""], exact[""], "the total of everything is exact");
    for (name, total) in exact {
        let found = found.get(name).copied().unwrap_or(0);
        assert!(found.abs_diff(*total) <= bound, "{found} is not {total}");
    }
    let same = exact
        .iter()
        .filter(|&(name, total)| found.get(name) == Some(total));
    assert!(same.count() > 1_000, "what is heavy stays");
}

fn asked() -> (Selector, ProfileType) {
    let selector = Selector::parse("{service_name=\"app\"}").unwrap();
    (selector, TYPE.parse().unwrap())
}

fn days_from(from: u64, until: u64) -> TimeRange {
    let time = |day: u64| UnixNanos::from_millis(BEGIN + day as i64 * DAY);
    TimeRange {
        from: time(from),
        until: time(until),
    }
}

#[test]
fn a_service_too_varied_for_memory() {
    let world = days(DAYS);
    let runner = QueryRunner::new(
        world.bucket.clone(),
        world.tenant(),
        world.admission(),
        Meter::default(),
    );
    let (selector, of_type) = asked();
    let mut exact = BTreeMap::new();
    for day in 0..DAYS {
        let range = days_from(day, day + 1);
        let answer = world.clock.run(runner.merged(&selector, &of_type, range));
        add_totals(&answer.unwrap().profile, &mut exact);
    }
    check(&world, u64::MAX, false, &exact);
    check(&world, 4 << 20, false, &exact);
    check(&world, 4 << 20, true, &exact);
}
