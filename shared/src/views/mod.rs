//! Trees in the shape in which they are shown: boxes for a viewport, a graph of calls, and the
//! answers that Pyroscope's clients read.

pub mod call_graph;
pub mod dot;
pub mod flame;
pub mod flamebearer;
pub mod heatmap;
pub mod pyroscope;
pub mod tags;
