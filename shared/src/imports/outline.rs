//! Trees whose nodes stand on lines of their own, each indented by its depth, with values that
//! include those of the nodes below.

use crate::base::limits::MAX_STACK_DEPTH;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::rows::Rows;
use crate::model::id::{LabelSetId, LocationId, StackId};

/// What the nodes below a node are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    Callees,
    Callers,
}

/// A tree that is being read, of which the nodes on the way to the last one are kept.
pub(super) struct Outline {
    below: Below,
    /// Of the samples.
    pub(super) sample_type: usize,
    pub(super) labels: Option<LabelSetId>,
    open: Vec<Node>,
    /// Nodes that have less than those below them together.
    exceeded: u64,
}

struct Node {
    indent: usize,
    /// A node without one only holds others together.
    location: Option<LocationId>,
    /// Down to it from the root, where callees are below.
    stack: Option<StackId>,
    /// What no node below has.
    left: i64,
}

impl Outline {
    pub(super) fn new(below: Below, sample_type: usize) -> Self {
        Self {
            below,
            sample_type,
            labels: None,
            open: Vec::new(),
            exceeded: 0,
        }
    }

    /// How many nodes are on the way to the last one.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Adds a node. Those that are indented as far or further end before.
    pub(super) fn push(
        &mut self,
        rows: &mut Rows,
        indent: usize,
        location: Option<LocationId>,
        value: i64,
    ) -> Result<(), String> {
        self.close(rows, indent);
        if self.open.len() == MAX_STACK_DEPTH {
            return Err(too_deep());
        }
        let mut stack = None;
        if let Some(above) = self.open.last_mut() {
            above.left = above.left.saturating_sub(value);
            stack = above.stack;
        }
        if let Some(location) = location
            && self.below == Below::Callees
        {
            stack = Some(rows.builder.stack(stack, location));
        }
        self.open.push(Node {
            indent,
            location,
            stack,
            left: value,
        });
        Ok(())
    }

    /// Ends the nodes that are indented so far or further, each with a sample of what is left of it.
    pub(super) fn close(&mut self, rows: &mut Rows, indent: usize) {
        while let Some(node) = self.open.pop_if(|node| node.indent >= indent) {
            self.exceeded += u64::from(node.left < 0);
            if node.left <= 0 {
                continue;
            }
            let mut stack = node.stack;
            if self.below == Below::Callers {
                // As many steps as the line is indented.
                let above = self.open.iter().filter_map(|node| node.location);
                let frames = node.location.into_iter().chain(above.rev());
                stack = rows.builder.stack_of(frames);
            }
            rows.sample(stack, self.labels, self.sample_type, node.left);
        }
    }

    /// Ends all nodes, and warns of those that have too little.
    pub(super) fn finish(&mut self, rows: &mut Rows) -> Result<(), FormatError> {
        self.close(rows, 0);
        if self.exceeded > 0 {
            let exceeded = std::mem::take(&mut self.exceeded);
            rows.warnings.add(|| {
                format!("{exceeded} functions have smaller values than their callees, so their self values are set to 0")
            });
        }
        rows.check()
    }
}
