//! Whether this answers: `GET /healthz`, and `GET /ready` as Pyroscope has it.

use worker::Response;

use crate::http::endpoint::Endpoint;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::public("/healthz", || Ok(Response::ok("ok")?)),
    Endpoint::public("/ready", || Ok(Response::ok("ready\n")?)),
];
