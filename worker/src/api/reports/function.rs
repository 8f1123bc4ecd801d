//! One function.

use pilotlight_core::reports::FunctionReport;

use super::arguments::Arguments;
use super::merged::merged;
use super::parameters::{FROM, Parameter, QUERY, UNTIL, number, text};
use super::report::{Form, Report};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(super) const REPORT: Report = Report {
    endpoint: Endpoint::get("/api/v1/function", READ, |request, scope| {
        Box::pin(REPORT.answer(request, scope))
    })
    .of_several_tenants(),
    tool: "describe_function",
    about: "One function: its values, source lines, callers, callees, and the stacks that lead to it.",
    shape: "Function",
    parameters: &[
        QUERY,
        FROM,
        UNTIL,
        Parameter {
            required: true,
            ..text("name", "Name of the function, or a unique part of it.")
        },
        number(
            "limit",
            "Maximum number of callers, callees, lines and stacks each.",
            100,
            10,
        ),
    ],
    write: |arguments, form, runner| Box::pin(write(arguments, form, runner)),
};

async fn write(
    arguments: &Arguments,
    form: Form,
    runner: &EdgeQueryRunner,
) -> Result<String, Problem> {
    let (name, limit) = (arguments.required("name")?, arguments.count("limit")?);
    let (source, answer) = merged(&arguments.selected()?, runner).await?;
    form.write(&FunctionReport::new(source, &answer, name, limit)?)
}
