//! What came of it, for people and for machines.

use std::fmt;

use serde_json::{Value, json};

use super::process::Pushed;
use super::user::Asked;
use super::{Latencies, Wanted};
use crate::local::Levels;

/// All that was counted.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was wanted.
    pub wanted: Wanted,
    /// How long it took until the last push was answered.
    pub seconds: f64,
    /// What was pushed.
    pub pushed: Pushed,
    /// What was asked meanwhile.
    pub asked: Asked,
    /// How long the crons took.
    pub crons: Latencies,
    /// Memory of workerd, each second.
    pub kilobytes: Vec<u64>,
    /// Most memory of workerd until the load was over, by the kernel.
    pub peak_kilobytes: Option<u64>,
    /// Most memory of workerd, with the queries over everything at the end.
    pub peak_kilobytes_with_checks: Option<u64>,
    /// Processor time of workerd until the load was over.
    pub cpu_millis: Option<u64>,
    /// What was in the bucket when the load was over.
    pub before: Levels,
    /// What was in the bucket after more crons.
    pub after: Levels,
    /// Sums that are not as they must be.
    pub problems: Vec<String>,
}

impl Report {
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self {
            wanted: wanted.clone(),
            seconds: 0.0,
            pushed: Pushed::default(),
            asked: Asked::default(),
            crons: Latencies::default(),
            kilobytes: Vec::new(),
            peak_kilobytes: None,
            peak_kilobytes_with_checks: None,
            cpu_millis: None,
            before: Levels::default(),
            after: Levels::default(),
            problems: Vec::new(),
        }
    }

    /// Whether nothing was lost, and every push and query answered in the end. A push that was
    /// given up counts for nothing in the expected sums, and the worker may or may not have it:
    /// then they prove nothing.
    pub fn is_good(&self) -> bool {
        self.problems.is_empty() && self.pushed.given_up.is_empty() && self.asked.failed.is_empty()
    }

    fn cpu_per_push(&self) -> f64 {
        self.cpu_millis.unwrap_or(0) as f64 / self.pushed.acknowledged.max(1) as f64
    }

    /// All of it in one line of JSON.
    pub fn json(&self) -> Value {
        let Self {
            wanted,
            pushed,
            asked,
            ..
        } = self;
        json!({
            "processes": wanted.processes, "interval": wanted.interval.as_secs(), "flush_ms": wanted.flush_ms,
            "seed": wanted.seed, "seconds": self.seconds,
            "pushes": pushed.pushes, "acknowledged": pushed.acknowledged, "put_off": pushed.put_off,
            "broken": pushed.broken, "given_up": pushed.given_up.len(), "bytes": pushed.bytes,
            "behind_millis": pushed.behind.as_millis() as u64, "push_millis": pushed.latencies.json(),
            "services_millis": asked.services.json(), "timeline_millis": asked.timeline.json(),
            "profile_millis": asked.profile.json(), "queries_failed": asked.failed.len(), "cron_millis": self.crons.json(),
            "peak_kilobytes": self.peak_kilobytes, "peak_kilobytes_with_checks": self.peak_kilobytes_with_checks,
            "cpu_millis": self.cpu_millis, "cpu_millis_per_push": self.cpu_per_push(),
            "before": self.before.json(), "after": self.after.json(), "problems": self.problems.len(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            wanted,
            pushed,
            asked,
            ..
        } = self;
        let each = pushed.bytes / pushed.acknowledged.max(1);
        let rate = pushed.acknowledged as f64 / self.seconds.max(1.0);
        writeln!(
            f,
            "{} processes of {} services for {:.0} s",
            wanted.processes,
            super::SERVICES,
            self.seconds
        )?;
        writeln!(
            f,
            "pushes: {}, acknowledged {} ({rate:.1} a second)",
            pushed.pushes, pushed.acknowledged
        )?;
        writeln!(
            f,
            "  {} bytes, {each} each; the slowest process was {:?} late",
            pushed.bytes, pushed.behind
        )?;
        writeln!(
            f,
            "  asked to come again {}, broken {}, given up {}",
            pushed.put_off,
            pushed.broken,
            pushed.given_up.len()
        )?;
        writeln!(f, "  push      {}", pushed.latencies)?;
        writeln!(f, "  services  {}", asked.services)?;
        writeln!(f, "  timeline  {}", asked.timeline)?;
        writeln!(f, "  profile   {}", asked.profile)?;
        writeln!(f, "  cron      {}", self.crons)?;
        let kilobytes =
            |kilobytes: Option<u64>| kilobytes.map_or("unknown".to_owned(), |k| format!("{k} kB"));
        writeln!(
            f,
            "workerd: at most {} ({} with the checks), {} ms of processor time, {:.1} ms a push",
            kilobytes(self.peak_kilobytes),
            kilobytes(self.peak_kilobytes_with_checks),
            self.cpu_millis.unwrap_or(0),
            self.cpu_per_push()
        )?;
        let quarter = |quarter: usize| {
            let length = self.kilobytes.len();
            let part = &self.kilobytes[length * quarter / 4..length * (quarter + 1) / 4];
            part.iter().sum::<u64>() / part.len().max(1) as u64
        };
        writeln!(
            f,
            "  mean of each quarter of the time: {:?} kB",
            [0, 1, 2, 3].map(quarter)
        )?;
        writeln!(
            f,
            "in the bucket: {}; after more crons: {}",
            self.before, self.after
        )?;
        for problem in self
            .problems
            .iter()
            .chain(&pushed.given_up)
            .chain(&asked.failed)
            .take(40)
        {
            writeln!(f, "  {problem}")?;
        }
        writeln!(
            f,
            "{}",
            if self.is_good() {
                "nothing lost, nothing counted twice"
            } else {
                "NOT as it must be"
            }
        )
    }
}
