//! Alerts: receivers get exactly the changes that a fold over the pushed profiles gives, at their
//! minutes, whatever fails and however often alerts are evaluated.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use pilotlight_core::ProfileBuilder;
use serde_json::Value;

use crate::api::alerts::run;
use crate::api::query::QueryRunner;
use crate::api::rules::points::last_minute;
use crate::api::rules::rule::Rule;
use crate::bucket::{Bucket, Condition};
use crate::http::outgoing::{Outgoing, Post, PostResponse};
use crate::meter::Meter;
use crate::simulation::random;
use crate::simulation::world::faults::{FAULTS, Faults};
use crate::simulation::world::{BEGIN, MINUTE, TYPE, World};

pub(super) const KEY: &str = "alerts/one";
const REGIONS: [&str; 2] = ["eu", "us"];

/// Length of the windows in minutes.
const WINDOW: i64 = 3;

/// For how many minutes conditions must hold.
const HOLD: i64 = 2;

/// A change of an alert: its id, status, region and minute.
type Change = (String, String, String, i64);

/// Nanoseconds of CPU by region and minute. Minutes have the times of their ends, since `BEGIN`.
type Pushed = BTreeMap<(&'static str, i64), i64>;

/// A receiver. Some requests to it fail, and some only seem to fail.
pub(super) struct Receiver {
    faults: Faults,
    seed: Cell<u64>,
    fails: Cell<bool>,
    pub(super) accepted: RefCell<Vec<Value>>,
}

impl Receiver {
    /// One that accepts everything.
    pub(super) fn new(faults: &Faults, seed: u64) -> Self {
        Self {
            faults: faults.clone(),
            seed: Cell::new(seed),
            fails: Cell::new(false),
            accepted: RefCell::default(),
        }
    }
}

impl Outgoing for Receiver {
    async fn post(&self, post: Post<'_>) -> Result<PostResponse, String> {
        let mut seed = self.seed.get();
        let choice = match self.fails.get() {
            true => random(&mut seed) % 4,
            false => 0,
        };
        self.seed.set(seed);
        let answer = |status| PostResponse {
            status,
            retry_after: None,
            samples_written: None,
            text: String::new(),
        };
        let answered = async {
            if choice == 1 {
                return Ok(answer(500));
            }
            let message = serde_json::from_slice(&post.body).unwrap();
            self.accepted.borrow_mut().push(message);
            match choice {
                2 => Err("no response".to_owned()),
                _ => Ok(answer(200)),
            }
        };
        let lost = || Err("no connection".to_owned());
        self.faults.around("post", answered, lost).await
    }
}

pub(super) fn rule() -> Rule {
    Rule {
        id: "rule".to_owned(),
        query: format!("{TYPE}{{service_name=\"app\"}}"),
        group_by: vec!["region".to_owned()],
        ..Rule::default()
    }
}

/// Alerts of three kinds and a receiver, as they are stored.
fn stored() -> String {
    let alert = |kind: &str, threshold: f64| {
        format!(
            r#"{{"alert":{{"id":"{kind}","name":"{kind}","rule":"rule","kind":"{kind}","threshold":{threshold},"minutes":{WINDOW},"for_minutes":{HOLD}}},"state":{{}}}}"#
        )
    };
    let alerts = [
        alert("above", 1.0),
        alert("below", 0.5),
        alert("silent", 0.0),
    ]
    .join(",");
    format!(
        r#"{{"version":1,"generation":3,"alerts":[{alerts}],"receivers":[{{"name":"ops","kind":"webhook","url":"https://example.com/"}}],"history":[]}}"#
    )
}

pub(super) fn push(world: &World, region: &str, value: i64) {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("cpu", "nanoseconds");
    let period_type = builder.value_type("cpu", "nanoseconds");
    builder.header().period_type = Some(period_type);
    builder.header().time_nanos = world.clock.now() * 1_000_000;
    let stack = builder.named_stack(&["main"]);
    builder.sample(stack, None, &[value]);
    let at = world.clock.now() / 1_000;
    let query = format!("name=app%7Bregion%3D{region}%7D&format=pprof&from={at}&until={at}");
    world.push_profile(&query, &builder.finish());
}

fn evaluate(world: &World, receiver: &Receiver) {
    let (bucket, tenant) = (world.faulty_bucket(), world.tenant());
    let runner = QueryRunner::new(bucket.clone(), tenant, world.admission(), Meter::default());
    let rules = async || Ok(vec![rule()]);
    let evaluation = run::run(&bucket, KEY, rules, &runner, receiver);
    // An evaluation may fail; the next one continues.
    let _ = world.clock.run(world.faults.invocation(evaluation));
}

/// Whether a condition holds for a region at a minute. `fires` says whether it fires before.
fn holds(pushed: &Pushed, kind: &str, region: &'static str, minute: i64, fires: bool) -> bool {
    let in_window = (0..WINDOW).filter_map(|i| pushed.get(&(region, minute - i)));
    let cores = in_window.clone().sum::<i64>() as f64 / (60e9 * WINDOW as f64);
    let is_there = in_window.count() > 0;
    match kind {
        "above" => is_there && cores > 1.0,
        "below" => {
            let began = pushed.keys().find(|(there, _)| *there == region);
            is_there && cores < 0.5 && began.is_some_and(|(_, first)| *first <= minute - WINDOW)
        }
        _ => {
            let earlier = (WINDOW..WINDOW + 60).any(|i| pushed.contains_key(&(region, minute - i)));
            !is_there && (earlier || fires)
        }
    }
}

/// The changes by a fold over the minutes after `after` up to `until`.
fn expected(pushed: &Pushed, after: i64, until: i64) -> BTreeSet<Change> {
    let mut changes = BTreeSet::new();
    for kind in ["above", "below", "silent"] {
        for region in REGIONS {
            let mut fires = false;
            for minute in after + 1..=until {
                let held = (0..HOLD).filter(|i| holds(pushed, kind, region, minute - i, fires));
                let held = held.count() as i64;
                let status = match fires {
                    true if held == 0 => "resolved",
                    false if held == HOLD => "firing",
                    _ => continue,
                };
                fires = !fires;
                let [kind, status, region] = [kind, status, region].map(str::to_owned);
                changes.insert((kind, status, region, minute));
            }
        }
    }
    changes
}

/// The changes in the messages that were accepted, without repeats. Each series has them in order.
fn told(receiver: &Receiver) -> BTreeSet<Change> {
    let (mut ids, mut told) = (BTreeSet::new(), Vec::new());
    for message in receiver.accepted.borrow().iter() {
        if !ids.insert(message["id"].to_string()) {
            continue;
        }
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        for instance in message["instances"].as_array().unwrap() {
            told.push((
                text(&message["alert"]["id"]),
                text(&message["status"]),
                text(&instance["labels"]["region"]),
                message["at"].as_i64().unwrap() / MINUTE - BEGIN / MINUTE,
            ));
        }
    }
    let mut last: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for (alert, _, region, minute) in &told {
        let before = last.insert((alert, region), *minute);
        assert!(before.is_none_or(|before| before < *minute), "{told:?}");
    }
    let count = told.len();
    let told: BTreeSet<Change> = told.into_iter().collect();
    assert_eq!(told.len(), count, "a change was sent under two IDs");
    told
}

fn history(world: &World) -> BTreeSet<Change> {
    let stored = world
        .clock
        .run(world.bucket.get(KEY, None))
        .unwrap()
        .unwrap();
    let stored: Value = serde_json::from_slice(&stored.bytes).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let past = stored["history"].as_array().unwrap().iter();
    let changes = past.map(|past| {
        (
            text(&past["alert"]),
            text(&past["status"]),
            text(&past["labels"]["region"]),
            past["at"].as_i64().unwrap() / MINUTE - BEGIN / MINUTE,
        )
    });
    changes.collect()
}

#[test]
fn receivers_get_each_change_whatever_fails() {
    for history_number in 1..=4u64 {
        let seed = &mut history_number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let world = World::new(&["one"]);
        let receiver = Receiver::new(&world.faults, history_number);
        receiver.fails.set(true);
        let put = world
            .bucket
            .put(KEY, stored().into_bytes(), Condition::None);
        world.clock.run(put).unwrap();
        // The first evaluation is of the minute before the world begins.
        world.clock.advance(2 * MINUTE);
        evaluate(&world, &receiver);
        let begin = world.clock.now() / MINUTE - 2 - BEGIN / MINUTE;
        let mut pushed = Pushed::new();
        let mut levels = [30_000_000_000i64; 2];
        let mut silent_for = [0; 2];
        let mut minute = world.clock.now() / MINUTE;
        for _ in 0..120 {
            // An operation that stalls can take minutes.
            world
                .clock
                .advance(minute * MINUTE + 5_000 - world.clock.now());
            for (i, region) in REGIONS.into_iter().enumerate() {
                match random(seed) % 12 {
                    0 => levels[i] = [10, 45, 90, 150][random(seed) as usize % 4] * 1_000_000_000,
                    1 => silent_for[i] = random(seed) % 10,
                    _ => {}
                }
                if silent_for[i] > 0 {
                    silent_for[i] -= 1;
                    continue;
                }
                push(&world, region, levels[i]);
                pushed.insert((region, minute + 1 - BEGIN / MINUTE), levels[i]);
            }
            world.clock.advance(25_000);
            match random(seed) % 8 {
                0 => {}
                1 | 2 => {
                    let at = world.faults.operations().len() + random(seed) as usize % 14;
                    let fault = FAULTS[random(seed) as usize % FAULTS.len()];
                    world.faults.plan(at, fault);
                    evaluate(&world, &receiver);
                    world.faults.stop();
                }
                3 => {
                    world.clock.run(world.visit(0)).unwrap();
                }
                _ => evaluate(&world, &receiver),
            }
            minute = (minute + 1).max(world.clock.now() / MINUTE + 1);
        }
        receiver.fails.set(false);
        let until = last_minute(world.clock.now()) / MINUTE - BEGIN / MINUTE;
        evaluate(&world, &receiver);
        let expect = expected(&pushed, begin, until);
        assert!(
            expect.len() > 20,
            "history {history_number} has {}",
            expect.len()
        );
        assert_eq!(history(&world), expect, "history {history_number}");
        // The longest pause after failures is half an hour. Nothing is pushed in this time, so
        // series become silent and more changes follow.
        for _ in 0..3 {
            world.clock.advance(31 * MINUTE);
            evaluate(&world, &receiver);
        }
        let told = told(&receiver);
        let missing: Vec<_> = expect.difference(&told).collect();
        assert!(missing.is_empty(), "history {history_number}: {missing:?}");
        let until = until + 93;
        assert_eq!(
            told,
            expected(&pushed, begin, until),
            "history {history_number}"
        );
    }
}
