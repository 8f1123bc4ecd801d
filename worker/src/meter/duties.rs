//! What became of the duties of visits, counted by each isolate.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// What became of a duty that was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Done,
    Failed,
    Postponed,
}

impl Outcome {
    /// Its name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Postponed => "postponed",
        }
    }
}

/// How often each duty had each outcome, of this isolate: a count in a shard would cost a write
/// each visit.
#[derive(Default)]
pub(crate) struct DutyCounts(RefCell<BTreeMap<(&'static str, Outcome), u64>>);

impl DutyCounts {
    /// Counts an outcome.
    pub(crate) fn count(&self, duty: &'static str, outcome: Outcome) {
        *self.0.borrow_mut().entry((duty, outcome)).or_default() += 1;
    }

    /// All counts.
    pub(crate) fn all(&self) -> BTreeMap<(&'static str, Outcome), u64> {
        self.0.borrow().clone()
    }
}
