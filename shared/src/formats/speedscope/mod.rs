//! speedscope's JSON, which rbspy, py-spy, dotnet-trace and many others write.
//!
//! Source: the format's published schema, <https://www.speedscope.app/file-format-schema.json>.
//!
//! # Reading
//!
//! - All profiles of a file are read. The name of a profile is the label `profile_name` of its
//!   samples, as in Pyroscope. `activeProfileIndex` says what a viewer shows first and is ignored.
//! - A profile is `sampled` (stacks with weights) or `evented` (frames that open and close). Of
//!   events, the time between two belongs to the frames that are open then; time without any is
//!   left out.
//! - Each kind of unit is a sample type: seconds and their parts are `time/nanoseconds`, bytes are
//!   `space/bytes`, and `none` is `samples/count`. Values are rounded to whole ones.
//! - Equal stacks of a profile add up. Times are not kept.
//! - Keys come in any order, `shared` behind `profiles` too.

mod document;
mod sums;

use thiserror::Error;

use document::Document;

use crate::base::limits::{MAX_PROFILE_BYTES, MAX_STACK_DEPTH};
use crate::base::warnings::Warnings;
use crate::formats::decoded::Decoded;

/// What the key `$schema` holds.
const SCHEMA: &str = "speedscope.app/file-format-schema";

/// In how many bytes the schema is looked for. It comes early.
const BYTES_LOOKED_AT: usize = 64 << 10;

/// Most profiles in a file, of which each is a thread or a process: as many as one push may make
/// series.
pub const MAX_PROFILES: usize = crate::base::limits::MAX_SERIES_A_PUSH;

/// The label of a profile's name.
const PROFILE_NAME: &str = "profile_name";

/// Why a file is not speedscope's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SpeedscopeError {
    /// Larger than allowed.
    #[error("speedscope: {length} bytes; {cap} are allowed")]
    TooLarge {
        /// Its size.
        length: usize,
        /// The limit.
        cap: usize,
    },
    /// Not JSON, or not of the schema's shape.
    #[error("speedscope: {0}")]
    Json(String),
    /// JSON of something else.
    #[error("speedscope: the key \"$schema\" does not name speedscope's schema")]
    Schema,
    /// One of its profiles is wrong.
    #[error("speedscope, profile {profile} ({name:?}): {problem}")]
    Profile {
        /// Which, from 0.
        profile: usize,
        /// Its name.
        name: String,
        /// What is wrong.
        problem: ProfileProblem,
    },
}

/// What is wrong with a profile of a file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProfileProblem {
    /// A key is missing.
    #[error("it has no {0:?}")]
    Missing(&'static str),
    /// Not as many weights as samples.
    #[error("it has {samples} samples and {weights} weights")]
    Weights {
        /// How many samples.
        samples: usize,
        /// How many weights.
        weights: usize,
    },
    /// A frame that is not in the table.
    #[error("{what} {row}: there is no frame {frame}; \"shared\" has {count}")]
    Frame {
        /// A sample or an event.
        what: &'static str,
        /// Which, from 0.
        row: usize,
        /// The frame.
        frame: u32,
        /// How many there are.
        count: usize,
    },
    /// A time before that of the event before.
    #[error("event {0} is earlier than the event before it")]
    Order(usize),
    /// A frame is closed that is not the last one opened.
    #[error("event {row} closes the frame {frame:?}, but {}", open_frame(.open))]
    Close {
        /// Which event, from 0.
        row: usize,
        /// Name of the frame that it closes.
        frame: String,
        /// Name of the frame that was opened last, if any is open.
        open: Option<String>,
    },
    /// Frames that are never closed.
    #[error("the frame {0:?} is never closed")]
    Open(String),
    /// A stack that is too deep.
    #[error("event {row}: a stack of more than {MAX_STACK_DEPTH} frames")]
    TooDeep {
        /// Which event, from 0.
        row: usize,
    },
}

fn open_frame(open: &Option<String>) -> String {
    match open {
        Some(name) => format!("{name:?} is open"),
        None => "none is open".to_owned(),
    }
}

/// Whether this is speedscope's JSON.
pub fn sniff(bytes: &[u8]) -> bool {
    let start = without_mark(&bytes[..bytes.len().min(BYTES_LOOKED_AT)]).trim_ascii_start();
    start.starts_with(b"{")
        && start
            .windows(SCHEMA.len())
            .any(|part| part == SCHEMA.as_bytes())
}

/// Decodes a file. Time and memory are linear in its size.
pub fn decode(bytes: &[u8]) -> Result<Decoded, SpeedscopeError> {
    let (length, cap) = (bytes.len(), MAX_PROFILE_BYTES);
    if length > cap {
        return Err(SpeedscopeError::TooLarge { length, cap });
    }
    let document: Document = serde_json::from_slice(without_mark(bytes))
        .map_err(|error| SpeedscopeError::Json(error.to_string()))?;
    if !document.schema.contains(SCHEMA) {
        return Err(SpeedscopeError::Schema);
    }
    let mut warnings = Warnings::default();
    let profile = sums::of(document, &mut warnings)?;
    Ok(Decoded {
        profile,
        warnings: warnings.finish(),
    })
}

/// Less a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
