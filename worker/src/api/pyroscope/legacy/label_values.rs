//! `GET /pyroscope/label-values`: the values of a label, as a list.

use pilotlight_core::{Selector, TimeRange};
use worker::{Request, Response};

use super::named;
use crate::api::pyroscope::names::Matched;
use crate::api::pyroscope::request::day_before;
use crate::api::pyroscope::{json, names};
use crate::api::query::{self, EdgeQueryRunner};
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] =
    &[
        Endpoint::get("/pyroscope/label-values", READ, |request, scope| {
            Box::pin(label_values(request, scope))
        })
        .of_several_tenants(),
    ];

/// What is asked for.
#[derive(Debug)]
pub(super) struct Ask {
    /// The label. Of `__name__` clients want the profile types.
    pub(super) label: String,
    pub(super) selectors: Vec<Selector>,
    /// The last day when nothing is said.
    pub(super) range: Option<TimeRange>,
}

impl Ask {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Problem> {
        let label = match parameters.get("label") {
            None => return Err(Problem::invalid("label parameter is required")),
            Some("__name__") => "__profile_type__",
            Some(label) => label,
        };
        let selector = parameters.get("query").map(query::selector).transpose();
        let is_given = ["from", "until"].map(|name| parameters.get(name).is_some());
        let range = match is_given {
            [false, false] => None,
            [true, _] => Some(parameters.render_range()?),
            // Pyroscope begins at now, too, which would be after the end.
            [false, true] => Some(parameters.render_day()?),
        };
        Ok(Self {
            label: label.to_owned(),
            selectors: selector
                .map_err(|problem| named("query", problem))?
                .into_iter()
                .collect(),
            range,
        })
    }
}

/// `GET /pyroscope/label-values?label&query&from&until`
async fn label_values(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let ask = Ask::of(&Parameters::of(request))?;
    let range = ask.range.unwrap_or_else(|| day_before(clock::now()));
    let matched = Matched::read(&EdgeQueryRunner::open(scope)?, range, ask.selectors).await?;
    json(&names::values(&matched.series(), &ask.label))
}
