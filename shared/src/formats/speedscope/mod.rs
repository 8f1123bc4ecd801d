//! speedscope's JSON, which rbspy, py-spy, dotnet-trace and many others write.
//!
//! Source: the format's published schema, <https://www.speedscope.app/file-format-schema.json>.
//!
//! # Reading
//!
//! - All profiles of a file are read. The name of a profile is the label `profile_name` of its
//!   samples, as in Pyroscope. `activeProfileIndex` says what a viewer shows first: its type is the
//!   default if times are asked for.
//! - A profile is `sampled` (stacks with weights) or `evented` (frames that open and close). Of
//!   events, the time between two belongs to the frames that are open then; time without any is
//!   left out.
//! - Each kind of unit is a sample type: seconds and their parts are `time/nanoseconds`, bytes are
//!   `space/bytes`, and `none` is `samples/count`. Times are rounded to nanoseconds. Fractions without
//!   a unit are kept in thousandths, millionths or billionths as those of folded stacks. Bytes are
//!   rounded so that their sum stays, with a warning.
//! - Equal stacks of a profile add up, and their times are not kept; unless they are asked for
//!   ([`decode_with_times`]), as a flame chart needs them.
//! - Keys come in any order, `shared` behind `profiles` too. A file without `$schema` is known by
//!   `profiles` and `shared.frames`.
//!
//! # Writing
//!
//! - What is written has one weight for each stack, not samples in order. The format can't say so;
//!   the exporter's name does, and such a file is read without times.
//! - Each sample type and each thread is a sampled profile. Its name is that of both, and they are
//!   told apart when it is read. The largest of the type that is shown is the active one.
//! - An inlined call is a frame, and so is an address without a function.

mod document;
mod encode;
mod error;
mod round;
mod sums;

use crate::base::limits::MAX_PROFILE_BYTES;
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;
use crate::formats::json::format::{JsonFormat, SCHEMA};
use crate::formats::start::without_mark;
use document::Document;
pub use document::MAX_PROFILES;
pub use encode::encode;
pub use error::{ProfileProblem, SpeedscopeError};
use sums::{Damaged, Times};

/// Whether this is speedscope's JSON.
pub fn sniff(bytes: &[u8]) -> bool {
    JsonFormat::of(bytes) == Some(JsonFormat::Speedscope)
}

/// Decodes a file. Time and memory are linear in its size.
pub fn decode(bytes: &[u8]) -> Result<Decoded, SpeedscopeError> {
    read(bytes, Times::Dropped, Damaged::Refused)
}

/// The same with samples one by one and their times, if the values of all profiles are times.
/// Times are as the file has them, in nanoseconds; those of stacks with weights begin at
/// `startValue`, or at 0 without one. Of its profiles, one that is damaged is left out with a
/// warning, while any is sound.
pub fn decode_with_times(bytes: &[u8]) -> Result<Decoded, SpeedscopeError> {
    read(bytes, Times::Kept, Damaged::LeftOut)
}

fn read(bytes: &[u8], times: Times, damaged: Damaged) -> Result<Decoded, SpeedscopeError> {
    let (length, cap) = (bytes.len(), MAX_PROFILE_BYTES);
    if length > cap {
        return Err(SpeedscopeError::TooLarge { length, cap });
    }
    let document: Document = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| SpeedscopeError::Json(error.to_string()))?;
    let is_known = match &document.schema {
        Some(schema) => schema.contains(SCHEMA),
        None => !document.shared.frames.locations.is_empty(),
    };
    if !is_known {
        return Err(SpeedscopeError::Schema);
    }
    let mut warnings = Warnings::default();
    let profile = sums::of(document, times, damaged, &mut warnings)?;
    Ok(Decoded {
        profile,
        warnings: warnings.finish(),
    })
}
