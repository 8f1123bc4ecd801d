//! Pyroscope's query API: the Connect calls of `querier.v1` and its neighbours, and the older HTTP
//! calls.

mod flamegraph;
mod functions;
mod legacy;
mod messages;
mod names;
mod notes;
mod profiles;
mod request;
mod series;
mod stats;

use pilotlight_core::plans::Grouping;
use prost::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::{Request, Response};

use crate::api::query::{self, EdgeQueryRunner};
use crate::http::body;
use crate::http::connect::{Answer, Codec};
use crate::http::route::Rpc;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;
use notes::Notes;
use series::{Aggregation, Buckets};

pub(crate) use legacy::{label_values, render, render_diff};

/// Largest request: 1 MB. They are a few hundred bytes, or as many selectors as someone has
/// patience to write.
const MAX_REQUEST: usize = 1 << 20;

/// Answers a call.
pub(crate) async fn call(
    rpc: Rpc,
    request: &mut Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    let header = |name| Ok::<_, Problem>(request.headers().get(name)?.unwrap_or_default());
    // Older clients send JSON without a word about it.
    let codec = match header("content-type")?.as_str() {
        "" => Codec::Json,
        content_type => Codec::of(content_type)?,
    };
    let (accept, accept_encoding) = (header("accept")?, header("accept-encoding")?);
    let body = body::read(request, MAX_REQUEST).await?;
    let call = Call {
        codec,
        body: &body,
        accept: &accept,
    };
    let (answer, notes) = answer(rpc, &call, scope).await?;
    let response = answer.response(&accept_encoding)?;
    notes.write(&response)?;
    Ok(response)
}

/// A call as it came.
struct Call<'a> {
    codec: Codec,
    body: &'a [u8],
    accept: &'a str,
}

impl Call<'_> {
    fn request<M: Message + Default + DeserializeOwned>(&self) -> Result<M, Problem> {
        self.codec.request(self.body, MAX_REQUEST)
    }
}

async fn answer(rpc: Rpc, call: &Call<'_>, scope: &Scope) -> Result<(Answer, Notes), Problem> {
    let codec = call.codec;
    let runner = EdgeQueryRunner::open(scope)?;
    let plain = |answer: Result<Answer, Problem>| answer.map(|answer| (answer, Notes::default()));
    match rpc {
        Rpc::ProfileTypes => {
            let request: messages::ProfileTypesRequest = call.request()?;
            let range = request::range_or_day(request.start, request.end, clock::now())?;
            let objects = runner.catalog(range).await?;
            plain(codec.answer(&names::profile_types(&names::series(&objects, &[], range))))
        }
        Rpc::LabelNames => {
            let request: messages::LabelNamesRequest = call.request()?;
            let range = request::range(request.start, request.end)?;
            let selectors = request::selectors(&request.matchers)?;
            let objects = runner.catalog(range).await?;
            let any_names = call.accept.contains("allow-utf8-labelnames=true");
            let series = names::series(&objects, &selectors, range);
            plain(codec.answer(&names::label_names(&series, any_names)))
        }
        Rpc::LabelValues => {
            let request: messages::LabelValuesRequest = call.request()?;
            let range = request::range(request.start, request.end)?;
            let selectors = request::selectors(&request.matchers)?;
            let objects = runner.catalog(range).await?;
            let series = names::series(&objects, &selectors, range);
            plain(codec.answer(&names::label_values(&series, &request.name)))
        }
        Rpc::Series => {
            let request: messages::SeriesRequest = call.request()?;
            let range = request::range(request.start, request.end)?;
            let selectors = request::selectors(&request.matchers)?;
            let label_names = request::label_names(&request.label_names)?;
            let objects = runner.catalog(range).await?;
            let series = names::series(&objects, &selectors, range);
            plain(codec.answer(&names::label_sets(&series, &label_names)))
        }
        Rpc::SelectMergeStacktraces => profiles::stacktraces(call.request()?, codec, &runner).await,
        Rpc::SelectMergeSpanProfile => {
            profiles::span_profile(call.request()?, codec, &runner).await
        }
        Rpc::SelectMergeProfile => profiles::merged_profile(call.request()?, codec, &runner).await,
        Rpc::Diff => profiles::diff(call.request()?, codec, &runner).await,
        Rpc::SelectSeries => plain(codec.answer(&select_series(call.request()?, &runner).await?)),
        Rpc::GetProfileStats => {
            let messages::GetProfileStatsRequest {} = call.request()?;
            plain(codec.answer(&stats::profile_stats(&runner.everything().await?)))
        }
        Rpc::AnalyzeQuery => {
            plain(codec.answer(&stats::analyze_query(&call.request()?, &runner).await?))
        }
        Rpc::GetFeatureFlags => {
            let messages::GetFeatureFlagsRequest {} = call.request()?;
            plain(codec.answer(&feature_flags()))
        }
        Rpc::Version => {
            let messages::VersionRequest {} = call.request()?;
            plain(codec.answer(&messages::VersionResponse {
                querier_api: QUERIER_API,
            }))
        }
    }
}

/// The version of `querier.v1` that clients ask for.
const QUERIER_API: u64 = 1;

/// What a client may rely on: the names are Pyroscope's.
fn feature_flags() -> messages::GetFeatureFlagsResponse {
    let flag = |name: &str, enabled| messages::FeatureFlag {
        name: name.to_owned(),
        enabled,
    };
    messages::GetFeatureFlagsResponse {
        feature_flags: vec![
            flag("v2StorageLayer", true),
            flag("pyroscopeRuler", false),
            flag("pyroscopeRulerFunctions", false),
            flag("utf8LabelNames", true),
            flag("functionProjections", true),
        ],
    }
}

async fn select_series(
    request: messages::SelectSeriesRequest,
    runner: &EdgeQueryRunner,
) -> Result<messages::SelectSeriesResponse, Problem> {
    let stacks = request.stack_trace_selector.unwrap_or_default();
    if stacks != messages::StackTraceSelector::default() {
        return Err(request::unsupported("stack_trace_selector"));
    }
    let profile_type = request.profile_type_id.parse().map_err(Problem::invalid)?;
    let selector = query::selector(&request.label_selector)?;
    let buckets = Buckets::new(request::range(request.start, request.end)?, request.step)?;
    let how = Aggregation::of(request.aggregation)?;
    let group_by = request::label_names(&request.group_by)?;
    let limit = usize::try_from(request.limit.unwrap_or(0)).unwrap_or(0);
    let timeline = runner
        .timeline(
            &selector,
            Some(&profile_type),
            buckets.range(),
            buckets.window,
            Grouping::Series,
        )
        .await?;
    Ok(series::answer(&timeline, buckets, &group_by, how, limit))
}

fn json(value: &impl Serialize) -> Result<Response, Problem> {
    Ok(Response::from_json(value)?)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::request::DEFAULT_NODES;
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
        for max_nodes in [0, 1, 2, DEFAULT_NODES] {
            let graph = flamegraph::flame_graph(merged, max_nodes);
            texts.push(text(flamegraph::message(graph)));
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
}
