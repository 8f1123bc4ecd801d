//! What a shard has seen of the schedule's visits, for operators.
//!
//! It is kept in memory: the shard notes it from the calls that a visit makes anyway, where a report
//! of its own would cost each visit a request and a write. When the Durable Object is started again,
//! after a deployment for one, it is empty.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

/// What a shard knows of its duties, in the order in which a visit runs them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VisitState {
    /// When the last visit began; `None` when there was none since the shard was started.
    pub(crate) visited_millis: Option<i64>,
    pub(crate) duties: Vec<DutyState>,
}

/// What a shard knows of a duty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DutyState {
    /// Its name, as in the log and the metrics.
    pub(crate) duty: String,
    /// When it last did something, and to how many objects, days or jobs.
    pub(crate) last: Option<LastRun>,
    /// Whether it is due; of compaction, whether the last visit that asked for a job got one.
    pub(crate) is_due: Option<bool>,
}

/// What a duty last did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastRun {
    pub(crate) millis: i64,
    pub(crate) items: u64,
}

/// What is due at a time.
pub(in crate::tenant) struct Due {
    pub(in crate::tenant) delete_replaced: bool,
    pub(in crate::tenant) publish: bool,
    pub(in crate::tenant) sweep: bool,
}

/// What the calls of visits told.
#[derive(Default)]
pub(in crate::tenant) struct VisitLog(RefCell<Seen>);

#[derive(Clone, Copy, Default)]
struct Seen {
    visited_millis: Option<i64>,
    delete_replaced: Option<LastRun>,
    publish: Option<LastRun>,
    /// Objects that the sweep under way asked about and no row names.
    unknown: u64,
    sweep: Option<LastRun>,
    got_job: Option<bool>,
    compact: Option<LastRun>,
}

impl VisitLog {
    pub(in crate::tenant) fn begun(&self, millis: i64) {
        self.0.borrow_mut().visited_millis = Some(millis);
    }

    pub(in crate::tenant) fn deleted(&self, millis: i64, objects: usize) {
        self.0.borrow_mut().delete_replaced = Some(run(millis, objects as u64));
    }

    pub(in crate::tenant) fn published(&self, millis: i64, days: usize) {
        self.0.borrow_mut().publish = Some(run(millis, days as u64));
    }

    pub(in crate::tenant) fn found_unknown(&self, objects: usize) {
        self.0.borrow_mut().unknown = objects as u64;
    }

    pub(in crate::tenant) fn swept(&self, millis: i64) {
        let mut seen = self.0.borrow_mut();
        seen.sweep = Some(run(millis, seen.unknown));
    }

    pub(in crate::tenant) fn asked_for_job(&self, got_job: bool) {
        self.0.borrow_mut().got_job = Some(got_job);
    }

    pub(in crate::tenant) fn compacted(&self, millis: i64) {
        self.0.borrow_mut().compact = Some(run(millis, 1));
    }

    pub(in crate::tenant) fn state(&self, due: Due) -> VisitState {
        let seen = *self.0.borrow();
        let duty = |name: &str, last, is_due| DutyState {
            duty: name.to_owned(),
            last,
            is_due,
        };
        VisitState {
            visited_millis: seen.visited_millis,
            duties: vec![
                duty(
                    "delete_replaced",
                    seen.delete_replaced,
                    Some(due.delete_replaced),
                ),
                duty("publish", seen.publish, Some(due.publish)),
                duty("sweep", seen.sweep, Some(due.sweep)),
                duty("compact", seen.compact, seen.got_job),
            ],
        }
    }
}

fn run(millis: i64, items: u64) -> LastRun {
    LastRun { millis, items }
}
