//! Values as text, with units that fit.

pub(crate) mod format;
pub(crate) mod unit;
