//! What headers tell of an answer, as its message has no place for it.

use pilotlight_core::plans::QueryAnswer;
use worker::Response;

use crate::api::query::SATURATED_HEADER;
use crate::platform::errors::Problem;

/// Tells how many nodes the limit folded into `other`.
pub(super) const FOLDED_HEADER: &str = "x-pilotlight-folded";

/// What is told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notes {
    /// How many nodes the limit folded into `other`.
    pub(super) folded: Option<u64>,
    /// Whether a number is cut at 2^63 − 1.
    pub(super) saturated: Option<bool>,
}

impl Notes {
    pub(super) fn of(answer: &QueryAnswer) -> Self {
        Self {
            folded: None,
            saturated: Some(answer.is_saturated()),
        }
    }

    pub(super) fn write(self, response: &Response) -> Result<(), Problem> {
        let headers = response.headers();
        if let Some(folded) = self.folded {
            headers.set(FOLDED_HEADER, &folded.to_string())?;
        }
        if let Some(saturated) = self.saturated {
            headers.set(SATURATED_HEADER, &saturated.to_string())?;
        }
        Ok(())
    }
}
