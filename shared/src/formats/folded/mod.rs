//! Folded stacks, also called collapsed: a line a stack, `main;work;hash 12`, the root first, as
//! flame-graph scripts and many profilers write them.
//!
//! Sources: the output of `stackcollapse-*.pl` as described in Brendan Gregg's FlameGraph, and what
//! speedscope reads.
//!
//! # Reading
//!
//! - Text is UTF-8; [`crate::open`] decodes UTF-16 first. Lines end in `\n` or `\r\n`.
//! - The last word of a line is its value, a whole number or a decimal. What is before the last
//!   blank is the stack, blanks included.
//! - Where there are decimals, values are kept in thousandths, millionths or billionths, exactly as
//!   far as those and 64 bits allow; else they are rounded once, with a warning.
//! - Equal stacks add up. Frames without a name (`a;;b`) are left out.
//! - Blank lines, and lines that begin with `#` and have no value, are comments. Any other line
//!   without a value is left out with a warning.
//! - The values are of the type `samples/count`, or `samples/count/1000` and so on, for the format
//!   does not say what they are.
//!
//! # Writing
//!
//! One line for each stack whose values do not add up to zero, in the order of the stacks' bytes.
//! Inlined calls are frames like others; a location without a function is its address and file, as
//! in a call tree. In names `;` becomes `:`, and line ends and the byte order mark become blanks; a
//! frame without a name becomes `?`. What is written, read and written again is the same text.

mod decode;
mod encode;
mod lines;
mod number;
pub(crate) mod variants;

use thiserror::Error;

pub(crate) use decode::decode_counted;
pub use decode::{decode, sniff};
pub use encode::encode;
pub use lines::decode_lines;
pub(crate) use number::{Number, Scale, rounded};

/// Why text is not folded stacks, or a profile cannot be written as such.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FoldedError {
    /// Larger than allowed.
    #[error("folded stacks: {length} bytes; at most {cap} are allowed")]
    TooLarge {
        /// Its size; of what is written, as far as it went.
        length: usize,
        /// The limit.
        cap: usize,
    },
    /// Not one line has a value within 64 bits, and one has a larger value.
    #[error("folded stacks: the value in {0:?} exceeds 64 bits")]
    TooLargeValue(String),
    /// Not one line has a value.
    #[error("not folded stacks: expected lines like \"main;work 12\", got {0:?}")]
    NoStack(String),
    /// A stack that is too deep.
    #[error("folded stacks, line {line}: a stack of {depth} frames; at most {cap} are allowed")]
    TooDeep {
        /// Number of the line, from 1.
        line: u64,
        /// How deep it is.
        depth: usize,
        /// The limit.
        cap: usize,
    },
    /// The profile has no such sample type.
    #[error(
        "folded stacks: sample type {wanted} (counted from 0) does not exist; the profile has {count}"
    )]
    NoType {
        /// Which was asked for, from 0.
        wanted: usize,
        /// How many there are.
        count: usize,
    },
}
