//! Pyroscope's query API: the Connect calls of `querier.v1` in JSON, and the older HTTP calls.

mod flamegraph;
mod names;
mod render;
mod request;
mod series;

use pilotlight_core::{gzip, plans::Grouping};
use serde_json::{Value, json};
use worker::{Request, Response};

use crate::body;
use crate::clock;
use crate::errors::Problem;
use crate::parameters::Parameters;
use crate::query::{self, EdgeStore};
use crate::route::Rpc;
use crate::scope::Scope;
use request::Ask;
use series::{Aggregation, Buckets};

/// Largest request: 1 MB. They are a few hundred bytes, or as many selectors as someone has patience to write.
const MAX_REQUEST: usize = 1 << 20;

/// Most nodes that a client may ask for: a flame graph of a million nodes is some 30 MB of JSON.
const MOST_NODES: usize = 1_000_000;

/// Tells how many nodes the limit folded into `other`.
const FOLDED_HEADER: &str = "x-pilotlight-folded";

/// Answers a call.
pub(crate) async fn call(rpc: Rpc, request: &mut Request, scope: &Scope) -> Result<Response, Problem> {
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    check_content_type(&header("content-type")?)?;
    let any_names = header("accept")?.contains("allow-utf8-labelnames=true");
    let body = body::read(request, MAX_REQUEST).await?;
    let inflated = gzip::inflate(&body, MAX_REQUEST).map_err(Problem::invalid)?;
    let ask = Ask::parse(inflated.as_deref().unwrap_or(&body))?;
    let store = EdgeStore::open(scope)?;
    match rpc {
        Rpc::SelectMergeStacktraces => select_merge_stacktraces(&ask, &store).await,
        Rpc::SelectSeries => json(&select_series(&ask, &store).await?),
        _ => json(&describe(rpc, &ask, &store, any_names).await?),
    }
}

fn check_content_type(content_type: &str) -> Result<(), Problem> {
    match content_type.split(';').next().unwrap_or("").trim() {
        "application/json" | "" => Ok(()),
        other => {
            Err(Problem::new(415, "unimplemented", format!("content type {other} is not supported; send application/json")))
        }
    }
}

async fn select_merge_stacktraces(ask: &Ask, store: &EdgeStore) -> Result<Response, Problem> {
    ask.refuse_unsupported()?;
    let (selector, profile_type) = ask.selection()?;
    let max_nodes = match usize::try_from(ask.max_nodes.0) {
        Ok(0) | Err(_) => flamegraph::MAX_NODES,
        Ok(nodes) => nodes.min(MOST_NODES),
    };
    let answer = store.merged(&selector, &profile_type, ask.range()?).await?;
    let graph = flamegraph::flame_graph(&answer, max_nodes);
    let response = json(&flamegraph::message(&graph))?;
    response.headers().set(FOLDED_HEADER, &graph.folded.to_string())?;
    Ok(response)
}

async fn select_series(ask: &Ask, store: &EdgeStore) -> Result<Value, Problem> {
    ask.refuse_unsupported()?;
    let (selector, profile_type) = ask.selection()?;
    let buckets = Buckets::new(ask.range()?, ask.step)?;
    let how = Aggregation::parse(&ask.aggregation.0)?;
    let timeline = store.timeline(&selector, Some(&profile_type), buckets.range(), buckets.window, Grouping::Series).await?;
    Ok(series::answer(&timeline, buckets, &ask.group_by, how, usize::try_from(ask.limit.0).unwrap_or(0)))
}

/// The calls that directories answer.
async fn describe(rpc: Rpc, ask: &Ask, store: &EdgeStore, any_names: bool) -> Result<Value, Problem> {
    let range = if rpc == Rpc::ProfileTypes { ask.range_or_day(clock::now())? } else { ask.range()? };
    let objects = store.catalog(range).await?;
    let series = names::series(&objects, &ask.selectors()?, range);
    match rpc {
        Rpc::ProfileTypes => Ok(names::profile_types(&series)),
        Rpc::LabelNames => Ok(names::label_names(&series, any_names)),
        Rpc::LabelValues => Ok(names::label_values(&series, &ask.name)),
        Rpc::Series => Ok(names::label_sets(&series, &ask.label_names)),
        Rpc::SelectMergeStacktraces | Rpc::SelectSeries => Err(Problem::internal("answered elsewhere")),
    }
}

/// `GET /pyroscope/render?query&from&until&max-nodes&groupBy&aggregation`
pub(crate) async fn render(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    if !matches!(parameters.get("format"), None | Some("json")) {
        return Err(Problem::unimplemented("of the formats only json is supported"));
    }
    let (selector, profile_type) = query::typed_selector(parameters.required("query")?)?;
    let range = parameters.range_attime()?;
    let name = if parameters.get("maxNodes").is_some() { "maxNodes" } else { "max-nodes" };
    let max_nodes = parameters.number(name, 1, MOST_NODES, flamegraph::MAX_NODES)?;
    let how = Aggregation::parse(parameters.get("aggregation").unwrap_or(""))?;
    let store = EdgeStore::open(scope)?;
    let steps = render::Steps::of(range);
    let timeline = store.timeline(&selector, Some(&profile_type), range, steps.window(), Grouping::Series).await?;
    let merged = store.merged(&selector, &profile_type, range).await?;
    let graph = flamegraph::flame_graph(&merged, max_nodes);
    let response = json(&render::answer(&graph, &profile_type, &timeline, steps, parameters.get("groupBy"), how))?;
    response.headers().set(FOLDED_HEADER, &graph.folded.to_string())?;
    Ok(response)
}

/// `GET /pyroscope/label-values?label`: a list of values; those of `__name__` are the profile types.
pub(crate) async fn label_values(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let label = parameters.get("label").ok_or_else(|| Problem::invalid("label parameter is required"))?;
    let label = if label == "__name__" { "__profile_type__" } else { label };
    let range = match parameters.get("from") {
        Some(_) => parameters.range_attime()?,
        None => request::day_before(clock::now()),
    };
    let objects = EdgeStore::open(scope)?.catalog(range).await?;
    let values: Vec<String> = names::values(&names::series(&objects, &[], range), label).into_iter().collect();
    json(&json!(values))
}

fn json(value: &Value) -> Result<Response, Problem> {
    Ok(Response::from_json(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types() {
        let status = |text| check_content_type(text).map_err(|p| p.status);
        assert_eq!(status("application/json"), Ok(()));
        assert_eq!(status("application/json; charset=utf-8"), Ok(()));
        assert_eq!(status(""), Ok(()));
        assert_eq!(status("application/proto"), Err(415));
        assert_eq!(status("application/grpc"), Err(415));
    }
}
