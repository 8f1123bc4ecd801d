//! Processes that push, the schedule that compacts, and what both of it comes to.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::join;
use pilotlight_core::UnixNanos;
use pilotlight_core::gzip::inflate;
use pilotlight_core::ingest::{Push, ingest};
use pilotlight_core::limits::MAX_PROFILE_BYTES;
use pilotlight_core::plans::MAX_PARTITION_BYTES;
use pilotlight_fixtures::fleet;

use super::figures::cpu_millis;
use super::program::{Program, Random};
use crate::bucket::Metered;
use crate::maintenance::duty::VisitReport;
use crate::maintenance::schedule::{INVOCATIONS, dispatch};
use crate::maintenance::visit;
use crate::maintenance::visitors::{Pass, Visitor};
use crate::meter::{DutyCounts, Item, Meter, cpu};
use crate::platform::errors::Problem;
use crate::simulation::world::{BEGIN, MINUTE, World};
use crate::tenant::Shard;

/// When in a minute the schedule begins, milliseconds: a load ends right before a round of visits.
const PHASE: i64 = 1;

/// Number of a profile's field `time_nanos`.
const TIME_NANOS: u8 = 9;

/// What is pushed each time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kinds {
    /// CPU and memory, each a push.
    Both,
    /// CPU and memory in turn.
    Alternating,
    /// CPU of a service whose profiles share few stacks.
    Various,
}

/// Who pushes, and how often.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) services: usize,
    pub(super) processes: usize,
    pub(super) kinds: Kinds,
    /// Milliseconds between two pushes of a process.
    pub(super) interval: i64,
    pub(super) millis: i64,
    /// Minutes between two runs of the schedule.
    pub(super) cron_minutes: i64,
    /// Different profiles of each process and kind, pushed again and again.
    pub(super) different: usize,
}

/// What happened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) pushes: u64,
    /// Bytes of the bodies.
    pub(super) bodies: u64,
    /// Of which of memory.
    pub(super) memory: u64,
    pub(super) chunks: u64,
    pub(super) ingest_millis: f64,
    pub(super) compact_millis: f64,
    pub(super) jobs: u64,
}

/// Bodies by service, process and kind.
struct Bodies(Vec<Vec<[Vec<Vec<u8>>; 2]>>);

impl Bodies {
    fn new(load: &Load) -> Self {
        if load.kinds == Kinds::Various {
            return Self::various(load);
        }
        let service = |service: usize| {
            let program = Program::new(2_026 + service as u64);
            let process = |process: usize| {
                let seed = (service * 1_000 + process) as u64;
                let (mut random, mut heap) =
                    (Random(seed ^ 0x5851_f42d_4c95_7f2d), program.heap(seed));
                let cpu = (0..load.different)
                    .map(|_| program.cpu(&mut random))
                    .collect();
                [
                    cpu,
                    (0..load.different)
                        .map(|_| program.memory(&mut heap))
                        .collect(),
                ]
            };
            (0..load.processes).map(process).collect()
        };
        Self((0..load.services).map(service).collect())
    }

    /// No profile twice.
    fn various(load: &Load) -> Self {
        let mut all = fleet::profiles(load.services * load.processes * load.different).into_iter();
        let mut body = || {
            let profile = all.next().expect("as many as were asked for");
            let mut body = inflate(&profile, MAX_PROFILE_BYTES).unwrap().unwrap();
            // They say that they are all of one moment. Of a field that comes twice the last counts.
            body.extend([TIME_NANOS << 3, 0]);
            body
        };
        let mut process = || [(0..load.different).map(|_| body()).collect(), Vec::new()];
        let mut service = || (0..load.processes).map(|_| process()).collect();
        Self((0..load.services).map(|_| service()).collect())
    }
}

