//! Why bytes are not a pprof profile.

use thiserror::Error;

use crate::formats::gzip::GzipError;
use crate::formats::legacy::LegacyError;
use crate::formats::protobuf::WireError;

/// Why bytes are not a pprof profile.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PprofError {
    /// Nothing at all.
    #[error("pprof: the profile is empty (0 bytes)")]
    Empty,
    /// Larger than allowed.
    #[error("pprof: the profile has {length} bytes; at most {cap} are allowed")]
    TooLarge {
        /// Its size.
        length: usize,
        /// The limit.
        cap: usize,
    },
    /// Not gzip, although it begins like it.
    #[error(transparent)]
    Gzip(#[from] GzipError),
    /// Not protobuf.
    #[error("pprof: {0}")]
    Wire(#[from] WireError),
    /// Protobuf, but not a profile.
    #[error("pprof: {0}")]
    Invalid(String),
    /// A row refers to one that does not exist.
    #[error("pprof: {0}, which does not exist")]
    Dangling(String),
    /// Not protobuf but one of the formats from before, and damaged.
    #[error(transparent)]
    Legacy(#[from] LegacyError),
}

impl PprofError {
    /// Whether the bytes may be of a format that is no pprof.
    pub(crate) fn may_be_another_format(&self) -> bool {
        matches!(self, Self::Wire(_) | Self::Invalid(_) | Self::Dangling(_))
    }
}
