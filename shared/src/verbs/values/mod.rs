//! Other values for the same samples.

pub(crate) mod scale;
pub(crate) mod select;
