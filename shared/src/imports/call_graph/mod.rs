//! Call graphs, in which some formats say what functions cost and which calls between them there
//! were, and the stacks that are made of them.

mod graph;
mod tree;

pub(super) use graph::CallGraph;
pub(super) use tree::stacks;
