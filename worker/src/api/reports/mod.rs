//! Answers for machines: short reports for CI jobs and language models, as JSON or as Markdown.
//! `reports/` of the core has their shapes. A report is a file here, a line in [`REPORTS`] and the
//! schema of its answer in `openapi.json`.

mod arguments;
mod compare;
mod description;
mod flame_graph;
mod function;
mod functions;
mod labels;
mod list;
mod merged;
mod parameters;
mod report;
mod series;
mod services;

use crate::http::endpoint::Endpoint;
pub(crate) use arguments::Arguments;
pub(crate) use list::REPORTS;
pub(crate) use parameters::{Parameter, object};
pub(crate) use report::{Form, Report};

/// That of the description, and those of the reports.
pub(crate) const ENDPOINTS: [Endpoint; REPORTS.len() + 1] = {
    let mut all =
        [Endpoint::public("/api/v1/openapi.json", description::openapi); REPORTS.len() + 1];
    let mut at = 0;
    while at < REPORTS.len() {
        all[at + 1] = REPORTS[at].endpoint;
        at += 1;
    }
    all
};

#[cfg(test)]
mod tests;
