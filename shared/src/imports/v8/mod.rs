//! What V8 and Chrome write: CPU profiles, heap profiles, trace events, and logs of ticks.
//!
//! Sources: the Chrome DevTools Protocol (domains Profiler and HeapProfiler), the document "Trace
//! Event Format" of Chrome's tracing project, and `tickprocessor` of V8.

pub(crate) mod cpu_profile;
mod frames;
pub(crate) mod heap_profile;
pub(crate) mod log;
mod nodes;
mod recording;
pub(crate) mod trace;

#[cfg(test)]
mod tests;
