//! The points of rules through the part of Prometheus' HTTP API that Grafana's data source needs.
//! The URL of that data source is the server's, followed by `/prometheus`.
//!
//! `expression.rs` has the supported part of PromQL. There is no `rate`: points are amounts, not
//! counters.

pub(super) mod evaluate;
mod expression;
mod time;

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;
use pilotlight_core::{TimeRange, plans};
use serde::Serialize;
use worker::{Method, Request, Response};

use self::evaluate::{Answer, Times, check_held, label_sets, measured, number};
use self::expression::{MetricSelector, NAME, Query};
use super::points::MAX_STEPS;
use super::record;
use super::rule::Rule;
use crate::api::query::EdgeQueryRunner;
use crate::auth::access::READ;
use crate::http::body;
use crate::http::endpoint::{Endpoint, Rest};
use crate::http::parameters::{Parameters, raw_query};
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;

/// Most bytes of a form.
const MAX_FORM: usize = 256 << 10;

/// Most selectors of a call.
const MAX_SELECTORS: usize = 16;

/// The path of a label's values: before and after the label's name.
const LABEL: &str = "/prometheus/api/v1/label/";
const VALUES: &str = "/values";

/// Where profiles have expired.
const ROUNDED: &str = "Some profiles in this range have expired; only hourly or daily totals remain, and each is one point, at its beginning.";

macro_rules! endpoint {
    ($method:ident $path:expr, $answer:ident) => {
        Endpoint::$method($path, READ, |request, scope| {
            Box::pin(async { $answer(&Call::read(request, scope).await?).await })
        })
        .with_errors(error_response)
    };
}

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    endpoint!(get "/prometheus/api/v1/query", query),
    endpoint!(post "/prometheus/api/v1/query", query),
    endpoint!(get "/prometheus/api/v1/query_range", query_range),
    endpoint!(post "/prometheus/api/v1/query_range", query_range),
    endpoint!(get "/prometheus/api/v1/series", series),
    endpoint!(post "/prometheus/api/v1/series", series),
    endpoint!(get "/prometheus/api/v1/labels", labels),
    endpoint!(post "/prometheus/api/v1/labels", labels),
    endpoint!(get LABEL, label_values).followed_by(Rest::AnyId),
    endpoint!(get "/prometheus/api/v1/metadata", metadata),
    endpoint!(get "/prometheus/api/v1/rules", groups),
];

/// What a query evaluates to.
enum Evaluated {
    Series(Answer),
    Number(f64),
}

/// A request, and the rules of its tenant.
struct Call<'a> {
    parameters: Parameters,
    path: String,
    rules: Vec<Rule>,
    scope: &'a Scope,
}

#[derive(Serialize)]
struct Success<T> {
    status: &'static str,
    data: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<[&'static str; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure<'a> {
    status: &'static str,
    error_type: &'static str,
    error: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "resultType", content = "result", rename_all = "lowercase")]
enum Data {
    Scalar(Point),
    Vector(Vec<Vector>),
    Matrix(Vec<Matrix>),
}

/// A time in seconds and a value.
#[derive(Serialize)]
struct Point(f64, String);

#[derive(Serialize)]
struct Vector {
    metric: BTreeMap<String, String>,
    value: Point,
}

#[derive(Serialize)]
struct Matrix {
    metric: BTreeMap<String, String>,
    values: Vec<Point>,
}

#[derive(Serialize)]
struct Metadata {
    #[serde(rename = "type")]
    kind: &'static str,
    help: String,
    unit: String,
}

#[derive(Serialize)]
struct Groups {
    groups: [(); 0],
}

impl Point {
    fn of((millis, value): (i64, f64)) -> Self {
        Self(millis as f64 / 1_000.0, number(value))
    }
}

impl<'a> Call<'a> {
    /// Reads parameters from the query string, and of a POST also from the form.
    async fn read(request: &mut Request, scope: &'a Scope) -> Result<Self, Problem> {
        let mut text = raw_query(request);
        if request.method() == Method::Post {
            let form = body::read(request, &scope.isolate().bodies, MAX_FORM).await?;
            text.push('&');
            text.push_str(&String::from_utf8_lossy(&form));
        }
        Ok(Self {
            parameters: Parameters::parse(&text, clock::now()),
            path: request.path(),
            rules: record::of_tenant(scope).await?,
            scope,
        })
    }

    /// A time; now if it is missing.
    fn time(&self, name: &str) -> Result<i64, Problem> {
        let given = self.parameters.get(name);
        given.map_or(Ok(clock::now_millis()), |text| time::time(name, text))
    }

    /// `start` to `end`, milliseconds: the last day by default.
    fn range(&self) -> Result<(i64, i64), Problem> {
        let end = self.time("end")?;
        let start = match self.parameters.get("start") {
            Some(text) => time::time("start", text)?,
            None => (end - 86_400_000).max(0),
        };
        if start > end {
            return Err(Problem::invalid("start must not be after end"));
        }
        Ok((start, end))
    }