/// Pushes for as long as the load lasts, and lets the schedule run until `after` milliseconds
/// later.
pub(super) fn run(world: &World, load: &Load, after: i64, meter: &Meter) -> Tally {
    let bodies = Bodies::new(load);
    let tally = Rc::new(RefCell::new(Tally::default()));
    let all = load.services * load.processes;
    let pushes = async {
        for step in 0..load.millis / load.interval {
            for at in 0..all {
                // Each process has its own moment.
                let (service, process) = (at % load.services, at / load.services);
                let time = BEGIN + step * load.interval + load.interval * at as i64 / all as i64;
                world.clock.sleep(time - world.clock.now()).await;
                let kinds = match load.kinds {
                    Kinds::Both => 0..2,
                    Kinds::Various => 0..1,
                    Kinds::Alternating => (step as usize + at) % 2..(step as usize + at) % 2 + 1,
                };
                for kind in kinds {
                    let body = &bodies.0[service][process][kind][step as usize % load.different];
                    push(world, (service, process), body, &tally, meter);
                    tally.borrow_mut().memory += if kind == 1 { body.len() as u64 } else { 0 };
                }
            }
        }
        world
            .clock
            .sleep(BEGIN + load.millis + after - world.clock.now())
            .await;
    };
    // The second round of a minute waits, while profiles are pushed.
    let schedule = async {
        for minute in (BEGIN + PHASE..=BEGIN + load.millis + after)
            .step_by((load.cron_minutes * MINUTE) as usize)
        {
            world.clock.sleep(minute - world.clock.now()).await;
            cron(world, meter, &tally).await;
        }
    };
    world.clock.run(join(pushes, schedule));
    *tally.borrow()
}

fn push(
    world: &World,
    (service, process): (usize, usize),
    body: &[u8],
    tally: &Rc<RefCell<Tally>>,
    meter: &Meter,
) {
    let now = world.clock.now();
    let query = format!(
        "name=shop{service}%7Binstance%3Di-{process:02}%7D&from={}&until={}&format=pprof&spyName=gospy&sampleRate=100",
        now - 15_000,
        now
    );
    let (content_type, tenant, client) = ("binary/octet-stream", "anonymous", "");
    let now = UnixNanos::from_millis(now);
    let began = cpu_millis();
    let mut ingested = ingest(&Push {
        query: &query,
        content_type,
        body,
        tenant,
        client,
        now,
        limits: Default::default(),
    })
    .unwrap();
    let chunk = ingested.chunks.remove(0).bytes;
    {
        let mut tally = tally.borrow_mut();
        tally.ingest_millis += cpu_millis() - began;
        tally.pushes += 1;
        tally.bodies += body.len() as u64;
        tally.chunks += chunk.len() as u64;
    }
    meter.add(Item::WorkerRequests, 1);
    meter.add(Item::Pushes, 1);
    meter.add(Item::PushBytes, body.len() as u64);
    meter.add(Item::WorkerCpuMicros, cpu::push_micros(body.len()));
    let tenant = world.tenant();
    world
        .clock
        .spawn(async move { tenant.append(&chunk).await.map(drop).unwrap() }.boxed_local());
}

/// Visits of the schedule.
struct Visits<'a>(&'a World, &'a Meter, &'a RefCell<Tally>);

impl Visitor for Visits<'_> {
    async fn visit(&self, shard: &Shard, _: Pass) -> Result<VisitReport, Problem> {
        let Self(world, meter, tally) = self;
        let (bucket, client) = (
            Metered::new(world.bucket.clone(), (*meter).clone()),
            world.client(0),
        );
        meter.add(Item::WorkerRequests, 1);
        let (pushing, began) = (tally.borrow().ingest_millis, cpu_millis());
        let admission = world.admission();
        let report = visit::visit(
            &bucket,
            &client,
            shard,
            MAX_PARTITION_BYTES,
            &admission,
            meter,
            &DutyCounts::default(),
        )
        .await
        .unwrap();
        let mut tally = tally.borrow_mut();
        tally.jobs += u64::from(report.is_more_due());
        tally.compact_millis += cpu_millis() - began - (tally.ingest_millis - pushing);
        Ok(report)
    }
}

/// A minute of the schedule.
async fn cron(world: &World, meter: &Meter, tally: &RefCell<Tally>) {
    meter.add(Item::WorkerRequests, 1);
    meter.add(Item::BucketLists, 1);
    let minute = world.clock.now() / MINUTE;
    dispatch(
        &[world.shard()],
        minute,
        INVOCATIONS,
        &Visits(world, meter, tally),
        &world.platform(),
    )
    .await;
}
