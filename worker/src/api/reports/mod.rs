//! Answers for machines: short reports for CI jobs and language models, as JSON or as Markdown.
//! `reports/` of the core has their shapes, `openapi.json` describes them.

mod arguments;
mod parameters;

use pilotlight_core::Selector;
use pilotlight_core::plans::{
    Grouping, LabelsAnswer, Outgrown, QueryAnswer, ServicesAnswer, Steps, range_before,
};
use pilotlight_core::reports::{
    Comparison, ComparisonSide, FlameGraphReport, FunctionReport, Markdown, SeriesReport, Source,
    TopFunctions,
};
use pilotlight_core::store::SumWindow;
use worker::{Request, Response};

use crate::api::query::{self, EdgeQueryRunner};
use crate::http::parameters::Parameters;
use crate::http::route::ReportCall;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;
pub(crate) use arguments::Arguments;
use arguments::Selected;
pub(crate) use parameters::{Kind, Parameter};

/// Most bytes of Markdown: a comment on a pull request may have 65,536 characters.
const MAX_MARKDOWN: usize = 60_000;

/// The parameter that says how an answer is written.
const FORMAT: &str = "format";

/// The description of these calls, OpenAPI 3.1.
const OPENAPI: &str = include_str!("openapi.json");

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    /// In at most so many bytes.
    Markdown(usize),
}

impl Form {
    fn of(parameters: &Parameters) -> Result<Self, Problem> {
        match parameters.get(FORMAT).unwrap_or("json") {
            "json" => Ok(Self::Json),
            "markdown" => Ok(Self::Markdown(MAX_MARKDOWN)),
            other => Err(Problem::invalid(format!(
                "{FORMAT} is {other:?}, not one of json, markdown"
            ))),
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Markdown(_) => "text/markdown; charset=utf-8",
        }
    }

    fn write(self, report: &impl Markdown) -> Result<String, Problem> {
        match self {
            Self::Json => serde_json::to_string(report).map_err(Problem::internal),
            Self::Markdown(most) => Ok(report.markdown(most)),
        }
    }
}

/// `GET /api/v1/openapi.json`
pub(crate) fn openapi() -> Result<Response, Problem> {
    written(OPENAPI.to_owned(), Form::Json)
}

/// `GET` of a report.
pub(crate) async fn answer(
    call: ReportCall,
    request: &Request,
    scope: &Scope,
) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let form = Form::of(&parameters)?;
    let arguments = Arguments::new(call, parameters, &[FORMAT])?;
    let runner = EdgeQueryRunner::open(scope)?;
    written(report(&arguments, form, &runner).await?, form)
}

fn written(text: String, form: Form) -> Result<Response, Problem> {
    let response = Response::from_bytes(text.into_bytes())?;
    let content_type = form.content_type();
    response.headers().set("content-type", content_type)?;
    Ok(response)
}

/// A report in words.
pub(crate) async fn report(
    arguments: &Arguments,
    form: Form,
    runner: &EdgeQueryRunner,
) -> Result<String, Problem> {
    match arguments.call {
        ReportCall::Services => form.write(&services(arguments, runner).await?),
        ReportCall::Labels => form.write(&labels(arguments, runner).await?),
        ReportCall::Functions => {
            let (order, limit) = (arguments.order()?, arguments.count("limit")?);
            let search = arguments.text("search").unwrap_or("");
            let (source, answer) = merged(&arguments.selected()?, runner).await?;
            let report = TopFunctions::new(source, &answer, order, search, limit);
            form.write(&report?)
        }
        ReportCall::Function => {
            let (name, limit) = (arguments.required("name")?, arguments.count("limit")?);
            let (source, answer) = merged(&arguments.selected()?, runner).await?;
            let report = FunctionReport::new(source, &answer, name, limit);
            form.write(&report?)
        }
        ReportCall::Compare => form.write(&compare(arguments, runner).await?),
        ReportCall::Series => form.write(&series(arguments, runner).await?),
        ReportCall::FlameGraph => {
            let nodes = match arguments.count("nodes")? {
                default if arguments.text("nodes").is_none() => default.min(runner.nodes().most),
                nodes => runner.nodes().checked(Some(nodes as i64))?,
            };
            let (source, answer) = merged(&arguments.selected()?, runner).await?;
            form.write(&FlameGraphReport::new(source, &answer, nodes)?)
        }
    }
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

async fn compare(arguments: &Arguments, runner: &EdgeQueryRunner) -> Result<Comparison, Problem> {
    let (order, scale) = (arguments.order()?, arguments.scale()?);
    let limit = arguments.count("limit")?;
    let selected = arguments.selected()?;
    let baseline = arguments.baseline(&selected)?;
    let (range, of_both) = (baseline.range, baseline.range == selected.range);
    if !of_both && runner.allowed(range)?.from > range.from {
        // Of less time, so that everything would have grown.
        return Err(Problem::invalid(
            "the baseline begins further back than queries may (max_query_lookback); give a later baseline_from and baseline_until",
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

/// The sum of what is selected.
async fn merged(
    selected: &Selected,
    runner: &EdgeQueryRunner,
) -> Result<(Source, QueryAnswer), Problem> {
    let Selected {
        selector,
        profile_type,
        range,
    } = selected;
    let range = runner.allowed(*range)?;
    let answer = runner
        .merged_when(selector, profile_type, range, Outgrown::Fold)
        .await?;
    Ok((Source::new(selected.query(), range, &answer), answer))
}

#[cfg(test)]
mod tests;
