//! What a month of profiles comes to, compressed in time: stored bytes, reads, CPU, requests,
//! dollars. Printed: `cargo test --release -p pilotlight-worker month -- --ignored --nocapture
//! --test-threads 1`.
//!
//! `PILOTLIGHT_MONTH=FOLDER`, an absolute path, keeps the buckets of `a_month_of_queries` and
//! `a_month_of_full_days` as files in folders of these names, for `node tests/benches/bucket.mjs`
//! and for `methods::of_a_kept_month`, which measures again in a moment.
//!
//! 17 million pushes a month are too many to run: a day of one service at its real rate tells of
//! sizes, an hour of a hundred processes of requests, and a month in which each process pushes
//! every three hours of reads over long ranges.

mod ask;
mod figures;
mod load;
mod methods;
mod program;
mod report;

use std::path::Path;

use pilotlight_core::plans::{Grouping, Steps};
use pilotlight_core::{Selector, TimeRange};

use crate::api::rules::rule::Rule;
use crate::bucket::Bucket;
use crate::meter::{Item, Meter};
use crate::simulation::world::{BEGIN, DAY, HOUR, MINUTE, World};
use ask::{ask, print_points, runner};
use figures::{CPU, FLUSH, cpu_millis, kib, range};
use load::{Kinds, Load};
use report::{everything, print_bill, print_catalog, print_levels, print_tally, usage};

const IN_USE: &str = "memory:inuse_space:bytes:space:bytes";

/// Stored bytes: a day of one service of ten processes, each pushing CPU and memory every 15
/// seconds.
#[test]
#[ignore = "a measurement: six minutes"]
fn a_day_at_the_real_rate() {
    day_of(24);
}

fn day_of(hours: i64) {
    let (world, meter) = (World::with(&["anonymous"], FLUSH), Meter::default());
    let load = Load {
        services: 1,
        processes: 10,
        kinds: Kinds::Both,
        interval: 15_000,
        millis: hours * HOUR,
        cron_minutes: 1,
        different: 100,
    };
    println!("\n{hours} hours of one service, 10 processes, CPU and memory every 15 s");
    let tally = load::run(&world, &load, (DAY - load.millis) + 30 * MINUTE, &meter);
    print_tally(&tally);
    let usage = usage(&world, &meter);
    let objects = everything(&world);
    let levels = print_levels(&objects);
    let ratio = |bytes: u64| tally.bodies as f64 / bytes as f64;
    let stored: u64 = levels.iter().sum();
    println!(
        "stored {} a push with every profile kept, 1/{:.1} of what was pushed; sums alone 1/{:.0}; write amplification {:.2} of \
         chunks, {:.2} of what stays",
        kib(stored / tally.pushes),
        ratio(stored),
        ratio(levels[3]),
        usage.count(Item::BucketBytesIn) as f64 / tally.chunks as f64,
        usage.count(Item::BucketBytesIn) as f64 / stored as f64,
    );
    print_catalog(&world, &objects, &tally);
    let end = BEGIN + load.millis;
    for of_type in [CPU, IN_USE] {
        ask(
            &world,
            "{service_name=\"shop0\"}",
            of_type,
            range(BEGIN, BEGIN + DAY),
        )
        .print(&format!("{of_type}, the day"));
        ask(
            &world,
            "{service_name=\"shop0\"}",
            of_type,
            range(end - 3 * HOUR + 1, end - 2 * HOUR + 1),
        )
        .print("  an hour of the past");
        ask(
            &world,
            "{service_name=\"shop0\"}",
            of_type,
            range(end - HOUR - 7 * MINUTE, end - 7 * MINUTE + 1),
        )
        .print("  the last but seven minutes");
        ask(
            &world,
            "{service_name=\"shop0\",instance=\"i-03\"}",
            of_type,
            range(BEGIN, BEGIN + DAY),
        )
        .print("  one process, the day");
    }
    print_rules(&world, end);
    print_bill(&usage, stored as f64 / tally.pushes as f64);
}

