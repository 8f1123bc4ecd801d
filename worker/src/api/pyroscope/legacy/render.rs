//! `GET /pyroscope/render`: a flame graph with a timeline, in the JSON of the older HTTP API
//! ("flamebearer").

use std::collections::BTreeMap;

use pilotlight_core::{
    ProfileType, Selector, TimeRange, UnixNanos, dot, flamebearer,
    plans::{Grouping, MAX_NUMBERS, Outgrown, Point, Timeline, window_of},
    pyroscope,
    store::SumWindow,
};
use serde::Serialize;
use worker::{Request, Response};

use super::{dot_nodes, graph_nodes, selection};
use crate::api::pyroscope::notes::Notes;
use crate::api::pyroscope::series::Aggregation;
use crate::api::pyroscope::{flamegraph, json, names};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
use crate::platform::limits::NodeLimits;

pub(crate) const ENDPOINTS: &[Endpoint] =
    &[Endpoint::get("/pyroscope/render", READ, |request, scope| {
        Box::pin(render(request, scope))
    })
    .of_several_tenants()];

/// What is asked for.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) selector: Selector,
    pub(super) profile_type: ProfileType,
    pub(super) range: TimeRange,
    pub(super) format: Format,
}

/// In which form, and with how many nodes. What is not known is answered as JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json {
        max_nodes: usize,
        /// The label that splits the timeline.
        group_by: Option<String>,
        aggregation: Aggregation,
    },
    Dot {
        max_nodes: usize,
    },
}

impl Ask {
    pub(super) fn of(parameters: &Parameters, nodes: NodeLimits) -> Result<Self, Problem> {
        let (selector, profile_type) = selection(parameters, "query")?;
        let range = parameters.render_range()?;
        let format = match parameters.get("format") {
            Some("dot") => Format::Dot {
                max_nodes: dot_nodes(parameters)?,
            },
            _ => Format::Json {
                max_nodes: graph_nodes(parameters, nodes)?,
                group_by: parameters.get("groupBy").map(str::to_owned),
                aggregation: Aggregation::parse(parameters.get("aggregation").unwrap_or(""))?,
            },
        };
        Ok(Self {
            selector,
            profile_type,
            range,
            format,
        })
    }
}

/// `GET /pyroscope/render?query&from&until&format&max-nodes&groupBy&aggregation`
async fn render(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let ask = Ask::of(&Parameters::of(request), scope.limits.nodes())?;
    let runner = EdgeQueryRunner::open(scope)?;
    let Ask {
        selector,
        profile_type,
        range,
        ..
    } = &ask;
    let merged = async || {
        runner
            .merged_when(selector, profile_type, *range, Outgrown::Fold)
            .await
    };
    match &ask.format {
        Format::Dot { max_nodes } => {
            let merged = merged().await?;
            let tree = flamegraph::tree(&merged)?;
            let response = Response::ok(dot::dot(&tree, profile_type, *max_nodes))?;
            Notes::of_functions(&merged).write(&response)?;
            Ok(response)
        }
        Format::Json {
            max_nodes,
            group_by,
            aggregation,
        } => {
            let steps = Steps::of(*range);
            let of_type = Some(profile_type);
            let timeline = runner
                .timeline(selector, of_type, *range, steps.window(), Grouping::Series)
                .await?;
            let merged = merged().await?;
            let graph = flamegraph::flame_graph(&merged, *max_nodes)?;
            let group_by = group_by.as_deref();
            let answer = answer(
                &graph,
                profile_type,
                &timeline,
                steps,
                group_by,
                *aggregation,
            )?;
            let notes = Notes::of(&merged);
            let notes = Notes {
                folded: Some(graph.folded),
                saturated: notes.saturated.map(|cut| cut || answer.saturated),
                rounded: notes.rounded || timeline.rounded,
                ..notes
            };
            drop(merged);
            let response = json(&answer)?;
            notes.write(&response)?;
            Ok(response)
        }
    }
}

/// Steps of a timeline, in seconds: `start`, `start + step` …, `count` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    start: i64,
    step: i64,
    count: usize,
}

impl Steps {
    /// The steps that Pyroscope draws for a range.
    pub(super) fn of(range: TimeRange) -> Self {
        let (from, until) = (
            range.from.millis().div_euclid(1000),
            range.until.millis().div_euclid(1000),
        );
        let step = pyroscope::timeline_step(until - from);
        let start = from.div_euclid(step) * step;
        Self {
            start,
            step,
            count: ((until - start).div_euclid(step) + 1) as usize,
        }
    }

    /// Sum windows whose edges the steps keep.
    pub(super) fn window(self) -> Option<SumWindow> {
        let nanos = |seconds: i64| UnixNanos::from_millis(seconds.saturating_mul(1000)).0;
        window_of(nanos(self.start), nanos(self.step))
    }

