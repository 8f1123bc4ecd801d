//! Flame graphs that were drawn: their titles have the names and counts.

pub(crate) mod async_profiler;
pub(crate) mod svg;
