//! Queries of a world, and what they take.

use pilotlight_core::plans::QueryAnswer;
use pilotlight_core::{ProfileType, Selector, TimeRange};

use super::figures::{WASM, cpu_millis, directory_bytes, kib};
use crate::api::query::{Queries, QueryRunner};
use crate::api::rules::points::{Steps, points};
use crate::api::rules::rule::Rule;
use crate::bucket::Metered;
use crate::bucket::memory::MemoryBucket;
use crate::meter::{Item, Meter};
use crate::simulation::world::{Line, MINUTE, Simulated, World};

/// Of an odd number of values. The machine's other work slows some of them down, cold caches the
/// first.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A query as the worker answers it.
pub(super) struct Asked {
    answer: QueryAnswer,
    millis: f64,
    /// Of which for the catalog.
    catalog_millis: f64,
    catalog_bytes: u64,
    catalog_rows: usize,
    gets: u64,
    bytes: u64,
    encoded: usize,
}

/// What the runner of a request is made of.
pub(super) type Runner = QueryRunner<Metered<MemoryBucket>, Line, Simulated>;

/// The runner of one request, which `meter` counts.
pub(super) fn runner(world: &World, meter: &Meter) -> Runner {
    QueryRunner::new(
        Metered::new(world.bucket.clone(), meter.clone()),
        world.tenant(),
        world.admission(),
        meter.clone(),
    )
}

/// Asks for all profiles of a type that a query selects.
pub(super) fn ask(world: &World, query: &str, of_type: &str, range: TimeRange) -> Asked {
    let (selector, of_type) = (
        Selector::parse(query).unwrap(),
        of_type.parse::<ProfileType>().unwrap(),
    );
    let (mut times, mut catalog_times, mut last) = (Vec::new(), Vec::new(), None);
    for _ in 0..25 {
        let meter = Meter::default();
        let runner = runner(world, &meter);
        let began = cpu_millis();
        let catalog = world.clock.run(runner.catalog(range)).unwrap();
        catalog_times.push(cpu_millis() - began);
        let began = cpu_millis();
        let answer = world
            .clock
            .run(runner.merged(&selector, &of_type, range))
            .unwrap();
        let encoded = answer.chunk(&of_type).unwrap().len();
        times.push(cpu_millis() - began);
        last = Some((
            answer,
            encoded,
            meter.take(),
            directory_bytes(&catalog),
            catalog.len(),
        ));
    }
    let (answer, encoded, usage, catalog_bytes, catalog_rows) = last.unwrap();
    Asked {
        answer,
        millis: median(times),
        catalog_millis: median(catalog_times),
        catalog_bytes,
        catalog_rows,
        gets: usage.count(Item::BucketReads),
        bytes: usage.count(Item::BucketBytesOut),
        encoded,
    }
}

/// Asks for the points of a rule in each minute, and prints what that takes.
pub(super) fn print_points(world: &World, rule: &Rule, range: TimeRange, what: &str) {
    let measure = rule.measure().unwrap();
    let steps = Steps::covering(range.from.millis(), range.until.millis(), MINUTE).unwrap();
    let (mut times, mut last) = (Vec::new(), None);
    for _ in 0..25 {
        let meter = Meter::default();
        let runner = runner(world, &meter);
        let began = cpu_millis();
        let found = world.clock.run(points(rule, &measure, steps, 0, &runner));
        times.push(cpu_millis() - began);
        last = Some((found.unwrap(), meter.take()));
    }
    let (found, usage) = last.unwrap();
    let count: usize = found.series.iter().map(|series| series.points.len()).sum();
    let millis = median(times);
    println!(
        "{what}: {count} points of {} series, {} GETs, {} read; CPU {millis:.1} ms native, {:.0} as WASM",
        found.series.len(),
        usage.count(Item::BucketReads),
        kib(usage.count(Item::BucketBytesOut)),
        millis * WASM,
    );
}

impl Asked {
    pub(super) fn print(&self, what: &str) {
        println!(
            "{what}: {} profiles from {} objects, {} GETs, {} read; catalog {} rows, {}; CPU {:.1} ms native, {:.0} as \
             WASM (of it catalog {:.1} native); answer {} stacks, {}{}",
            self.answer.profiles,
            self.answer.objects,
            self.gets,
            kib(self.bytes),
            self.catalog_rows,
            kib(self.catalog_bytes),
            self.millis,
            self.millis * WASM,
            self.catalog_millis,
            self.answer.profile.len(),
            kib(self.encoded as u64),
            if self.answer.rounded { ", rounded" } else { "" },
        );
    }
}
