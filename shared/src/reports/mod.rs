//! Answers for machines: what profiles say as short tables, for CI jobs and language models.
//!
//! A flame graph as JSON has tens of thousands of numbers; what is asked is mostly which functions
//! matter, what calls them and what has changed. Each report is bounded by a number of rows and says
//! how much of the whole those rows show. Nothing is left out before the rows are chosen: values and
//! totals are exact, and so is each share up to the precision of 64-bit floating point. Only where
//! a sum outgrows memory are values approximate, and `error_bound` says by how much at most.
//!
//! A report is serialized as JSON in camel case, or written as Markdown within a number of bytes.
//!
//! Values that are shares are parts of one, not percent. Times are milliseconds since 1970.

mod calls;
mod comparison;
mod flame_graph;
mod function;
mod functions;
mod labels;
mod markdown;
mod series;
mod services;

use serde::Serialize;

use crate::base::clamp::clamped;
use crate::base::units::TimeRange;
use crate::plans::QueryAnswer;

pub use calls::Call;
pub use comparison::{ChangedFunction, Comparison, ComparisonScale, ComparisonSide};
pub use flame_graph::FlameGraphReport;
pub use function::{FunctionError, FunctionReport};
pub use functions::{FunctionOrder, TopFunctions};
pub use series::{SeriesError, SeriesReport};

/// Which profiles a report is about, and their sum.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The selector, with the profile type before it.
    pub query: String,
    /// Start of the range.
    pub from: i64,
    /// End of the range; what starts then is outside.
    pub until: i64,
    /// Unit of all values, as `nanoseconds`.
    pub unit: String,
    /// How many profiles were added up.
    pub profiles: u64,
    /// Their sum.
    pub total: i64,
    /// Windows at the ends of the range count as a whole, since their profiles have expired.
    pub rounded: bool,
    /// A sum is cut at 2^63 − 1.
    pub saturated: bool,
    /// By how much a value may be wrong at most, where light subtrees were folded so that the query
    /// fits memory; lines are unknown then. 0 where values are exact; the sum of all always is.
    pub error_bound: u64,
}

impl Source {
    /// Of the answer to a query.
    pub fn new(query: impl ToString, range: TimeRange, answer: &QueryAnswer) -> Self {
        let profile = &answer.profile;
        let (unit, total) = match profile.sample_types() {
            [] => ("", 0),
            [of_type, ..] => (profile.type_text(*of_type).1, profile.total(0)),
        };
        Self {
            query: query.to_string(),
            from: range.from.millis(),
            until: range.until.millis(),
            unit: unit.to_owned(),
            profiles: answer.profiles,
            total: clamped(total),
            rounded: answer.rounded,
            saturated: answer.is_saturated(),
            error_bound: answer.error_bounds.function,
        }
    }
}

/// A report that can be read as text.
pub trait Markdown: Serialize {
    /// Writes the report as GitHub's Markdown in at most `most` bytes. Rows that do not fit are
    /// left out, and the text says how many.
    fn markdown(&self, most: usize) -> String;
}

/// A part of a whole: 0 of nothing.
fn share(part: impl Into<i128>, whole: impl Into<i128>) -> f64 {
    match whole.into() {
        0 => 0.0,
        whole => part.into() as f64 / whole as f64,
    }
}

#[cfg(test)]
mod tests;
