//! Why bytes are not a request of OTLP profiles, or one of its profiles cannot be read.

use thiserror::Error;

use crate::base::limits::{MAX_INLINED, MAX_LABELS_A_SAMPLE, MAX_SAMPLE_TYPES, MAX_STACK_DEPTH};
use crate::formats::protobuf::WireError;

/// Why a whole request cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OtlpError {
    /// Not protobuf.
    #[error("OTLP: {0}")]
    Wire(#[from] WireError),
    /// Not JSON, or not of the shape that the protocol gives it.
    #[error("OTLP as JSON: {0}")]
    Json(String),
    /// Profiles without the tables that they refer to.
    #[error(
        "OTLP: the request has profiles but no dictionary; OTLP 1.6 and earlier are not supported: update the sender"
    )]
    NoDictionary,
    /// Larger than allowed.
    #[error("OTLP: the request has {length} bytes; at most {cap} are allowed")]
    TooLarge {
        /// Its size.
        length: usize,
        /// The limit.
        cap: usize,
    },
    /// Tables that are used so often that each use would take more memory than the request.
    #[error(
        "OTLP: copying shared stacks and names to each profile would need more than {limit} bytes"
    )]
    Unfolds {
        /// What is allowed for a request of its size.
        limit: u64,
    },
}

/// Why one profile of a request cannot be read. The others may be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProfileError {
    /// A row that no table has.
    #[error("{what} {index} is not in the dictionary, which has {count}")]
    Missing {
        /// What the row is of.
        what: &'static str,
        /// Its index.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// A stack that is too deep.
    #[error("a stack has {0} frames; at most {MAX_STACK_DEPTH} are allowed")]
    Depth(usize),
    /// A location of too many inlined calls.
    #[error("a location has more than {MAX_INLINED} lines")]
    Inlined,
    /// A resource or scope with too many attributes.
    #[error("a resource or scope has more than {MAX_LABELS_A_SAMPLE} attributes")]
    OwnAttributes,
    /// A sample with too many attributes.
    #[error("a sample has {0} attributes; at most {MAX_LABELS_A_SAMPLE} are allowed")]
    Attributes(usize),
    /// More columns of values than a profile may have.
    #[error("the profile has more than {MAX_SAMPLE_TYPES} sample types")]
    Types,
    /// A sample whose values cannot be told apart.
    #[error("a sample has {values} values for {types} sample types")]
    Values {
        /// How many values.
        values: usize,
        /// How many types.
        types: usize,
    },
    /// A sum of values beyond 64 bits.
    #[error("the values of a sample add up to more than 2^63")]
    Overflow,
}

/// Either: what stops one profile or the whole request.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The request.
    #[error(transparent)]
    Request(#[from] OtlpError),
    /// The profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

impl From<WireError> for Stop {
    fn from(error: WireError) -> Self {
        Self::Request(error.into())
    }
}
