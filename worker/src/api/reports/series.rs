//! Totals over time.

use pilotlight_core::plans::{Grouping, Steps};
use pilotlight_core::reports::SeriesReport;

use super::arguments::{Arguments, Selected};
use super::parameters::{FROM, QUERY, UNTIL, number, text};
use super::report::{Form, Report};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(super) const REPORT: Report = Report {
    endpoint: Endpoint::get("/api/v1/series", READ, |request, scope| {
        Box::pin(REPORT.answer(request, scope))
    })
    .of_several_tenants(),
    tool: "query_series",
    about: "Totals over time, as one series or grouped by labels; shows when something changed, and which label values account for most of it.",
    shape: "Series",
    parameters: &[
        QUERY,
        FROM,
        UNTIL,
        text(
            "by",
            "Labels to group by, separated by commas. A single series by default.",
        ),
        number(
            "points",
            "Maximum number of steps, which begin at round times.",
            4_000,
            12,
        ),
        number(
            "limit",
            "Maximum number of series, largest totals first.",
            1_000,
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
    form.write(&series(arguments, runner).await?)
}

async fn series(arguments: &Arguments, runner: &EdgeQueryRunner) -> Result<SeriesReport, Problem> {
    let selected = arguments.selected()?;
    let limit = arguments.count("limit")?;
    let Selected {
        selector,
        profile_type,
        range,
    } = &selected;
    let range = runner.allowed(*range)?;
    let steps = Steps::of(range, arguments.count("points")?);
    let by = arguments.by();
    let grouping = if by.is_empty() {
        Grouping::Service
    } else {
        Grouping::Series
    };
    let timeline = runner
        .timeline(selector, Some(profile_type), range, steps.window, grouping)
        .await?;
    SeriesReport::new(
        selected.query(),
        profile_type,
        &timeline,
        range,
        steps,
        by,
        limit,
    )
    .map_err(Problem::invalid)
}
