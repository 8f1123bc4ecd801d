//! Comparisons of two selections, for the RPC and for the older HTTP call.

use pilotlight_core::plans::{Outgrown, QueryAnswer};
use pilotlight_core::pyroscope::{self, Budget, FlameGraphDiff};

use super::flamegraph;
use super::form::Form;
use super::functions::{self, Projection};
use super::messages::{
    DiffRequest, DiffResponse, FunctionsAnswer, SelectMergeStacktracesRequest, Sides,
};
use super::notes::Notes;
use super::profiles::merged;
use super::request::Selection;
use super::unary::query;
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::connect::{Answer, Codec};
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(crate) const ENDPOINTS: &[Endpoint] =
    &[
        Endpoint::post("/querier.v1.QuerierService/Diff", READ, |request, scope| {
            Box::pin(query(request, scope, async |call, runner| {
                diff(call.request()?, call.codec, runner).await
            }))
        })
        .of_several_tenants(),
    ];

/// `Diff`: two profiles of one type on one shape. Options are those of the left side.
async fn diff(
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
    let form = Form::of(&mut left, codec)?;
    if form != Form::of(&mut right, codec)? {
        return Err(Problem::invalid(
            "a function comparison needs the same call site on both sides",
        ));
    }
    // The larger of what is asked for; the default where neither side asks.
    let max_nodes = runner
        .nodes()
        .checked(left.max_nodes.max(right.max_nodes))?;
    let sides = [Selection::of(left)?, Selection::of(right)?];
    let [left, right] = &sides;
    if left.profile_type != right.profile_type {
        let message = format!(
            "both sides need the same profile type (got {} and {})",
            left.profile_type, right.profile_type
        );
        return Err(Problem::invalid(message));
    }
    if left.pgo.is_some() || right.pgo.is_some() {
        return Err(Problem::invalid(
            "go_pgo can't be combined with a comparison",
        ));
    }
    match form {
        // As Pyroscope, which answers a flame graph whatever format a side has.
        Form::FlameGraph | Form::Tree | Form::Dot | Form::Pprof => {
            let (graph, notes) = flame_graph(&sides, runner, max_nodes).await?;
            let flamegraph = Some(flamegraph::diff_message(graph));
            Ok((codec.answer(&DiffResponse { flamegraph })?, notes))
        }
        Form::Functions(projection) => {
            let (message, notes) = functions(&projection, &sides, runner).await?;
            Ok((functions::answer(codec, &message)?, notes))
        }
    }
}

/// The flame graph of two selections.
pub(super) async fn flame_graph(
    sides: &[Selection; 2],
    runner: &EdgeQueryRunner,
    max_nodes: usize,
) -> Result<(FlameGraphDiff, Notes), Problem> {
    let ([left, right], of_sides) = each(sides, runner, Notes::of, flamegraph::tree).await?;
    let graph = flamegraph::diff(&left, &right, max_nodes)?;
    let notes = notes(&graph, of_sides);
    Ok((graph, notes))
}

/// The total is that of both sides together, and may be cut where those of the sides are not.
fn notes(graph: &FlameGraphDiff, of_sides: Notes) -> Notes {
    let sum = graph.left_ticks.checked_add(graph.right_ticks);
    Notes {
        folded: Some(graph.folded),
        saturated: of_sides.saturated.map(|cut| cut || sum.is_none()),
        ..of_sides
    }
}

/// The functions of two selections.
async fn functions(
    projection: &Projection,
    sides: &[Selection; 2],
    runner: &EdgeQueryRunner,
) -> Result<(FunctionsAnswer, Notes), Problem> {
    let mut budget = Budget::default();
    Ok(match projection {
        Projection::Table(limit) => {
            let (sides, notes) =
                each(sides, runner, Notes::of_functions, functions::whole_table).await?;
            let sides = pyroscope::functions_diff(sides, *limit);
            budget.names(sides.iter().flat_map(|side| side.names()))?;
            let [left, right] = sides.map(Into::into);
            let message = FunctionsAnswer::FunctionsDiff(Sides { left, right });
            (message, notes)
        }
        Projection::Tree(projection) => {
            let tree = |answer: &QueryAnswer| projection.message(answer, &mut budget);
            let ([left, right], notes) = each(sides, runner, Notes::of_functions, tree).await?;
            let message = FunctionsAnswer::FunctionTreeDiff(Sides { left, right });
            (message, notes)
        }
    })
}

/// What is made of each side, and what is to be told of both. One is read after the other, and
/// of the first nothing else is kept meanwhile: both may need most of the memory.
async fn each<T>(
    [left, right]: &[Selection; 2],
    runner: &EdgeQueryRunner,
    notes: fn(&QueryAnswer) -> Notes,
    mut make: impl FnMut(&QueryAnswer) -> Result<T, Problem>,
) -> Result<([T; 2], Notes), Problem> {
    let mut side = async |selection| {
        let answer = merged(selection, Outgrown::Fold, runner).await?;
        Ok::<_, Problem>((make(&answer)?, notes(&answer)))
    };
    let (left, of_left) = side(left).await?;
    let (right, of_right) = side(right).await?;
    Ok(([left, right], of_left.with(of_right)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_both_sides_may_be_cut() {
        let graph = |left_ticks, right_ticks| FlameGraphDiff {
            left_ticks,
            right_ticks,
            folded: 3,
            ..FlameGraphDiff::default()
        };
        let told = |graph, saturated| {
            let of_sides = Notes {
                saturated: Some(saturated),
                ..Notes::default()
            };
            let notes = notes(&graph, of_sides);
            assert_eq!(notes.folded, Some(3));
            notes.saturated
        };
        assert_eq!(told(graph(i64::MAX - 1, 1), false), Some(false));
        assert_eq!(told(graph(i64::MAX, 1), false), Some(true));
        assert_eq!(told(graph(1, 1), true), Some(true));
    }
}
