//! The older HTTP calls: flame graphs, comparisons and values of labels by query string.

pub(crate) mod label_values;
pub(crate) mod render;
pub(crate) mod render_diff;
#[cfg(test)]
pub(super) mod tests;

use pilotlight_core::{ProfileType, Selector, dot};

use crate::api::query;
use crate::http::parameters::Parameters;
use crate::platform::errors::Problem;
use crate::platform::limits::NodeLimits;

pub(super) use render_diff::{RenderDiff, answer as double};

/// A query that begins with a profile type; `name` is that of its parameter.
fn selection(parameters: &Parameters, name: &str) -> Result<(Selector, ProfileType), Problem> {
    let untyped = || {
        Problem::invalid(format!(
            "{name:?} must contain a profile type, such as process_cpu:cpu:nanoseconds:cpu:nanoseconds{{}}"
        ))
    };
    let text = parameters.get(name).ok_or_else(untyped)?;
    let mut selector = query::selector(text).map_err(|problem| named(name, problem))?;
    let profile_type = selector.profile_type.take().ok_or_else(untyped)?;
    Ok((selector, profile_type))
}

/// The problem with a parameter.
fn named(name: &str, problem: Problem) -> Problem {
    Problem {
        message: format!("{name}: {}", problem.message),
        ..problem
    }
}

/// What `max-nodes` asks for, or `maxNodes` as some clients have it; 0 is the default.
fn given_nodes(parameters: &Parameters, most: usize) -> Result<Option<usize>, Problem> {
    let name = match parameters.get("maxNodes") {
        Some(_) => "maxNodes",
        None => "max-nodes",
    };
    let nodes = parameters.number(name, 0, most, 0)?;
    Ok((nodes > 0).then_some(nodes))
}

/// Nodes of a flame graph.
fn graph_nodes(parameters: &Parameters, nodes: NodeLimits) -> Result<usize, Problem> {
    Ok(given_nodes(parameters, nodes.most)?.unwrap_or(nodes.default))
}

/// Nodes of a call graph. Clients that send what they send for flame graphs get as many as can be
/// drawn.
fn dot_nodes(parameters: &Parameters) -> Result<usize, Problem> {
    let nodes = given_nodes(parameters, usize::MAX)?;
    Ok(nodes.unwrap_or(dot::DEFAULT_NODES).min(dot::MAX_NODES))
}
