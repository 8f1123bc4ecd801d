//! Large queries: in parts, in other invocations and from a cache, and the same answer whichever
//! way.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::join_all;
use pilotlight_core::{
    Profile, ProfileBuilder, ProfileType, Selector, TimeRange, UnixNanos, parse_name,
    plans::QueryAnswer,
    store::{ChunkId, Series, SeriesRows, encode_chunk},
};

use super::invocations::{Kept, Others};
use crate::api::admin::deletions::delete_profiles;
use crate::api::query::{Fanout, FanoutStats, QueryRunner};
use crate::bucket::Metered;
use crate::meter::{Item, Meter, Usage};
use crate::platform::admission::Admitted;
use crate::platform::errors::Problem;
use crate::simulation::world::{BEGIN, DAY, HOUR, MINUTE, TYPE, World};
use crate::tenant::DeletionRequest;

/// A profile of some 350 kB, whatever compresses it.
fn large(n: u64, millis: i64, service: &str) -> Vec<u8> {
    let mut state = n;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 29
    };
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    // Few rows with long names, which are quick to make.
    let mut row = |_| {
        let name: String = (0..16).map(|_| format!("{:016x}", random())).collect();
        (builder.named_stack(&["main", &name]), random() as i64 >> 24)
    };
    let rows = (0..2_500).map(&mut row).collect();
    let series = Series {
        labels: parse_name(service).unwrap(),
        profile_type: TYPE.parse().unwrap(),
        time: UnixNanos::from_millis(millis),
        ..Series::default()
    };
    encode_chunk(
        ChunkId([n as u8; 16]),
        &builder.finish(),
        &[SeriesRows {
            series,
            rows,
            links: Vec::new(),
        }],
    )
    .unwrap()
}

/// A large profile a day, and for two days a small one of another service; all summarized.
pub(super) fn days(count: u64) -> World {
    let world = World::new(&["a"]);
    for n in 0..count {
        world
            .clock
            .advance(BEGIN + n as i64 * DAY + HOUR - world.clock.now());
        let mut chunks = vec![large(n, world.clock.now(), "app")];
        if n < 2 {
            chunks.push(crate::simulation::world::chunk(
                1_000 + n as u32,
                world.clock.now(),
            ));
        }
        for chunk in chunks {
            world.clock.run(world.tenant().append(&chunk)).unwrap();
        }
    }
    world.clock.advance(2 * DAY);
    world.compact_all();
    world
}

/// What is asked, and with what.
struct Asked {
    cache: Kept,
    others: bool,
    subquery_bytes: u64,
    until: i64,
}

type Outcome = Result<(QueryAnswer, FanoutStats, Usage, usize), Problem>;

fn ask(world: &World, asked: &Asked) -> Outcome {
    world.clock.run(ask_beside_others(world, asked))
}

async fn ask_beside_others(world: &World, asked: &Asked) -> Outcome {
    let (meter, calls) = (Meter::default(), Rc::new(Cell::new(0)));
    let bucket = Metered::new(world.bucket.clone(), meter.clone());
    let (cache, memory) = (asked.cache.clone(), world.bucket.clone());
    let admission = world.admission();
    let others = Others {
        bucket: memory,
        cache: cache.clone(),
        meter: meter.clone(),
        calls: calls.clone(),
        admission: admission.clone(),
    };
    let fan = Fanout {
        admission,
        cache,
        invocations: asked.others.then_some(others),
        subquery_bytes: asked.subquery_bytes,
    };
    let runner = QueryRunner::with(bucket, world.tenant(), meter.clone(), fan);
    let range = TimeRange::of_millis(BEGIN - DAY, BEGIN + asked.until);
    let of_type: ProfileType = TYPE.parse().unwrap();
    let selector = Selector::parse("{service_name=\"app\"}").unwrap();
    let (answer, stats) = runner.merged_with_stats(&selector, &of_type, range).await?;
    Ok((answer, stats, meter.take(), calls.get()))
}