/// Measures the points of rules: of a minute as a scrape reads it, of an hour and of a day.
fn print_rules(world: &World, end: i64) {
    let total = Rule {
        query: format!("{CPU}{{service_name=\"shop0\"}}"),
        ..Rule::default()
    };
    let function = Rule {
        function_regex: "Handler".to_owned(),
        ..total.clone()
    };
    let own = Rule {
        is_self: true,
        group_by: vec!["instance".to_owned()],
        ..function.clone()
    };
    for (rule, what) in [
        (total, "a rule of a total"),
        (function, "a rule of functions"),
        (own, "a rule of self values, by process"),
    ] {
        for (of, from, until) in [
            ("a minute", end - 3 * MINUTE, end - 2 * MINUTE),
            ("an hour", end - 3 * HOUR, end - 2 * HOUR),
            ("a day", BEGIN, BEGIN + DAY),
        ] {
            print_points(world, &rule, range(from, until), &format!("{what}, {of}"));
        }
    }
}

/// Reads over long ranges: a month of ten services of ten processes, each pushing CPU and memory
/// every three hours.
#[test]
#[ignore = "a measurement: five minutes"]
fn a_month_of_queries() {
    let world = month_of(30, 10, 3 * HOUR);
    methods::print(&world);
    keep(&world, "a_month_of_queries");
}

/// The same of one service of which each day has all stacks that a day at the real rate would have.
#[test]
#[ignore = "a measurement: six minutes"]
fn a_month_of_full_days() {
    let world = month_of(30, 1, 15 * MINUTE);
    keep(&world, "a_month_of_full_days");
}

/// Writes all objects as files, where a variable says that they are wanted.
fn keep(world: &World, name: &str) {
    let Some(folder) = std::env::var_os("PILOTLIGHT_MONTH") else {
        return;
    };
    for key in world.bucket.keys() {
        let object = world.clock.run(world.bucket.get(&key, None)).unwrap();
        let path = Path::new(&folder).join(name).join(&key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, object.unwrap().bytes).unwrap();
    }
}

fn month_of(days: i64, services: usize, interval: i64) -> World {
    let (world, meter) = (World::with(&["anonymous"], FLUSH), Meter::default());
    let load = Load {
        services,
        processes: 10,
        kinds: Kinds::Both,
        interval,
        millis: days * DAY,
        cron_minutes: 5,
        different: (DAY / interval).max(12) as usize,
    };
    let minutes = interval / MINUTE;
    println!(
        "\n{days} days of {services} services of ten processes, CPU and memory every {minutes} minutes"
    );
    // The last hour is not compacted yet.
    let tally = load::run(&world, &load, 30_000, &meter);
    print_tally(&tally);
    let usage = usage(&world, &meter);
    let objects = everything(&world);
    print_levels(&objects);
    print_catalog(&world, &objects, &tally);
    let now = world.clock.now();
    let month = range(now - 30 * DAY, now);
    let service = "{service_name=\"shop0\"}";
    for of_type in [CPU, IN_USE] {
        println!("{of_type}");
        for (what, long) in [
            ("30 days", 30 * DAY),
            ("  7 days", 7 * DAY),
            ("  24 hours", DAY),
        ] {
            ask(&world, service, of_type, range(now - long, now)).print(what);
        }
        let inside = range(now - (days - 1) * DAY + 17 * MINUTE + 1, now);
        ask(&world, service, of_type, inside).print("  the same, cut by both ends");
        ask(
            &world,
            "{service_name=\"shop0\",instance=\"i-03\"}",
            of_type,
            inside,
        )
        .print("  of one process");
        ask(
            &world,
            service,
            of_type,
            range(now - 10 * DAY + 1, now - 10 * DAY + HOUR + 1),
        )
        .print("  an hour of the past");
        ask(&world, service, of_type, range(now - HOUR, now)).print("  the last hour");
    }
    for (what, query, of_type) in [("one type", service, Some(CPU)), ("services", "{}", None)] {
        timeline(&world, what, query, of_type, month);
    }
    print_bill(&usage, 0.0);
    world
}

