//! Other values for the same samples.

pub(crate) mod scale;
