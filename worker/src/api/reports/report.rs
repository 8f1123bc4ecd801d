//! A report: its endpoint, the tool that it is for models, what it takes and how it is written.

use futures_util::future::LocalBoxFuture;
use pilotlight_core::reports::Markdown;
use worker::{Request, Response};

use super::arguments::Arguments;
use super::parameters::Parameter;
use crate::api::query::EdgeQueryRunner;
use crate::http::content_type;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::errors::Problem;

/// Most bytes of Markdown: a comment on a pull request may have 65,536 characters.
pub(super) const MAX_MARKDOWN: usize = 60_000;

/// The parameter that says how an answer is written.
pub(super) const FORMAT: &str = "format";

pub(crate) struct Report {
    pub(crate) endpoint: Endpoint,
    /// Its name as a tool.
    pub(crate) tool: &'static str,
    /// What it tells.
    pub(crate) about: &'static str,
    /// The schema of its answer in `openapi.json`.
    pub(crate) shape: &'static str,
    /// What it takes.
    pub(crate) parameters: &'static [Parameter],
    pub(super) write: for<'a> fn(
        &'a Arguments,
        Form,
        &'a EdgeQueryRunner,
    ) -> LocalBoxFuture<'a, Result<String, Problem>>,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    /// In at most so many bytes.
    Markdown(usize),
}

impl Report {
    /// Answers a request at its endpoint.
    pub(super) async fn answer(
        &self,
        request: &Request,
        scope: &Scope,
    ) -> Result<Response, Problem> {
        let parameters = Parameters::of(request);
        let form = Form::of(&parameters)?;
        let arguments = Arguments::new(self.parameters, parameters, &[FORMAT])?;
        let text = self.text(&arguments, form, scope).await?;
        let content_type = form.content_type();
        Ok(content_type::response(
            200,
            content_type,
            text.into_bytes(),
        )?)
    }

    /// The report in words.
    pub(crate) async fn text(
        &self,
        arguments: &Arguments,
        form: Form,
        scope: &Scope,
    ) -> Result<String, Problem> {
        (self.write)(arguments, form, &EdgeQueryRunner::open(scope)?).await
    }
}

impl Form {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Problem> {
        match parameters.get(FORMAT).unwrap_or("json") {
            "json" => Ok(Self::Json),
            "markdown" => Ok(Self::Markdown(MAX_MARKDOWN)),
            other => Err(Problem::invalid(format!(
                "{FORMAT} must be one of json, markdown (got {other:?})"
            ))),
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Markdown(_) => "text/markdown; charset=utf-8",
        }
    }

    pub(super) fn write(self, report: &impl Markdown) -> Result<String, Problem> {
        match self {
            Self::Json => serde_json::to_string(report).map_err(Problem::internal),
            Self::Markdown(most) => Ok(report.markdown(most)),
        }
    }
}
