//! One reader for each of the legacy formats.

pub(crate) mod contention;
pub(crate) mod count;
pub(crate) mod cpu;
pub(crate) mod heap;
pub(crate) mod java;
pub(crate) mod threads;
