//! A part of what is stored as the zip of a bundle.

use pilotlight_core::bundles::{Bundle, BundleError, Made};
use worker::{Request, Response};

use super::{EdgeQueryRunner, INCOMPLETE_HEADER, Slice, selector};
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] =
    &[Endpoint::get("/api/v1/export", READ, |request, scope| {
        Box::pin(export(request, scope))
    })];

/// `GET /api/v1/export?query&from&until`, with `commit` and `when` for its description. The selector
/// may name a type; without one all types are in it.
async fn export(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let (query, range) = (
        parameters.get("query").unwrap_or(""),
        parameters.range_millis()?,
    );
    let runner = EdgeQueryRunner::open(scope)?;
    let Slice {
        plan,
        range,
        permit,
    } = runner.slice(selector(query)?, range).await?;
    let is_incomplete = plan.sums_only() > 0;
    let text = |name: &str| parameters.get(name).map(str::to_owned);
    let made = Made {
        commit: text("commit"),
        when: text("when"),
        ..Made::slice(query, range, is_incomplete)
    };
    let (profiles, bytes_read) = (plan.profiles(), plan.bytes());
    let response = if profiles == 0 {
        Response::empty()?.with_status(204)
    } else {
        let bundle = Bundle::new(made, plan.finish()?);
        let disposition = format!("attachment; filename=\"{}.zip\"", bundle.name());
        let response = Response::from_bytes(bundle.zip(Vec::new())?)?;
        let headers = response.headers();
        headers.set("content-type", "application/zip")?;
        headers.set("content-disposition", &disposition)?;
        response
    };
    drop(permit);
    let headers = response.headers();
    headers.set("x-pilotlight-profiles", &profiles.to_string())?;
    headers.set("x-pilotlight-bytes", &bytes_read.to_string())?;
    if is_incomplete {
        // Only sums are kept of some of it, or of all.
        headers.set(INCOMPLETE_HEADER, "true")?;
    }
    Ok(response)
}

impl From<BundleError> for Problem {
    fn from(error: BundleError) -> Self {
        Self::internal(error)
    }
}
