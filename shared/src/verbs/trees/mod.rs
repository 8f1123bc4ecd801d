//! From one tree to another.

pub(crate) mod chart;
pub(crate) mod inverted;
pub(crate) mod sandwich;
pub(crate) mod visits;
