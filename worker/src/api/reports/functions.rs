//! The functions that take most.

use pilotlight_core::Pattern;
use pilotlight_core::reports::TopFunctions;

use super::arguments::Arguments;
use super::merged::merged;
use super::parameters::{FROM, QUERY, UNTIL, choice, number, text};
use super::report::{Form, Report};
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::platform::errors::Problem;

pub(super) const REPORT: Report = Report {
    endpoint: Endpoint::get("/api/v1/functions", READ, |request, scope| {
        Box::pin(REPORT.answer(request, scope))
    })
    .of_several_tenants(),
    tool: "top_functions",
    about: "The functions that use most of a profile: CPU time, allocations or whatever the profile type measures. Values are sums over the whole range.",
    shape: "Functions",
    parameters: &[
        QUERY,
        FROM,
        UNTIL,
        choice(
            "sort",
            "Sort by self value, or by total including callees.",
            &["self", "total"],
        ),
        text(
            "search",
            "Only functions with this text in their names, ignoring case; or a regular expression between slashes: /^main\\./.",
        ),
        number("limit", "Maximum number of functions.", 1_000, 20),
    ],
    write: |arguments, form, runner| Box::pin(write(arguments, form, runner)),
};

async fn write(
    arguments: &Arguments,
    form: Form,
    runner: &EdgeQueryRunner,
) -> Result<String, Problem> {
    let (order, limit) = (arguments.order()?, arguments.count("limit")?);
    let search = Pattern::parse(arguments.text("search").unwrap_or(""))
        .map_err(|e| Problem::invalid(format!("search: {e}")))?;
    let (source, answer) = merged(&arguments.selected()?, runner).await?;
    form.write(&TopFunctions::new(
        source,
        &answer,
        order,
        search.as_ref(),
        limit,
    )?)
}
