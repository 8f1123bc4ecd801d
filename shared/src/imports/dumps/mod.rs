//! Dumps of what all threads of a program do at a moment. Each thread is a sample.

pub(crate) mod debugger;
pub(crate) mod goroutines;
pub(crate) mod java;
mod thread;
