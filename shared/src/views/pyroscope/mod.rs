//! Answers in the shapes that Pyroscope's clients read.
//!
//! Source of the shapes: the field tables of Grafana Pyroscope's public API. Ours differ in one
//! way: a node limit is applied once, to the finished answer, so what remains is exact.
//!
//! What all shapes share: a function is known by its name, siblings are in order of the bytes of
//! their names, and what is not above zero is left out. A limit keeps the N largest nodes, of equal
//! ones those that come first; the others of a parent become one node `other`, the last of its
//! siblings. Under a limit a function that is called `other` goes into that node, too, with all
//! below it.

mod budget;
mod diff;
mod flame_graph;
mod function_tree;
mod functions;
mod levels;
mod limit;
mod metadata;
mod nodes;
mod outline;
mod pairs;
#[cfg(test)]
mod tests;
mod timeline;
mod tree_bytes;
mod walk;

pub use budget::{Budget, MAX_FUNCTION_NODES, MAX_NAMES, TooLarge};
pub use diff::{FlameGraphDiff, flame_graph_diff};
pub use flame_graph::{FlameGraph, flame_graph};
pub use function_tree::{Direction, FunctionNode, function_tree, root_path};
pub use functions::{FunctionStats, FunctionTable, functions, functions_diff};
pub use metadata::{Metadata, metadata};
pub use outline::{OutlineRow, outline};
pub use timeline::timeline_step;
pub use tree_bytes::tree_bytes;

/// Name of the node that stands for siblings that were folded away.
pub(crate) const OTHER: &str = "other";
