//! Answers for machines: short reports for CI jobs and language models, as JSON or as Markdown.
//! `reports/` of the core has their shapes, `openapi.json` describes them. A report is a file here and
//! a line in [`REPORTS`].

mod arguments;
mod compare;
mod flame_graph;
mod function;
mod functions;
mod labels;
mod merged;
mod parameters;
mod report;
mod series;
mod services;

use worker::Response;

use crate::http::content_type;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;
pub(crate) use arguments::Arguments;
pub(crate) use parameters::{Kind, Parameter};
pub(crate) use report::{Form, Report};

/// All reports, in the order in which one asks.
pub(crate) const REPORTS: [&Report; 7] = [
    &services::REPORT,
    &labels::REPORT,
    &functions::REPORT,
    &function::REPORT,
    &compare::REPORT,
    &series::REPORT,
    &flame_graph::REPORT,
];

/// That of the description, and those of the reports.
pub(crate) const ENDPOINTS: [Endpoint; REPORTS.len() + 1] = {
    let mut all = [Endpoint::public("/api/v1/openapi.json", openapi); REPORTS.len() + 1];
    let mut at = 0;
    while at < REPORTS.len() {
        all[at + 1] = REPORTS[at].endpoint;
        at += 1;
    }
    all
};

/// The description of these calls, OpenAPI 3.1.
const OPENAPI: &str = include_str!("openapi.json");

fn openapi() -> Result<Response, Problem> {
    let bytes = OPENAPI.as_bytes().to_vec();
    Ok(content_type::response(
        200,
        Form::Json.content_type(),
        bytes,
    )?)
}

#[cfg(test)]
mod tests;
