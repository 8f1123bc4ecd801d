//! Points of rules: through compaction, faults, rebuilds and deletion they equal a fold over the
//! pushed profiles, at the profiles' own minutes.

use std::collections::BTreeMap;

use pilotlight_core::{Profile, ProfileBuilder};

use crate::api::admin::deletions::delete_profiles;
use crate::api::query::QueryRunner;
use crate::api::rules::points::{Steps, points};
use crate::api::rules::rule::Rule;
use crate::meter::Meter;
use crate::simulation::lifetime::erasure::wanted;
use crate::simulation::random;
use crate::simulation::world::faults::FAULTS;
use crate::simulation::world::{BEGIN, DAY, HOUR, MINUTE, TYPE, World};

const REGIONS: [&str; 2] = ["eu", "us"];
const FUNCTIONS: [&str; 4] = ["main", "parse", "encode", "hash"];

/// What was pushed.
#[derive(Clone, Debug)]
pub(super) struct Pushed {
    app: u64,
    region: &'static str,
    /// Milliseconds since the epoch.
    pub(super) time: i64,
    /// From the root, with what each counts.
    stacks: Vec<(Vec<&'static str>, i64)>,
}

impl Pushed {
    pub(super) fn new(time: i64, seed: &mut u64) -> Self {
        let mut choose = |below: usize| (random(seed) % below as u64) as usize;
        let stacks = (0..1 + choose(3)).map(|_| {
            let depth = 1 + choose(3);
            let stack = (0..depth).map(|_| FUNCTIONS[choose(4)]).collect();
            (stack, 1 + choose(1_000) as i64)
        });
        let stacks = stacks.collect();
        Self {
            app: choose(3) as u64,
            region: REGIONS[choose(2)],
            time: time / 1_000 * 1_000,
            stacks,
        }
    }

    fn profile(&self) -> Profile {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let period_type = builder.value_type("cpu", "nanoseconds");
        builder.header().period_type = Some(period_type);
        builder.header().time_nanos = self.time * 1_000_000;
        for (stack, value) in &self.stacks {
            let stack = builder.named_stack(stack);
            builder.sample(stack, None, &[*value]);
        }
        builder.finish()
    }

