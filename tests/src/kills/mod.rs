//! Some processes push without a pause while the worker is killed and started again, hundreds of
//! times; then each push is looked for.
//!
//! Each push has a function of its own, `push_<number>`, with one sample. So a merged profile says
//! of every single push how often it counts: an acknowledged one must count once, any other at most
//! once. A few functions that all pushes have count them all.
//!
//! A killed compaction keeps its lease for minutes, in which its tenant is not compacted. So pushes
//! go to several tenants at a time, and new ones take the place of old ones; the tenant of number 0
//! stays to the end.

mod count;
mod process;
mod report;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use report::{Problem, Report};

use crate::client::Client;
use crate::clock::now_millis;
use crate::demo::random::Random;
use crate::local::{Local, Place};
use process::Push;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How often the worker is killed.
    pub kills: u64,
    /// How many processes push.
    pub processes: usize,
    /// How long each waits after a push.
    pub pause: Duration,
    /// How long the worker lives on average.
    pub uptime: Duration,
    /// All chance follows from it, as far as threads and the network let it.
    pub seed: u64,
    /// A folder for bucket and catalog; what is in it goes.
    pub state: PathBuf,
}

/// Tenants pushed to at a time, beside that of number 0.
const ACTIVE: u64 = 2;
/// Kills after which one of them makes room for a new one.
const KILLS_A_TENANT: u64 = 3;
/// Every so many kills one is aimed at a compaction.
const AIMED: u64 = 3;
/// Segments that make a compaction due.
const DUE: u64 = 64;
/// A compaction of so many small segments takes about as long, on a machine that has other work.
const COMPACTS_FOR: Duration = Duration::from_millis(150);

/// What the thread that fires crons is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CronOrder {
    /// One after the other, for some tenant.
    Any,
    /// None, so that segments gather.
    None,
    /// One for this tenant, and then none.
    Tenant(u64),
}

/// What all threads see.
struct Stage {
    client: Client,
    began: Instant,
    kills: AtomicU64,
    /// No new pushes.
    ending: AtomicBool,
    next_push: AtomicU64,
    pushes: Mutex<Vec<Push>>,
    /// Acknowledged ones that were sent once more.
    repeated: AtomicU64,
    cron_runs: AtomicBool,
    cron_order: Mutex<CronOrder>,
    crons: AtomicU64,
    reads: AtomicU64,
    refused_reads: Mutex<Vec<String>>,
    problems: Mutex<Vec<Problem>>,
}

/// Kills and counts. An error is something that kept us from it; what is wrong with the counts is
/// in the report.
pub fn run(wanted: &Wanted) -> Result<Report, String> {
    let variables = [
        ("FLUSH_MS", "20"),
        ("MULTITENANCY", "true"),
        ("COMPACT_GRACE_SECONDS", "2"),
    ];
    let place = Place::fresh(
        &wanted.state,
        &variables.map(|(name, value)| (name, value.to_owned())),
    )?;
    let local = place.start()?;
    let stage = Stage::new(Client::new(&place.url()));
    let mut report = Report::default();
    let mut local = thread::scope(|scope| {
        let stage = &stage;
        for number in 0..wanted.processes {
            let random = Random::of(&[wanted.seed, 1, number as u64]);
            scope.spawn(move || process::push_until_the_end(stage, number, wanted.pause, random));
        }
        scope.spawn(|| fire_crons(stage, Random::of(&[wanted.seed, 2])));
        scope.spawn(|| count::read_until_the_end(stage, Random::of(&[wanted.seed, 3])));
        let outcome = kill_often(wanted, &place, local, stage, &mut report);
        // Whatever happened, the others must hear of the end.
        stage.ending.store(true, Ordering::Relaxed);
        outcome
    })?;
    report.seconds = stage.began.elapsed().as_secs();

    let tenants = stage.last_tenant() + 1;
    count::count_all(&stage, tenants, "at the end");
    report.before = local.objects()?.into();
    for _ in 0..2 {
        (0..tenants).for_each(|tenant| drop(stage.fire_cron(tenant)));
    }
    count::count_all(&stage, tenants, "after more crons");
    report.after = local.objects()?.into();
    local.kill()?;
    let _local = place.start()?;
    report.outcomes = count::count_all(&stage, tenants, "after one more start");
    (report.tenants, report.crons) = (tenants, stage.crons.into_inner());
    report.repeated = stage.repeated.into_inner();
    report.reads = stage.reads.into_inner();
    report.refused_reads = stage
        .refused_reads
        .into_inner()
        .map_err(|e| e.to_string())?;
    report.problems = stage.problems.into_inner().map_err(|e| e.to_string())?;
    Ok(report)
}

