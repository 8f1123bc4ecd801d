//! What requests are answered with: pushes, our queries, reports for machines and as tools of models,
//! Pyroscope's API, recording rules, alerts, profiles for Go's compiler, shares, annotations, pins, source
//! code, symbol tables, a language model, operators' calls, tokens and metrics.
//!
//! A module declares its endpoints next to the functions that answer; [`ENDPOINTS`] lists them all.

pub(crate) mod admin;
pub(crate) mod alerts;
pub(crate) mod annotations;
pub(crate) mod health;
pub(crate) mod limits;
pub(crate) mod mcp;
pub(crate) mod metrics;
pub(crate) mod minute;
pub(crate) mod model;
pub(crate) mod pgo;
pub(crate) mod pins;
pub(crate) mod push;
pub(crate) mod pyroscope;
pub(crate) mod query;
pub(crate) mod reports;
pub(crate) mod rules;
pub(crate) mod shares;
pub(crate) mod source;
pub(crate) mod symbols;
pub(crate) mod tokens;

use crate::http::endpoint::Endpoint;

/// Everything that is served. The order counts only for endpoints of one path: it is that of the
/// methods in the message of a 405.
pub(crate) const ENDPOINTS: &[&[Endpoint]] = &[
    health::ENDPOINTS,
    push::ingest::ENDPOINTS,
    push::connect::ENDPOINTS,
    push::otlp::ENDPOINTS,
    push::debug_info::ENDPOINTS,
    query::ENDPOINTS,
    query::export::ENDPOINTS,
    pgo::ENDPOINTS,
    &reports::ENDPOINTS,
    mcp::ENDPOINTS,
    source::ENDPOINTS,
    model::ENDPOINTS,
    annotations::ENDPOINTS,
    symbols::ENDPOINTS,
    pins::ENDPOINTS,
    alerts::ENDPOINTS,
    rules::ENDPOINTS,
    rules::PROMETHEUS_ENDPOINTS,
    shares::ENDPOINTS,
    pyroscope::metadata::ENDPOINTS,
    pyroscope::profiles::ENDPOINTS,
    pyroscope::series::ENDPOINTS,
    pyroscope::heatmap::ENDPOINTS,
    pyroscope::comparison::ENDPOINTS,
    pyroscope::stats::ENDPOINTS,
    pyroscope::capabilities::ENDPOINTS,
    pyroscope::build_info::ENDPOINTS,
    pyroscope::settings::ENDPOINTS,
    pyroscope::recording_rules::ENDPOINTS,
    pyroscope::ad_hoc::ENDPOINTS,
    pyroscope::legacy::render::ENDPOINTS,
    pyroscope::legacy::render_diff::ENDPOINTS,
    pyroscope::legacy::label_values::ENDPOINTS,
    metrics::ENDPOINTS,
    tokens::ENDPOINTS,
    limits::ENDPOINTS,
    admin::bucket_check::ENDPOINTS,
    admin::retention::ENDPOINTS,
    admin::refusals::ENDPOINTS,
    admin::maintenance::ENDPOINTS,
    admin::deletions::ENDPOINTS,
    admin::parked::ENDPOINTS,
    admin::delete_tenant::ENDPOINTS,
    admin::rebuild::ENDPOINTS,
];

#[cfg(test)]
mod tests;
