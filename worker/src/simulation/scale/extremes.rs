//! Extreme values that were accepted, through every answer of a query: nothing panics, nothing
//! wraps around, and what is cut is reported.

use pilotlight_core::ingest::{Push, ingest};
use pilotlight_core::limits::{MAX_DURATION_NANOS, MAX_START_NANOS};
use pilotlight_core::plans::Grouping;
use pilotlight_core::{ProfileBuilder, ProfileType, Selector, TimeRange, UnixNanos, pprof};

use crate::api::pyroscope::tests::every_answer;
use crate::api::query::{Queries, QueryRunner, tests::every_answer as every_own_answer};
use crate::meter::Meter;
use crate::simulation::random;
use crate::simulation::world::{BEGIN, DAY, HOUR, World};
use crate::tenant::Appended;

const TYPE: &str = "process_cpu:cpu:nanoseconds::";

/// A push of these values, each in a function of its own under one that calls all.
fn push(world: &World, name: &str, values: &[i64], start: i64, duration: i64) {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    (builder.header().time_nanos, builder.header().duration_nanos) = (start, duration);
    for (n, value) in values.iter().enumerate() {
        let stack = builder.named_stack(&["main", &format!("f{n}")]);
        builder.sample(stack, None, &[*value]);
    }
    let (body, query) = (
        pprof::encode(&builder.finish()),
        format!("name={name}&format=pprof"),
    );
    let now = UnixNanos::from_millis(world.clock.now());
    let push = Push {
        query: &query,
        content_type: "",
        body: &body,
        tenant: "a",
        client: "",
        now,
        limits: Default::default(),
    };
    let chunk = ingest(&push)
        .expect("it is accepted")
        .chunks
        .pop()
        .expect("it has samples")
        .bytes;
    assert_eq!(
        world.clock.run(world.tenant().append(&chunk)),
        Ok(Appended::Stored)
    );
}

/// All answers over a range, as text; whether one says that it is cut.
fn ask(world: &World, range: TimeRange) -> (Vec<String>, bool) {
    let profile_type: ProfileType = TYPE.parse().unwrap();
    let (runner, all) = (
        QueryRunner::new(
            world.faulty_bucket(),
            world.tenant(),
            world.admission(),
            Meter::default(),
        ),
        Selector::default(),
    );
    world.clock.run(async {
        let merged = runner.merged(&all, &profile_type, range).await.unwrap();
        let timeline = runner
            .timeline(&all, Some(&profile_type), range, None, Grouping::Series)
            .await
            .unwrap();
        let objects = runner.catalog(range).await.unwrap();
        let mut texts = every_answer(&merged, &profile_type, &timeline, &objects, range);
        texts.extend(every_own_answer(&timeline, &objects, range));
        merged.chunk(&profile_type).expect("the site's answer");
        (texts, merged.is_saturated())
    })
}

fn around(time: i64) -> TimeRange {
    TimeRange {
        from: UnixNanos(time).plus(-DAY * 1_000_000),
        until: UnixNanos(time).plus(DAY * 1_000_000),
    }
}

#[test]
fn sums_beyond_64_bits_are_cut_and_reported() {
    let now = BEGIN * 1_000_000;
    // Three pushes of one stack; then many stacks of one push, each of which fits.
    for values in [
        vec![i64::MAX],
        vec![i64::MAX / 4; 4],
        vec![1, i64::MAX - 1],
        vec![i64::MAX / 2, 1],
    ] {
        let world = World::new(&["a"]);
        for n in 0..3 {
            push(&world, "app", &values, now + n, n);
        }
        for days in 0..3 {
            let (texts, saturated) = ask(&world, around(now));
            assert!(saturated, "{values:?} after {days} days");
            let max = i64::MAX.to_string();
            assert!(
                texts
                    .iter()
                    .any(|text| text.contains(&format!("\"numTicks\":{max}"))),
                "{texts:?}"
            );
            assert!(
                texts
                    .iter()
                    .any(|text| text.contains(&format!("\"total\":\"{max}\""))),
                "{texts:?}"
            );
            assert!(
                texts.iter().all(|text| !text.contains(":-")
                    && !text.contains("\"-")
                    && !text.contains("[-")),
                "{texts:?}"
            );
            world.clock.advance(DAY);
            world.compact_all();
        }
    }
}

