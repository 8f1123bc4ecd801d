//! From one tree to another.

pub(crate) mod inverted;
mod rows;
pub(crate) mod sandwich;
pub(crate) mod timeline;
pub(crate) mod trim;