    pub(super) fn push(&self, world: &World) {
        let Self {
            app, region, time, ..
        } = self;
        let at = time / 1_000;
        let query =
            format!("name=app{app}%7Bregion%3D{region}%7D&format=pprof&from={at}&until={at}");
        world.push_profile(&query, &self.profile());
    }
}

/// A rule, and whether it counts a stack.
pub(super) type Case = (Rule, fn(&[&str]) -> bool);

pub(super) fn cases() -> Vec<Case> {
    let rule = |change: fn(&mut Rule)| {
        let mut rule = Rule {
            query: format!("{TYPE}{{service_name!=\"app2\"}}"),
            group_by: vec!["region".to_owned()],
            ..Rule::default()
        };
        change(&mut rule);
        rule
    };
    vec![
        (rule(|_| {}), |_| true),
        (rule(|rule| rule.function = "parse".to_owned()), |stack| {
            stack.contains(&"parse")
        }),
        (
            rule(|rule| {
                rule.function_regex = "^(parse|hash)$".to_owned();
                rule.is_self = true;
            }),
            |stack| matches!(stack.last(), Some(&"parse" | &"hash")),
        ),
        (
            rule(|rule| rule.call_site = vec!["main".to_owned(), "encode".to_owned()]),
            |stack| stack.starts_with(&["main", "encode"]),
        ),
    ]
}

/// Values by region and the end of their step.
pub(super) type Fold = BTreeMap<(String, i64), i128>;

pub(super) fn fold(pushed: &[Pushed], counts: fn(&[&str]) -> bool, step: i64) -> Fold {
    let mut fold = Fold::new();
    for one in pushed.iter().filter(|one| one.app != 2) {
        let stacks = one.stacks.iter().filter(|(stack, _)| counts(stack));
        let value: i64 = stacks.map(|(_, value)| value).sum();
        let end = (one.time.div_euclid(step) + 1) * step;
        *fold.entry((one.region.to_owned(), end)).or_default() += i128::from(value);
    }
    fold.retain(|_, value| *value != 0);
    fold
}

fn found(world: &World, rule: &Rule, steps: Steps) -> Fold {
    let (bucket, tenant) = (world.faulty_bucket(), world.tenant());
    let runner = QueryRunner::new(bucket, tenant, world.admission(), Meter::default());
    let measure = rule.measure().unwrap();
    let found = world.clock.run(points(
        rule,
        &measure,
        steps,
        steps.until - steps.from,
        &runner,
    ));
    let mut fold = Fold::new();
    for series in found.unwrap().series {
        for (end, point) in series.points {
            let region = series.labels["region"].clone();
            assert!(fold.insert((region, end), point.sum).is_none());
        }
    }
    fold.retain(|_, value| *value != 0);
    fold
}

fn check(world: &World, pushed: &[Pushed], when: &str) {
    let until = world.clock.now() + 1;
    for (rule, counts) in cases() {
        for step in [MINUTE, HOUR, DAY] {
            let steps = Steps::covering(BEGIN - DAY, until, step).unwrap();
            let expect = fold(pushed, counts, step);
            assert_eq!(
                found(world, &rule, steps),
                expect,
                "{when}, {step}: {rule:?}"
            );
        }
    }
}

/// Pushes, late ones among them, pauses, compaction that goes wrong anywhere, a lost catalog that is
/// rebuilt, and deletion, in random order.
#[test]
fn points_are_what_was_pushed() {
    for history in 1..=6u64 {
        let seed = &mut history.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let world = World::new(&["one"]);
        let mut pushed: Vec<Pushed> = Vec::new();
        for step in 0..60 {
            let when = format!("history {history}, step {step}");
            match random(seed) % 12 {
                0..=5 => {
                    // One in four is up to three hours late.
                    let late = match random(seed) % 4 {
                        0 => random(seed) % (3 * HOUR as u64),
                        _ => 0,
                    };
                    let one = Pushed::new(world.clock.now() - late as i64, seed);
                    one.push(&world);
                    pushed.push(one);
                }
                6 => world
                    .clock
                    .advance((random(seed) % (90 * MINUTE as u64)) as i64),
                7 => world
                    .clock
                    .advance((random(seed) % (9 * HOUR as u64)) as i64),
                8 | 9 => {
                    let at = world.faults.operations().len() + random(seed) as usize % 12;
                    world
                        .faults
                        .plan(at, FAULTS[random(seed) as usize % FAULTS.len()]);
                    // It may fail; the next one goes on.
                    let _ = world.clock.run(world.visit(0));
                    world.faults.stop();
                }
                10 => world.compact_all(),
                _ if step % 2 == 0 => {
                    world.wipe();
                    world.clock.run(world.rebuild()).unwrap();
                }
                _ => {
                    let from = (random(seed) % DAY as u64) as i64;
                    let deletion = wanted("{service_name=\"app0\"}", from, from + 2 * HOUR);
                    let tenant = world.tenant();
                    let begun = delete_profiles(&tenant, deletion);
                    world.clock.run(begun).unwrap();
                    let gone = |one: &Pushed| {
                        let from = BEGIN + from;
                        one.app == 0 && (from..from + 2 * HOUR).contains(&one.time)
                    };
                    pushed.retain(|one| !gone(one));
                    for _ in 0..3 {
                        world.compact_all();
                        world.clock.advance(HOUR);
                    }
                }
            }
            if step % 5 == 4 {
                check(&world, &pushed, &when);
            }
        }
        assert!(pushed.len() > 10, "history {history} has too few profiles");
    }
}
