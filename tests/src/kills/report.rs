//! What came of it, for people and for machines.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use serde_json::{Value, json};

use super::process::Push;
use crate::local::Levels;

/// Most problems that are spelt out: one cause makes many.
const SHOWN: usize = 40;

/// All that was counted.
#[derive(Debug, Default)]
pub struct Report {
    /// How often the worker was killed.
    pub kills: u64,
    /// Of those, how often a cron was under way: a third of the kills are aimed at one that
    /// compacts.
    pub kills_in_crons: u64,
    /// When, milliseconds since the begin.
    pub killed_at: Vec<u64>,
    /// How long it took to start again, all together.
    pub starting: Duration,
    /// How long pushes and kills went on.
    pub seconds: u64,
    /// How many tenants were pushed to.
    pub tenants: u64,
    /// Crons that came to their end.
    pub crons: u64,
    /// Acknowledged pushes that were sent once more, as by a sender that did not hear the answer.
    pub repeated: u64,
    /// Queries that were answered meanwhile.
    pub reads: u64,
    /// Those that were answered with an error: a query may take longer than compacted objects stay.
    pub refused_reads: Vec<String>,
    /// What became of the pushes.
    pub outcomes: Outcomes,
    /// What was in the bucket when the kills were over.
    pub before: Levels,
    /// What was in the bucket after more crons.
    pub after: Levels,
    /// What is not as it must be.
    pub problems: Vec<Problem>,
}

/// What became of pushes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// All.
    pub pushes: u64,
    /// Sent more than once.
    pub retried: u64,
    /// Answered with 200.
    pub acknowledged: u64,
    /// How often all of them count, together.
    pub present: u64,
    /// Never answered with 200, and there once.
    pub unacknowledged_present: u64,
    /// Never answered with 200, and not there.
    pub unacknowledged_absent: u64,
    /// Acknowledged, and not there.
    pub lost: u64,
    /// There more than once.
    pub duplicates: u64,
}

/// Something that must not be.
#[derive(Clone, Debug)]
pub enum Problem {
    /// An acknowledged push is not there.
    Lost {
        /// Which one, and all that its sender knows of it.
        push: String,
        /// When it was looked for.
        when: &'static str,
    },
    /// A push counts several times.
    Several {
        /// Its function.
        name: String,
        /// How often.
        count: i128,
        /// When it was looked for.
        when: &'static str,
    },
    /// A function that all pushes have does not count as often as there are pushes.
    Common {
        /// Its name.
        name: String,
        /// Of which tenant.
        tenant: u64,
        /// How often it counts.
        count: i128,
        /// How many pushes count.
        present: u64,
        /// When it was looked for.
        when: &'static str,
    },
    /// A function that nobody pushed.
    Unknown {
        /// Its name.
        name: String,
        /// How often it counts.
        count: i128,
        /// When it was found.
        when: &'static str,
    },
    /// The list of services has another total.
    Total {
        /// Of which tenant.
        tenant: u64,
        /// Of which type.
        id: &'static str,
        /// What it has.
        total: i128,
        /// What it should have, by the merged profile.
        expected: i128,
        /// When it was asked.
        when: &'static str,
    },
    /// A query that should have been answered was not.
    Unanswered {
        /// Of which tenant.
        tenant: u64,
        /// What came instead.
        text: String,
        /// When it was asked.
        when: &'static str,
    },
    /// A push was answered with what no push may be answered with.
    Refused {
        /// The status.
        status: u16,
        /// The answer.
        text: String,
    },
}

impl Problem {
    pub(super) fn lost(push: &Push, when: &'static str) -> Self {
        let Push {
            number,
            tenant,
            attempts,
            sent,
            done,
            ..
        } = push;
        let push = format!(
            "push_{number} of tenant {tenant}, sent at {sent} ms, acknowledged at {done} ms, attempt {attempts}"
        );
        Self::Lost { push, when }
    }
}

impl Report {
    /// Whether everything is as it must be.
    pub fn is_good(&self) -> bool {
        let Outcomes {
            lost, duplicates, ..
        } = self.outcomes;
        self.problems.is_empty() && lost == 0 && duplicates == 0
    }

    /// All of it in one line of JSON.
    pub fn json(&self) -> Value {
        let Outcomes {
            pushes,
            retried,
            acknowledged,
            lost,
            duplicates,
            ..
        } = self.outcomes;
        let Outcomes {
            unacknowledged_present,
            unacknowledged_absent,
            ..
        } = self.outcomes;
        json!({
            "kills": self.kills, "kills_in_crons": self.kills_in_crons, "seconds": self.seconds,
            "start_millis": self.mean_start().as_millis() as u64,
            "tenants": self.tenants, "crons": self.crons, "reads": self.reads, "refused_reads": self.refused_reads.len(),
            "pushes": pushes, "retried": retried, "repeated": self.repeated, "acknowledged": acknowledged,
            "unacknowledged_present": unacknowledged_present, "unacknowledged_absent": unacknowledged_absent,
            "lost": lost, "duplicates": duplicates, "problems": self.problems.len(),
            "before": self.before.json(), "after": self.after.json(),
        })
    }

    fn mean_start(&self) -> Duration {
        self.starting / u32::try_from(self.kills.max(1)).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kills,
            kills_in_crons,
            seconds,
            tenants,
            crons,
            reads,
            outcomes,
            before,
            after,
            ..
        } = self;
        let Outcomes {
            pushes,
            retried,
            acknowledged,
            unacknowledged_present,
            unacknowledged_absent,
            ..
        } = outcomes;
        let start = self.mean_start().as_millis();
        writeln!(
            f,
            "killed {kills} times in {seconds} s, {kills_in_crons} times while a cron ran; {start} ms to start"
        )?;
        writeln!(
            f,
            "{crons} crons came to their end, {reads} queries were answered meanwhile"
        )?;
        if let Some(last) = self.refused_reads.last() {
            writeln!(
                f,
                "{} queries were answered with an error, at last: {last}",
                self.refused_reads.len()
            )?;
        }
        writeln!(
            f,
            "{pushes} pushes of {tenants} tenants, {retried} of them sent more than once before an answer,"
        )?;
        writeln!(
            f,
            "  {} once more after it, as if it had not been heard",
            self.repeated
        )?;
        writeln!(f, "  acknowledged            {acknowledged:>8}")?;
        writeln!(f, "  unacknowledged, present {unacknowledged_present:>8}")?;
        writeln!(f, "  unacknowledged, absent  {unacknowledged_absent:>8}")?;
        writeln!(f, "  lost                    {:>8}", outcomes.lost)?;
        writeln!(f, "  duplicates              {:>8}", outcomes.duplicates)?;
        writeln!(f, "in the bucket: {before}; after more crons: {after}")?;
        if !self.problems.is_empty() {
            writeln!(f, "{} problems:", self.problems.len())?;
            self.problems
                .iter()
                .take(SHOWN)
                .try_for_each(|problem| writeln!(f, "  {problem:?}"))?;
            writeln!(f, "killed at (ms): {:?}", self.killed_at)?;
        }
        Ok(())
    }
}

impl AddAssign for Outcomes {
    fn add_assign(&mut self, other: Self) {
        self.pushes += other.pushes;
        self.retried += other.retried;
        self.acknowledged += other.acknowledged;
        self.present += other.present;
        self.unacknowledged_present += other.unacknowledged_present;
        self.unacknowledged_absent += other.unacknowledged_absent;
        self.lost += other.lost;
        self.duplicates += other.duplicates;
    }
}
