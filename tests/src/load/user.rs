//! Somebody who looks at a dashboard of the last quarter of an hour, every ten seconds.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::programs::Kind;
use super::totals::{profile_path, query};
use super::{Latencies, SERVICES, Stage, service};
use crate::clock::now_millis;

/// Between two looks.
const PAUSE: Duration = Duration::from_secs(10);
/// What is looked at.
const RANGE: i64 = 15 * 60 * 1000;

/// What was asked, and how long the answers took.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The list of services.
    pub services: Latencies,
    /// A service's timeline.
    pub timeline: Latencies,
    /// A service's merged profile.
    pub profile: Latencies,
    /// Answers other than 200 and 204.
    pub failed: Vec<String>,
}

/// Looks until the end, at one service after the other, at CPU time and memory in turn.
pub(super) fn look_until_the_end(stage: &Stage) {
    for look in 0.. {
        let due = PAUSE * (look as u32 + 1);
        while stage.began.elapsed() < due {
            if stage.ending.load(Ordering::Relaxed) {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let (service, until) = (service(look % SERVICES), now_millis());
        let id = if look % 2 == 0 {
            Kind::Cpu.types()[1]
        } else {
            Kind::Memory.types()[3]
        };
        let from = until - RANGE;
        let paths = [
            format!("/api/v1/services?from={from}&until={until}&points=60"),
            format!(
                "/api/v1/timeline?{}&points=90",
                query(&service, id, from, until)
            ),
            profile_path(&service, id, from, until),
        ];
        for (place, path) in paths.iter().enumerate() {
            let sent = Instant::now();
            let answer = stage.client.get(path);
            let latency = sent.elapsed();
            let mut asked = stage
                .asked
                .lock()
                .expect("no thread panics while it holds this");
            match answer {
                Ok(answer) if matches!(answer.status, 200 | 204) => {
                    let Asked {
                        services,
                        timeline,
                        profile,
                        ..
                    } = &mut *asked;
                    [services, timeline, profile][place].add(latency);
                }
                Ok(answer) => {
                    asked
                        .failed
                        .push(format!("{path}: {}: {}", answer.status, answer.text()))
                }
                Err(problem) => asked.failed.push(format!("{path}: {problem}")),
            }
        }
    }
}
