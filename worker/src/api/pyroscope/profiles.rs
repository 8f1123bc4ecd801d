//! Merged profiles, in every form in which a client may ask for them.

use pilotlight_core::plans::{Outgrown, QueryAnswer};
use pilotlight_core::verbs::{self, PgoOptions};
use pilotlight_core::{canonical, dot, pyroscope};

use super::flamegraph;
use super::form::Form;
use super::functions;
use super::messages::{
    PprofProfile, ProfileFormat, SelectMergeProfileRequest, SelectMergeSpanProfileRequest,
    SelectMergeStacktracesRequest, SelectMergeStacktracesResponse, pprof_fits_json, pprof_json,
};
use super::notes::Notes;
use super::request::Selection;
use super::unary::query;
use crate::api::pgo;
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::connect::{Answer, Codec};
use crate::http::endpoint::Endpoint;
use crate::platform::Platform;
use crate::platform::admission::Admission;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(
        "/querier.v1.QuerierService/SelectMergeStacktraces",
        READ,
        |request, scope| {
            Box::pin(query(request, scope, async |call, runner| {
                stacktraces(call.request()?, call.codec, runner).await
            }))
        },
    )
    .of_several_tenants(),
    Endpoint::post(
        "/querier.v1.QuerierService/SelectMergeSpanProfile",
        READ,
        |request, scope| {
            Box::pin(query(request, scope, async |call, runner| {
                span_profile(call.request()?, call.codec, runner).await
            }))
        },
    )
    .of_several_tenants(),
    Endpoint::post(
        "/querier.v1.QuerierService/SelectMergeProfile",
        READ,
        |request, scope| {
            Box::pin(query(request, scope, async |call, runner| {
                merged_profile(call.request()?, call.codec, runner).await
            }))
        },
    )
    .of_several_tenants(),
];

/// Most frames of all stacks of a profile that is written as pprof: 8 Mi, some 16 MB.
const MAX_FRAMES: u64 = 8 << 20;

/// `SelectMergeStacktraces`.
async fn stacktraces(
    mut request: SelectMergeStacktracesRequest,
    codec: Codec,
    runner: &EdgeQueryRunner,
) -> Result<(Answer, Notes), Problem> {
    let form = Form::of(&mut request, codec)?;
    let max_nodes = runner.nodes().checked(request.max_nodes)?;
    let dot_nodes = match request.max_nodes {
        None | Some(0) => dot::DEFAULT_NODES,
        Some(_) => max_nodes.min(dot::MAX_NODES),
    };
    let selection = Selection::of(request)?;
    if selection.pgo.is_some() && form != Form::Pprof {
        return Err(Problem::invalid("go_pgo requires PROFILE_FORMAT_PPROF"));
    }
    let outgrown = match form {
        // Every stack is asked for.
        Form::Pprof => Outgrown::Refuse,
        _ => Outgrown::Fold,
    };
    let answer = merged(&selection, outgrown, runner).await?;
    let mut notes = Notes::of(&answer);
    let mut response = SelectMergeStacktracesResponse::default();
    match form {
        Form::FlameGraph => {
            let graph = flamegraph::flame_graph(&answer, max_nodes)?;
            notes.folded = Some(graph.folded);
            response.flamegraph = Some(flamegraph::message(graph));
        }
        Form::Tree => {
            response.tree = pyroscope::tree_bytes(&flamegraph::tree(&answer)?, max_nodes)?;
        }
        Form::Dot => {
            notes = Notes::of_functions(&answer);
            let tree = flamegraph::tree(&answer)?;
            response.dot = dot::dot(&tree, &selection.profile_type, dot_nodes);
        }
        Form::Pprof => {
            let (profile, notes) = pprof(answer, &selection, codec, runner.admission()).await?;
            response.pprof = Some(PprofProfile { profile });
            return Ok((codec.answer(&response)?, notes));
        }
        Form::Functions(projection) => {
            let message = projection.message(&answer)?;
            let notes = Notes::of_functions(&answer);
            drop(answer);
            return Ok((functions::answer(codec, &message)?, notes));
        }
    }
    // What is written may be large, too.
    drop(answer);
    Ok((codec.answer(&response)?, notes))
}

/// `SelectMergeSpanProfile`, which the selector of spans in the call above has replaced.
async fn span_profile(
    request: SelectMergeSpanProfileRequest,
    codec: Codec,
    runner: &EdgeQueryRunner,
) -> Result<(Answer, Notes), Problem> {
    if !matches!(
        ProfileFormat::of(request.format),
        Some(ProfileFormat::FlameGraph | ProfileFormat::Tree)
    ) {
        return Err(Problem::unimplemented(
            "span profiles are returned only as flame graphs or trees; use SelectMergeStacktraces for other formats",
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
async fn merged_profile(
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
    let answer = merged(&selection, Outgrown::Refuse, runner).await?;
    let (profile, notes) = pprof(answer, &selection, codec, runner.admission()).await?;
    let answer = match codec {
        Codec::Json => codec.answer_of(Vec::new, || pprof_json(&profile)),
        Codec::Proto | Codec::GrpcWeb(_) => codec.answer_of(|| profile, || Ok(Vec::new())),
    };
    Ok((answer?, notes))
}

/// An answer in the format of pprof, which spells every stack out; cut for Go's compiler where that is
/// asked for.
async fn pprof(
    mut answer: QueryAnswer,
    selection: &Selection,
    codec: Codec,
    admission: &Admission<impl Platform>,
) -> Result<(Vec<u8>, Notes), Problem> {
    let _permit = match &selection.pgo {
        None => None,
        Some(go_pgo) => {
            let options = PgoOptions {
                keep_locations: go_pgo.keep_locations as usize,
                aggregate_callees: go_pgo.aggregate_callees,
            };
            let permit = pgo::admit(&answer, options, admission).await?;
            answer.profile = verbs::pgo(&answer.profile, options);
            Some(permit)
        }
    };
    let notes = Notes::of(&answer);
    let frames = answer.frames();
    if frames > MAX_FRAMES {
        let message = format!(
            "the stacks of the profile have {frames} frames; at most {MAX_FRAMES} are allowed; ask for a shorter range, or for a flame graph"
        );
        return Err(Problem::too_large(message));
    }
    if !selection.stacks.is_all() {
        // Without the functions of all other stacks.
        answer.profile = canonical(&answer.profile);
    }
    let profile = answer.pprof(selection.range);
    match codec {
        Codec::Json => pprof_fits_json(&profile)?,
        Codec::Proto | Codec::GrpcWeb(_) => {}
    }
    Ok((profile, notes))
}

/// The sum of what is selected, not yet cut for Go's compiler.
pub(super) async fn merged(
    selection: &Selection,
    outgrown: Outgrown,
    runner: &EdgeQueryRunner,
) -> Result<QueryAnswer, Problem> {
    let Selection {
        selector,
        profile_type,
        range,
        samples,
        stacks,
        ..
    } = selection;
    let mut answer = if samples.is_all() {
        runner
            .merged_when(selector, profile_type, *range, outgrown)
            .await?
    } else {
        let samples = samples.clone();
        runner
            .of_samples(selector, profile_type, *range, samples)
            .await?
    };
    if !stacks.frames.is_all() {
        // A stack that was folded may have had these functions.
        answer.error_bounds.node = answer.error_bounds.function;
    }
    if !stacks.is_all() {
        // Each of these is held against the names that are asked for.
        answer.check_frames()?;
        answer.profile = stacks.select(&answer.profile);
    }
    Ok(answer)
}
