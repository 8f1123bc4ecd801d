//! Alerts that weren't evaluated for a while: they catch up, and tell what they would have told.

use std::ops::Range;

use pilotlight_core::ProfileBuilder;
use serde_json::Value;

use super::alerts::{KEY, Receiver, push, rule};
use crate::api::alerts::run;
use crate::api::query::QueryRunner;
use crate::api::rules::rule::Rule;
use crate::bucket::{Bucket, Condition};
use crate::meter::Meter;
use crate::simulation::world::{BEGIN, DAY, MINUTE, World};

/// Nanoseconds of CPU in a minute with ten cores.
const TEN_CORES: i64 = 600_000_000_000;

/// An alert on `rule`, and a receiver that accepts everything.
struct Watched {
    world: World,
    receiver: Receiver,
    rule: Rule,
}

impl Watched {
    fn new(kind: &str, threshold: f64, minutes: i64, rule: Rule) -> Self {
        let world = World::new(&["one"]);
        let text = format!(
            r#"{{"version":1,"generation":3,"alerts":[{{"alert":{{"id":"x","name":"x","rule":"rule","kind":"{kind}","threshold":{threshold},"minutes":{minutes}}},"state":{{}}}}],"receivers":[{{"name":"ops","kind":"webhook","url":"https://example.com/"}}],"history":[]}}"#
        );
        let put = world.bucket.put(KEY, text.into_bytes(), Condition::None);
        world.clock.run(put).unwrap();
        Self {
            receiver: Receiver::new(&world.faults, 1),
            world,
            rule,
        }
    }

    fn evaluate(&self) {
        let Self { world, .. } = self;
        let (bucket, tenant) = (world.faulty_bucket(), world.tenant());
        let runner = QueryRunner::new(bucket.clone(), tenant, world.admission(), Meter::default());
        let rules = async || Ok(vec![self.rule.clone()]);
        let evaluation = run::run(&bucket, KEY, rules, &runner, &self.receiver);
        let run = world.clock.run(world.faults.invocation(evaluation));
        run.unwrap();
    }

    /// Runs minutes: what is pushed in each, and when nothing is evaluated.
    fn run(&self, minutes: i64, away: &Range<i64>, push: impl Fn(&World, i64)) {
        for minute in 0..minutes {
            push(&self.world, minute);
            self.world.clock.advance(20_000);
            if !away.contains(&minute) {
                self.evaluate();
            }
            self.world.clock.advance(40_000);
        }
    }

    /// Status and minute of each message.
    fn told(&self) -> Vec<(String, i64)> {
        let accepted = self.receiver.accepted.borrow();
        let told = accepted.iter().map(|message| {
            let status = message["status"].as_str().unwrap().to_owned();
            let minute = (message["at"].as_i64().unwrap() - BEGIN) / MINUTE;
            (status, minute)
        });
        told.collect()
    }

    fn stored(&self) -> Value {
        let Self { world, .. } = self;
        let read = world.clock.run(world.bucket.get(KEY, None));
        serde_json::from_slice(&read.unwrap().unwrap().bytes).unwrap()
    }

    /// How many minutes aren't evaluated yet.
    fn behind(&self) -> i64 {
        let evaluated = &self.stored()["alerts"][0]["state"]["evaluated"];
        (self.world.clock.now() - evaluated.as_i64().unwrap()) / MINUTE
    }

    /// Since which minutes series fire.
    fn firing_since(&self) -> Vec<i64> {
        let firing = &self.stored()["alerts"][0]["state"]["firing"];
        let firing = firing.as_array().unwrap().iter();
        let since = firing.map(|series| (series["since"].as_i64().unwrap() - BEGIN) / MINUTE);
        since.collect()
    }
}

#[test]
fn a_new_alert_fires_since_when_one_that_was_there_does() {
    // Silent for a quarter of an hour, and then for more than the hour before the window.
    let profiles = |world: &World, minute: i64| {
        if minute <= 20 || (35..=60).contains(&minute) {
            push(world, "eu", 1);
        }
    };
    let [always, new] = [0..0, 0..200].map(|away| {
        let watched = Watched::new("silent", 0.0, 10, rule());
        watched.run(200, &away, profiles);
        watched
    });
    assert_eq!(always.told().len(), 3);
    assert!(new.told().is_empty());
    new.evaluate();
    let since = new.firing_since();
    assert_eq!((since.len(), &since), (1, &always.firing_since()));
    assert!(since[0] < 75, "{since:?}");
    // One message, of the minute that was evaluated; so is the entry of the history.
    let told = new.told();
    assert_eq!(told, [("firing".to_owned(), 198)]);
    assert_eq!(new.stored()["history"].as_array().unwrap().len(), 1);
    let message = new.receiver.accepted.borrow()[0].clone();
    let since = BEGIN + since[0] * MINUTE;
    assert_eq!(message["instances"][0]["since"], since);
    // Later evaluations go on from there.
    new.run(3, &(0..0), |_, _| {});
    assert_eq!(new.told().len(), 1);
    new.run(4, &(0..0), |world, _| push(world, "eu", 1));
    assert_eq!(new.told().last().unwrap().0, "resolved");
}

