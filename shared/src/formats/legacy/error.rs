//! Why bytes are not a legacy profile.

use std::fmt;

use thiserror::Error;

/// One of the legacy formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Samples of the CPU as binary words.
    Cpu,
    /// Memory by allocating stack; also growth and fragmentation of the heap.
    Heap,
    /// How often each stack occurs, such as Go's goroutines.
    Count,
    /// One stack a thread.
    Threads,
    /// Waiting for locks.
    Contention,
    /// Memory of a Java program.
    JavaHeap,
}

impl Format {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "legacy CPU profile",
            Self::Heap => "legacy heap profile",
            Self::Count => "legacy count profile",
            Self::Threads => "legacy thread profile",
            Self::Contention => "legacy contention profile",
            Self::JavaHeap => "legacy Java heap profile",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why bytes are not a legacy profile, or which part of one is broken.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LegacyError {
    /// None of the formats begins like this.
    #[error("not a legacy profile: it begins with {0:?}")]
    Unknown(String),
    /// Larger than allowed.
    #[error("legacy profile: {length} bytes; at most {cap} are allowed")]
    TooLarge {
        /// Its size.
        length: usize,
        /// The limit.
        cap: usize,
    },
    /// A line that does not fit.
    #[error("{format}, line {line}: {problem}: {text:?}")]
    Line {
        /// What is being read.
        format: Format,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
        /// Its beginning.
        text: String,
    },
    /// Words that do not fit.
    #[error("{format}, byte {offset}: {problem}")]
    Word {
        /// What is being read.
        format: Format,
        /// Where.
        offset: usize,
        /// What is wrong there.
        problem: String,
    },
    /// Something is wrong with the whole.
    #[error("{format}: {problem}")]
    Whole {
        /// What is being read.
        format: Format,
        /// What is wrong with it.
        problem: String,
    },
}
