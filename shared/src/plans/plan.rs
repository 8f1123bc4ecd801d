//! What plans have in common: the objects they are over, what they read, and why they cannot go on.

use thiserror::Error;

use crate::merge::merger::MergeError;
use crate::store::{Directory, KeyError, Level, StoreError};

/// Work that takes several reads.
pub trait Plan {
    /// What is still needed.
    fn wants(&self) -> Vec<Get>;

    /// Takes what was asked for, in any order. After an error the plan is of no use.
    fn provide(&mut self, get: &Get, bytes: &[u8]) -> Result<(), PlanError>;
}

/// An object as the catalog knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogObject {
    /// Its name in the bucket.
    pub key: String,
    /// How far it is compacted.
    pub level: Level,
    /// Its length in bytes.
    pub size: u64,
    /// What it holds.
    pub directory: Directory,
}

/// A range of an object that a plan needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Get {
    /// Name of the object.
    pub key: String,
    /// First byte.
    pub offset: u64,
    /// How many.
    pub length: u64,
}

/// Why a plan cannot go on.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// Stored bytes are damaged.
    #[error("{key}, byte {offset}: {source}")]
    Damaged {
        /// The object.
        key: String,
        /// Where the part that is damaged begins.
        offset: u64,
        /// How.
        source: StoreError,
    },
    /// Bytes that are not as many as were asked for.
    #[error("{}, byte {}: expected {} bytes, got {found}", get.key, get.offset, get.length)]
    Length {
        /// What was asked for.
        get: Get,
        /// How many came.
        found: u64,
    },
    /// Bytes that nobody asked for, or that have come before.
    #[error("{}, byte {}: these bytes were not requested", .0.key, .0.offset)]
    NotWanted(Get),
    /// An answer before all bytes have come.
    #[error("{0} reads are still missing")]
    Unfinished(usize),
    /// An object whose name does not tell when it was written.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A source that blocks of a level are not made of.
    #[error("{key} can't be compacted into a block of level {level}")]
    Level {
        /// The source.
        key: String,
        /// The level of the block.
        level: Level,
    },
    /// A partition that a job does not have.
    #[error("partition {number} does not exist; the job has {count} (numbered from 0)")]
    Partition {
        /// Its number.
        number: u32,
        /// How many there are.
        count: u32,
    },
    /// A compaction of nothing.
    #[error("there is nothing to compact")]
    NoSources,
    /// A query's answer that does not fit the memory of a worker.
    #[error(
        "the result needs more than {most} MiB; choose a shorter range, or select fewer services or \
         series"
    )]
    TooLarge {
        /// How much it may have, MiB.
        most: u64,
    },
    /// A slice of what stands in more places than one invocation may read.
    #[error(
        "the query needs more than {most} reads; choose a shorter range, or select fewer services or \
         series"
    )]
    TooManyReads {
        /// How many it may take.
        most: u64,
    },
    /// Timelines of more services than an answer may hold.
    #[error("too many services for {0} points each; ask for fewer points")]
    TooManyServices(usize),
    /// Answers of different types, which are not parts of one query.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The result cannot be written.
    #[error("output: {0}")]
    Output(StoreError),
}