    fn index(self, time: UnixNanos) -> usize {
        ((time.millis().div_euclid(1000) - self.start).div_euclid(self.step)).max(0) as usize
    }
}

/// Sum and count of a step.
type Step = (i128, u64);

/// The whole answer, in the order of Pyroscope's fields.
#[derive(Debug, Serialize)]
pub(super) struct Render<'a> {
    version: u32,
    flamebearer: flamebearer::Graph<'a>,
    metadata: flamebearer::Metadata,
    timeline: Line,
    groups: BTreeMap<String, Line>,
    heatmap: Option<()>,
    /// Whether a number of a timeline is cut at 2^63 - 1.
    #[serde(skip)]
    pub(super) saturated: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    start_time: i64,
    samples: Vec<i64>,
    duration_delta: i64,
    watermarks: Option<()>,
}

/// Puts the answer together. `group_by` splits the timeline by the values of a label; what lacks it
/// is of the group `*`.
pub(super) fn answer<'a>(
    graph: &'a pyroscope::FlameGraph,
    profile_type: &ProfileType,
    timeline: &Timeline,
    steps: Steps,
    group_by: Option<&str>,
    how: Aggregation,
) -> Result<Render<'a>, Problem> {
    let mut groups: BTreeMap<String, Vec<Step>> = BTreeMap::new();
    for series in &timeline.series {
        let value = group_by.and_then(|name| names::value(&series.labels, profile_type, name));
        let sums = groups
            .entry(value.unwrap_or_else(|| "*".to_owned()))
            .or_insert_with(|| vec![(0, 0); steps.count]);
        for &Point {
            time,
            total,
            profiles,
            ..
        } in &series.points
        {
            if let Some((sum, count)) = sums.get_mut(steps.index(time)) {
                *sum += i128::from(total);
                *count = count.saturating_add(profiles);
            }
        }
        let (lines, most) = (groups.len(), MAX_NUMBERS / steps.count.max(1));
        if lines > most {
            let message = format!(
                "the label has more than {most} values over this range; choose another label, or a shorter range"
            );
            return Err(Problem::invalid(message));
        }
    }
    let mut saturated = false;
    let mut line = |sums: &[Step]| {
        let cut = |&(sum, count): &Step| {
            let exact = match how {
                Aggregation::Sum => sum,
                Aggregation::Average => sum / i128::from(count.max(1)),
            };
            i64::try_from(exact).unwrap_or_else(|_| {
                saturated = true;
                i64::MAX
            })
        };
        let samples = sums.iter().map(cut).collect();
        Line {
            start_time: steps.start,
            samples,
            duration_delta: steps.step,
            watermarks: None,
        }
    };
    let whole = match (group_by, groups.len()) {
        (_, 0) => line(&vec![(0, 0); steps.count]),
        (None, _) | (_, 1) => line(groups.values().next().map_or(&[], Vec::as_slice)),
        // Several lines have no single one that stands for them.
        _ => line(&[]),
    };
    let groups = groups
        .into_iter()
        .map(|(value, sums)| (value, line(&sums)))
        .collect();
    Ok(Render {
        version: 1,
        flamebearer: graph.into(),
        metadata: profile_type.into(),
        timeline: whole,
        groups,
        heatmap: None,
        saturated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::query::tests::timeline;
    use serde_json::json;

    const S: i64 = 1_000_000_000;

    #[test]
    fn timeline_and_groups() {
        let range = TimeRange::of_nanos(20 * S, 50 * S);
        let steps = Steps::of(range);
        assert_eq!(
            steps,
            Steps {
                start: 15,
                step: 15,
                count: 3
            }
        );
        let timeline = timeline(&[
            (
                "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
                "app{region=eu}",
                &[(20 * S, 1), (29 * S, 2), (45 * S, 4)],
            ),
            (
                "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
                "app{region=us}",
                &[(30 * S, 8)],
            ),
        ]);
        let profile_type = timeline.series[0].profile_type.clone();
        let graph = pyroscope::FlameGraph::default();
        let answer = |by, how| {
            serde_json::to_value(answer(&graph, &profile_type, &timeline, steps, by, how).unwrap())
                .unwrap()
        };
        let whole = answer(None, Aggregation::Sum);
        assert_eq!(
            whole["timeline"],
            json!({"startTime": 15, "samples": [3, 8, 4], "durationDelta": 15, "watermarks": null})
        );
        assert_eq!(whole["groups"]["*"], whole["timeline"]);
        assert_eq!(
            whole["metadata"],
            json!({"format": "single", "spyName": "", "sampleRate": 1_000_000_000, "units": "samples", "name": "cpu"})
        );
        let grouped = answer(Some("region"), Aggregation::Average);
        assert_eq!(grouped["timeline"]["samples"], json!([]));
        assert_eq!(grouped["groups"]["eu"]["samples"], json!([1, 0, 4]));
        assert_eq!(grouped["groups"]["us"]["samples"], json!([0, 8, 0]));
    }
}
