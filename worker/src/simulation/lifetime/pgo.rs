//! Profiles for Go's compiler: the same bytes before and after compaction.

use pilotlight_core::verbs::{PgoOptions, pgo};
use pilotlight_core::{Function, Line, Profile, ProfileBuilder, Selector, TimeRange, merge, pprof};

use crate::api::pgo::file;
use crate::api::query::{Queries, QueryRunner};
use crate::meter::Meter;
use crate::simulation::world::{BEGIN, DAY, HOUR, MINUTE, TYPE, World};

/// A sample type, its unit, and the value of each sample.
type Measured = (&'static str, &'static str, i64);

const SAMPLES: Measured = ("samples", "count", 1);
const CPU: Measured = ("cpu", "nanoseconds", 10_000_000);

/// What a host did in a minute.
fn profile(host: i64, minute: i64) -> Profile {
    profile_of(host, minute, [SAMPLES, CPU])
}

/// `main` calls `work`, which calls one of two bodies of a generic function. Tables are in another
/// order on each host, and so is code.
fn profile_of<const TYPES: usize>(host: i64, minute: i64, types: [Measured; TYPES]) -> Profile {
    let mut b = ProfileBuilder::new();
    for (kind, unit, _) in types {
        b.sample_type(kind, unit);
    }
    let period_type = b.value_type("cpu", "nanoseconds");
    b.header().period_type = Some(period_type);
    b.header().period = 10_000_000;
    b.header().time_nanos = (BEGIN + minute * MINUTE) * 1_000_000;
    b.header().duration_nanos = 60_000_000_000;
    let mut frame = |name: &str, start_line: i64, line: i64| {
        let (file, name) = (b.string("main.go"), b.string(name));
        let function = b.function(Function {
            start_line,
            ..Function::named(name, file)
        });
        let address = (1 + host as u64) << 20 | line as u64;
        let line = Line::of(function, line);
        b.location(None, address, false, &[line])
    };
    let mut frames = [
        frame("main.Map[go.shape.int]", 40, 41 + minute % 3),
        frame("main.Map[go.shape.string]", 40, 42),
        frame("main.work", 20, 29 + host),
        frame("main.main", 10, 13),
    ];
    if host % 2 == 1 {
        frames.swap(0, 1);
    }
    let main = b.stack(None, frames[3]);
    let work = b.stack(Some(main), frames[2]);
    for (leaf, count) in [(0, 3 + host), (1, 5 + minute)] {
        let leaf = b.stack(Some(work), frames[leaf]);
        b.sample(Some(leaf), None, &types.map(|(.., value)| count * value));
    }
    b.finish()
}

fn push(world: &World, service: &str, host: i64, profile: &Profile) {
    let at = profile.header().time_nanos / 1_000_000_000;
    let query = format!("name={service}%7Bhost%3Dh{host}%7D&format=pprof&from={at}&until={at}");
    world.push_profile(&query, profile);
}

fn ask(world: &World, options: PgoOptions) -> Vec<u8> {
    let (bucket, tenant) = (world.faulty_bucket(), world.tenant());
    let runner = QueryRunner::new(bucket, tenant, world.admission(), Meter::default());
    let selector = Selector::default().of_service("shop").unwrap();
    let range = TimeRange::of_millis(BEGIN, BEGIN + 4 * HOUR);
    let profile_type = TYPE.parse().unwrap();
    let merged = world
        .clock
        .run(runner.merged(&selector, &profile_type, range));
    file(&merged.unwrap(), options)
}

/// The CPU time of a service in the range, added up without the store.
fn expected(all: &[Profile], options: PgoOptions) -> Vec<u8> {
    pprof::encode_gzip(&pgo(&merge(all).unwrap().profile, options))
}

#[test]
fn a_closed_range_gives_the_same_bytes_before_and_after_compaction() {
    let world = World::new(&["a", "b"]);
    let mut all = Vec::new();
    for minute in (0..240).step_by(15) {
        for host in 0..3 {
            let profile = profile(host, minute);
            push(&world, "shop", host, &profile);
            push(&world, "other", host, &profile);
            all.push(profile_of(host, minute, [CPU]));
        }
        world.clock.advance(15 * MINUTE);
    }
    // Beyond the range.
    push(&world, "shop", 0, &profile(0, 300));
    let every = [0, 2, 5].map(|keep_locations| PgoOptions {
        keep_locations,
        ..PgoOptions::default()
    });
    let fresh = every.map(|options| ask(&world, options));
    assert_eq!(fresh, every.map(|options| expected(&all, options)));
    let mut objects = world.live();
    for later in [HOUR, 3 * DAY] {
        world.clock.advance(later);
        for host in 0..2 {
            while world.clock.run(world.visit(host)).unwrap() {}
        }
        let compacted = world.live();
        assert_ne!(compacted, objects, "nothing was compacted");
        objects = compacted;
        assert_eq!(
            every.map(|options| ask(&world, options)),
            fresh,
            "after {later}"
        );
    }
}

#[test]
fn first_lines_and_names_of_the_linker_are_stored() {
    let world = World::new(&["a"]);
    for host in 0..3 {
        push(&world, "shop", host, &profile(host, 0));
    }
    let check = || {
        let found = pprof::open(&ask(&world, PgoOptions::default()), 1 << 20).unwrap();
        let found = found.profile;
        let functions = found.functions().iter();
        let functions = functions.map(|f| (found.text(f.name), f.start_line));
        let expect = [
            ("main.Map[go.shape.int]", 40),
            ("main.Map[go.shape.string]", 40),
            ("main.main", 10),
            ("main.work", 20),
        ];
        assert_eq!(functions.collect::<Vec<_>>(), expect);
    };
    check();
    world.clock.advance(3 * DAY);
    world.compact_all();
    check();
}
