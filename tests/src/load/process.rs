//! A process with an agent in it: a CPU profile and a heap profile every interval.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::programs::{Body, Kind};
use super::{Latencies, SERVICES, Stage, Totals, Wanted, random, service};
use crate::clock::now_millis;

/// How often one is sent before its process gives up.
const ATTEMPTS: u32 = 5;

/// What all processes did.
#[derive(Clone, Debug, Default)]
pub struct Pushed {
    /// Profiles that were to be pushed.
    pub pushes: u64,
    /// Those that were answered with 200.
    pub acknowledged: u64,
    /// Answers 429 and 503, after which it was sent again.
    pub put_off: u64,
    /// Sent without an answer.
    pub broken: u64,
    /// Profiles that were given up, and what came last.
    pub given_up: Vec<String>,
    /// Bytes of acknowledged bodies.
    pub bytes: u64,
    /// How long it took until they were acknowledged, by attempt.
    pub latencies: Latencies,
    /// How long the slowest process was behind its time.
    pub behind: Duration,
    /// What was acknowledged.
    pub(super) totals: Totals,
}

/// Pushes until the end.
pub(super) fn push_until_the_end(stage: &Stage, wanted: &Wanted, number: usize) {
    let mut random = random(wanted, number);
    // Processes start when they start: spread over the interval.
    let mut due = wanted.interval.mul_f64(random.unit());
    loop {
        while stage.began.elapsed() < due {
            if stage.ending.load(Ordering::Relaxed) {
                return;
            }
            thread::sleep((due - stage.began.elapsed().min(due)).min(Duration::from_millis(200)));
        }
        if stage.ending.load(Ordering::Relaxed) {
            return;
        }
        let behind = stage.began.elapsed() - due;
        // Agents send what they have at the same time. One after the other, the second would always
        // wait for a whole flush.
        thread::scope(|scope| {
            for kind in [Kind::Cpu, Kind::Memory] {
                let time_nanos = now_millis() * 1_000_000 - wanted.interval.as_nanos() as i64;
                let body = stage.programs[number % SERVICES].profile(kind, time_nanos, &mut random);
                scope.spawn(move || push(stage, wanted, number, kind, &body));
            }
        });
        let mut pushed = stage
            .pushed
            .lock()
            .expect("no thread panics while it holds this");
        pushed.behind = pushed.behind.max(behind);
        due += wanted.interval;
    }
}

/// Sends a profile, again where the server asks for it.
fn push(stage: &Stage, wanted: &Wanted, number: usize, kind: Kind, body: &Body) {
    let until = now_millis() / 1000;
    let name = format!("{}{{instance=pod-{number}}}", service(number));
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("name", &name)
        .append_pair(
            "from",
            &(until - wanted.interval.as_secs() as i64).to_string(),
        )
        .append_pair("until", &until.to_string())
        .append_pair("format", "pprof")
        .append_pair("spyName", "gospy")
        .append_pair("sampleRate", "100")
        .finish();
    let path = format!("/ingest?{query}");
    let (mut put_off, mut broken, mut last) = (0, 0, String::new());
    let mut acknowledged = None;
    for attempt in 1..=ATTEMPTS {
        let sent = Instant::now();
        match stage
            .client
            .post(&path, "application/octet-stream", &body.bytes)
        {
            Ok(answer) if answer.status == 200 => {
                acknowledged = Some(sent.elapsed());
                break;
            }
            Ok(answer) => {
                last = format!("{}: {}", answer.status, answer.text());
                if !matches!(answer.status, 429 | 503) {
                    break;
                }
                put_off += 1;
            }
            Err(problem) => {
                last = problem;
                broken += 1;
            }
        }
        // The server asks for a second.
        thread::sleep(Duration::from_secs(1) * attempt);
    }
    let mut pushed = stage
        .pushed
        .lock()
        .expect("no thread panics while it holds this");
    (pushed.pushes, pushed.put_off, pushed.broken) = (
        pushed.pushes + 1,
        pushed.put_off + put_off,
        pushed.broken + broken,
    );
    match acknowledged {
        Some(latency) => {
            pushed.acknowledged += 1;
            pushed.bytes += body.bytes.len() as u64;
            pushed.latencies.add(latency);
            pushed.totals.add(&service(number), kind, &body.totals);
        }
        None => pushed.given_up.push(format!("{name} {kind:?}: {last}")),
    }
}
