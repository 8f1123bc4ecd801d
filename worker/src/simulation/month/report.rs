//! What is printed of a simulated span: objects by level, pushes, the bill of a month.

use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::TimeRange;
use pilotlight_core::plans::{CatalogObject, JobCandidate};
use pilotlight_core::store::{Level, Part, SumScope, SumWindow};

use super::figures::{directory_bytes, kib};
use super::load::Tally;
use crate::meter::{Item, Meter, Prices, Usage};
use crate::simulation::world::World;
use crate::tenant::Detail;

pub(super) fn everything(world: &World) -> Vec<CatalogObject> {
    world
        .clock
        .run(world.tenant().catalog(TimeRange::ALL, Detail::Each))
        .unwrap()
}

/// Prints what objects hold by level, and gives the bytes of each level.
pub(super) fn print_levels(objects: &[CatalogObject]) -> [u64; 4] {
    let mut levels = [0; 4];
    for level in Level::ALL {
        let of_level: Vec<_> = objects
            .iter()
            .filter(|object| object.level == level)
            .collect();
        if of_level.is_empty() {
            continue;
        }
        let mut parts: BTreeMap<String, u64> = BTreeMap::new();
        let mut add = |name: String, bytes: u64| *parts.entry(name).or_default() += bytes;
        for object in &of_level {
            levels[usize::from(level.number())] += object.size;
            add(
                "directory".to_owned(),
                object.directory.encode().unwrap().len() as u64,
            );
            add(
                "ids".to_owned(),
                object
                    .directory
                    .block()
                    .and_then(|block| block.ids)
                    .map_or(0, |part| part.len),
            );
            // Datasets share symbols and pages: what the first has counts for it alone.
            let mut seen = BTreeSet::new();
            let mut new = |part: Part| if seen.insert(part) { part.len } else { 0 };
            for dataset in object.directory.datasets() {
                let name = &object.directory.types[dataset.profile_type as usize].sample_type;
                add(format!("symbols of {name}"), new(dataset.symbols));
                add(
                    format!("raw {name}"),
                    dataset.pages.iter().map(|page| new(page.part)).sum(),
                );
                for (window, scope) in [SumWindow::Minute, SumWindow::Hour, SumWindow::Day]
                    .into_iter()
                    .flat_map(|window| {
                        [SumScope::All, SumScope::Series].map(|scope| (window, scope))
                    })
                {
                    let pages = dataset
                        .sums(window, scope)
                        .map_or(&[][..], |sums| &sums.pages);
                    add(
                        format!("{window:?}/{scope:?} sums"),
                        pages.iter().map(|page| new(page.part)).sum(),
                    );
                }
                add(
                    "totals".to_owned(),
                    dataset.totals.map_or(0, |part| part.len),
                );
                add(
                    "window totals over all".to_owned(),
                    dataset.all_totals.map_or(0, |part| part.len),
                );
                add(
                    "window totals".to_owned(),
                    dataset.window_totals.map_or(0, |(_, part)| part.len),
                );
            }
        }
        println!(
            "  level {level}: {} objects, {}",
            of_level.len(),
            kib(levels[usize::from(level.number())])
        );
        for (name, bytes) in parts.into_iter().filter(|(_, bytes)| *bytes > 0) {
            println!("    {name}: {}", kib(bytes));
        }
        let day: u64 = of_level
            .iter()
            .map(|o| JobCandidate::new(&o.key, o.size, &o.directory).day_bytes)
            .sum();
        println!("    that go into sums of days: {}", kib(day));
    }
    levels
}

/// What the shard and the worker used together.
pub(super) fn usage(world: &World, meter: &Meter) -> Usage {
    let mut usage = world.clock.run(world.client(0).month()).unwrap().usage;
    usage += meter.take();
    usage
}

pub(super) fn print_catalog(world: &World, objects: &[CatalogObject], tally: &Tally) {
    println!(
        "catalog: {} rows, {}",
        objects.len(),
        kib(directory_bytes(objects))
    );
    println!(
        "SQLite rows changed a push: {:.3}",
        world.rows_changed() as f64 / tally.pushes as f64
    );
}

pub(super) fn print_tally(tally: &Tally) {
    let each = |sum: f64| sum / tally.pushes as f64;
    println!(
        "{} pushes, each {:.1} kB gzipped (CPU {:.1}, memory {:.1}), {:.1} kB as a chunk; CPU each {:.2} ms for the push, {:.2} ms for {} jobs",
        tally.pushes,
        each(tally.bodies as f64) / 1e3,
        each(2.0 * (tally.bodies - tally.memory) as f64) / 1e3,
        each(2.0 * tally.memory as f64) / 1e3,
        each(tally.chunks as f64) / 1e3,
        each(tally.ingest_millis),
        each(tally.compact_millis),
        tally.jobs,
    );
}

/// Scaled to a month of 17.3 million pushes.
pub(super) fn print_bill(usage: &Usage, stored_a_push: f64) {
    let (prices, pushes) = (Prices::default(), 17.28e6);
    let factor = pushes / usage.count(Item::Pushes) as f64;
    let (mut month, mut list) = (Usage::default(), 0.0);
    for item in Item::ALL {
        month.add(item, (usage.count(item) as f64 * factor) as u64);
        let dollars = prices.dollars(&month, item);
        list += dollars;
        println!(
            "    {}: {:.2} a push, {:.2} M a month, ${dollars:.2}, ${:.2} beyond what the fee includes",
            item.name(),
            usage.count(item) as f64 / usage.count(Item::Pushes) as f64,
            month.count(item) as f64 / 1e6,
            prices.beyond(&month, item)
        );
    }
    let stored = (stored_a_push * pushes) as u64;
    let beyond: f64 = Item::ALL
        .into_iter()
        .map(|item| prices.beyond(&month, item))
        .sum();
    println!(
        "    stored after a month: {:.1} GB, ${:.2}",
        stored as f64 / 1e9,
        stored as f64 / 1e9 * prices.stored_gigabyte
    );
    println!(
        "    list price ${list:.2}; bill ${:.2}",
        prices.fee + beyond + prices.stored_beyond(stored)
    );
}
