//! Stacks folded into trees, and what is read from them: the tables of functions and
//! lines, search, comparison.

pub(crate) mod call_tree;
pub(crate) mod diff;
pub(crate) mod fold;
pub(crate) mod frames;
pub(crate) mod lines;
mod moved;
pub(crate) mod search;
pub(crate) mod self_values;
pub(crate) mod table;
