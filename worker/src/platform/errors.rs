//! Errors at the edge: few kinds, each defined by what the caller should do, as
//! `{"code","message"}` with a status.

use std::fmt::Display;

use pilotlight_core::gzip::GzipError;
use pilotlight_core::ingest::{DiscardReason, IngestError};
use pilotlight_core::pyroscope::TooLarge;
use pilotlight_core::reports::FunctionError;
use serde::{Deserialize, Serialize};
use worker::{Response, ResponseBuilder};

/// An answer other than the one asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    #[serde(skip)]
    pub(crate) status: u16,
    /// A code of the Connect protocol, which Pyroscope's clients know.
    pub(crate) code: String,
    pub(crate) message: String,
    /// When to try again, seconds.
    #[serde(skip)]
    pub(crate) retry_after: Option<u32>,
    /// The stored object that is missing or damaged.
    #[serde(skip)]
    pub(crate) object: Option<String>,
    /// Why a push is discarded, as far as that is known better than from the status.
    #[serde(skip)]
    pub(crate) discard: Option<DiscardReason>,
}

impl Problem {
    /// Whether the same question fails again: it is refused, or needs a damaged object.
    pub(crate) fn is_permanent(&self) -> bool {
        self.status < 500 || (self.status == 500 && self.object.is_some())
    }

    pub(crate) fn new(status: u16, code: &str, message: impl Display) -> Self {
        Self {
            status,
            code: code.to_owned(),
            message: message.to_string(),
            retry_after: None,
            object: None,
            discard: None,
        }
    }

    /// The request is wrong; sending it again will not help.
    pub(crate) fn invalid(message: impl Display) -> Self {
        Self::new(400, "invalid_argument", message)
    }

    /// There is nothing by that name.
    pub(crate) fn not_found(message: impl Display) -> Self {
        Self::new(404, "not_found", message)
    }

    /// Known to the protocol, not to this server.
    pub(crate) fn unimplemented(message: impl Display) -> Self {
        Self::new(501, "unimplemented", message)
    }

    /// The server has too much to do; the same request will do later.
    pub(crate) fn overloaded(message: impl Display) -> Self {
        Self {
            retry_after: Some(1),
            ..Self::too_large(message)
        }
    }

    /// The answer would be too large; one to a smaller question will do.
    pub(crate) fn too_large(message: impl Display) -> Self {
        Self::new(429, "resource_exhausted", message)
    }

    /// Something the server needs failed; the same request will do later.
    pub(crate) fn unavailable(message: impl Display) -> Self {
        Self {
            retry_after: Some(1),
            ..Self::new(503, "unavailable", message)
        }
    }

    /// The server is wrong.
    pub(crate) fn internal(message: impl Display) -> Self {
        Self::new(500, "internal", message)
    }

    /// The bucket does not do what its configuration says; trying again helps when someone has
    /// changed that.
    pub(crate) fn misconfigured(message: impl Display) -> Self {
        Self::new(502, "failed_precondition", message)
    }

    /// The error that another invocation answered, to be passed on.
    pub(crate) fn of_answer(status: u16, retry_after: Option<u32>, body: &[u8]) -> Self {
        match serde_json::from_slice::<Self>(body) {
            Ok(problem) => Self {
                status,
                retry_after,
                ..problem
            },
            Err(error) => {
                Self::unavailable(format!("another invocation returned {status}: {error}"))
            }
        }
    }

    /// The same, about a stored object.
    pub(crate) fn about(self, key: &str) -> Self {
        Self {
            object: Some(key.to_owned()),
            ..self
        }
    }

    /// As a response.
    pub(crate) fn response(&self) -> worker::Result<Response> {
        let mut builder = ResponseBuilder::new().with_status(self.status);
        if let Some(seconds) = self.retry_after {
            builder = builder.with_header("retry-after", &seconds.to_string())?;
        }
        builder.from_json(self)
    }
}

/// A push that is refused for what it holds.
impl From<IngestError> for Problem {
    fn from(error: IngestError) -> Self {
        Self {
            discard: Some(error.reason()),
            ..Self::new(error.status(), error.code(), error)
        }
    }
}

/// A body whose compression cannot be undone.
impl From<GzipError> for Problem {
    fn from(error: GzipError) -> Self {
        match error {
            GzipError::TooLarge { .. } => Self::new(413, "resource_exhausted", error),
            GzipError::Damaged { .. } => Self::invalid(error),
        }
    }
}

/// There is no report of a function.
impl From<FunctionError> for Problem {
    fn from(error: FunctionError) -> Self {
        match error {
            FunctionError::NoProfile | FunctionError::NotFound(_) => Self::not_found(error),
            FunctionError::TooLarge(error) => error.into(),
        }
    }
}

/// An answer to Pyroscope's clients that would be too large.
impl From<TooLarge> for Problem {
    fn from(error: TooLarge) -> Self {
        Self::too_large(error)
    }
}

/// A failed call into the platform: it may work the next time.
impl From<worker::Error> for Problem {
    fn from(error: worker::Error) -> Self {
        Self::unavailable(error)
    }
}
