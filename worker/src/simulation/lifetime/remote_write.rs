//! Remote write: through failures of the receiver, of the worker and of the bucket, every point
//! arrives with one value.

use std::collections::BTreeSet;

use crate::api::query::QueryRunner;
use crate::api::rules::remote_write::{Progress, Sender, Target, Version, progress_key};
use crate::api::rules::rule::Rule;
use crate::bucket::record;
use crate::meter::Meter;
use crate::platform::errors::Problem;
use crate::platform::limits::{self, Limits};
use crate::simulation::lifetime::rules::{Case, Fold, Pushed, cases, fold};
use crate::simulation::random;
use crate::simulation::world::faults::FAULTS;
use crate::simulation::world::receiver::{Mode, Receiver};
use crate::simulation::world::{BEGIN, DAY, HOUR, MINUTE, World};

/// A tenant with rules, and the server that gets their points.
struct Sending {
    world: World,
    receiver: Receiver,
    target: Target,
    cases: Vec<Case>,
}

impl Sending {
    fn new(version: Version) -> Self {
        let world = World::new(&["one"]);
        let receiver = Receiver::new(&world.faults, version);
        let target = Target::parse(|name| {
            let value = match (name, version) {
                ("REMOTE_WRITE_URL", _) => "https://prometheus.example/api/v1/write",
                ("REMOTE_WRITE_TOKEN", _) => "secret",
                ("REMOTE_WRITE_VERSION", Version::V2) => "2.0",
                _ => return None,
            };
            Some(value.to_owned())
        });
        let mut cases = cases();
        for (at, (rule, _)) in cases.iter_mut().enumerate() {
            rule.id = ["a", "b", "c", "d"][at].to_owned();
            rule.metric_name = "profiles_recorded_x".to_owned();
        }
        Self {
            target: target.unwrap().unwrap(),
            world,
            receiver,
            cases,
        }
    }

    /// What the tenant's minute does.
    fn tick(&self) -> Result<(), Problem> {
        self.tick_with(Vec::new(), Limits::default())
    }

    /// The same with further rules, within limits of queries.
    fn tick_with(&self, more: Vec<Rule>, limits: Limits) -> Result<(), Problem> {
        let Self { world, .. } = self;
        let bucket = world.faulty_bucket();
        let (tenant, admission) = (world.tenant(), world.admission());
        let runner = QueryRunner::new(bucket.clone(), tenant, admission, Meter::default());
        let runner = runner.limited(limits);
        let rules = self.cases.iter().map(|(rule, _)| rule.clone());
        let rules: Vec<Rule> = rules.chain(more).collect();
        let sender = Sender {
            tenant: &world.shard().tenant,
            target: &self.target,
            rules: &rules,
            bucket: &bucket,
            runner: &runner,
            outgoing: &self.receiver,
        };
        world.clock.run(world.faults.invocation(sender.run()))
    }

    fn progress(&self) -> Progress {
        let key = progress_key(&self.world.shard().tenant);
        let read = record::read(&self.world.bucket, &key);
        self.world.clock.run(read).unwrap()
    }

    /// Until which minute points can't change any more: their requests may have arrived.
    fn fixed_until(&self) -> i64 {
        let taken = self.receiver.samples.borrow();
        let taken = taken.keys().map(|(_, at)| *at).max();
        taken.max(self.progress().sent_until).unwrap_or(0)
    }

    /// The samples of a rule that have arrived.
    fn arrived(&self, rule: &Rule) -> Fold {
        let samples = self.receiver.samples.borrow();
        let of_rule = samples.iter().filter_map(|((labels, at), value)| {
            let region = labels.strip_prefix("__name__=profiles_recorded_x,")?;
            let region = region.strip_prefix(&format!("profiles_rule_id={},region=", rule.id))?;
            Some(((region.to_owned(), *at), *value as i128))
        });
        of_rule.collect()
    }

    /// Checks all minutes but those that may be lost.
    fn check(&self, pushed: &[Pushed], lost: &BTreeSet<i64>, when: &str) {
        let until = self.progress().sent_until.unwrap();
        for (rule, counts) in &self.cases {
            let mut expect = fold(pushed, *counts, MINUTE);
            expect.retain(|(_, at), _| *at <= until && !lost.contains(at));
            let mut arrived = self.arrived(rule);
            arrived.retain(|(_, at), _| !lost.contains(at));
            assert_eq!(arrived, expect, "{when}: {rule:?}");
        }
        assert_eq!(self.receiver.conflicts.get(), 0, "{when}");
    }
}