#[test]
fn what_fits_is_exact() {
    let (world, now) = (World::new(&["a"]), BEGIN * 1_000_000);
    push(&world, "app", &[i64::MAX - 11], now, 0);
    push(&world, "app", &[10], now + 1, 0);
    let (texts, saturated) = ask(&world, around(now));
    assert!(!saturated);
    assert!(
        texts
            .iter()
            .any(|text| text.contains("\"numTicks\":9223372036854775806")),
        "{texts:?}"
    );
}

#[test]
fn the_ends_of_time_and_of_ranges() {
    let ranges = |start: i64| {
        let (all, at) = (TimeRange::ALL, UnixNanos(start));
        [
            all,
            around(start),
            TimeRange {
                from: at,
                until: at,
            },
            TimeRange {
                from: at,
                until: at.plus(1),
            },
            TimeRange {
                from: all.from,
                until: at,
            },
            TimeRange {
                from: at,
                until: all.until,
            },
            TimeRange {
                from: all.until,
                until: all.until,
            },
            TimeRange {
                from: all.from,
                until: all.from,
            },
        ]
    };
    for start in [
        31_536_000 * 1_000_000_000,
        BEGIN * 1_000_000,
        MAX_START_NANOS,
    ] {
        let world = World::new(&["a"]);
        for (n, duration) in [0, 1, MAX_DURATION_NANOS].into_iter().enumerate() {
            push(
                &world,
                &format!("app{n}"),
                &[i64::MAX - (1 << n), 1 << n],
                start,
                duration,
            );
        }
        ranges(start)
            .into_iter()
            .for_each(|range| drop(ask(&world, range)));
        world.clock.advance(2 * HOUR);
        world.compact_all();
        ranges(start)
            .into_iter()
            .for_each(|range| drop(ask(&world, range)));
    }
}

#[test]
fn any_values_times_and_ranges() {
    let state = &mut 0x9e37_79b9_7f4a_7c15;
    for round in 0..60 {
        let world = World::new(&["a"]);
        let (mut exact, base) = (0i128, BEGIN * 1_000_000);
        for n in 0..1 + random(state) % 6 {
            // A push whose own sum does not fit is refused, so each has its part.
            let count = 1 + random(state) % 4;
            let most = i64::MAX / count as i64;
            let value = |state: &mut u64| match random(state) % 4 {
                0 => 1,
                1 => most,
                2 => most - (random(state) % 1_000) as i64,
                _ => 1 + (random(state) >> (1 + random(state) % 62)) as i64 % most,
            };
            let values: Vec<i64> = (0..count).map(|_| value(state)).collect();
            exact += values.iter().map(|&value| i128::from(value)).sum::<i128>();
            let duration = (random(state) >> (10 + random(state) % 50)) as i64 % MAX_DURATION_NANOS;
            push(
                &world,
                &format!("app{}", n % 3),
                &values,
                base + (random(state) % 7_200) as i64 * 1_000_000_000,
                duration,
            );
        }
        if random(state).is_multiple_of(2) {
            world.clock.advance(DAY);
            world.compact_all();
        }
        let (texts, saturated) = ask(&world, TimeRange::of_nanos(base, base + 7_200_000_000_000));
        assert_eq!(
            saturated,
            exact > i128::from(i64::MAX),
            "round {round}: {exact}"
        );
        let ticks = format!("\"numTicks\":{}", exact.min(i128::from(i64::MAX)));
        assert!(
            texts.iter().any(|text| text.contains(&ticks)),
            "round {round}: {texts:?}"
        );
        let (from, length) = (
            random(state) as i64,
            (random(state) >> (random(state) % 64)) as i64,
        );
        let range = TimeRange::of_nanos(from, from.saturating_add(length.max(0)));
        drop(ask(&world, range));
    }
}
