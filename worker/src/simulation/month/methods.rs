//! CPU of each query method, from the catalog's rows and the bucket's bytes to the answer's.

use std::path::Path;

use pilotlight_core::plans::{Grouping, Outgrown};
use pilotlight_core::{By, ProfileType, Selector, TimeRange};

use super::ask::{self, Runner, median};
use super::figures::{CPU, FLUSH, WASM, cpu_millis, range};
use super::load::{self, Kinds, Load};
use super::report::print_tally;
use crate::api::pyroscope::measured::{self, NAMES};
use crate::bucket::{Bucket, Condition};
use crate::meter::Meter;
use crate::simulation::world::{DAY, HOUR, MINUTE, World};

/// Times each query is asked.
const TIMES: usize = 25;

/// As Grafana asks for.
const NODES: usize = 16_384;

/// Rows of a table of functions.
const FUNCTIONS: usize = 1_000;

/// Prints what each method takes over the last 30 days and the last hour that is over.
pub(super) fn print(world: &World) {
    let now = world.clock.now();
    let month = range(now - 30 * DAY, now);
    let one = Selector::parse("{service_name=\"shop0\"}").unwrap();
    for (method, answer) in NAMES {
        for (of, selectors) in [
            ("all", &[][..]),
            ("one service", std::slice::from_ref(&one)),
        ] {
            measure(&format!("{method}, 30 days, {of}"), || {
                let objects = world.clock.run(runner(world).catalog(month)).unwrap();
                answer(&objects, selectors, month)
            });
        }
    }
    measure("  of it the catalog", || {
        world.clock.run(runner(world).catalog(month)).unwrap().len()
    });
    let past = now - now.rem_euclid(HOUR) - 10 * DAY;
    let hour = range(past, past + HOUR);
    profiles(world, "{service_name=\"shop0\"}", "30 days", month);
    profiles(world, "{service_name=\"shop0\"}", "an hour", hour);
    let hours = now - now.rem_euclid(HOUR);
    let exact = range(hours - 30 * DAY, hours);
    for (what, range, step) in [
        ("steps of hours", exact, 3_600.0),
        ("steps of hours, begun within one", month, 3_600.0),
        ("steps of 43 minutes", month, 2_592.0),
    ] {
        measure(&format!("SelectSeries, 30 days, {what}"), || {
            series(world, &one, range, step)
        });
    }
}

/// Prints what merged profiles take.
pub(super) fn profiles(world: &World, query: &str, long: &str, range: TimeRange) {
    let (selector, of_type) = (Selector::parse(query).unwrap(), CPU.parse().unwrap());
    let merged = || {
        let runner = runner(world);
        let answer = runner.merged_when(&selector, &of_type, range, Outgrown::Fold);
        world.clock.run(answer).unwrap()
    };
    println!("SelectMergeStacktraces, {query}, {long}");
    measure("  16,384 nodes", || measured::flame_graph(&merged(), NODES));
    measure("  every node", || measured::flame_graph(&merged(), 0));
    measure("  functions", || measured::functions(&merged(), FUNCTIONS));
    measure("  of it the merge to stacks", || merged().profile.len());
    let answer = merged();
    measure("  the tree alone, nodes", || {
        answer.tree(By::Name).unwrap().shape().len()
    });
}

/// A runner whose use nobody reads.
fn runner(world: &World) -> Runner {
    ask::runner(world, &Meter::default())
}

fn series(world: &World, selector: &Selector, range: TimeRange, step: f64) -> usize {
    let of_type: ProfileType = CPU.parse().unwrap();
    let runner = runner(world);
    measured::select_series(range, step, |read, window| {
        let timeline = runner.timeline(selector, Some(&of_type), read, window, Grouping::Series);
        world.clock.run(timeline).unwrap()
    })
}

/// Prints the median of what a query takes, and the size of what it gives.
fn measure(what: &str, query: impl Fn() -> usize) {
    let mut size = 0;
    let times = (0..TIMES).map(|_| {
        let began = cpu_millis();
        size = query();
        cpu_millis() - began
    });
    let millis = median(times.collect());
    println!(
        "{what}: CPU {millis:.2} ms native, {:.1} as WASM; {size} out",
        millis * WASM
    );
}

/// What each query method takes of a month that was kept.
#[test]
#[ignore = "a measurement: half a minute, of a month that was kept"]
#[allow(clippy::disallowed_methods, reason = "a measurement is a driver")]
fn of_a_kept_month() {
    let folder = std::env::var_os("PILOTLIGHT_MONTH").expect("PILOTLIGHT_MONTH names a folder");
    let folder = Path::new(&folder).join("a_month_of_queries");
    let world = World::with(&["anonymous"], FLUSH);
    let mut folders = vec![folder.clone()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let key = path.strip_prefix(&folder).unwrap().to_str().unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let put = world.bucket.put(key, bytes, Condition::None);
            world.clock.run(put).unwrap();
        }
    }
    world.clock.advance(30 * DAY + MINUTE);
    world.clock.run(world.rebuild()).unwrap();
    print(&world);
}

/// Profiles that share few stacks: 45 minutes of one service, 1,700 pushes.
#[test]
#[ignore = "a measurement: a minute"]
fn a_service_of_many_stacks() {
    let (world, meter) = (World::with(&["anonymous"], FLUSH), Meter::default());
    let load = Load {
        services: 1,
        processes: 10,
        kinds: Kinds::Various,
        interval: 15_882,
        millis: 170 * 15_882,
        cron_minutes: 1,
        different: 170,
    };
    println!("\n45 minutes of one service whose profiles share few stacks");
    print_tally(&load::run(&world, &load, 0, &meter));
    let now = world.clock.now();
    let hour = range(now - HOUR, now);
    for query in [
        "{service_name=\"shop0\"}",
        "{service_name=\"shop0\",instance=\"i-03\"}",
    ] {
        profiles(&world, query, "45 minutes", hour);
    }
}
