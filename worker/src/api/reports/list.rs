//! The reports.

use super::report::Report;
use super::{compare, flame_graph, function, functions, labels, series, services};

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
