//! The largest nodes of a flame graph.

use pilotlight_core::reports::FlameGraphReport;

use super::arguments::Arguments;
use super::merged::merged;
use super::parameters::{FROM, QUERY, UNTIL, number};
use super::report::{Form, Report};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(super) const REPORT: Report = Report {
    endpoint: Endpoint::get("/api/v1/flamegraph", READ, |request, scope| {
        Box::pin(REPORT.answer(request, scope))
    })
    .of_several_tenants(),
    tool: "flame_graph",
    about: "The largest nodes of the flame graph as a list with depths: how calls nest. To see which functions matter, use the shorter list of functions.",
    shape: "FlameGraph",
    parameters: &[
        QUERY,
        FROM,
        UNTIL,
        number(
            "nodes",
            "Maximum number of nodes, largest first; the rest are merged into nodes named other.",
            16_384,
            60,
        ),
    ],
    write: |arguments, form, runner| Box::pin(write(arguments, form, runner)),
};

async fn write(
    arguments: &Arguments,
    form: Form,
    runner: &EdgeQueryRunner,
) -> Result<String, Problem> {
    let nodes = match arguments.count("nodes")? {
        default if arguments.text("nodes").is_none() => default.min(runner.nodes().most),
        nodes => runner.nodes().checked(Some(nodes as i64))?,
    };
    let (source, answer) = merged(&arguments.selected()?, runner).await?;
    form.write(&FlameGraphReport::new(source, &answer, nodes)?)
}
