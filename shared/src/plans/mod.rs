//! Plans: what takes several reads, as values without I/O.
//!
//! A plan says what it needs with `wants()` and takes it with `provide()`, in any order; a driver is one short loop for
//! each environment. A plan never asks for the same bytes twice.

mod answer;
mod catalog;
mod compact;
mod cover;
mod dedup;
mod deletion;
mod family;
mod job;
mod parts;
mod query;
mod reading;
mod reads;
mod rebuild;
mod settle;
mod shares;
mod so_far;
mod static_catalog;
mod steps;
mod timeline;

use thiserror::Error;

pub use answer::{AnswerSum, MAX_HELD, QueryAnswer};
pub use catalog::{Service, label_values, services};
pub use compact::{CompactOutput, CompactPlan, CompactTask};
pub use dedup::{CountedChunks, RETRY_WINDOW_MILLIS};
pub use deletion::{Deletion, pick_rewrite};
pub use job::{
    CompactJob, MAX_FAILURES, MAX_JOB_BYTES, MAX_JOB_OBJECTS, MAX_SHARE_BYTES, MIN_JOB_BYTES, MIN_JOB_OBJECTS,
    ObjectSummary, pick_job,
};
pub use parts::{QueryPart, QueryParts, split};
pub use query::QueryPlan;
pub use rebuild::{Dropped, RebuildPlan, Rebuilt};
pub use so_far::{named_after, sums_so_far_suffice};
pub use static_catalog::{static_catalog, static_parts};
pub use steps::{Steps, window_of};
pub use timeline::{Grouping, Point, Timeline, TimelinePlan, TimelineSeries};

use crate::merge::MergeError;
use crate::store::{Directory, KeyError, StoreError};

/// An object as the catalog knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogObject {
    /// Its name in the bucket.
    pub key: String,
    /// 0 for a segment, 1 and up for blocks.
    pub level: u8,
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
    #[error("{}, byte {}: {} bytes were asked for, {found} came", get.key, get.offset, get.length)]
    Length {
        /// What was asked for.
        get: Get,
        /// How many came.
        found: u64,
    },
    /// Bytes that nobody asked for, or that have come before.
    #[error("{}, byte {}: nobody waits for these bytes", .0.key, .0.offset)]
    NotWanted(Get),
    /// An answer before all bytes have come.
    #[error("{0} reads are still missing")]
    Unfinished(usize),
    /// An object whose name does not tell when it was written.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A source that blocks of a level are not made of.
    #[error("no block of level {level} is made of {key}")]
    Level {
        /// The source.
        key: String,
        /// The level of the block.
        level: u8,
    },
    /// A share that a job does not have.
    #[error("share {number} of a job that has {count}")]
    Share {
        /// Its number.
        number: u32,
        /// How many there are.
        count: u32,
    },
    /// A compaction of nothing.
    #[error("there is nothing to compact")]
    NoSources,
    /// A query's answer that does not fit the memory of a worker.
    #[error("the answer takes more than {most} MiB; choose a shorter range, or a selector of fewer services or series")]
    TooLarge {
        /// How much it may have, MiB.
        most: u64,
    },
    /// Answers of different types, which are not parts of one query.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The result cannot be written.
    #[error("output: {0}")]
    Output(StoreError),
}