#[test]
fn an_alert_whose_rule_is_changed_looks_back_again() {
    let mut watched = Watched::new("above", 1.0, 1, rule());
    let (quiet, loud) = (1, TEN_CORES);
    watched.run(30, &(0..0), |world, minute| {
        push(world, "eu", if minute < 10 { quiet } else { loud });
    });
    let since = watched.firing_since();
    assert_eq!(since.len(), 1);
    watched.rule.generation = 7;
    watched.run(1, &(0..0), |world, _| push(world, "eu", loud));
    assert_eq!(watched.firing_since(), since);
    let statuses: Vec<String> = watched
        .told()
        .into_iter()
        .map(|(status, _)| status)
        .collect();
    assert_eq!(statuses, ["firing", "resolved", "firing"]);
}

#[test]
fn a_look_back_over_too_many_series_is_shorter() {
    // 250 series in the day, 30 in its last quarter.
    let watched = Watched::new("above", 1.0, 1, rule());
    let many = |world: &World, minute: i64| {
        if minute == 0 {
            (0..220).for_each(|i| push(world, &format!("old{i}"), 1));
        }
    };
    watched.run(1, &(0..1), many);
    watched.world.clock.advance(12 * 60 * MINUTE);
    watched.run(30, &(0..30), |world, minute| {
        push(world, &format!("p{minute}"), 1);
        if minute >= 20 {
            push(world, "eu", TEN_CORES);
        }
    });
    watched.evaluate();
    let since = watched.firing_since();
    assert_eq!(since, [12 * 60 + 1 + 20 + 1]);
    assert_eq!(watched.stored()["alerts"][0]["state"]["error"], "");
}

#[test]
fn a_rule_with_new_series_each_minute_catches_up() {
    // 20 series a minute: a batch of more than a few minutes has more than an alert can watch.
    let told = [0..0, 15..30, 15..55, 15..105].map(|away| {
        let watched = Watched::new("above", 1.0, 5, rule());
        watched.run(160, &away, |world, minute| {
            if minute == 130 {
                push(world, "eu", 10 * TEN_CORES);
            }
            for i in 0..20 {
                push(world, &format!("p{minute}x{i}"), 1);
            }
        });
        assert!(watched.behind() < 5, "{away:?}: {}", watched.behind());
        watched.told()
    });
    assert_eq!(told[0].len(), 2, "{told:?}");
    assert!(told.iter().all(|one| *one == told[0]), "{told:?}");
}

#[test]
fn a_new_function_is_told_after_missed_evaluations() {
    let whole = Rule {
        group_by: Vec::new(),
        ..rule()
    };
    let push = |world: &World, function: &str| {
        let mut builder = ProfileBuilder::new();
        builder.sample_type("cpu", "nanoseconds");
        let period_type = builder.value_type("cpu", "nanoseconds");
        builder.header().period_type = Some(period_type);
        builder.header().time_nanos = world.clock.now() * 1_000_000;
        let stack = builder.named_stack(&["main", function]);
        builder.sample(stack, None, &[100]);
        let at = world.clock.now() / 1_000;
        let query = format!("name=app%7Bregion%3Deu%7D&format=pprof&from={at}&until={at}");
        world.push_profile(&query, &builder.finish());
    };
    let told = [60..60, 60..75, 60..100].map(|away| {
        let watched = Watched::new("new_function", 10.0, 10, whole.clone());
        watched.run(120, &away, |world, minute| {
            push(world, "old");
            if minute >= 63 {
                push(world, "new");
            }
        });
        watched.told()
    });
    assert_eq!(told[0].len(), 2, "{told:?}");
    assert!(told.iter().all(|one| *one == told[0]), "{told:?}");
}

#[test]
fn a_low_load_is_judged_alike_whenever_it_is_evaluated() {
    // Stopped for an hour; what starts again has profiles of a part of the window.
    let told = [0..0, 72..81].map(|away| {
        let watched = Watched::new("below", 1.0, 5, rule());
        watched.run(100, &away, |world, minute| {
            if minute <= 10 || minute >= 77 {
                push(world, "eu", TEN_CORES / 5);
            }
        });
        watched.told()
    });
    // When it stops, but not when it starts.
    assert_eq!(told[0].len(), 2, "{told:?}");
    assert_eq!(told[0], told[1]);
}

#[test]
fn a_clock_that_was_ahead_stops_nothing() {
    let watched = Watched::new("above", 1.0, 1, rule());
    let Watched { world, .. } = &watched;
    watched.run(10, &(0..0), |world, _| push(world, "eu", 1));
    world.clock.advance(30 * DAY);
    watched.evaluate();
    world.clock.advance(-30 * DAY);
    watched.run(10, &(0..0), |world, _| push(world, "eu", TEN_CORES));
    assert!(watched.behind() < 5, "{}", watched.behind());
    assert_eq!(watched.told().len(), 1);
}
