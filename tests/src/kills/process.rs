//! A process that pushes: one profile after the other, each with a function of its own, again when
//! no answer came.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use pilotlight_core::ProfileBuilder;
use pilotlight_core::pprof::encode_gzip;

use super::{Problem, Stage};
use crate::client::Client;
use crate::clock::now_millis;
use crate::demo::random::Random;

/// The service that all belong to.
pub(super) const SERVICE: &str = "killed";
/// Types and the value of each sample.
pub(super) const TYPES: [(&str, i64); 2] = [
    ("process_cpu:samples:count:cpu:nanoseconds", 1),
    ("process_cpu:cpu:nanoseconds:cpu:nanoseconds", 10_000_000),
];
/// Functions that every push has, with a sample each.
pub(super) const COMMON: u64 = 20;
/// How often one is sent before its process gives up: with pauses that double from 50 ms 1.5
/// seconds, twice as long as a start of the worker takes. On a busy machine some are given up,
/// which is on purpose.
const ATTEMPTS: u32 = 6;

/// Partition of the pushes whose answer their sender does not hear.
const UNHEARD: f64 = 0.1;
/// How long it waits at most before it sends such a push once more: time for a start or two.
const LONGEST_UNHEARD: Duration = Duration::from_secs(3);

/// A push and what its sender knows of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    pub(super) number: u64,
    pub(super) tenant: u64,
    pub(super) acknowledged: bool,
    pub(super) attempts: u32,
    /// When it was first sent and when its sender was done with it, milliseconds since the begin.
    pub(super) sent: u64,
    pub(super) done: u64,
}

/// Pushes until the end, and notes what became of each push.
pub(super) fn push_until_the_end(
    stage: &Stage,
    process: usize,
    pause: Duration,
    mut random: Random,
) {
    while !stage.ending.load(Ordering::Relaxed) {
        let tenant = stage.some_tenant(&mut random);
        push(stage, tenant, process, UNHEARD, &mut random);
        thread::sleep(pause.mul_f64(0.5 + random.unit()));
    }
}

/// Pushes a profile like no other, and notes what became of it. A share of the answers is not
/// heard: then it is sent once more a while later, when the worker may have been killed or may have
/// compacted it.
pub(super) fn push(stage: &Stage, tenant: u64, process: usize, unheard: f64, random: &mut Random) {
    let number = stage.next_push.fetch_add(1, Ordering::Relaxed);
    let since = || stage.began.elapsed().as_millis() as u64;
    let (client, path, sent) = (stage.of_tenant(tenant), path(process), since());
    let body = body(number, now_millis());
    let (acknowledged, attempts) = send(stage, &client, &path, &body, random);
    let push = Push {
        number,
        tenant,
        acknowledged,
        attempts,
        sent,
        done: since(),
    };
    stage
        .pushes
        .lock()
        .expect("no thread panics while it holds this")
        .push(push);
    if acknowledged && random.unit() < unheard {
        thread::sleep(LONGEST_UNHEARD.mul_f64(random.unit()));
        send(stage, &client, &path, &body, random);
        stage.repeated.fetch_add(1, Ordering::Relaxed);
    }
}

/// Path and query of a push that begins now.
fn path(process: usize) -> String {
    let now = now_millis() / 1000;
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("name", &format!("{SERVICE}{{instance=i{process}}}"))
        .append_pair("from", &now.to_string())
        .append_pair("until", &now.to_string())
        .append_pair("format", "pprof")
        .append_pair("spyName", "gospy")
        .finish();
    format!("/ingest?{query}")
}

/// Sends the same bytes until they are acknowledged or it has been often enough. Says if they were,
/// and how often it sent them.
fn send(
    stage: &Stage,
    client: &Client,
    path: &str,
    body: &[u8],
    random: &mut Random,
) -> (bool, u32) {
    for attempt in 1..=ATTEMPTS {
        match client.post(path, "application/octet-stream", body) {
            Ok(answer) if answer.status == 200 => return (true, attempt),
            Ok(answer) if !matches!(answer.status, 429 | 500 | 503) => {
                stage.report(Problem::Refused {
                    status: answer.status,
                    text: answer.text(),
                });
                return (false, attempt);
            }
            // A broken connection, a refusal to connect, or the wish that it be sent again.
            Ok(_) | Err(_) => {}
        }
        if attempt < ATTEMPTS {
            thread::sleep(Duration::from_millis(50 << (attempt - 1)).mul_f64(0.5 + random.unit()));
        }
    }
    (false, ATTEMPTS)
}

fn body(number: u64, now: i64) -> Vec<u8> {
    let mut builder = ProfileBuilder::new();
    builder.sample_type("samples", "count");
    builder.sample_type("cpu", "nanoseconds");
    let period_type = builder.value_type("cpu", "nanoseconds");
    let header = builder.header();
    (header.period_type, header.period) = (Some(period_type), TYPES[1].1);
    (header.time_nanos, header.duration_nanos) = (now * 1_000_000, 200_000_000);
    let common = (0..COMMON).map(common_name).chain([push_name(number)]);
    for name in common {
        let stack = builder.named_stack(&["main", "serve", &name]);
        builder.sample(stack, None, &TYPES.map(|(_, value)| value));
    }
    encode_gzip(&builder.finish())
}

/// The function of one push.
pub(super) fn push_name(number: u64) -> String {
    format!("push_{number}")
}

/// A function that all have.
pub(super) fn common_name(number: u64) -> String {
    format!("common_{number}")
}