/// A timeline as the site asks for.
fn timeline(world: &World, what: &str, query: &str, of_type: Option<&str>, range: TimeRange) {
    let (selector, steps) = (Selector::parse(query).unwrap(), Steps::of(range, 500));
    let of_type = of_type.map(|text| text.parse().unwrap());
    let meter = Meter::default();
    let runner = runner(world, &meter);
    let began = cpu_millis();
    let timeline = world
        .clock
        .run(runner.timeline(
            &selector,
            of_type.as_ref(),
            steps.range,
            steps.window,
            Grouping::Service,
        ))
        .unwrap();
    let millis = cpu_millis() - began;
    let usage = meter.take();
    let bytes = usage.count(Item::BucketBytesOut);
    println!(
        "timeline of {what}, 30 days in {} steps: {} series, {} GETs, {}, CPU {millis:.1} ms native",
        steps.count,
        timeline.series.len(),
        usage.count(Item::BucketReads),
        kib(bytes),
    );
    assert!(bytes <= 1_000_000, "{bytes}");
}

/// Requests: an hour of ten services of ten processes at their real rate, 17.28 million pushes a
/// month.
#[test]
#[ignore = "a measurement: two minutes"]
fn an_hour_of_a_hundred_processes() {
    hour_of(Kinds::Alternating);
}

/// The last hour before its blocks are made, at the real rate, at several moments right before a
/// round of the schedule.
#[test]
#[ignore = "a measurement: seven minutes"]
fn an_hour_that_is_not_over() {
    for (services, minutes) in [
        (10, 52),
        (1, 52),
        (10, 37),
        (1, 37),
        (1, 23),
        (1, 45),
        (1, 58),
    ] {
        let (world, meter) = (World::with(&["anonymous"], FLUSH), Meter::default());
        let load = Load {
            services,
            processes: 100 / services,
            kinds: Kinds::Alternating,
            interval: 15_000,
            millis: minutes * MINUTE,
            cron_minutes: 1,
            different: 50,
        };
        println!("\n{minutes} minutes of {services} services, 100 processes, a push every 15 s");
        print_tally(&load::run(&world, &load, 0, &meter));
        let now = world.clock.now();
        for of_type in [CPU, IN_USE] {
            ask(
                &world,
                "{service_name=\"shop0\"}",
                of_type,
                range(now - HOUR, now),
            )
            .print("the last hour of a service");
            ask(
                &world,
                "{service_name=\"shop0\"}",
                of_type,
                range(now - 5 * MINUTE, now),
            )
            .print("the last five minutes");
        }
    }
}

fn hour_of(kinds: Kinds) {
    let (world, meter) = (World::with(&["anonymous"], FLUSH), Meter::default());
    let load = Load {
        services: 10,
        processes: 10,
        kinds,
        interval: 15_000,
        millis: HOUR,
        cron_minutes: 1,
        different: 50,
    };
    println!("\nan hour of ten services, 100 processes, a push every 15 s");
    let tally = load::run(&world, &load, 3 * MINUTE, &meter);
    print_tally(&tally);
    let usage = usage(&world, &meter);
    let objects = everything(&world);
    let levels = print_levels(&objects);
    let stored: u64 = levels.iter().sum();
    let writes = usage.count(Item::BucketWrites) as f64 / tally.pushes as f64 * 1e6;
    println!("{writes:.0} bucket writes for a million pushes");
    println!(
        "stored {} a push, 1/{:.1} of what was pushed",
        kib(stored / tally.pushes),
        tally.bodies as f64 / stored as f64
    );
    print_catalog(&world, &objects, &tally);
    let now = world.clock.now();
    for of_type in [CPU, IN_USE] {
        ask(
            &world,
            "{service_name=\"shop0\"}",
            of_type,
            range(now - HOUR, now),
        )
        .print("the last hour of a service");
    }
    print_bill(&usage, stored as f64 / tally.pushes as f64);
    // Of these 24,500 are what a segment every six seconds comes to. The hour begins in silence, and
    // the window of group commit takes 40 seconds to grow: 5,700 more, which a longer time does not
    // have again.
    assert!(writes <= 36_000.0 + 5_700.0, "{writes}");
}
