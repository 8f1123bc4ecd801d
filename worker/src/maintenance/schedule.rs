//! Once a minute: visits to tenants' objects, in turn, until none has a job due or the minute is
//! used up.
//!
//! A visit is an invocation of its own, through the binding `SELF` to the entrypoint `Visits` of
//! `worker/shim.js`: a job takes its fill of requests, time and memory. An entrypoint that is not
//! the default one has no address: nothing but a binding reaches it, so it needs no secret.

use std::collections::VecDeque;
use std::rc::Rc;

use worker::{Env, Request, Response};

use crate::bucket::Metered;
use crate::bucket::{self, AnyBucket};
use crate::isolate::State;
use crate::maintenance::visitors::{InThisInvocation, Invocations, Pass, TenantMinute, Visitor};
use crate::meter::{Item, Meter};
use crate::platform::config::Config;
use crate::platform::errors::Problem;
use crate::platform::{Edge, Platform};
use crate::tenant::{Shard, USAGE_HEADER};

/// How much a minute may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VisitBudget {
    visits: usize,
    jobs: usize,
}

/// With visits as invocations: 24. One request may come to 32 invocations in all, and a few of them
/// are left for the platform to count otherwise than we do. A job takes a second or two: 24 mostly
/// fit into the minute.
pub(crate) const INVOCATIONS: VisitBudget = VisitBudget {
    visits: 24,
    jobs: 24,
};

/// With visits in this very invocation: one job. Eight visits make up to 40 requests of the 50 that
/// the free plan allows.
const ALONE: VisitBudget = VisitBudget { visits: 8, jobs: 1 };

/// When no further visit begins: 50 seconds after the first, so that a minute seldom runs into the
/// next. If it does, leases keep them apart.
const DISPATCH_MILLIS: i64 = 50_000;

/// When the objects that had a job are visited once more: half a minute after the first visit. A
/// query for the last hour decodes one by one the profiles that were pushed since.
const AGAIN_MILLIS: i64 = 30_000;

/// What came of a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    visits: usize,
    jobs: usize,
}

/// Runs once a minute.
pub(crate) async fn run(
    env: &Env,
    scheduled_millis: i64,
    isolate: &Rc<State>,
    tenant_minute: TenantMinute,
) -> Result<(), Problem> {
    let config = Config::of(env).map_err(Problem::internal)?;
    let meter = Meter::default();
    meter.add(Item::WorkerRequests, 1);
    let tenants = bucket::tenants(&Metered::new(AnyBucket::open(env)?, meter.clone())).await?;
    let shards: Vec<Shard> = tenants
        .iter()
        .flat_map(|tenant| Shard::all(tenant, config.tenant_shards))
        .collect();
    let minute = scheduled_millis.div_euclid(60_000);
    match env.service("SELF") {
        Ok(worker) => {
            dispatch(
                &shards,
                minute,
                INVOCATIONS,
                &Invocations { worker, meter },
                &Edge,
            )
            .await
        }
        Err(_) => {
            dispatch(
                &shards,
                minute,
                ALONE,
                &InThisInvocation {
                    env,
                    config,
                    meter,
                    isolate,
                    tenant_minute,
                },
                &Edge,
            )
            .await
        }
    };
    Ok(())
}

/// Answers a visit in its own invocation.
pub(crate) async fn answer(
    request: &mut Request,
    env: &Env,
    isolate: &Rc<State>,
    tenant_minute: TenantMinute,
) -> Result<Response, Problem> {
    let (meter, config) = (
        Meter::default(),
        Config::of(env).map_err(Problem::internal)?,
    );
    meter.add(Item::WorkerRequests, 1);
    if let Some(usage) = request.headers().get(USAGE_HEADER)? {
        meter.book(serde_json::from_str(&usage).map_err(Problem::invalid)?);
    }
    let pass = Pass::of_path(&request.path());
    let shard = request.text().await?.parse().map_err(Problem::invalid)?;
    Ok(Response::from_json(
        &InThisInvocation {
            env,
            config,
            meter,
            isolate,
            tenant_minute,
        }
        .visit(&shard, pass)
        .await?,
    )?)
}

