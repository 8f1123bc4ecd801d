//! Merged profiles, in every form in which a client may ask for them.

use pilotlight_core::plans::QueryAnswer;
use pilotlight_core::verbs::{self, PgoOptions};
use pilotlight_core::{dot, pyroscope};

use super::flamegraph;
use super::functions::{self, Projection};
use super::messages::{
    DiffRequest, DiffResponse, PprofProfile, ProfileFormat, SelectMergeProfileRequest,
    SelectMergeSpanProfileRequest, SelectMergeStacktracesRequest, SelectMergeStacktracesResponse,
    pprof_fits_json, pprof_json,
};
use super::notes::Notes;
use super::request::{self, Selection};
use crate::api::query::EdgeQueryRunner;
use crate::http::connect::{Answer, Codec};
use crate::platform::errors::Problem;

/// Most frames of all stacks of a profile that is written as pprof: 8 Mi, some 16 MB.
const MAX_FRAMES: u64 = 8 << 20;

/// `SelectMergeStacktraces`.
pub(super) async fn stacktraces(
    mut request: SelectMergeStacktracesRequest,
    codec: Codec,
    runner: &EdgeQueryRunner,
) -> Result<(Answer, Notes), Problem> {
    let projection = Projection::of(&mut request)?;
    let max_nodes = request::max_nodes(request.max_nodes)?;
    let dot_nodes = match request.max_nodes {
        None | Some(0) => dot::DEFAULT_NODES,
        Some(_) => max_nodes.min(dot::MAX_NODES),
    };
    let format = format(&request)?;
    let selection = Selection::of(request)?;
    if selection.pgo.is_some() && format != ProfileFormat::Pprof {
        return Err(Problem::invalid(
            "go_pgo goes with PROFILE_FORMAT_PPROF only",
        ));
    }
    let answer = merged(&selection, runner).await?;
    let mut notes = Notes::of(&answer);
    if let Some(projection) = projection {
        let answer = functions::answer(codec, &projection.message(&answer)?)?;
        return Ok((answer, notes));
    }
    let mut response = SelectMergeStacktracesResponse::default();
    match format {
        ProfileFormat::Tree => {
            response.tree = pyroscope::tree_bytes(&flamegraph::tree(&answer), max_nodes);
        }
        ProfileFormat::Pprof => {
            let profile = pprof(answer, &selection, codec)?;
            response.pprof = Some(PprofProfile { profile });
        }
        ProfileFormat::Dot => {
            let tree = flamegraph::tree(&answer);
            response.dot = dot::dot(&tree, &selection.profile_type, dot_nodes);
        }
        ProfileFormat::FlameGraph | ProfileFormat::Functions | ProfileFormat::FunctionTree => {
            let graph = flamegraph::flame_graph(&answer, max_nodes);
            notes.folded = Some(graph.folded);
            response.flamegraph = Some(flamegraph::message(graph));
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
    if !matches!(
        ProfileFormat::of(request.format),
        Some(ProfileFormat::FlameGraph | ProfileFormat::Tree)
    ) {
        return Err(Problem::unimplemented(
            "profiles of spans are flame graphs or trees here; SelectMergeStacktraces has all formats",
        ));
    }
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
    let notes = Notes::of(&answer);
    let profile = pprof(answer, &selection, codec)?;
    let answer = match codec {
        Codec::Json => codec.answer_of(Vec::new, || pprof_json(&profile)),
        Codec::Proto | Codec::GrpcWeb(_) => codec.answer_of(|| profile, || Ok(Vec::new())),
    };
    Ok((answer?, notes))
}

/// `Diff`: two profiles of one type on one shape. Options are those of the left side.
pub(super) async fn diff(
    request: DiffRequest,
    codec: Codec,
    runner: &EdgeQueryRunner,
) -> Result<(Answer, Notes), Problem> {
    let side = |side: Option<_>, name| {
        side.ok_or_else(|| {
            Problem::invalid(format!("the {name} side of the comparison is missing"))
        })
    };
    let mut left: SelectMergeStacktracesRequest = side(request.left, "left")?;
    let mut right: SelectMergeStacktracesRequest = side(request.right, "right")?;
    right.format = left.format;
    right.format_options = left.format_options.clone();
    let projection = Projection::of(&mut left)?;
    if projection != Projection::of(&mut right)? {
        return Err(Problem::invalid(
            "both sides of a comparison of functions need the same call site",
        ));
    }
    let max_nodes = request::max_nodes(left.max_nodes)?.max(request::max_nodes(right.max_nodes)?);
    if projection.is_none() && format(&left)? != ProfileFormat::FlameGraph {
        return Err(Problem::unimplemented(
            "a comparison has no other format than PROFILE_FORMAT_FLAMEGRAPH and functions",
        ));
    }
    let (left, right) = (Selection::of(left)?, Selection::of(right)?);
    if left.profile_type != right.profile_type {
        let message = format!(
            "both sides need the same profile type, and have {} and {}",
            left.profile_type, right.profile_type
        );
        return Err(Problem::invalid(message));
    }
    if left.pgo.is_some() || right.pgo.is_some() {
        return Err(Problem::invalid("go_pgo does not go with a comparison"));
    }
    // One after the other: both may need most of the memory while they are put together.
    let first = merged(&left, runner).await?;
    if let Some(projection) = projection {
        let second = merged(&right, runner).await?;
        let notes = Notes {
            saturated: Some(first.is_saturated() || second.is_saturated()),
            ..Notes::default()
        };
        let answer = functions::answer(codec, &projection.diff(&first, &second)?)?;
        return Ok((answer, notes));
    }
    // Of the first side no more than its tree is kept meanwhile.
    let (left, cut) = (flamegraph::tree(&first), first.is_saturated());
    drop(first);
    let second = merged(&right, runner).await?;
    let graph = pyroscope::flame_graph_diff(&left, &flamegraph::tree(&second), max_nodes);
    let notes = Notes {
        folded: Some(graph.folded),
        saturated: Some(cut || second.is_saturated()),
    };
    let flamegraph = Some(flamegraph::diff_message(graph));
    Ok((codec.answer(&DiffResponse { flamegraph })?, notes))
}

fn format(request: &SelectMergeStacktracesRequest) -> Result<ProfileFormat, Problem> {
    ProfileFormat::of(request.format)
        .ok_or_else(|| Problem::unimplemented("this profile format is not supported"))
}

/// An answer in the format of pprof, which spells every stack out.
fn pprof(answer: QueryAnswer, selection: &Selection, codec: Codec) -> Result<Vec<u8>, Problem> {
    let frames = answer.frames();
    if frames > MAX_FRAMES {
        let message = format!(
            "the stacks of the profile have {frames} frames, and at most {MAX_FRAMES} are written; ask for a shorter range, or for a flame graph"
        );
        return Err(Problem::new(429, "resource_exhausted", message));
    }
    let profile = answer.pprof(selection.range);
    match codec {
        Codec::Json => pprof_fits_json(&profile)?,
        Codec::Proto | Codec::GrpcWeb(_) => {}
    }
    Ok(profile)
}

/// The sum of what is selected.
async fn merged(selection: &Selection, runner: &EdgeQueryRunner) -> Result<QueryAnswer, Problem> {
    let Selection {
        selector,
        profile_type,
        range,
        spans,
        call_site,
        pgo,
    } = selection;
    let mut answer = match spans {
        None => runner.merged(selector, profile_type, *range).await?,
        Some(spans) => {
            let spans = spans.clone();
            runner
                .of_spans(selector, profile_type, *range, spans)
                .await?
        }
    };
    if !call_site.is_empty() {
        answer.profile = verbs::call_site(&answer.profile, call_site).profile;
    }
    if let Some(pgo) = pgo {
        let options = PgoOptions {
            keep_locations: pgo.keep_locations as usize,
            aggregate_callees: pgo.aggregate_callees,
        };
        crate::api::pgo::rows(&answer, options)?;
        answer.profile = verbs::pgo(&answer.profile, options);
    }
    Ok(answer)
}
