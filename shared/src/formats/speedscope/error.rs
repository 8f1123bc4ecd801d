//! Why a file is not speedscope's.

use thiserror::Error;

use crate::base::limits::MAX_STACK_DEPTH;

/// Why a file is not speedscope's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SpeedscopeError {
    /// Larger than allowed.
    #[error("speedscope: {length} bytes; at most {cap} are allowed")]
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
    /// It does not have the schema's shape.
    #[error("{0}")]
    Shape(String),
    /// A key is missing.
    #[error("{0:?} is missing")]
    Missing(&'static str),
    /// Not as many weights as samples.
    #[error("{samples} samples, but {weights} weights")]
    Weights {
        /// How many samples.
        samples: usize,
        /// How many weights.
        weights: usize,
    },
    /// A frame that is not in the table.
    #[error("{what} {row} refers to frame {frame}, but \"shared\" has {count} frames")]
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
