//! pprof's `profile.proto`, the format that most profilers speak.
//!
//! Source of the format: `proto/profile.proto` of google/pprof. Fields may come in any order (Go
//! writes the string table last), repeated numbers packed or not, zeros left out.

mod decode;
mod encode;
mod error;
mod ids;
mod outline;
mod samples;

pub use crate::formats::decoded::Decoded;
pub use decode::decode;
pub use encode::{encode, encode_gzip};
pub use error::PprofError;

use crate::formats::gzip::inflate;
use crate::formats::legacy;

/// Decodes a profile that may be gzip; after inflation it may have `cap` bytes. Like `go tool
/// pprof` it takes the formats from before `profile.proto` too ([`crate::legacy`]).
pub fn open(bytes: &[u8], cap: usize) -> Result<Decoded, PprofError> {
    let inflated = inflate(bytes, cap)?;
    let raw = inflated.as_deref().unwrap_or(bytes);
    if raw.len() > cap {
        return Err(PprofError::TooLarge {
            length: raw.len(),
            cap,
        });
    }
    decode(raw).or_else(|error| match legacy::sniff(raw) {
        Some(_) => Ok(legacy::decode(raw)?),
        None => Err(error),
    })
}
