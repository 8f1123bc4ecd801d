//! Formats in bytes. OTLP is JSON, too.

pub(crate) mod art_trace;
mod bytes;
pub(crate) mod otlp;
pub(crate) mod perf_data;
pub(crate) mod perfetto;
pub(crate) mod pstats;
pub(crate) mod python_binary;
pub(crate) mod simpleperf;
pub(crate) mod stackprof;