/// Pushes and late pushes, a receiver that fails in all ways for up to an hour, lost responses,
/// compaction, and workers that die.
#[test]
fn every_point_arrives_once() {
    for history in 1..=4u64 {
        let seed = &mut history.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let version = [Version::V1, Version::V2][history as usize % 2];
        let sending = Sending::new(version);
        let Sending {
            world, receiver, ..
        } = &sending;
        let mut pushed: Vec<Pushed> = Vec::new();
        let _ = sending.tick();
        let mut well_at = 0;
        for step in 0..110 {
            let when = format!("history {history}, step {step}");
            for _ in 0..random(seed) % 3 {
                // A tenth is up to an hour late.
                let late = match random(seed) % 10 {
                    0 => random(seed) % HOUR as u64,
                    _ => random(seed) % 90_000,
                };
                let one = Pushed::new(world.clock.now() - late as i64, seed);
                one.push(world);
                // What is late for its request is not sent.
                if one.time >= sending.fixed_until() {
                    pushed.push(one);
                }
            }
            if world.clock.now() >= well_at {
                receiver.mode.set(Mode::Accept);
                if random(seed).is_multiple_of(20) {
                    receiver.mode.set(match random(seed) % 6 {
                        0 => Mode::Silent,
                        1 => Mode::Status(503, None),
                        2 => Mode::Status(429, Some(150)),
                        3 => Mode::Status(400, None),
                        4 => Mode::Status(401, None),
                        _ => Mode::Half,
                    });
                    let minutes = 1 + random(seed) % 75;
                    well_at = world.clock.now() + minutes as i64 * MINUTE;
                }
            }
            if random(seed).is_multiple_of(3) {
                let at = world.faults.operations().len() + random(seed) as usize % 24;
                let fault = FAULTS[random(seed) as usize % FAULTS.len()];
                world.faults.plan(at, fault);
            }
            let _ = sending.tick();
            world.faults.stop();
            if step % 7 == 0 {
                let jobs = (0..20).take_while(|_| world.clock.run(world.visit(0)).unwrap());
                jobs.for_each(drop);
            }
            world.clock.advance(MINUTE);
            if receiver.mode.get() == Mode::Accept {
                // A response may have been lost.
                sending.tick().unwrap();
                sending.check(&pushed, &BTreeSet::new(), &when);
            }
        }
        receiver.mode.set(Mode::Accept);
        world.clock.advance(HOUR);
        for _ in 0..6 {
            sending.tick().unwrap();
            world.clock.advance(MINUTE);
        }
        sending.check(&pushed, &BTreeSet::new(), "at the end");
        let Progress {
            error,
            dropped_minutes,
            sent_until,
            ..
        } = sending.progress();
        assert_eq!((error, dropped_minutes), (None, 0));
        assert!(sent_until.unwrap() > world.clock.now() - 5 * MINUTE);
        assert!(receiver.samples.borrow().len() > 100);
    }
}

/// A minute that the server never accepts is given up after an hour, without a loss of others; a day
/// of silence loses what is older.
#[test]
fn what_can_not_be_sent_is_dropped() {
    let sending = Sending::new(Version::V1);
    let Sending {
        world, receiver, ..
    } = &sending;
    sending.tick().unwrap();
    let mut pushed = Vec::new();
    let minutes = |count: usize, pushed: &mut Vec<Pushed>| {
        for _ in 0..count {
            let one = counted(world);
            one.push(world);
            pushed.push(one);
            sending.tick().unwrap();
            world.clock.advance(MINUTE);
        }
    };
    let bad = BEGIN + 10 * MINUTE;
    receiver.mode.set(Mode::Refuse(bad));
    minutes(60, &mut pushed);
    let error = sending.progress().error.unwrap();
    assert_eq!(error.message, "the server returned 400: by plan");
    assert_eq!(sending.progress().sent_until, Some(bad - MINUTE));
    minutes(15, &mut pushed);
    sending.check(&pushed, &[bad].into(), "without the bad minute");
    let samples = receiver.samples.borrow();
    assert!(samples.keys().all(|(_, at)| *at != bad));
    drop(samples);
    let progress = sending.progress();
    assert_eq!((progress.error, progress.dropped_minutes), (None, 1));
    assert!(progress.sent_until.unwrap() > world.clock.now() - 5 * MINUTE);

    receiver.mode.set(Mode::Silent);
    minutes(1, &mut pushed);
    let sent_until = sending.progress().sent_until.unwrap();
    world.clock.advance(DAY + 10 * MINUTE);
    let requests = receiver.requests.get();
    sending.tick().unwrap();
    let progress = sending.progress();
    assert_eq!(receiver.requests.get(), requests, "nothing was pushed");
    let dropped = (world.clock.now() / MINUTE * MINUTE - 2 * MINUTE - DAY - sent_until) / MINUTE;
    assert_eq!(progress.dropped_minutes, 1 + dropped as u64);
}

