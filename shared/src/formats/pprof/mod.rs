//! pprof's `profile.proto`, the format that most profilers speak.
//!
//! Source of the format: `proto/profile.proto` of google/pprof. Fields may come in any order (Go writes the string table
//! last), repeated numbers packed or not, zeros left out.

mod decode;
mod encode;
mod ids;
mod outline;
mod samples;
mod wire;

use thiserror::Error;

pub use decode::{Decoded, decode};
pub use encode::{encode, encode_gzip};

use crate::formats::gzip::{GzipError, inflate};
use crate::formats::legacy::{self, LegacyError};

/// Why bytes are not a pprof profile.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PprofError {
    /// Nothing at all.
    #[error("pprof: the profile is empty (0 bytes)")]
    Empty,
    /// Larger than allowed.
    #[error("pprof: the profile has {length} bytes; {cap} are allowed")]
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
    #[error("pprof: not a valid protobuf message at byte {offset}: {problem}")]
    Wire {
        /// Where, after inflation.
        offset: usize,
        /// What.
        problem: &'static str,
    },
    /// Protobuf, but not a profile.
    #[error("pprof: {0}")]
    Invalid(String),
    /// Not protobuf but one of the formats from before, and damaged.
    #[error(transparent)]
    Legacy(#[from] LegacyError),
}

impl PprofError {
    /// Whether the bytes may be of a format that is no pprof.
    pub(crate) fn may_be_another_format(&self) -> bool {
        matches!(self, Self::Wire { .. } | Self::Invalid(_))
    }
}

/// Decodes a profile that may be gzip; after inflation it may have `cap` bytes. Like `go tool pprof` it takes the formats
/// from before `profile.proto` too ([`crate::legacy`]).
pub fn open(bytes: &[u8], cap: usize) -> Result<Decoded, PprofError> {
    let inflated = inflate(bytes, cap)?;
    let raw = inflated.as_deref().unwrap_or(bytes);
    if raw.len() > cap {
        return Err(PprofError::TooLarge { length: raw.len(), cap });
    }
    decode(raw).or_else(|error| match legacy::sniff(raw) {
        Some(_) => Ok(legacy::decode(raw)?),
        None => Err(error),
    })
}