/// The answer of one plan over everything.
fn whole(world: &World, until: i64) -> QueryAnswer {
    let asked = Asked {
        cache: Kept::default(),
        others: false,
        subquery_bytes: u64::MAX,
        until,
    };
    let range = TimeRange::of_millis(BEGIN - DAY, BEGIN + until);
    let runner = QueryRunner::new(
        world.bucket.clone(),
        world.tenant(),
        world.admission(),
        Meter::default(),
    );
    let objects = world.clock.run(runner.catalog(range)).unwrap();
    let selector = Selector::parse("{service_name=\"app\"}").unwrap();
    let plan =
        pilotlight_core::plans::QueryPlan::new(&selector, &TYPE.parse().unwrap(), range, &objects)
            .unwrap();
    let answer = world
        .clock
        .run(crate::bucket::drive::drive(plan, &world.bucket))
        .unwrap()
        .finish()
        .unwrap();
    let (split, ..) = ask(world, &asked).unwrap();
    assert_eq!(said(&split), said(&answer));
    answer
}

fn said(answer: &QueryAnswer) -> (&Profile, u64, u64, u64) {
    (
        &answer.profile,
        answer.profiles,
        answer.objects,
        answer.bytes,
    )
}

#[test]
fn parts_are_found_in_the_cache_and_damaged_ones_are_not() {
    let world = days(4);
    let expect = whole(&world, 10 * DAY);
    assert_eq!(expect.profiles, 4);
    let asked = Asked {
        cache: Kept::default(),
        others: false,
        subquery_bytes: 4 << 20,
        until: 10 * DAY,
    };
    let (first, stats, used, _) = ask(&world, &asked).unwrap();
    assert_eq!(said(&first), said(&expect));
    let kept = asked.cache.0.borrow().len();
    assert!(stats.subqueries >= 2 && kept >= 2, "{stats:?}, {kept} kept");
    assert_eq!(
        (
            stats.cached,
            stats.calls,
            used.count(Item::SubqueriesCached)
        ),
        (0, 0, 0)
    );
    assert_eq!(used.count(Item::BucketBytesOut), expect.bytes);

    let (second, again, used, _) = ask(&world, &asked).unwrap();
    assert_eq!(said(&second), said(&expect));
    assert_eq!((again.subqueries, again.cached), (stats.subqueries, kept));
    assert_eq!(used.count(Item::SubqueriesCached), kept as u64);
    assert!(
        used.count(Item::BucketBytesOut) < expect.bytes / 2,
        "{used:?}"
    );
    // A range that ends later has the same parts.
    let (later, again, ..) = ask(
        &world,
        &Asked {
            cache: asked.cache.clone(),
            until: 11 * DAY,
            ..asked
        },
    )
    .unwrap();
    assert_eq!((said(&later), again.cached), (said(&expect), kept));

    type Damage = fn(&mut Vec<u8>);
    let whole = asked.cache.0.borrow().clone();
    let damages: [Damage; 5] = [
        |bytes| *bytes.last_mut().unwrap() ^= 1,
        |bytes| bytes[30] ^= 0x40,
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.clear(),
        |bytes| *bytes = b"<!doctype html>".to_vec(),
    ];
    for damage in damages {
        asked.cache.0.borrow_mut().values_mut().for_each(damage);
        let (answer, stats, ..) = ask(&world, &asked).unwrap();
        assert_eq!((said(&answer), stats.cached), (said(&expect), 0));
        assert_eq!(*asked.cache.0.borrow(), whole, "kept anew");
    }
}

