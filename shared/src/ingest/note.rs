//! What of a push is stored otherwise than it was sent.

use thiserror::Error;

use super::origin::FIRST_YEAR;
use super::reason::DiscardReason;
use crate::formats::pprof::PprofError;

/// Something that is stored otherwise than it was sent, in words for the sender. The rest of the
/// profile is stored as it is.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Note {
    /// Samples that cannot be read.
    #[error("{samples} of {of} samples are left out: {reason}")]
    LeftOut {
        /// How many.
        samples: u64,
        /// How many there were.
        of: u64,
        /// What is wrong with the first.
        reason: PprofError,
    },
    /// What the reader of a text says, which left lines out.
    #[error("{0}")]
    LinesLeftOut(String),
    /// What the reader of a text says, which read all of it: that it rounded values, say.
    #[error("{0}")]
    Changed(String),
    /// A start that is no date: the clock of the sender counts from its own start, say, or in
    /// microseconds.
    #[error(
        "the profile starts at {0} nanoseconds since 1970, which is before {FIRST_YEAR}; the arrival time is used instead"
    )]
    Start(i64),
    /// A label of samples that would make too many series.
    #[error(
        "the label {name:?} has {values} values in one profile; it is left out, since each value would create a separate series"
    )]
    Label {
        /// The label.
        name: String,
        /// How many different values it has.
        values: usize,
    },
}

impl Note {
    /// The reason under which it is counted; `None` if nothing that was measured is lost.
    pub fn reason(&self) -> Option<DiscardReason> {
        match self {
            Self::LeftOut { .. } | Self::LinesLeftOut(_) => Some(DiscardReason::MalformedProfile),
            Self::Start(_) | Self::Changed(_) => None,
            Self::Label { .. } => Some(DiscardReason::LabelValuesLimit),
        }
    }
}