/// A profile that a rule of all stacks counts.
fn counted(world: &World) -> Pushed {
    let mut new = (7..).map(|mut seed| Pushed::new(world.clock.now(), &mut seed));
    let counts = |one: &Pushed| !fold(std::slice::from_ref(one), |_| true, MINUTE).is_empty();
    new.find(counts).unwrap()
}

#[test]
fn a_clock_that_was_ahead_stops_nothing() {
    let sending = Sending::new(Version::V1);
    let Sending {
        world, receiver, ..
    } = &sending;
    sending.tick().unwrap();
    world.clock.advance(30 * DAY);
    sending.tick().unwrap();
    world.clock.advance(-30 * DAY);
    let requests = receiver.requests.get();
    for _ in 0..10 {
        counted(world).push(world);
        sending.tick().unwrap();
        world.clock.advance(MINUTE);
    }
    assert!(receiver.requests.get() > requests + 4);
    assert!(sending.progress().sent_until.unwrap() < world.clock.now());
}

#[test]
fn an_old_error_ends_where_nothing_is_to_be_sent() {
    let sending = Sending::new(Version::V1);
    let Sending {
        world, receiver, ..
    } = &sending;
    sending.tick().unwrap();
    counted(world).push(world);
    receiver.mode.set(Mode::Silent);
    world.clock.advance(5 * MINUTE);
    sending.tick().unwrap();
    assert!(sending.progress().error.is_some());
    receiver.mode.set(Mode::Accept);
    world.clock.advance(DAY + HOUR);
    for _ in 0..30 {
        sending.tick().unwrap();
        world.clock.advance(MINUTE);
    }
    assert!(sending.progress().error.is_none());
}

#[test]
fn a_backlog_arrives_beside_a_rule_that_can_not_be_computed() {
    for (broken, longest) in [(false, "30m"), (true, "0s"), (true, "30m")] {
        let sending = Sending::new(Version::V1);
        let Sending {
            world, receiver, ..
        } = &sending;
        let own = format!(r#"{{"max_query_length":"{longest}"}}"#);
        let limits = Limits::default().with(&limits::parse(own.as_bytes()).unwrap());
        let nonsense = Rule {
            id: "z".to_owned(),
            query: "nonsense".to_owned(),
            ..Rule::default()
        };
        let more = if broken { vec![nonsense] } else { Vec::new() };
        let tick = || sending.tick_with(more.clone(), limits).unwrap();
        tick();
        let mut pushed = Vec::new();
        for minute in 0..100 {
            let is_there = minute < 20;
            receiver
                .mode
                .set(if is_there { Mode::Accept } else { Mode::Silent });
            let one = counted(world);
            one.push(world);
            pushed.push(one);
            tick();
            world.clock.advance(MINUTE);
        }
        receiver.mode.set(Mode::Accept);
        for _ in 0..30 {
            tick();
            world.clock.advance(MINUTE);
        }
        let when = format!("broken: {broken}, at most {longest}");
        sending.check(&pushed, &BTreeSet::new(), &when);
        let progress = sending.progress();
        assert!(progress.sent_until.unwrap() > world.clock.now() - 5 * MINUTE);
    }
}

#[test]
fn a_damaged_object_keeps_no_other_minute_back() {
    let sending = Sending::new(Version::V1);
    let Sending { world, .. } = &sending;
    sending.tick().unwrap();
    let (mut pushed, mut lost) = (Vec::new(), BTreeSet::new());
    for minute in 0..90u64 {
        let before: BTreeSet<String> = world.live().into_iter().collect();
        let mut seed = 7 + minute;
        let one = Pushed::new(world.clock.now(), &mut seed);
        one.push(world);
        if minute == 30 {
            let new = world.live().into_iter().filter(|key| !before.contains(key));
            new.for_each(|key| {
                world
                    .bucket
                    .damage(&key, |bytes| bytes.iter_mut().for_each(|b| *b ^= 0x55));
            });
            lost = fold(std::slice::from_ref(&one), |_| true, MINUTE)
                .into_keys()
                .map(|(_, at)| at)
                .collect();
        }
        pushed.push(one);
        let _ = sending.tick();
        world.clock.advance(MINUTE);
    }
    assert_eq!(lost.len(), 1);
    sending.check(&pushed, &lost, "without the damaged minute");
    assert!(sending.progress().sent_until.unwrap() > world.clock.now() - 5 * MINUTE);
}
