//! `GET /pyroscope/render-diff`: a flame graph of two queries.

use std::collections::BTreeMap;

use pilotlight_core::{ProfileType, flamebearer, pyroscope};
use serde::Serialize;
use worker::{Request, Response};

use super::{graph_nodes, selection};
use crate::api::pyroscope::request::Selection;
use crate::api::pyroscope::{comparison, json};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::platform::limits::NodeLimits;

pub(crate) const ENDPOINTS: &[Endpoint] =
    &[
        Endpoint::get("/pyroscope/render-diff", READ, |request, scope| {
            Box::pin(render_diff(request, scope))
        })
        .of_several_tenants(),
    ];

/// What is asked for.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) profile_type: ProfileType,
    /// Left and right, both of this type.
    pub(super) sides: [Selection; 2],
    pub(super) max_nodes: usize,
}

impl Ask {
    pub(super) fn of(parameters: &Parameters, nodes: NodeLimits) -> Result<Self, Problem> {
        let (left, profile_type) = selection(parameters, "leftQuery")?;
        let (right, of_right) = selection(parameters, "rightQuery")?;
        if profile_type != of_right {
            return Err(Problem::invalid(format!(
                "profile types must match: leftQuery has {profile_type}, rightQuery {of_right}"
            )));
        }
        let left_range = parameters.render_range_of("leftFrom", "leftUntil")?;
        let right_range = parameters.render_range_of("rightFrom", "rightUntil")?;
        let side = |selector, range| Selection::plain(selector, profile_type.clone(), range);
        Ok(Self {
            sides: [side(left, left_range), side(right, right_range)],
            profile_type,
            max_nodes: graph_nodes(parameters, nodes)?,
        })
    }
}

/// The whole answer, in the order of Pyroscope's fields.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::api::pyroscope) struct RenderDiff<'a> {
    version: u32,
    flamebearer: flamebearer::Graph<'a>,
    metadata: flamebearer::Metadata,
    /// There is no timeline of two queries.
    timeline: Option<()>,
    groups: BTreeMap<String, ()>,
    heatmap: Option<()>,
    left_ticks: i64,
    right_ticks: i64,
}

/// Puts the answer together.
pub(in crate::api::pyroscope) fn answer<'a>(
    graph: &'a pyroscope::FlameGraphDiff,
    profile_type: &ProfileType,
) -> RenderDiff<'a> {
    RenderDiff {
        version: 1,
        flamebearer: graph.into(),
        metadata: flamebearer::Metadata::of_two(profile_type),
        timeline: None,
        groups: BTreeMap::new(),
        heatmap: None,
        left_ticks: graph.left_ticks,
        right_ticks: graph.right_ticks,
    }
}

/// `GET /pyroscope/render-diff?leftQuery&leftFrom&leftUntil&rightQuery&rightFrom&rightUntil&max-nodes`
async fn render_diff(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let ask = Ask::of(&Parameters::of(request), scope.limits.nodes())?;
    let runner = EdgeQueryRunner::open(scope)?;
    let (graph, notes) = comparison::flame_graph(&ask.sides, &runner, ask.max_nodes).await?;
    let response = json(&answer(&graph, &ask.profile_type))?;
    notes.write(&response)?;
    Ok(response)
}
