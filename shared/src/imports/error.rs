//! Why a file cannot be read.

use thiserror::Error;

use crate::base::limits::MAX_STACK_DEPTH;
use crate::base::warnings::cut;
use crate::formats::compression::CompressionError;
use crate::formats::detect::{OpenError, UnsupportedFormat};
use crate::formats::jfr::JfrError;
use crate::formats::pprof::PprofError;
use crate::formats::protobuf::WireError;
use crate::formats::speedscope::SpeedscopeError;

/// Why a file cannot be opened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ImportError {
    /// A damaged file of a format of [`crate::imports`].
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A damaged recording of JDK or async-profiler.
    #[error(transparent)]
    Jfr(#[from] JfrError),
    /// Damaged JSON of speedscope.
    #[error(transparent)]
    Speedscope(#[from] SpeedscopeError),
    /// None of the formats; what it is instead.
    #[error("this is {0}; docs/imports.md lists the formats that Pilotlight opens")]
    Unsupported(UnsupportedFormat),
    /// What [`crate::open`] says.
    #[error(transparent)]
    Common(OpenError),
    /// It cannot be inflated.
    #[error(transparent)]
    Compression(#[from] CompressionError),
}

impl From<OpenError> for ImportError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Unsupported(format) => Self::Unsupported(format),
            error => Self::Common(error),
        }
    }
}

impl ImportError {
    /// Whether the file has more bytes, or inflates to more, than the caller allowed, who may allow
    /// more.
    pub fn is_too_large(&self) -> bool {
        match self {
            Self::Common(OpenError::Pprof(PprofError::TooLarge { .. })) => true,
            Self::Common(OpenError::Compression(error)) | Self::Compression(error) => {
                error.is_too_large()
            }
            _ => false,
        }
    }
}

/// Why a file of a format of [`crate::imports`] cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{format}{}: {problem}", place_text(.place))]
pub struct FormatError {
    /// The format's name.
    pub format: &'static str,
    /// Where: a line, a byte, a row of a table.
    pub place: Option<String>,
    /// What is wrong there.
    pub problem: String,
    /// Whether nothing is wrong, but that the file has no samples.
    pub is_sampleless: bool,
}

impl FormatError {
    /// A problem of the file as a whole.
    pub(crate) fn new(format: &'static str, problem: impl Into<String>) -> Self {
        Self {
            format,
            place: None,
            problem: problem.into(),
            is_sampleless: false,
        }
    }

    /// A file that is whole and has no samples.
    pub(crate) fn sampleless(format: &'static str) -> Self {
        Self {
            is_sampleless: true,
            ..Self::new(format, "there are no samples")
        }
    }

    /// A problem at a line, from 1.
    pub(crate) fn at_line(format: &'static str, line: usize, problem: impl Into<String>) -> Self {
        Self::at(format, format!("line {line}"), problem)
    }

    /// A problem at a place, such as `thread 2, sample 17`.
    pub(crate) fn at(
        format: &'static str,
        place: impl Into<String>,
        problem: impl Into<String>,
    ) -> Self {
        Self {
            place: Some(place.into()),
            ..Self::new(format, problem)
        }
    }

    /// What the reader of JSON says. It names line and column.
    pub(crate) fn json(format: &'static str, error: &serde_json::Error) -> Self {
        Self::new(format, cut(&error.to_string()))
    }
}

/// What is wrong with a stack that no tree can hold.
pub(crate) fn too_deep() -> String {
    format!("a stack has more than {MAX_STACK_DEPTH} frames (the maximum)")
}

/// What is wrong with a part of a file; who reads the file knows where that part is.
pub(crate) struct Problem(pub(crate) String);

impl From<WireError> for Problem {
    fn from(error: WireError) -> Self {
        Self(error.to_string())
    }
}

impl From<FormatError> for Problem {
    fn from(error: FormatError) -> Self {
        Self(error.problem)
    }
}

fn place_text(place: &Option<String>) -> String {
    place
        .as_ref()
        .map(|place| format!(", {place}"))
        .unwrap_or_default()
}
