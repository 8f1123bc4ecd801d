//! What every module may use: caps with their arithmetic, sums in 64 bits, points in time, sorting,
//! warnings about odd input.

pub(crate) mod clamp;
pub(crate) mod growth;
pub mod limits;
pub(crate) mod parse_time;
pub mod sort;
pub(crate) mod units;
pub(crate) mod warnings;
