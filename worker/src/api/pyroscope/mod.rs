//! Pyroscope's query API: the Connect calls of `querier.v1` in JSON, and the older HTTP calls.

mod flamegraph;
mod legacy;
mod message;
mod names;
mod request;
mod series;

use pilotlight_core::{gzip, plans::Grouping};
use serde::Serialize;
use worker::{Request, Response};

use crate::api::query::{EdgeQueryRunner, SATURATED_HEADER};
use crate::http::body;
use crate::http::route::Rpc;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;
use request::Fields;
use series::{Aggregation, Buckets};

pub(crate) use legacy::{label_values, render, render_diff};

/// Largest request: 1 MB. They are a few hundred bytes, or as many selectors as someone has
/// patience to write.
const MAX_REQUEST: usize = 1 << 20;

/// Most nodes that a client may ask for: a flame graph of a million nodes is some 30 MB of JSON.
const MOST_NODES: usize = 1_000_000;

/// Tells how many nodes the limit folded into `other`.
const FOLDED_HEADER: &str = "x-pilotlight-folded";

/// Answers a call.
pub(crate) async fn call(
    rpc: Rpc,
    request: &mut Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    check_content_type(&header("content-type")?)?;
    let any_names = header("accept")?.contains("allow-utf8-labelnames=true");
    let body = body::read(request, MAX_REQUEST).await?;
    let inflated = gzip::inflate(&body, MAX_REQUEST).map_err(Problem::invalid)?;
    let fields = Fields::parse(inflated.as_deref().unwrap_or(&body))?;
    let runner = EdgeQueryRunner::open(scope)?;
    match rpc {
        Rpc::SelectMergeStacktraces => select_merge_stacktraces(&fields, &runner).await,
        Rpc::SelectSeries => json(&select_series(&fields, &runner).await?),
        _ => json(&describe(rpc, &fields, &runner, any_names).await?),
    }
}

fn check_content_type(content_type: &str) -> Result<(), Problem> {
    match content_type
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase()
        .as_str()
    {
        "application/json" | "" => Ok(()),
        other => Err(Problem::new(
            415,
            "unimplemented",
            format!("content type {other} is not supported; send application/json"),
        )),
    }
}

async fn select_merge_stacktraces(
    fields: &Fields,
    runner: &EdgeQueryRunner,
) -> Result<Response, Problem> {
    fields.refuse_unsupported()?;
    let (selector, profile_type) = fields.selection()?;
    let max_nodes = match usize::try_from(fields.max_nodes.0) {
        Ok(0) | Err(_) => flamegraph::MAX_NODES,
        Ok(nodes) => nodes.min(MOST_NODES),
    };
    let answer = runner
        .merged(&selector, &profile_type, fields.range()?)
        .await?;
    let graph = flamegraph::flame_graph(&answer, max_nodes);
    let response = json(&flamegraph::message(&graph))?;
    response
        .headers()
        .set(FOLDED_HEADER, &graph.folded.to_string())?;
    response
        .headers()
        .set(SATURATED_HEADER, &answer.is_saturated().to_string())?;
    Ok(response)
}

async fn select_series(
    fields: &Fields,
    runner: &EdgeQueryRunner,
) -> Result<series::Response, Problem> {
    fields.refuse_unsupported()?;
    let (selector, profile_type) = fields.selection()?;
    let buckets = Buckets::new(fields.range()?, fields.step.0)?;
    let how = Aggregation::parse(&fields.aggregation.0)?;
    let timeline = runner
        .timeline(
            &selector,
            Some(&profile_type),
            buckets.range(),
            buckets.window,
            Grouping::Series,
        )
        .await?;
    Ok(series::answer(
        &timeline,
        buckets,
        &fields.group_by,
        how,
        usize::try_from(fields.limit.0).unwrap_or(0),
    ))
}

/// The calls that directories answer.
async fn describe(
    rpc: Rpc,
    fields: &Fields,
    runner: &EdgeQueryRunner,
    any_names: bool,
) -> Result<names::Response, Problem> {
    let range = if rpc == Rpc::ProfileTypes {
        fields.range_or_day(clock::now())?
    } else {
        fields.range()?
    };
    let objects = runner.catalog(range).await?;
    let series = names::series(&objects, &fields.selectors()?, range);
    match rpc {
        Rpc::ProfileTypes => Ok(names::profile_types(&series)),
        Rpc::LabelNames => Ok(names::label_names(&series, any_names)),
        Rpc::LabelValues => Ok(names::label_values(&series, &fields.name)),
        Rpc::Series => Ok(names::label_sets(&series, &fields.label_names)),
        Rpc::SelectMergeStacktraces | Rpc::SelectSeries => {
            Err(Problem::internal("answered elsewhere"))
        }
    }
}

fn json(value: &impl Serialize) -> Result<Response, Problem> {
    Ok(Response::from_json(value)?)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pilotlight_core::{
        ProfileType, TimeRange,
        plans::{CatalogObject, QueryAnswer, Timeline},
    };

    /// What each call answers, as text: flame graphs of several sizes, timelines of both kinds,
    /// names.
    pub(crate) fn every_answer(
        merged: &QueryAnswer,
        profile_type: &ProfileType,
        timeline: &Timeline,
        objects: &[CatalogObject],
        range: TimeRange,
    ) -> Vec<String> {
        fn text(answer: impl Serialize) -> String {
            serde_json::to_string(&answer).expect("an answer as JSON")
        }
        let mut texts = Vec::new();
        for max_nodes in [0, 1, 2, flamegraph::MAX_NODES] {
            let graph = flamegraph::flame_graph(merged, max_nodes);
            texts.push(text(flamegraph::message(&graph)));
        }
        texts.extend(legacy::tests::every_answer(
            merged,
            profile_type,
            timeline,
            range,
        ));
        for step in [0.001, 15.0, 86_400.0, 1e9] {
            let Ok(buckets) = Buckets::new(range, step) else {
                continue;
            };
            // What is read for the first bucket.
            assert!(buckets.range().from <= buckets.range().until);
            for (how, by) in [
                (Aggregation::Sum, vec![]),
                (Aggregation::Average, vec!["service_name".to_owned()]),
            ] {
                texts.push(text(series::answer(timeline, buckets, &by, how, 1)));
            }
        }
        let series = names::series(objects, &[], range);
        texts.push(text(names::profile_types(&series)));
        texts.push(text(names::label_names(&series, true)));
        texts.push(text(names::label_values(&series, "service_name")));
        texts.push(text(names::label_sets(&series, &[])));
        texts
    }

    #[test]
    fn content_types() {
        let status = |text| check_content_type(text).map_err(|p| p.status);
        assert_eq!(status("application/json"), Ok(()));
        assert_eq!(status("application/json; charset=utf-8"), Ok(()));
        assert_eq!(status("Application/JSON"), Ok(()));
        assert_eq!(status(""), Ok(()));
        assert_eq!(status("application/proto"), Err(415));
        assert_eq!(status("application/grpc"), Err(415));
    }
}
