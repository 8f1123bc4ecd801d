//! Formats in bytes. OTLP is JSON, too.

pub(crate) mod art_trace;
pub(crate) mod otlp;
pub(crate) mod python_binary;
pub(crate) mod simpleperf;
