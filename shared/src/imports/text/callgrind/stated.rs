//! The totals that a file states. Costs of a file that was cut off add up to less.
//!
//! callgrind writes `summary:` before the costs of each part and `totals:` after them; cachegrind
//! writes `summary:` at the end. In files of other programs these lines are other sums.

use crate::imports::call_graph::CallGraph;

/// Sums of the parts so far.
#[derive(Default)]
pub(super) struct Stated {
    creator: String,
    /// Whether it describes caches, as both tools do.
    has_caches: bool,
    /// Of all parts that ended; `None` without any.
    sums: Option<Vec<i64>>,
    /// Of the part that is read, until its totals come.
    summary: Option<Vec<i64>>,
}

impl Stated {
    /// Reads who wrote the file.
    pub(super) fn creator(&mut self, value: &str) {
        self.creator = value.trim().to_owned();
    }

    /// Reads what the file is of.
    pub(super) fn description(&mut self, value: &str) {
        self.has_caches |= value.trim_start().starts_with("I1 cache");
    }

    /// Reads the sums of a part from before its costs, or those of a file.
    pub(super) fn summary(&mut self, sums: Vec<i64>) {
        self.end_part();
        self.summary = Some(sums);
    }

    /// Reads the sums of a part from after its costs. callgrind's summary may be a little larger.
    pub(super) fn totals(&mut self, sums: Vec<i64>) {
        self.summary = Some(sums);
        self.end_part();
    }

    fn end_part(&mut self) {
        let Some(part) = self.summary.take() else {
            return;
        };
        match &mut self.sums {
            Some(sums) => {
                for (sum, part) in sums.iter_mut().zip(part) {
                    *sum = sum.saturating_add(part);
                }
            }
            None => self.sums = Some(part),
        }
    }

    /// A note where the costs of a graph do not add up to that.
    pub(super) fn compare(&mut self, graph: &CallGraph) -> Option<String> {
        let is_cachegrind = self.creator.is_empty() && self.has_caches;
        if !is_cachegrind && !self.creator.starts_with("callgrind") {
            return None;
        }
        self.end_part();
        let Some(sums) = &self.sums else {
            return Some(
                "the file has no summary: it is cut off, and some of its costs are missing"
                    .to_owned(),
            );
        };
        let profile = graph.rows.builder.profile();
        for (event, (&sum, &kind)) in sums.iter().zip(profile.sample_types()).enumerate() {
            let own = graph.own.iter().skip(event).step_by(graph.events());
            let read = own.fold(0i64, |sum, cost| sum.saturating_add(*cost));
            if read != sum {
                let name = profile.type_text(kind).0;
                return Some(format!(
                    "the costs add up to {read} {name}, but the file says {sum}: it is cut off or damaged"
                ));
            }
        }
        None
    }
}
