//! Names from symbol tables: in every answer once a table is stored, before and after compaction.

use pilotlight_core::store::{SymbolTableBuilder, SymbolTableHead, TenantId};
use pilotlight_core::verbs::SymbolFrame;
use pilotlight_core::verbs::programs::{Layout, Segment};
use pilotlight_core::{Mapping, Profile, ProfileBuilder, Selector, SymbolFlags, TimeRange};

use crate::api::query::{Queries, QueryRunner};
use crate::api::symbols::{Listed, store};
use crate::bucket::{Bucket, Condition, Metered};
use crate::meter::{Item, Meter};
use crate::simulation::world::{BEGIN, HOUR, MINUTE, TYPE, World};

/// Code at 0x2000 of the file, from its offset 0x1000 on, is mapped at 0x7f00_0000.
const MAPPED: u64 = 0x7f00_0000;

/// Calls of `shop`, whose addresses have no names, in a library of which there is no table.
fn profile(minute: i64) -> Profile {
    let mut b = ProfileBuilder::new();
    b.sample_type("cpu", "nanoseconds");
    let period_type = b.value_type("cpu", "nanoseconds");
    b.header().period_type = Some(period_type);
    b.header().period = 10_000_000;
    b.header().time_nanos = (BEGIN + minute * MINUTE) * 1_000_000;
    b.header().duration_nanos = 60_000_000_000;
    let mut mapping = |start: u64, file: &str, id: &str| {
        let (file, build_id) = (b.string(file), b.string(id));
        b.mapping(Mapping {
            start,
            limit: start + 0x1000,
            offset: 0x1000,
            file,
            build_id,
            symbols: SymbolFlags::default(),
        })
    };
    let shop = mapping(MAPPED, "/srv/shop", "ab12cd34");
    let library = mapping(0x8000_0000, "/lib/none.so", "cd34ef56");
    let mut stack = None;
    for (mapping, address) in [
        (library, 0x8000_0010),
        (shop, MAPPED + 0x10),
        (shop, MAPPED + 0x24),
    ] {
        let location = b.location(Some(mapping), address, false, &[]);
        stack = Some(b.stack(stack, location));
        b.sample(stack, None, &[7 + minute]);
    }
    b.finish()
}

fn table() -> Vec<u8> {
    let frame = |name: &str, line| SymbolFrame {
        name: name.to_owned(),
        system_name: name.to_owned(),
        file: "shop.c".to_owned(),
        line,
        column: 0,
    };
    let mut builder = SymbolTableBuilder::new();
    builder.range(0x2000, &[frame("serve", 10)]);
    builder.range(0x2020, &[frame("sum", 31), frame("price", 22)]);
    builder.range(0x2040, &[]);
    let head = SymbolTableHead {
        ids: vec!["ab12cd34".to_owned()],
        file: "shop".to_owned(),
        layout: Layout::Segments(vec![Segment {
            address: 0x2000,
            size: 0x1000,
            offset: 0x1000,
            file_size: 0x1000,
            align: 0x1000,
            executable: true,
        }]),
    };
    builder.finish(head).unwrap().encode().unwrap()
}

fn push(world: &World, minute: i64) {
    let at = (BEGIN + minute * MINUTE) / 1_000;
    let query = format!("name=shop&format=pprof&from={at}&until={at}");
    world.push_profile(&query, &profile(minute));
}

/// The frames of each address of the answer and its total; and how many reads it took.
fn ask(world: &World, tenant: &TenantId) -> (Vec<String>, i64, u64) {
    let meter = Meter::default();
    let bucket = Metered::new(world.bucket.clone(), meter.clone());
    let runner = QueryRunner::new(bucket, world.tenant(), world.admission(), Meter::default());
    let runner = runner.of_tenant(tenant.clone());
    let range = TimeRange::of_millis(BEGIN, BEGIN + 4 * HOUR);
    let (selector, profile_type) = (Selector::default(), TYPE.parse().unwrap());
    let merged = runner.merged(&selector, &profile_type, range);
    let profile = world.clock.run(merged).unwrap().profile;
    let frames = |location| {
        let lines = profile.lines(location).iter().map(|line| {
            let function = &profile.functions()[line.function.expect("a function").index()];
            format!("{}:{}", profile.text(function.name), line.line)
        });
        lines.collect::<Vec<_>>().join(" < ")
    };
    let mut all: Vec<String> = profile.location_ids().map(frames).collect();
    all.sort();
    let total = profile.samples().values[0].iter().sum();
    (all, total, meter.take().count(Item::BucketReads))
}

fn listed(object: &[u8], now: i64) -> Listed {
    Listed::of(object, now).unwrap()
}

#[test]
fn addresses_have_names_from_the_moment_that_a_table_is_stored() {
    let world = World::new(&["a", "b"]);
    for minute in (0..240).step_by(30) {
        push(&world, minute);
    }
    let [one, other]: [TenantId; 2] = ["one", "other"].map(|tenant| tenant.parse().unwrap());
    let total = (0..240).step_by(30).map(|minute| 3 * (7 + minute)).sum();
    let bare = vec![String::new(); 3];
    let (frames, sum, reads) = ask(&world, &one);
    assert_eq!((frames, sum), (bare.clone(), total));

    let now = world.clock.now();
    let object = table();
    let stored = world
        .clock
        .run(store(&world.bucket, &one, &object, listed(&object, now)));
    let key = stored.unwrap().key(&one);
    let named = ["", "serve:10", "sum:31 < price:22"].map(str::to_owned);
    assert_eq!(ask(&world, &one), (named.to_vec(), total, reads + 1));
    assert_eq!(ask(&world, &other).0, bare, "it is another tenant's");

    world.clock.advance(26 * HOUR);
    world.compact_all();
    let (frames, sum, _) = ask(&world, &one);
    assert_eq!((&frames[..], sum), (&named[..], total));

    // Names are all that is missing without it.
    let put = world
        .bucket
        .put(&key, object[1..].to_vec(), Condition::None);
    world.clock.run(put).unwrap();
    let (frames, sum, _) = ask(&world, &one);
    assert_eq!((frames, sum), (bare, total));
}

#[test]
fn what_has_names_costs_no_read() {
    let world = World::new(&["a", "b"]);
    assert!(world.clock.run(world.push(1, 3)));
    let tenant = "one".parse().unwrap();
    let (.., without) = ask(&world, &tenant);
    let (object, now) = (table(), world.clock.now());
    let stored = world
        .clock
        .run(store(&world.bucket, &tenant, &object, listed(&object, now)));
    stored.unwrap();
    let (.., with) = ask(&world, &tenant);
    assert_eq!(with, without);
}
