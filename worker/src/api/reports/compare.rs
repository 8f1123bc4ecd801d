//! What got slower or faster.

use pilotlight_core::reports::{Comparison, ComparisonSide};

use super::arguments::{Arguments, Selected};
use super::merged::merged;
use super::parameters::{FROM, QUERY, UNTIL, choice, number, text};
use super::report::{Form, Report};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(super) const REPORT: Report = Report {
    endpoint: Endpoint::get("/api/v1/compare", READ, |request, scope| {
        Box::pin(REPORT.answer(request, scope))
    })
    .of_several_tenants(),
    tool: "compare_profiles",
    about: "What got slower or faster: functions that use more or less than in a baseline, which is an earlier range or another selector, such as another version.",
    shape: "Comparison",
    parameters: &[
        QUERY,
        FROM,
        UNTIL,
        text(
            "baseline_query",
            "What to compare with, of the same profile type. The same query by default.",
        ),
        text(
            "baseline_from",
            "Start of the baseline. Default: the range of equal length before `from`, or the same range if `baseline_query` is set.",
        ),
        text("baseline_until", "End of the baseline, exclusive."),
        choice(
            "sort",
            "Sort by the change of total, which shows where a change comes from, or of self value.",
            &["total", "self"],
        ),
        choice(
            "scale",
            "Compare shares of each side's total, so that load and range length don't matter, or absolute values.",
            &["share", "absolute"],
        ),
        number(
            "limit",
            "Maximum number of functions that grew, and of functions that shrank.",
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
    form.write(&compare(arguments, runner).await?)
}

async fn compare(arguments: &Arguments, runner: &EdgeQueryRunner) -> Result<Comparison, Problem> {
    let (order, scale) = (arguments.order()?, arguments.scale()?);
    let limit = arguments.count("limit")?;
    let selected = arguments.selected()?;
    let baseline = arguments.baseline(&selected)?;
    let (range, of_both) = (baseline.range, baseline.range == selected.range);
    if !of_both && runner.allowed(range)?.from > range.from {
        // Of less time, so that everything would have grown.
        return Err(Problem::invalid(
            "the baseline begins before the earliest time allowed (max_query_lookback); give a later baseline_from and baseline_until",
        ));
    }
    // One after the other: of the first only its functions are kept meanwhile.
    let before = side(&baseline, runner).await?;
    let after = side(&selected, runner).await?;
    Ok(Comparison::new(before, after, order, scale, limit)?)
}

async fn side(selected: &Selected, runner: &EdgeQueryRunner) -> Result<ComparisonSide, Problem> {
    let (source, answer) = merged(selected, runner).await?;
    Ok(ComparisonSide::new(source, &answer)?)
}
