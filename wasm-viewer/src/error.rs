//! Why something cannot be opened or shown.

use pilotlight_core::folded::FoldedError;
use pilotlight_core::pprof::PprofError;
use pilotlight_core::store::StoreError;
use pilotlight_core::verbs::TimelineError;
use pilotlight_core::{MergeError, OpenError, PatternError, UnitError, gzip};
use thiserror::Error;

/// Most steps: far more than a person makes. Each is a pass over the whole profile.
pub(crate) const MAX_STEPS: usize = 64;

/// What can go wrong, in words for the person in front of the page.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // The message of each is its doc.
pub enum SessionError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Pprof(#[from] PprofError),
    #[error("the number of times differs from the number of samples")]
    Times,
    #[error(transparent)]
    Chunk(#[from] StoreError),
    #[error(transparent)]
    Folded(#[from] FoldedError),
    #[error(transparent)]
    Gzip(#[from] gzip::GzipError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Unit(#[from] UnitError),
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error("the total of these profiles exceeds 64 bits")]
    Saturated,
    #[error("profile {0} is not open")]
    NoProfile(u32),
    #[error("tree {0} is not open")]
    NoTree(u32),
    #[error("the tree has no node {0}")]
    NoNode(u32),
    #[error("the profile has no sample type {0}")]
    NoType(u32),
    #[error("the comparison has no sample type {kind}/{unit}; it has {has}")]
    NoSuchType {
        kind: String,
        unit: String,
        has: String,
    },
    // Without the numbers: what writes an `f64` as text is a 25th of the viewer.
    #[error("a profile can only be scaled by whole numbers above 0")]
    Ratio,
    #[error("step {number}, {step}: {reason}")]
    Step {
        number: usize,
        step: String,
        reason: String,
    },
    #[error("got {0} steps; at most {MAX_STEPS} are allowed")]
    TooManySteps(usize),
    #[error("this profile's samples have no times")]
    NoTimes,
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    #[error("direction must be parent, child, next or previous (got {0:?})")]
    Direction(String),
    #[error("sort must be self, total, name or delta (got {0:?})")]
    Sort(String),
    #[error("widths must be both, base or comparison (got {0:?})")]
    Widths(String),
}

impl SessionError {
    /// What the person can do about it: `empty`, `unread` (a format of its own), `damaged`,
    /// `different` (profiles that do not fit each other), else nothing.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Open(OpenError::Unsupported(_)) => "unread",
            Self::Open(OpenError::Empty { .. }) => "empty",
            Self::Open(_) | Self::Pprof(_) | Self::Chunk(_) | Self::Gzip(_) => "damaged",
            Self::Merge(_) | Self::Unit(_) | Self::NoSuchType { .. } => "different",
            _ => "",
        }
    }
}
