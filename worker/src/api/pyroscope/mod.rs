//! Pyroscope's query API: the Connect calls of `querier.v1` and its neighbours, and the older HTTP
//! calls.

mod ad_hoc;
mod buckets;
mod build_info;
mod comparison;
mod exemplars;
mod flamegraph;
mod form;
mod functions;
mod heatmap;
mod legacy;
#[cfg(test)]
pub(crate) mod measured;
mod messages;
mod names;
mod notes;
mod profiles;
mod request;
mod series;
mod settings;
mod stacks;
mod stats;
mod unary;

use serde::Serialize;
use worker::{Request, Response};

use crate::api::query::EdgeQueryRunner;
use crate::http::connect::Answer;
use crate::http::route::{Rpc, ServiceCall};
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;
use names::Matched;
use notes::Notes;
use unary::{Call, MAX_REQUEST};

pub(crate) use legacy::{label_values, render, render_diff};
pub(crate) use settings::settings_key;

/// Answers a call that is about no profiles that were pushed.
pub(crate) async fn service(
    call: ServiceCall,
    request: &mut Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    match call {
        ServiceCall::Settings(call) => settings::call(call, request, scope).await,
        ServiceCall::AdHoc(call) => ad_hoc::call(call, request, scope).await,
        ServiceCall::BuildInfo => build_info::build_info(request).await,
    }
}

/// Answers a call.
pub(crate) async fn call(
    rpc: Rpc,
    request: &mut Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    let call = Call::read(request, MAX_REQUEST).await?;
    let (answer, notes) = answer(rpc, &call, scope).await?;
    let response = answer.response(&call.accept_encoding)?;
    notes.write(&response)?;
    Ok(response)
}

async fn answer(rpc: Rpc, call: &Call, scope: &Scope) -> Result<(Answer, Notes), Problem> {
    let codec = call.codec;
    let runner = EdgeQueryRunner::open(scope)?;
    let plain = |answer: Result<Answer, Problem>| answer.map(|answer| (answer, Notes::default()));
    let matched = async |start, end, matchers: &[String]| {
        let (range, selectors) = (request::range(start, end)?, request::selectors(matchers)?);
        Matched::read(&runner, range, selectors).await
    };
    match rpc {
        Rpc::ProfileTypes => {
            let request: messages::ProfileTypesRequest = call.request()?;
            let range = request::range_or_day(request.start, request.end, clock::now())?;
            let matched = Matched::read(&runner, range, Vec::new()).await?;
            plain(codec.answer(&names::profile_types(&matched.series())))
        }
        Rpc::LabelNames => {
            let request: messages::LabelNamesRequest = call.request()?;
            let any_names = call.accept.contains("allow-utf8-labelnames=true");
            let matched = matched(request.start, request.end, &request.matchers).await?;
            plain(codec.answer(&names::label_names(&matched.series(), any_names)))
        }
        Rpc::LabelValues => {
            let request: messages::LabelValuesRequest = call.request()?;
            let matched = matched(request.start, request.end, &request.matchers).await?;
            plain(codec.answer(&names::label_values(&matched.series(), &request.name)))
        }
        Rpc::Series => {
            let request: messages::SeriesRequest = call.request()?;
            let label_names = request::label_names(&request.label_names)?;
            let matched = matched(request.start, request.end, &request.matchers).await?;
            plain(codec.answer(&names::label_sets(&matched.series(), &label_names)))
        }
        Rpc::SelectMergeStacktraces => profiles::stacktraces(call.request()?, codec, &runner).await,
        Rpc::SelectMergeSpanProfile => {
            profiles::span_profile(call.request()?, codec, &runner).await
        }
        Rpc::SelectMergeProfile => profiles::merged_profile(call.request()?, codec, &runner).await,
        Rpc::Diff => comparison::diff(call.request()?, codec, &runner).await,
        Rpc::SelectSeries => {
            let (response, notes) = series::select_series(call.request()?, &runner).await?;
            Ok((codec.answer(&response)?, notes))
        }
        Rpc::SelectHeatmap => {
            let (response, notes) = heatmap::heatmap(call.request()?, &runner).await?;
            Ok((codec.answer(&response)?, notes))
        }
        Rpc::GetProfileStats => {
            let messages::GetProfileStatsRequest {} = call.request()?;
            plain(codec.answer(&stats::profile_stats(runner.profile_times().await?)))
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

fn json(value: &impl Serialize) -> Result<Response, Problem> {
    Ok(Response::from_json(value)?)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::buckets::Buckets;
    use super::series::Aggregation;
    use super::*;
    use crate::platform::limits::DEFAULT_NODES;
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
            let graph = flamegraph::flame_graph(merged, max_nodes).expect("small");
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