/// Visits objects in turn. One that had a job due comes again after all others; half a minute later
/// those that had one are visited once more.
pub(crate) async fn dispatch(
    shards: &[Shard],
    minute: i64,
    most: VisitBudget,
    visitor: &impl Visitor,
    platform: &impl Platform,
) -> Tally {
    let (mut tally, began) = (Tally::default(), platform.now_millis());
    let queue = turn(shards, minute, most.visits);
    let queue = queue.map(|shard| (shard, Pass::First)).collect();
    let busy = visit_all(queue, most, visitor, platform, began, &mut tally).await;
    let wait = (began + AGAIN_MILLIS - platform.now_millis()).clamp(0, AGAIN_MILLIS);
    if !busy.is_empty() && tally.visits < most.visits && tally.jobs < most.jobs {
        platform.delay(wait as u32).await;
        let queue = busy.into_iter().map(|shard| (shard, Pass::Again));
        visit_all(queue.collect(), most, visitor, platform, began, &mut tally).await;
    }
    tally
}

/// Visits until none has a job due, or the minute is used up; gives those that had one.
async fn visit_all<'a>(
    mut queue: VecDeque<(&'a Shard, Pass)>,
    most: VisitBudget,
    visitor: &impl Visitor,
    platform: &impl Platform,
    began: i64,
    tally: &mut Tally,
) -> Vec<&'a Shard> {
    let mut busy = Vec::new();
    while tally.visits < most.visits
        && tally.jobs < most.jobs
        && platform.now_millis() - began < DISPATCH_MILLIS
    {
        let Some((shard, pass)) = queue.pop_front() else {
            break;
        };
        tally.visits += 1;
        match visitor.visit(shard, pass).await {
            Ok(report) if !report.is_more_due() => {}
            Ok(_) => {
                tally.jobs += 1;
                queue.push_back((shard, Pass::Again));
                if !busy.contains(&shard) {
                    busy.push(shard);
                }
            }
            // One in trouble must not keep the others from theirs, nor have all of the minute.
            Err(problem) => platform.note(&format!("cron, tenant {shard}: {}", problem.message)),
        }
    }
    busy
}

