//! What headers tell of an answer, as its message has no place for it.

use pilotlight_core::plans::QueryAnswer;
use worker::Response;

use crate::api::query::{INCOMPLETE_HEADER, ROUNDED_HEADER, SATURATED_HEADER};
use crate::platform::errors::Problem;

/// Tells how many nodes the limit folded into `other`.
const FOLDED_HEADER: &str = "x-pilotlight-folded";

/// Tells by how much a total may be wrong at most, where light subtrees were folded so that the query
/// fits memory; 0 when all numbers are exact.
const ERROR_BOUND_HEADER: &str = "x-pilotlight-error-bound";

/// What is told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notes {
    /// How many nodes the limit folded into `other`.
    pub(super) folded: Option<u64>,
    /// Whether a number is cut at 2^63 − 1.
    pub(super) saturated: Option<bool>,
    /// By how much a total may be wrong at most.
    pub(super) error_bound: Option<u64>,
    /// Whether only sums are left of some of what is selected, which is not in the answer.
    pub(super) incomplete: bool,
    /// Whether windows at the ends of the range count as a whole, since their profiles have expired.
    pub(super) rounded: bool,
}

impl Notes {
    /// Of an answer that is shown as a tree.
    pub(super) fn of(answer: &QueryAnswer) -> Self {
        Self {
            folded: None,
            saturated: Some(answer.is_saturated()),
            error_bound: Some(answer.error_bounds.node),
            incomplete: false,
            rounded: answer.rounded,
        }
    }

    /// Of an answer that is shown as functions, each of which has many nodes.
    pub(super) fn of_functions(answer: &QueryAnswer) -> Self {
        Self {
            error_bound: Some(answer.error_bounds.function),
            ..Self::of(answer)
        }
    }

    /// Of two answers on one shape: either side may be wrong by the larger bound.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            folded: self.folded.or(other.folded),
            saturated: self.saturated.max(other.saturated),
            error_bound: self.error_bound.max(other.error_bound),
            incomplete: self.incomplete || other.incomplete,
            rounded: self.rounded || other.rounded,
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
        if let Some(bound) = self.error_bound {
            headers.set(ERROR_BOUND_HEADER, &bound.to_string())?;
        }
        if self.incomplete {
            headers.set(INCOMPLETE_HEADER, "true")?;
        }
        if self.rounded {
            headers.set(ROUNDED_HEADER, "true")?;
        }
        Ok(())
    }
}
