//! Merged profiles, in every form in which a client may ask for them.

use pilotlight_core::plans::QueryAnswer;

use super::messages::{
    PprofProfile, ProfileFormat, SelectMergeProfileRequest, SelectMergeSpanProfileRequest,
    SelectMergeStacktracesRequest, SelectMergeStacktracesResponse, pprof_json,
};
use super::request::{self, Selection};
use super::{Notes, flamegraph};
use crate::api::query::EdgeQueryRunner;
use crate::http::connect::{Answer, Codec};
use crate::platform::errors::Problem;

/// `SelectMergeStacktraces`.
pub(super) async fn stacktraces(
    request: SelectMergeStacktracesRequest,
    codec: Codec,
    runner: &EdgeQueryRunner,
) -> Result<(Answer, Notes), Problem> {
    let max_nodes = request::max_nodes(request.max_nodes)?;
    let format = ProfileFormat::of(request.format)
        .ok_or_else(|| Problem::unimplemented("this profile format is not supported"))?;
    let selection = Selection::of(request)?;
    let answer = merged(&selection, runner).await?;
    let mut notes = Notes {
        saturated: Some(answer.is_saturated()),
        ..Notes::default()
    };
    let mut response = SelectMergeStacktracesResponse::default();
    match format {
        ProfileFormat::FlameGraph => {
            let graph = flamegraph::flame_graph(&answer, max_nodes);
            notes.folded = Some(graph.folded);
            response.flamegraph = Some(flamegraph::message(graph));
        }
        ProfileFormat::Pprof => {
            let profile = answer.pprof(selection.range);
            response.pprof = Some(PprofProfile { profile });
        }
        ProfileFormat::Tree | ProfileFormat::Dot => {
            return Err(Problem::unimplemented(
                "this profile format is not supported",
            ));
        }
    }
    Ok((codec.answer(&response)?, notes))
}

/// `SelectMergeSpanProfile`, which the selector of spans in the call above has replaced.
pub(super) async fn span_profile(
    request: SelectMergeSpanProfileRequest,
    codec: Codec,
    runner: &EdgeQueryRunner,
) -> Result<(Answer, Notes), Problem> {
    let request = SelectMergeStacktracesRequest {
        profile_type_id: request.profile_type_id,
        label_selector: request.label_selector,
        start: request.start,
        end: request.end,
        max_nodes: request.max_nodes,
        format: request.format,
        span_selector: request.span_selector,
        ..SelectMergeStacktracesRequest::default()
    };
    stacktraces(request, codec, runner).await
}

/// `SelectMergeProfile`: a profile in the format of pprof, of which no node limit takes anything.
pub(super) async fn merged_profile(
    request: SelectMergeProfileRequest,
    codec: Codec,
    runner: &EdgeQueryRunner,
) -> Result<(Answer, Notes), Problem> {
    let request = SelectMergeStacktracesRequest {
        profile_type_id: request.profile_type_id,
        label_selector: request.label_selector,
        start: request.start,
        end: request.end,
        stack_trace_selector: request.stack_trace_selector,
        profile_id_selector: request.profile_id_selector,
        trace_id_selector: request.trace_id_selector,
        ..SelectMergeStacktracesRequest::default()
    };
    let selection = Selection::of(request)?;
    let answer = merged(&selection, runner).await?;
    let notes = Notes {
        saturated: Some(answer.is_saturated()),
        ..Notes::default()
    };
    let profile = answer.pprof(selection.range);
    let json = profile.clone();
    let answer = codec.answer_of(|| profile, || pprof_json(&json))?;
    Ok((answer, notes))
}

/// The sum of what is selected.
async fn merged(selection: &Selection, runner: &EdgeQueryRunner) -> Result<QueryAnswer, Problem> {
    let Selection {
        selector,
        profile_type,
        range,
        spans,
        call_site,
    } = selection;
    if !call_site.is_empty() {
        return Err(request::unsupported("stack_trace_selector.call_site"));
    }
    match spans {
        None => runner.merged(selector, profile_type, *range).await,
        Some(spans) => {
            let spans = spans.clone();
            runner.of_spans(selector, profile_type, *range, spans).await
        }
    }
}
