//! Labels of series, and their values.

use pilotlight_core::plans::LabelsAnswer;

use super::arguments::Arguments;
use super::parameters::{FROM, UNTIL, text, unbounded};
use super::report::{Form, Report};
use crate::api::query::{self, EdgeQueryRunner};
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(super) const REPORT: Report = Report {
    endpoint: Endpoint::get("/api/v1/labels", READ, |request, scope| {
        Box::pin(REPORT.answer(request, scope))
    })
    .of_several_tenants(),
    tool: "list_labels",
    about: "Labels of the selected series, and their values.",
    shape: "Labels",
    parameters: &[
        text(
            "query",
            "Label selector, such as {service_name=\"checkout\"}, with or without a profile type before it. All series by default.",
        ),
        FROM,
        UNTIL,
        unbounded("limit", "Maximum number of values per label."),
    ],
    write: |arguments, form, runner| Box::pin(write(arguments, form, runner)),
};

async fn write(
    arguments: &Arguments,
    form: Form,
    runner: &EdgeQueryRunner,
) -> Result<String, Problem> {
    form.write(&labels(arguments, runner).await?)
}

async fn labels(arguments: &Arguments, runner: &EdgeQueryRunner) -> Result<LabelsAnswer, Problem> {
    let (range, limit) = (arguments.range()?, arguments.number("limit")?);
    let selector = query::selector(arguments.text("query").unwrap_or(""))?;
    let objects = runner.catalog(range).await?;
    let answer = LabelsAnswer::new(&objects, &selector, range);
    Ok(match limit {
        Some(limit) => answer.limited(limit),
        None => answer,
    })
}
