//! Formats in lines of text.

pub(crate) mod austin;
pub(crate) mod bcc;
pub(crate) mod bpftrace;
pub(crate) mod callgrind;
mod cells;
pub(crate) mod difference;
pub(crate) mod ghc_text;
pub(crate) mod heaptrack;
pub(crate) mod instruments;
pub(crate) mod macos_sample;
pub(crate) mod massif;
pub(crate) mod perf_report;
pub(crate) mod perf_script;
pub(crate) mod pmcstat;
pub(crate) mod rprof;
pub(crate) mod visual_studio;
pub(crate) mod vtune;
pub(crate) mod xdebug;
