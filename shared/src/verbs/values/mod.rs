//! Other values for the same samples.

pub(crate) mod diff_base;
pub(crate) mod scale;
pub(crate) mod select;
pub(crate) mod subtract;
