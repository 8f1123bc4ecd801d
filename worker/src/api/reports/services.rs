//! Services and their profile types.

use pilotlight_core::Selector;
use pilotlight_core::plans::{Grouping, ServicesAnswer, Steps, range_before};
use pilotlight_core::store::SumWindow;

use super::arguments::Arguments;
use super::parameters::{FROM, Parameter, UNTIL, number, unbounded};
use super::report::{Form, Report};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(super) const REPORT: Report = Report {
    endpoint: Endpoint::get("/api/v1/services", READ, |request, scope| {
        Box::pin(REPORT.answer(request, scope))
    })
    .of_several_tenants(),
    tool: "list_services",
    about: "Services that sent profiles in a time range: their profile types, totals, and totals of the range before. Ask for this first: every other query needs a profile type and a service.",
    shape: "Services",
    parameters: &[
        FROM,
        UNTIL,
        unbounded("limit", "Maximum number of services, most profiles first."),
        Parameter {
            json_only: true,
            ..number(
                "points",
                "Maximum number of steps in a timeline.",
                4_000,
                60,
            )
        },
    ],
    write: |arguments, form, runner| Box::pin(write(arguments, form, runner)),
};

async fn write(
    arguments: &Arguments,
    form: Form,
    runner: &EdgeQueryRunner,
) -> Result<String, Problem> {
    form.write(&services(arguments, runner).await?)
}

async fn services(
    arguments: &Arguments,
    runner: &EdgeQueryRunner,
) -> Result<ServicesAnswer, Problem> {
    let (range, limit) = (arguments.range()?, arguments.number("limit")?);
    let steps = Steps::of(range, arguments.count("points")?);
    let all = Selector::default();
    let now = runner
        .timeline(&all, None, range, steps.window, Grouping::Service)
        .await?;
    // Of the time before only its totals are told, which sum windows of any length give.
    let (range, window) = (range_before(range), Some(SumWindow::Day));
    let before = runner
        .timeline(&all, None, range, window, Grouping::Service)
        .await?;
    let answer = ServicesAnswer::new(&now, &before, steps)?;
    Ok(match limit {
        Some(limit) => answer.limited(limit),
        None => answer,
    })
}