#[test]
fn other_invocations_answer_and_hand_over_what_they_used() {
    let world = days(4);
    let expect = whole(&world, 10 * DAY);
    let asked = Asked {
        cache: Kept::default(),
        others: true,
        subquery_bytes: 400 << 10,
        until: 10 * DAY,
    };
    let (first, stats, used, calls) = ask(&world, &asked).unwrap();
    assert_eq!(said(&first), said(&expect));
    assert!(
        stats.subqueries >= 4 && calls >= 2 && stats.calls == calls,
        "{stats:?}"
    );
    assert_eq!(
        (stats.cached, used.count(Item::BucketBytesOut)),
        (0, expect.bytes)
    );
    let (second, stats, _, calls) = ask(&world, &asked).unwrap();
    assert_eq!(said(&second), said(&expect));
    assert!(stats.cached >= 3 && calls <= 1, "{stats:?}");

    // One of what they read is gone: what they say of it is the query's error.
    let asked = Asked {
        cache: Kept::default(),
        ..asked
    };
    let key = world
        .live()
        .into_iter()
        .find(|key| key.contains("/l3/"))
        .unwrap();
    world
        .clock
        .run(crate::bucket::Bucket::delete(
            &world.bucket,
            std::slice::from_ref(&key),
        ))
        .unwrap();
    let problem = ask(&world, &asked).unwrap_err();
    assert_eq!(
        (problem.status, problem.code.as_str(), problem.retry_after),
        (503, "unavailable", Some(1))
    );
    assert_eq!(
        problem.message,
        format!("object {key} was deleted; try again")
    );
}

#[test]
fn what_is_deleted_is_not_found_again() {
    let world = days(4);
    let asked = Asked {
        cache: Kept::default(),
        others: false,
        subquery_bytes: 4 << 20,
        until: 10 * DAY,
    };
    assert_eq!(ask(&world, &asked).unwrap().0.profiles, 4);
    let wanted = DeletionRequest {
        query: "{service_name=\"app\"}".to_owned(),
        from: BEGIN,
        until: BEGIN + DAY,
    };
    assert!(
        world
            .clock
            .run(delete_profiles(&world.tenant(), wanted))
            .unwrap()
            .objects
            > 0
    );
    for _ in 0..40 {
        world.clock.run(world.visit(0)).unwrap();
        world.clock.advance(15 * MINUTE);
    }
    let expect = whole(&world, 10 * DAY);
    assert_eq!(expect.profiles, 3);
    for _ in 0..2 {
        let (answer, stats, ..) = ask(&world, &asked).unwrap();
        assert_eq!(said(&answer), said(&expect));
        assert!(stats.cached > 0, "other days are: {stats:?}");
    }
}

/// Parts ask for memory in the isolate of the query that waits for them: that must hold none.
#[test]
fn queries_in_parts_share_an_isolate_in_which_one_plan_fits() {
    let world = days(4);
    let expect = whole(&world, 10 * DAY);
    world.memory.set_budget(1);
    for others in [true, false] {
        let asked = || Asked {
            cache: Kept::default(),
            others,
            subquery_bytes: 400 << 10,
            until: 10 * DAY,
        };
        let all: Vec<Asked> = (0..3).map(|_| asked()).collect();
        let outcomes = world.clock.run(join_all(
            all.iter().map(|asked| ask_beside_others(&world, asked)),
        ));
        for outcome in outcomes {
            assert_eq!(said(&outcome.unwrap().0), said(&expect));
        }
        assert_eq!(
            world.memory.admitted(),
            Admitted {
                bytes: 0,
                waiting: 0,
                refused: 0
            }
        );
    }

    // While somebody has all of it for long, a query and a job are told to come again, and both do
    // as soon as it is free.
    let permit = world.clock.run(world.admission().enter(1)).unwrap();
    let asked = Asked {
        cache: Kept::default(),
        others: true,
        subquery_bytes: 400 << 10,
        until: 10 * DAY,
    };
    let problem = ask(&world, &asked).unwrap_err();
    assert_eq!((problem.status, problem.retry_after), (503, Some(1)));
    assert!(world.clock.run(world.push(2_000, 0)));
    world.clock.advance(HOUR + 2 * MINUTE);
    world.clock.run(async {
        world.admission().renew(&permit);
        assert_eq!(
            world.visit(0).await.map_err(|problem| problem.status),
            Err(503)
        );
    });
    drop(permit);
    assert_eq!(
        world.clock.run(world.visit(0)),
        Ok(true),
        "the lease of the job that was refused has ended"
    );
    assert_eq!(said(&ask(&world, &asked).unwrap().0), said(&expect));
}
