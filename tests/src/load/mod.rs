//! A fleet of processes that push as agents do, for minutes, while somebody looks at dashboards;
//! then nothing may be missing.
//!
//! Ten services of equal size; each process pushes a CPU profile and then a heap profile of four
//! types every few seconds. At the end the total of each service and type, from the list of
//! services and from merged profiles, must be exactly the sum of what was acknowledged, also after
//! more compactions.

mod latencies;
mod process;
mod programs;
mod report;
mod totals;
mod user;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use latencies::Latencies;
pub use report::Report;

use crate::client::Client;
use crate::demo::random::Random;
use crate::local::{Local, Place};
use process::Pushed;
use programs::Program;
use totals::Totals;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How many processes push.
    pub processes: usize,
    /// For how long.
    pub duration: Duration,
    /// How long each waits between two pushes of a kind.
    pub interval: Duration,
    /// How long the worker gathers pushes at most, milliseconds.
    pub flush_ms: u32,
    /// All chance follows from it.
    pub seed: u64,
    /// A folder for bucket and catalog; what is in it goes.
    pub state: PathBuf,
}

const SERVICES: usize = 10;
/// As where it is deployed.
const CRON: Duration = Duration::from_secs(60);
/// Crons after the load, each of which does what is due.
const MORE_CRONS: usize = 2;

/// What all threads see.
struct Stage {
    client: Client,
    programs: Vec<Program>,
    began: Instant,
    ending: AtomicBool,
    pushed: Mutex<Pushed>,
    asked: Mutex<user::Asked>,
}

/// Pushes, asks and counts. An error is something that kept us from it; what is wrong with the sums
/// is in the report.
pub fn run(wanted: &Wanted) -> Result<Report, String> {
    let variables = [("FLUSH_MS", wanted.flush_ms.to_string())];
    let place = Place {
        bound_to_itself: true,
        ..Place::fresh(&wanted.state, &variables)?
    };
    let mut local = place.start()?;
    let stage = Stage {
        client: Client::new(&place.url()),
        programs: (0..SERVICES)
            .map(|number| Program::new(&service(number)))
            .collect(),
        began: Instant::now(),
        ending: AtomicBool::new(false),
        pushed: Mutex::default(),
        asked: Mutex::default(),
    };
    let mut report = Report::new(wanted);
    let cpu_before = local.workerd().cpu_millis();
    thread::scope(|scope| {
        for number in 0..wanted.processes {
            let stage = &stage;
            scope.spawn(move || process::push_until_the_end(stage, wanted, number));
        }
        scope.spawn(|| user::look_until_the_end(&stage));
        let crons = scope.spawn(|| fire_crons(&stage));
        let outcome = watch(&stage, wanted, &mut local, &mut report);
        // Whatever happened, the others must hear of the end.
        stage.ending.store(true, Ordering::Relaxed);
        report.crons = crons
            .join()
            .map_err(|_| "the thread of the crons panicked")??;
        outcome
    })?;
    report.seconds = stage.began.elapsed().as_secs_f64();
    report.cpu_millis = local
        .workerd()
        .cpu_millis()
        .zip(cpu_before)
        .map(|(after, before)| after - before);
    report.peak_kilobytes = local.workerd().peak_kilobytes();
    let pushed = stage.pushed.into_inner().map_err(|e| e.to_string())?;

    report.before = local.objects()?.into();
    report.problems.extend(totals::check(
        &stage.client,
        &pushed.totals,
        "before more crons",
    ));
    for _ in 0..MORE_CRONS {
        fire_cron(&stage.client)?;
    }
    report.after = local.objects()?.into();
    report.problems.extend(totals::check(
        &stage.client,
        &pushed.totals,
        "after more crons",
    ));
    report.peak_kilobytes_with_checks = local.workerd().peak_kilobytes();
    report.pushed = pushed;
    report.asked = stage.asked.into_inner().map_err(|e| e.to_string())?;
    Ok(report)
}

/// Looks at the worker until the time is over.
fn watch(
    stage: &Stage,
    wanted: &Wanted,
    local: &mut Local,
    report: &mut Report,
) -> Result<(), String> {
    let mut next_line = Duration::from_secs(30);
    while stage.began.elapsed() < wanted.duration {
        thread::sleep(Duration::from_secs(1));
        let kilobytes = local
            .workerd()
            .kilobytes()
            .ok_or("workerd ended by itself")?;
        report.kilobytes.push(kilobytes);
        if stage.began.elapsed() >= next_line {
            next_line += Duration::from_secs(30);
            let acknowledged = stage.pushed.lock().map_err(|e| e.to_string())?.acknowledged;
            println!(
                "after {} s: {acknowledged} pushes, {kilobytes} kB",
                stage.began.elapsed().as_secs()
            );
        }
    }
    Ok(())
}

/// Fires the cron each minute until the end; one takes most of that, as long as there is something
/// due each quarter.
fn fire_crons(stage: &Stage) -> Result<Latencies, String> {
    let (mut latencies, mut next) = (Latencies::default(), CRON);
    while !stage.ending.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
        if stage.began.elapsed() >= next {
            next += CRON;
            let started = Instant::now();
            fire_cron(&stage.client)?;
            latencies.add(started.elapsed());
        }
    }
    Ok(latencies)
}

fn fire_cron(client: &Client) -> Result<(), String> {
    match client.get("/cdn-cgi/handler/scheduled")? {
        answer if answer.status == 200 => Ok(()),
        answer => Err(format!(
            "the cron answered {}: {}",
            answer.status,
            answer.text()
        )),
    }
}

/// Name of a service by its number.
fn service(number: usize) -> String {
    [
        "checkout", "catalog", "payments", "search", "cart", "identity", "shipping", "reviews",
        "pricing", "mailer",
    ][number % SERVICES]
        .to_owned()
}

/// What follows from the seed for one of the threads.
fn random(wanted: &Wanted, number: usize) -> Random {
    Random::of(&[wanted.seed, number as u64])
}