/// All in the order of a minute: each minute begins where the one before can have ended, and each
/// time round it begins one further, so that every one is the first now and then, however few
/// visits a minute holds.
fn turn<T>(all: &[T], minute: i64, visits: usize) -> impl Iterator<Item = &T> {
    let count = all.len().max(1) as i64;
    let (visits, rounds) = (
        visits as i64,
        minute.div_euclid(all.len().div_ceil(visits).max(1) as i64),
    );
    let start = (minute.wrapping_mul(visits).wrapping_add(rounds)).rem_euclid(count) as usize;
    let (before, after) = all.split_at(start.min(all.len()));
    after.iter().chain(before)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::maintenance::duty::VisitReport;
    use crate::simulation::{HOUR, Simulated, World, chunk};

    fn order(count: usize, minute: i64, visits: usize) -> Vec<usize> {
        turn(&(0..count).collect::<Vec<_>>(), minute, visits)
            .copied()
            .collect()
    }

    fn report(is_more_due: bool) -> VisitReport {
        let postponed = is_more_due.then(|| "compact".to_owned());
        VisitReport {
            postponed: postponed.into_iter().collect(),
            ..VisitReport::default()
        }
    }

    /// Visits the objects of a world.
    struct Inside<'a>(&'a World, Vec<Shard>);

    impl Visitor for Inside<'_> {
        async fn visit(&self, shard: &Shard, _: Pass) -> Result<VisitReport, Problem> {
            self.0
                .visit_report(self.1.iter().position(|s| s == shard).unwrap())
                .await
        }
    }

    /// Three tenants with jobs for so many hours each; gives the tallies of the minutes until all
    /// is compacted.
    fn drain(hours: [u32; 3], most: VisitBudget) -> Vec<Tally> {
        let names = ["a", "b", "c"];
        let world = World::new(&names);
        let shards: Vec<Shard> = names.iter().map(|name| name.parse().unwrap()).collect();
        for hour in 0..*hours.iter().max().unwrap() {
            for host in (0..3).filter(|&host| hour < hours[host]) {
                let bytes = chunk(hour, world.clock.now());
                world.clock.run(world.line(host).append(&bytes)).unwrap();
            }
            world.clock.advance(HOUR);
        }
        world.clock.advance(HOUR);
        let visitor = Inside(&world, shards.clone());
        let mut tallies = Vec::new();
        for minute in 0..100 {
            let tally =
                world
                    .clock
                    .run(dispatch(&shards, minute, most, &visitor, &world.platform()));
            tallies.push(tally);
            world.clock.advance(60_000);
            if tally.jobs == 0 {
                break;
            }
        }
        assert!(world.live().iter().all(|key| key.ends_with(".blk")));
        tallies
    }

    #[test]
    fn a_backlog_is_drained_and_shared_fairly() {
        let jobs = |tallies: Vec<Tally>| tallies.iter().map(|tally| tally.jobs).collect::<Vec<_>>();
        // Six jobs and a visit to each that finds nothing, twice: one minute.
        assert_eq!(
            drain([4, 1, 1], INVOCATIONS),
            [
                Tally {
                    visits: 12,
                    jobs: 6
                },
                Tally { visits: 3, jobs: 0 }
            ]
        );
        // A day of backlog of one tenant beside two others with one hour each: 26 hours, and the
        // sums of three days, one of them in five partitions.
        assert_eq!(jobs(drain([24, 1, 1], INVOCATIONS)), [22, 11, 0]);
        assert_eq!(jobs(drain([4, 1, 1], ALONE)), [1, 1, 1, 1, 1, 1, 0]);
        // One job a tenant a round: with three jobs a minute, each of three has its own.
        assert_eq!(
            jobs(drain([3, 1, 1], VisitBudget { visits: 3, jobs: 3 })),
            [3, 1, 1, 0]
        );
    }

    #[test]
    fn a_minute_ends() {
        struct Slow(Simulated);
        impl Visitor for Slow {
            async fn visit(&self, _: &Shard, _: Pass) -> Result<VisitReport, Problem> {
                self.0.delay(20_000).await;
                Ok(report(true))
            }
        }
        let world = World::new(&["a"]);
        let visitor = Slow(world.platform());
        let shards = ["a".parse().unwrap()];
        let tally = world.clock.run(dispatch(
            &shards,
            0,
            INVOCATIONS,
            &visitor,
            &world.platform(),
        ));
        assert_eq!(tally, Tally { visits: 3, jobs: 3 });
    }

    #[test]
    fn when_an_object_is_visited_again() {
        struct Told(Simulated, RefCell<Vec<i64>>, Vec<bool>);
        impl Visitor for Told {
            async fn visit(&self, _: &Shard, pass: Pass) -> Result<VisitReport, Problem> {
                let mut visits = self.1.borrow_mut();
                assert_eq!(pass == Pass::First, visits.is_empty());
                visits.push(self.0.now_millis());
                Ok(report(
                    self.2.get(visits.len() - 1).copied().unwrap_or(false),
                ))
            }
        }
        let check = |told: &[bool], most: VisitBudget, expect: &[i64]| {
            let world = World::new(&["a"]);
            let visitor = Told(world.platform(), RefCell::default(), told.to_vec());
            let began = world.clock.now();
            world.clock.run(dispatch(
                &["a".parse().unwrap()],
                0,
                most,
                &visitor,
                &world.platform(),
            ));
            let visits: Vec<i64> = visitor.1.take().iter().map(|at| at - began).collect();
            assert_eq!(visits, expect, "{told:?}");
        };
        check(&[false], INVOCATIONS, &[0]);
        check(&[true, true], INVOCATIONS, &[0, 0, 0, AGAIN_MILLIS]);
        check(
            &[true, false, true, true],
            INVOCATIONS,
            &[0, 0, AGAIN_MILLIS, AGAIN_MILLIS, AGAIN_MILLIS],
        );
        check(&[true; 30], INVOCATIONS, &[0; 24]);
        check(&[true], ALONE, &[0]);
    }

    #[test]
    fn every_one_is_visited_and_every_one_is_first() {
        assert_eq!(order(0, 7, 24), [0usize; 0]);
        assert_eq!(order(1, 7, 24), [0]);
        assert_eq!(order(3, 4, 24).len(), 3);
        for count in [1usize, 2, 7, 8, 9, 16, 24, 25, 100] {
            for visits in [1, 8, 24] {
                let minutes = count.div_ceil(visits) as i64;
                let within =
                    (0..2 * minutes).flat_map(|m| order(count, m, visits).into_iter().take(visits));
                let visited: std::collections::BTreeSet<usize> = within.collect();
                assert_eq!(visited.len(), count, "{count} in twice {minutes} minutes");
                let first: std::collections::BTreeSet<usize> = (-5..minutes * 2 * count as i64)
                    .map(|m| order(count, m, visits)[0])
                    .collect();
                assert_eq!(first.len(), count, "{count}, {visits} a minute");
            }
        }
    }
}