    /// The labels of all series that one of the selectors `match[]` selects, or all without.
    async fn label_sets(&self) -> Result<Vec<BTreeMap<String, String>>, Problem> {
        let (start, end) = self.range()?;
        let selectors = self.parameters.all("match[]").map(MetricSelector::parse);
        let mut selectors = selectors.collect::<Result<Vec<_>, _>>()?;
        if selectors.len() > MAX_SELECTORS {
            let message = format!("at most {MAX_SELECTORS} match[] are allowed");
            return Err(Problem::invalid(message));
        }
        if selectors.is_empty() {
            selectors.push(MetricSelector::default());
        }
        let range = TimeRange::of_millis(start, end.saturating_add(1));
        let objects = EdgeQueryRunner::open(self.scope)?.catalog(range).await?;
        let all = plans::series(&objects, range);
        let (mut sets, mut held) = (BTreeSet::new(), 0);
        for (rule, measure) in measured(&self.rules, &MetricSelector::default()) {
            let selected = all.iter().filter(|(labels, of_type)| {
                **of_type == measure.profile_type && measure.selector.matches(of_type, labels)
            });
            let selected: Vec<_> = selected.map(|(labels, _)| *labels).collect();
            for selector in &selectors {
                let labels = selected.iter().copied();
                for set in label_sets(rule, &measure.name, selector, labels) {
                    held += evaluate::set_bytes(&set);
                    check_held(held)?;
                    sets.insert(set);
                }
            }
        }
        Ok(sets.into_iter().collect())
    }

    async fn evaluate(&self, times: Times) -> Result<Evaluated, Problem> {
        match Query::parse(self.parameters.required("query")?)? {
            Query::Number(number) => Ok(Evaluated::Number(number)),
            Query::Series(expression) => {
                let runner = EdgeQueryRunner::open(self.scope)?;
                let answer = evaluate::evaluate(&expression, times, &self.rules, &runner);
                Ok(Evaluated::Series(answer.await?))
            }
        }
    }
}

async fn query(call: &Call<'_>) -> Result<Response, Problem> {
    let time = call.time("time")?;
    let answer = match call.evaluate(Times::at(time)).await? {
        Evaluated::Series(answer) => answer,
        Evaluated::Number(number) => return success(Data::Scalar(Point::of((time, number)))),
    };
    let series = answer.series.into_iter().flat_map(|series| {
        let metric = series.labels;
        let values = series.values.into_iter();
        values.map(move |value| Vector {
            metric: metric.clone(),
            value: Point::of(value),
        })
    });
    warned(Data::Vector(series.collect()), answer.rounded)
}

async fn query_range(call: &Call<'_>) -> Result<Response, Problem> {
    let (start, end) = call.range()?;
    let step = time::step(call.parameters.required("step")?)?;
    if (end - start) / step >= MAX_STEPS {
        return Err(Problem::invalid(format!(
            "the range has more than {MAX_STEPS} points at this step; choose a longer step"
        )));
    }
    let times = Times { start, end, step };
    let answer = match call.evaluate(times).await? {
        Evaluated::Series(answer) => answer,
        Evaluated::Number(number) => {
            let values = times.all().map(|time| Point::of((time, number)));
            return success(Data::Matrix(vec![Matrix {
                metric: BTreeMap::new(),
                values: values.collect(),
            }]));
        }
    };
    let series = answer.series.into_iter().map(|series| Matrix {
        metric: series.labels,
        values: series.values.into_iter().map(Point::of).collect(),
    });
    warned(Data::Matrix(series.collect()), answer.rounded)
}

async fn series(call: &Call<'_>) -> Result<Response, Problem> {
    success(call.label_sets().await?)
}

async fn labels(call: &Call<'_>) -> Result<Response, Problem> {
    let sets = call.label_sets().await?;
    let mut names: BTreeSet<String> = sets.into_iter().flat_map(BTreeMap::into_keys).collect();
    // Also while there is no profile.
    names.insert(NAME.to_owned());
    success(names)
}

async fn label_values(call: &Call<'_>) -> Result<Response, Problem> {
    let name = call.path.rsplit_once(LABEL).map_or("", |(_, name)| name);
    let name = name.strip_suffix(VALUES).filter(|name| !name.is_empty());
    let Some(name) = name else {
        let message = format!("the path must end with the name of a label and {VALUES}");
        return Err(Problem::not_found(message));
    };
    let name = &*percent_decode_str(name).decode_utf8_lossy();
    if name == NAME && call.parameters.get("match[]").is_none() {
        let every = MetricSelector::default();
        let names = measured(&call.rules, &every).map(|(_, measure)| measure.name);
        return success(names.collect::<BTreeSet<_>>());
    }
    let sets = call.label_sets().await?;
    let values = sets.into_iter().filter_map(|mut set| set.remove(name));
    success(values.collect::<BTreeSet<_>>())
}

async fn metadata(call: &Call<'_>) -> Result<Response, Problem> {
    let mut metadata: BTreeMap<String, [Metadata; 1]> = BTreeMap::new();
    for (_, measure) in measured(&call.rules, &MetricSelector::default()) {
        let one = Metadata {
            kind: "gauge",
            help: measure.help(),
            unit: measure.unit,
        };
        metadata.insert(measure.name, [one]);
    }
    success(metadata)
}

/// Prometheus' own rules and alerts: there are none here.
async fn groups(_: &Call<'_>) -> Result<Response, Problem> {
    success(Groups { groups: [] })
}

fn success(data: impl Serialize) -> Result<Response, Problem> {
    warned(data, false)
}

fn warned(data: impl Serialize, rounded: bool) -> Result<Response, Problem> {
    Ok(Response::from_json(&Success {
        status: "success",
        data,
        warnings: rounded.then_some([ROUNDED]),
    })?)
}

/// An error in Prometheus' form: its type and a message.
fn error_response(_: &Request, problem: &Problem) -> worker::Result<Response> {
    let error_type = match problem.status {
        400 => "bad_data",
        401 | 403 => "unauthorized",
        404 => "not_found",
        429 => "execution",
        503 => "unavailable",
        _ => "internal",
    };
    let response = Response::from_json(&Failure {
        status: "error",
        error_type,
        error: &problem.message,
    })?;
    if let Some(seconds) = problem.retry_after {
        let seconds = seconds.to_string();
        response.headers().set("retry-after", &seconds)?;
    }
    Ok(response.with_status(problem.status))
}
