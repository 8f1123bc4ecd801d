//! File formats: bytes to and from a [`Profile`](crate::Profile).

pub(crate) mod decoded;
pub(crate) mod detect;
pub mod folded;
pub mod gzip;
pub mod jfr;
pub mod legacy;
pub mod pprof;
