//! A thread of a dump.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::imports::error::too_deep;
use crate::imports::rows::Rows;
use crate::model::id::LocationId;
use crate::model::profile::Label;

/// A thread that is being read.
pub(super) struct Thread {
    pub(super) labels: Vec<Label>,
    /// The innermost first.
    frames: Vec<LocationId>,
}

impl Thread {
    /// One without frames.
    pub(super) fn new(labels: Vec<Label>) -> Self {
        Self {
            labels,
            frames: Vec::new(),
        }
    }

    /// Adds the caller of the last frame.
    pub(super) fn push(&mut self, location: LocationId) -> Result<(), String> {
        if self.frames.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        self.frames.push(location);
        Ok(())
    }

    /// Adds its sample.
    pub(super) fn end(mut self, rows: &mut Rows, sample_type: usize) {
        let stack = rows.builder.stack_of(self.frames.into_iter().rev());
        let labels = rows.builder.label_set(&mut self.labels);
        rows.sample(stack, labels, sample_type, 1);
    }
}
