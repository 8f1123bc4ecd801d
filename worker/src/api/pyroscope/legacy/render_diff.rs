//! `GET /pyroscope/render-diff`: a flame graph of two queries.

use std::collections::BTreeMap;

use pilotlight_core::{ProfileType, Selector, TimeRange, flamebearer, pyroscope};
use serde::Serialize;
use worker::{Request, Response};

use super::{graph_nodes, selection};
use crate::api::pyroscope::notes::FOLDED_HEADER;
use crate::api::pyroscope::{flamegraph, json};
use crate::api::query::{EdgeQueryRunner, SATURATED_HEADER};
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

/// What is asked for.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) profile_type: ProfileType,
    /// Left and right.
    pub(super) sides: [(Selector, TimeRange); 2],
    pub(super) max_nodes: usize,
}

impl Ask {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Problem> {
        let (left, profile_type) = selection(parameters, "leftQuery")?;
        let (right, of_right) = selection(parameters, "rightQuery")?;
        if profile_type != of_right {
            return Err(Problem::invalid(format!(
                "profile types must match: leftQuery has {profile_type}, rightQuery {of_right}"
            )));
        }
        let left_range = parameters.render_range_of("leftFrom", "leftUntil")?;
        let right_range = parameters.render_range_of("rightFrom", "rightUntil")?;
        Ok(Self {
            profile_type,
            sides: [(left, left_range), (right, right_range)],
            max_nodes: graph_nodes(parameters)?,
        })
    }
}

/// The whole answer, in the order of Pyroscope's fields.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RenderDiff<'a> {
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
pub(super) fn answer<'a>(
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
pub(crate) async fn render_diff(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let ask = Ask::of(&Parameters::of(request))?;
    let runner = EdgeQueryRunner::open(scope)?;
    let [left, right] = &ask.sides;
    let (left, cut_left) = side(&runner, left, &ask.profile_type).await?;
    let (right, cut_right) = side(&runner, right, &ask.profile_type).await?;
    let graph = pyroscope::flame_graph_diff(&left, &right, ask.max_nodes);
    let sum = graph.left_ticks.checked_add(graph.right_ticks);
    let saturated = cut_left || cut_right || sum.is_none();
    let response = json(&answer(&graph, &ask.profile_type))?;
    let headers = response.headers();
    headers.set(FOLDED_HEADER, &graph.folded.to_string())?;
    headers.set(SATURATED_HEADER, &saturated.to_string())?;
    Ok(response)
}

/// The tree of one side, and whether a number of it is cut. Of the answer nothing else is kept while
/// the other side is read.
async fn side(
    runner: &EdgeQueryRunner,
    (selector, range): &(Selector, TimeRange),
    profile_type: &ProfileType,
) -> Result<(pilotlight_core::CallTree, bool), Problem> {
    let answer = runner.merged(selector, profile_type, *range).await?;
    Ok((flamegraph::tree(&answer), answer.is_saturated()))
}
