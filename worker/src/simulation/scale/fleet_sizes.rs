//! What group commit makes of fleets of several sizes: how many objects are written, and how long a
//! push waits.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::FutureExt;

use crate::platform::config::Flush;
use crate::simulation::world::{BEGIN, HOUR, MINUTE, World, chunk};

/// As by default.
const LONGEST: u32 = 6_000;

/// Processes that push, each at a moment of its own.
struct Fleet {
    processes: u32,
    interval: i64,
    /// Draws the moments; with 0 they are evenly apart.
    seed: u64,
}

/// What came of an hour.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// Objects written for a million pushes.
    writes: u64,
    /// The longest that a push waited, milliseconds.
    longest: i64,
}

impl Fleet {
    fn phase(&self, process: u32) -> i64 {
        if self.seed == 0 {
            return self.interval * i64::from(process) / i64::from(self.processes);
        }
        let hash = (self.seed << 32 | u64::from(process)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash ^ hash >> 29) >> 8) as i64 % self.interval
    }

    /// When one of them pushes, for an hour.
    fn times(&self) -> Vec<i64> {
        let pushes = |process| {
            (0..HOUR / self.interval).map(move |n| BEGIN + self.phase(process) + n * self.interval)
        };
        let mut times: Vec<i64> = (0..self.processes).flat_map(pushes).collect();
        times.sort_unstable();
        times
    }

    /// What comes of it.
    fn run(&self, longest: u32) -> Outcome {
        let world = World::with(
            &["a"],
            Flush {
                millis: longest,
                bytes: 4 << 20,
                pending: 16 << 20,
            },
        );
        let times = self.times();
        let (pushes, waited) = (times.len() as u64, Rc::new(RefCell::new(0)));
        world.clock.run(async {
            for (n, at) in times.into_iter().enumerate() {
                world.clock.sleep(at - world.clock.now()).await;
                let (tenant, clock, waited) = (world.tenant(), world.clock.clone(), waited.clone());
                let bytes = chunk(n as u32, at);
                let push = async move {
                    tenant.append(&bytes).await.unwrap();
                    let mut longest = waited.borrow_mut();
                    *longest = (clock.now() - at).max(*longest);
                };
                world.clock.spawn(push.boxed_local());
            }
            world.clock.sleep(MINUTE).await;
        });
        let writes = world.bucket.keys().len() as u64;
        let longest = *waited.borrow();
        Outcome {
            writes: writes * 1_000_000 / pushes,
            longest,
        }
    }
}

/// Writes for a million pushes with a window that always has the same length: the number follows
/// from the times alone.
fn fixed(fleet: &Fleet, millis: i64) -> u64 {
    let times = fleet.times();
    let (mut writes, mut until) = (0, i64::MIN);
    for &at in &times {
        if at >= until {
            writes += 1;
            until = at + millis;
        }
    }
    writes * 1_000_000 / times.len() as u64
}

#[test]
fn few_are_quick_and_many_share() {
    for (processes, interval) in [
        (1, 15_000),
        (3, 60_000),
        (3, 15_000),
        (10, 15_000),
        (30, 15_000),
        (100, 15_000),
    ] {
        for seed in 0..3 {
            let fleet = Fleet {
                processes,
                interval,
                seed,
            };
            let [fixed, quick] = [LONGEST.into(), 100].map(|millis| fixed(&fleet, millis));
            let Outcome { writes, longest } = fleet.run(LONGEST);
            let interval = interval / 1_000;
            println!(
                "{processes} processes, a push each {interval} s, moments {seed}: {writes} writes a million pushes, {fixed} with 6 s \
                 always, {quick} with 100 ms; longest wait {longest} ms"
            );
            assert!(longest <= i64::from(LONGEST));
            match processes {
                1 | 3 => assert!(longest <= 300, "{longest}"),
                // Of an hour, the first 40 s cost a write for each push or two.
                30 | 100 => assert!(writes as f64 <= fixed as f64 * 1.35, "{writes}, {fixed}"),
                _ => assert!(writes < quick * 3 / 4, "{writes}, {quick}"),
            }
        }
    }
}
