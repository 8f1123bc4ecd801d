//! File formats: bytes to and from a [`Profile`](crate::Profile).

pub(crate) mod compression;
pub(crate) mod decoded;
pub(crate) mod detect;
pub mod folded;
pub mod gzip;
pub mod jfr;
pub(crate) mod json;
pub mod legacy;
pub(crate) mod otlp;
pub mod pprof;
pub mod preorder;
pub(crate) mod protobuf;
pub mod push_v1;
pub mod speedscope;
pub(crate) mod stack_sums;
pub(crate) mod start;
pub(crate) mod unpack;