/// Kills the worker at moments of chance, every third time in a compaction as well as that can be
/// aimed at.
fn kill_often(
    wanted: &Wanted,
    place: &Place,
    mut local: Local,
    stage: &Stage,
    report: &mut Report,
) -> Result<Local, String> {
    let mut random = Random::of(&[wanted.seed, 4]);
    for kill in 1..=wanted.kills {
        thread::sleep(wanted.uptime.mul_f64(2.0 * random.unit()));
        if kill % AIMED == 0 {
            aim(wanted, stage, &mut random);
        }
        report.kills_in_crons += u64::from(stage.cron_runs());
        local
            .kill()
            .map_err(|problem| format!("before kill {kill}: {problem}: {}", place.last_words()))?;
        report.kills = stage.kills.fetch_add(1, Ordering::Relaxed) + 1;
        stage.order(CronOrder::Any);
        report
            .killed_at
            .push(stage.began.elapsed().as_millis() as u64);
        let started = Instant::now();
        local = place.start()?;
        report.starting += started.elapsed();
        if kill % 20 == 0 {
            println!(
                "{kill} of {} kills, {} pushes",
                wanted.kills,
                stage.next_push.load(Ordering::Relaxed)
            );
        }
    }
    // Those that wait for an answer get one.
    thread::sleep(wanted.uptime);
    Ok(local)
}

/// Has a tenant's segments compacted, and returns at a moment of chance after that began.
fn aim(wanted: &Wanted, stage: &Stage, random: &mut Random) {
    let tenant = stage.last_tenant();
    stage.order(CronOrder::None);
    // One after the other, so that each is a segment of its own.
    (0..DUE).for_each(|_| process::push(stage, tenant, wanted.processes, 0.0, random));
    stage.order(CronOrder::Tenant(tenant));
    let patience = Instant::now() + wanted.uptime;
    while !stage.cron_runs() && Instant::now() < patience {
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(COMPACTS_FOR.mul_f64(random.unit()));
}

/// Fires the cron again and again, so that compactions follow each other, or as it is told.
fn fire_crons(stage: &Stage, mut random: Random) {
    while !stage.ending.load(Ordering::Relaxed) {
        let tenant = match stage.take_order() {
            CronOrder::Any if random.unit() < 0.3 => 0,
            CronOrder::Any => stage.first_tenant(),
            CronOrder::Tenant(tenant) => tenant,
            CronOrder::None => {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        if stage.fire_cron(tenant).is_ok() {
            stage.crons.fetch_add(1, Ordering::Relaxed);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

impl Stage {
    fn new(client: Client) -> Self {
        Self {
            client,
            began: Instant::now(),
            kills: AtomicU64::new(0),
            ending: AtomicBool::new(false),
            next_push: AtomicU64::new(0),
            pushes: Mutex::default(),
            repeated: AtomicU64::new(0),
            cron_runs: AtomicBool::new(false),
            cron_order: Mutex::new(CronOrder::Any),
            crons: AtomicU64::new(0),
            reads: AtomicU64::new(0),
            refused_reads: Mutex::default(),
            problems: Mutex::default(),
        }
    }

    /// The oldest tenant that is pushed to, beside number 0.
    fn first_tenant(&self) -> u64 {
        1 + self.kills.load(Ordering::Relaxed) / KILLS_A_TENANT
    }

    fn last_tenant(&self) -> u64 {
        self.first_tenant() + ACTIVE - 1
    }

    /// One of the tenants that are pushed to; number 0 a quarter of the time.
    fn some_tenant(&self, random: &mut Random) -> u64 {
        if random.unit() < 0.25 {
            0
        } else {
            self.first_tenant() + (random.unit() * ACTIVE as f64) as u64 % ACTIVE
        }
    }

    fn of_tenant(&self, tenant: u64) -> Client {
        // In order of number, as the bucket lists them.
        self.client.of_tenant(&format!("tenant-{tenant:06}"))
    }

    /// Runs the cron at a time at which this tenant is the first that it looks at: one further each
    /// minute.
    fn fire_cron(&self, tenant: u64) -> Result<(), String> {
        let minutes = now_millis() as u64 / 60_000;
        let tenants = self.last_tenant() + 1;
        let time = (minutes / tenants * tenants + tenant) * 60_000;
        self.cron_runs.store(true, Ordering::Relaxed);
        let answer = self
            .client
            .get(&format!("/cdn-cgi/handler/scheduled?time={time}"));
        self.cron_runs.store(false, Ordering::Relaxed);
        match answer? {
            answer if answer.status == 200 => Ok(()),
            answer => Err(format!(
                "the cron answered {}: {}",
                answer.status,
                answer.text()
            )),
        }
    }

    fn cron_runs(&self) -> bool {
        self.cron_runs.load(Ordering::Relaxed)
    }

    fn order(&self, order: CronOrder) {
        *self
            .cron_order
            .lock()
            .expect("no thread panics while it holds this") = order;
    }

    fn take_order(&self) -> CronOrder {
        let mut order = self
            .cron_order
            .lock()
            .expect("no thread panics while it holds this");
        let taken = *order;
        if taken != CronOrder::Any {
            *order = CronOrder::None;
        }
        taken
    }

    fn report(&self, problem: Problem) {
        self.problems
            .lock()
            .expect("no thread panics while it holds this")
            .push(problem);
    }
}
