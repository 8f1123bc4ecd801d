//! Trees in the shape in which they are shown: boxes for a viewport, and the answers that
//! Pyroscope's clients read.

pub mod flame;
pub mod pyroscope;
