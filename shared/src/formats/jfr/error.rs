//! Why bytes are not a recording.

use thiserror::Error;

/// Why bytes are not a recording, and where.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("JFR, chunk {chunk}, byte {offset}: {problem}")]
pub struct JfrError {
    /// Number of the chunk, from 1.
    pub chunk: u32,
    /// Offset in the file, after inflation.
    pub offset: usize,
    /// What is wrong there.
    pub problem: JfrProblem,
}

/// What is wrong with a recording.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum JfrProblem {
    /// Larger than allowed.
    #[error("the recording has {length} bytes; at most {cap} are allowed")]
    TooLarge {
        /// Its size.
        length: usize,
        /// The limit.
        cap: usize,
    },
    /// A chunk does not begin with the magic number.
    #[error("no chunk begins here")]
    NotAChunk,
    /// A version of the format from before Java 9, or from after this code.
    #[error("format version {0} is not supported; expected version 2")]
    Version(u16),
    /// The process was still writing the chunk.
    #[error("the chunk is not finished")]
    Unfinished,
    /// A number, a text or a list goes beyond what holds it.
    #[error("{0} runs past the end")]
    BeyondEnd(&'static str),
    /// An event, a header or a pool that cannot be as it is.
    #[error("{0}")]
    Invalid(&'static str),
    /// A text in an unknown encoding.
    #[error("a string has the unknown encoding {0}")]
    Encoding(u8),
    /// Values of a class that the metadata does not describe.
    #[error("class {0} is not described by the metadata")]
    UnknownClass(u64),
    /// A class that holds itself, or classes within classes beyond need.
    #[error("class {0} is nested too deeply or has too many fields")]
    TooNested(u64),
    /// A stack that is too deep.
    #[error("a stack of {depth} frames; at most {cap} are allowed")]
    TooDeep {
        /// How deep it is.
        depth: u32,
        /// The limit.
        cap: usize,
    },
    /// Symbols, stacks and labels that would take too much memory.
    #[error("the symbols, stacks and labels need too much memory for a recording of {0} bytes")]
    OutOfProportion(usize),
    /// Texts and constants that are read again and again.
    #[error("the events need too many steps to read for a recording of {0} bytes")]
    TooMuchWork(usize),
}

impl JfrProblem {
    /// Whether a part of the recording is not what it should be.
    pub(super) fn is_damage(&self) -> bool {
        !matches!(
            self,
            Self::TooLarge { .. } | Self::OutOfProportion(_) | Self::TooMuchWork(_)
        )
    }
}
