//! Our own API, as the site calls it. `plans/answers/` of the core has the shapes.

mod cache;
mod calls;
pub(crate) mod export;
mod invocations;
mod naming;
mod runner;
mod spans;
mod subqueries;

use pilotlight_core::{
    ProfileType, Selector,
    plans::{Grouping, Steps, TimelineAnswer},
};
use worker::{Request, Response};

use crate::auth::access::READ;
use crate::http::endpoint::Endpoint;
use crate::http::parameters::Parameters;
use crate::http::scope::Scope;
use crate::platform::clock;
use crate::platform::errors::Problem;
#[cfg(test)]
pub(crate) use cache::AnswerCache;
#[cfg(test)]
pub(crate) use invocations::Invocations;
pub(crate) use invocations::SUBQUERIES_PATH;
#[cfg(test)]
pub(crate) use runner::QueryRunner;
pub(crate) use runner::queries::{Coverage, Queries};
pub(crate) use runner::{EdgeQueryRunner, Slice};
pub(crate) use spans::span_selector;
#[cfg(test)]
pub(crate) use subqueries::Fanout;
#[cfg(test)]
pub(crate) use subqueries::answer_subqueries;
pub(crate) use subqueries::{FanoutStats, answer};

pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::get("/api/v1/timeline", READ, |request, scope| {
        Box::pin(timeline(request, scope))
    })
    .of_several_tenants(),
    Endpoint::get("/api/v1/profile", READ, |request, scope| {
        Box::pin(profile(request, scope))
    })
    .of_several_tenants(),
];

/// Most buckets of a timeline: more than a screen has columns.
const MAX_POINTS: usize = 4_000;

/// Tells that only sums are left of some of what is selected, which is not in the answer.
pub(crate) const INCOMPLETE_HEADER: &str = "x-pilotlight-incomplete";

/// Tells that windows at the ends of the range count as a whole, since their profiles have expired.
pub(crate) const ROUNDED_HEADER: &str = "x-pilotlight-rounded";

/// Tells whether a number of the answer is cut at 2^63 − 1.
pub(crate) const SATURATED_HEADER: &str = "x-pilotlight-saturated";

/// `GET /api/v1/timeline?query&from&until&points`
async fn timeline(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let parameters = Parameters::of(request);
    let (selector, profile_type) = typed_selector(parameters.required("query")?)?;
    let (range, points) = (
        parameters.range_millis()?,
        parameters.number("points", 1, MAX_POINTS, 60)?,
    );
    let steps = Steps::of(range, points);
    let runner = EdgeQueryRunner::open(scope)?;
    let timeline = runner
        .timeline(
            &selector,
            Some(&profile_type),
            range,
            steps.window,
            Grouping::Service,
        )
        .await?;
    Ok(Response::from_json(&TimelineAnswer::new(&timeline, steps))?)
}

/// `GET /api/v1/profile?query&from&until`, of samples of spans or traces with `span` or `trace`
async fn profile(request: &Request, scope: &Scope) -> Result<Response, Problem> {
    let began = clock::now_millis();
    let parameters = Parameters::of(request);
    let (selector, profile_type) = typed_selector(parameters.required("query")?)?;
    let (runner, range) = (EdgeQueryRunner::open(scope)?, parameters.range_millis()?);
    let (answer, stats) = match spans::selector(&parameters)? {
        None => {
            runner
                .merged_with_stats(&selector, &profile_type, range)
                .await?
        }
        Some(spans) => {
            let answer = runner.of_samples(&selector, &profile_type, range, spans);
            (answer.await?, FanoutStats::default())
        }
    };
    let response = if answer.profiles == 0 {
        Response::empty()?.with_status(204)
    } else {
        // It is stored nowhere, but reads as what is: the site has the code for that.
        Response::from_bytes(answer.chunk(&profile_type).map_err(Problem::internal)?)?
    };
    let headers = response.headers();
    headers.set("x-pilotlight-profiles", &answer.profiles.to_string())?;
    headers.set("x-pilotlight-objects", &answer.objects.to_string())?;
    headers.set("x-pilotlight-bytes", &answer.bytes.to_string())?;
    // Only sums are kept of a part of the range, and its ends lie within their windows.
    headers.set(ROUNDED_HEADER, &answer.rounded.to_string())?;
    headers.set(SATURATED_HEADER, &answer.is_saturated().to_string())?;
    headers.set("x-pilotlight-subqueries", &stats.subqueries.to_string())?;
    headers.set("x-pilotlight-cached", &stats.cached.to_string())?;
    headers.set("x-pilotlight-calls", &stats.calls.to_string())?;
    headers.set(
        "x-pilotlight-millis",
        &(clock::now_millis() - began).to_string(),
    )?;
    Ok(response)
}

/// A selector with or without a profile type.
pub(crate) fn selector(text: &str) -> Result<Selector, Problem> {
    Selector::parse(text).map_err(Problem::invalid)
}

/// A selector that begins with a profile type.
pub(crate) fn typed_selector(text: &str) -> Result<(Selector, ProfileType), Problem> {
    let mut selector = selector(text)?;
    match selector.profile_type.take() {
        Some(profile_type) => Ok((selector, profile_type)),
        None => Err(Problem::invalid(format!(
            "the query {text:?} must start with a profile type, such as process_cpu:cpu:nanoseconds:cpu:nanoseconds{{}}"
        ))),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pilotlight_core::{
        Profile, TimeRange, UnixNanos, parse_name,
        plans::{
            CatalogObject, LabelsAnswer, Point, QueryAnswer, ServicesAnswer, Timeline,
            TimelineSeries, range_before,
        },
    };
    use serde::Serialize;

    /// The answer of a query that found one profile.
    pub(crate) fn answer_of(profile: Profile) -> QueryAnswer {
        QueryAnswer {
            profile,
            profiles: 1,
            objects: 1,
            bytes: 1,
            saturated: false,
            rounded: false,
            error_bounds: Default::default(),
        }
    }

    /// Type, name with labels, and points of (nanoseconds, total).
    pub(crate) type Drawn<'a> = (&'a str, &'a str, &'a [(i64, i64)]);

    pub(crate) fn timeline(series: &[Drawn]) -> Timeline {
        let series = series
            .iter()
            .map(|(profile_type, name, points)| TimelineSeries {
                profile_type: profile_type.parse().unwrap(),
                labels: parse_name(name).unwrap(),
                points: points
                    .iter()
                    .map(|&(time, total)| Point {
                        time: UnixNanos(time),
                        total,
                        profiles: 1,
                        covered: UnixNanos(time).lasting(0),
                        durations: 0,
                    })
                    .collect(),
            });
        Timeline {
            series: series.collect(),
            ..Timeline::default()
        }
    }

    /// What each call answers, as text.
    pub(crate) fn every_answer(
        timeline: &Timeline,
        objects: &[CatalogObject],
        range: TimeRange,
    ) -> Vec<String> {
        fn text(answer: impl Serialize) -> String {
            serde_json::to_string(&answer).expect("an answer as JSON")
        }
        let mut texts = Vec::new();
        for points in [1, 60, MAX_POINTS] {
            let steps = Steps::of(range, points);
            texts.push(text(TimelineAnswer::new(timeline, steps)));
            let answer = ServicesAnswer::new(timeline, timeline, steps);
            texts.push(answer.map_or_else(|problem| problem.to_string(), text));
        }
        assert!(range_before(range).until <= range.from);
        texts.push(text(LabelsAnswer::new(
            objects,
            &Selector::default(),
            range,
        )));
        texts
    }
}
